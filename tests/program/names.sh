#!/bin/sh
# Names with quotes and control characters: no terminal obeys them, and every format holds them as names.
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

csi=$(printf '\302\233')
esc=$(printf '\033')
bell=$(printf '\007')
cat > hostile.fx << END
graph():
    %x${csi}31m : [num_users=1] = placeholder[target=x${csi}31m]  # f32[4]
    %p${csi}31m : [num_users=1] = get_attr[target=p${csi}31m"]  # f32[4]
    %a${csi}31m : [num_users=1] = call_function[target=f${csi}31m"](args = (%x${csi}31m, %p${csi}31m), kwargs = {})  # f32[4] scope=m${csi}31m"
    %b${csi}31m : [num_users=1] = call_function[target=g${csi}31m"](args = (%a${csi}31m, '${esc}]0;me${bell}'), kwargs = {})  # f32[4] scope=m${csi}31m"
    %c${csi}31m : [num_users=1] = call_function[target=f${csi}31m"](args = (%b${csi}31m, %p${csi}31m), kwargs = {})  # f32[4]
    %d${csi}31m : [num_users=1] = call_function[target=g${csi}31m"](args = (%c${csi}31m, '${esc}]0;me${bell}'), kwargs = {})  # f32[4]
    return d${csi}31m
END
cat > hostile.plan << END
plan 1
[a"b\\${csi}31m] cpu
a${csi}31m
b${csi}31m
gone${csi}31m
[</script><b title="z">] cpu
*
END
parser=
for candidate in "python3 -c 'import json,sys; json.load(sys.stdin.buffer)'" "node -e 'JSON.parse(require(\"fs\").readFileSync(0))'"; do
    [ -n "$parser" ] || ! echo '{}' | sh -c "$candidate" 2> /dev/null || parser=$candidate
done

# clean FILE: nothing in it moves a cursor or changes a colour
clean() {
    [ -z "$(LC_ALL=C tr -d '\n\040-\176\200-\377' < "$1")" ] && ! LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$1"
}

# seen COMMAND...: what people see is clean, whether it works or not
seen() {
    $program "$@" > out 2> err
    clean out && clean err && [ -s out -o -s err ]
    verdict "clean: $*" $? err
}

# parsed COMMAND...: its JSON is JSON, and clean; a wrong command line has none
parsed() {
    $program "$@" > out 2> err
    [ $? -ne 2 ] || echo '{}' > out
    clean out && clean err && { [ -z "$parser" ] || sh -c "$parser" < out 2>> err; }
    verdict "JSON: $*" $? err
}

ops=f${csi}31m\"
for look in seen parsed; do
    json=
    [ $look = seen ] || json=--json
    for options in "split" "split --plan hostile.plan" "split --why=a${csi}31m" "split --why" "split --why=nobody${csi}31m" \
        "split --plan hostile.plan --why" "split --plan hostile.plan --why=a${csi}31m" "preview" "partition --device d:1M --device e:1M" \
        "partition --device d:1" "module --assign a${csi}31m=0,b${csi}31m=1,c${csi}31m=0,d${csi}31m=2" "module --assign none${csi}=1" \
        "pipe --stages 2" "pipe --stages 2 --loss-output 0" "pipe --split-spec n${csi}=begin" "memory" "memory --budget-pieces 1" \
        "memory --graph n${csi}" "dedup" "run" "run --input n${csi}=1" "run --equal hostile.fx" "split --fingerprints" \
        "split --cpu-nodes n${csi}" "split --acc-ops n${csi}" "split --n${csi}" "split --plan n${csi}"; do
        # shellcheck disable=SC2086
        $look $options $json hostile.fx
        case $options in
        split* | preview) # shellcheck disable=SC2086
            $look $options --acc-ops "$ops" $json hostile.fx ;;
        esac
    done
    $look diff hostile.plan hostile.plan $json
    $look eval $json hostile.fx hostile.plan
    $look split $json "none${csi}"
    $look split $json hostile.plan
done

# ---- documents ----

parsed split --plan hostile.plan --model-explorer - hostile.fx
$program split --plan hostile.plan --html page.html hostile.fx > out 2>&1
sed -n '/<script type="application\/json"[^>]*>/,/<\/script>/p' page.html | sed 's/.*<script type="application\/json"[^>]*>//; /<\/script>/,$d' > data.json
[ -s data.json ] && { [ -z "$parser" ] || sh -c "$parser" < data.json; }
verdict "the data of the report is JSON" $? page.html
for options in "partition --device d:1M --svg -" "memory --svg -" "pipe --stages 2 --schedule 1f1b --svg -" "split --dot -" \
    "split --plan hostile.plan --dot-module -" "dedup --dot -"; do
    # shellcheck disable=SC2086
    $program $options hostile.fx > out 2> err
    clean out
    verdict "clean: $options" $? err
done
# More nodes than a drawing shows: one box per part.
awk 'BEGIN {
    print "graph():\n    %x : [num_users=1] = placeholder[target=x]"
    for (i = 0; i < 3000; i++) printf "    %%n%d : [num_users=1] = call_function[target=f](args = (%%%s,), kwargs = {})\n", i, i ? "n" i - 1 : "x"
    print "    return n2999" }' > long.fx
printf 'plan 1\n[a"b\\] cpu\n*\n' > long.plan
$program split --plan long.plan --dot - long.fx 2> err | grep -q 'label="a\\"b\\\\ (cpu)'
verdict "a box of DOT" $? err

[ -n "$parser" ] || skip "JSON is JSON (neither python3 nor node is installed)" 40
finish
