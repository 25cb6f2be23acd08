#!/bin/sh
# MISRA C:2012 as cppcheck's addon sees it: no rule deviates that the list at the end of the header does not list,
# and none is listed that no longer deviates. usage: sh tests/lint/misra.sh
. "$(dirname "$0")/lib.sh"
if ! command -v cppcheck > /dev/null; then
    skip "misra (cppcheck is not installed)"
    finish
fi

listed=$(sed -n 's/^ \*     \([0-9]*\.[0-9]*\)   *[a-z#].*/\1/p' $header)
printf '#include "%s"\n' $headers > "$out/misra.c"
# A definition on the command line keeps cppcheck from going through every combination of switches.
cppcheck -q --addon=misra --enable=style --std=c99 $(for header in $headers; do implementation_of $header; done) -UGSP_CONFIG_HEADER -I. \
    --template='{file}:{line}: {id}' "$out/misra.c" > "$out/misra.all" 2>&1
sed -n 's/\(.*\): misra-c2012-\([0-9.]*\)$/\2 \1/p' "$out/misra.all" | sort > "$out/misra.found"

# deviations RULE: the first lines that deviate from it.
deviations() {
    awk -v rule="$1" '$1 == rule { print $2; if (++n == 5) exit }' "$out/misra.found"
}

check "the addon runs" [ "$(wc -l < "$out/misra.found")" -gt 1000 ] || cat "$out/misra.all"
for rule in $(cut -d ' ' -f 1 "$out/misra.found" | sort -u); do
    case " $(echo $listed) " in
    *" $rule "*) ;;
    *) check "rule $rule, which the header does not list, is kept" deviations "$rule" ;;
    esac
done
for rule in $listed; do
    check "rule $rule, which the header lists, deviates" sh -c "[ -n \"$(deviations "$rule" | head -n 1)\" ] || echo nowhere"
done
finish
