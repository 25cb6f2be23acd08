#!/bin/sh
# What may stand in the files: plain ASCII, and in the header nothing of libc, no float outside the
# costs, no platform outside >>config and >>impl.
. "$(dirname "$0")/lib.sh"
for header in $headers; do
    code_only $header > "$out/$(basename $header).code"
done
header=graphsplit.h
c_files() {
    find . -path ./build -prune -o \( -name '*.[ch]' -o -name '*.cpp' \) -print
}
all_files() {
    find . \( -path ./build -o -path ./.git -o -name '*.fx' -o -name '*.case' -o -path ./tests/fuzz/seeds \) -prune -o -type f -print
}
style() {
    c_files | while read -r file; do
        awk '
            /[^ -~]/ { print FILENAME ":" FNR ": not plain ASCII, or a tab" }
            / $/ { print FILENAME ":" FNR ": blank at the end" }
            length($0) > 100 { print FILENAME ":" FNR ": longer than 100 columns" }
            END { if (FNR > 0 && $0 == "") print FILENAME ": blank line at the end" }' "$file"
        [ -z "$(tail -c 1 "$file")" ] || echo "$file: no newline at the end"
    done
}
# word REGEX: not in the code of the header
word() {
    awk -v regex="(^|[^A-Za-z_0-9])($1)([^A-Za-z_0-9]|$)" '$0 ~ regex { print "line " FNR ": " $0 }' "$out/$(basename $header).code"
}
includes() {
    awk '/^ *# *include </ && !/<(limits|stddef|stdint|string|assert|sanitizer\/asan_interface)\.h>/ { print FNR ": " $0 }' $header
}
# double and float only where GSP_NO_COST takes them out (PARTITION goes with it).
floats() {
    awk '
        /^ *# *if/ { depth++; cost[depth] = cost[depth - 1] || /ifndef GSP_NO_(COST|PARTITION)/ }
        /^ *# *endif/ { depth-- }
        !cost[depth] && /(^|[^A-Za-z_0-9])(double|float)([^A-Za-z_0-9]|$)|[0-9]\.[0-9]/ { print "line " FNR ": " $0 }' "$out/$(basename $header).code"
}
platforms() {
    awk '
        FNR == NR { code[FNR] = $0; next }
        /^ \* >>/ { section = substr($2, 3) }
        section !~ /^(config|impl)$/ && code[FNR] ~ /(^|[^A-Za-z0-9_])_(_[a-zA-Z]|[A-Z])/ && code[FNR] !~ /__cplusplus/ {
            print "line " FNR ": " $0
        }' "$out/$(basename $header).code" $header
}
# A pattern in brackets does not find itself.
unfinished() {
    all_files | xargs grep -n -I 'TO[D]O\|FI[X]ME\|X[X]X'
    return 0
}
machine_paths() {
    all_files | xargs grep -n -I '/[w]ork/\|/[t]mp/\|/[h]ome/\|/[r]oot/\|/[U]sers/\|[C]:\\\\'
    return 0
}
top_level() {
    git ls-files 2> /dev/null | sed 's|/.*||' | sort -u |
        grep -v -x -e graphsplit.h -e tests -e examples -e bench -e Makefile -e README.md -e LICENSE -e '\..*'
    return 0
}
# The folders of tests that hold a file, beside the first column of the table in tests/README.md.
test_folders() {
    git ls-files tests 2> /dev/null | awk -F/ 'NF > 2 { print $2 }' | sort -u > "$out/folders"
    sed -n 's,^| `\([a-z_]*\)/` |.*,\1,p' tests/README.md | sort > "$out/listed"
    [ ! -s "$out/folders" ] || diff "$out/folders" "$out/listed"
}
# What a test skips, and behind it in brackets why: a sentence of three words or more.
skips() {
    find tests examples bench -name '*.sh' | xargs grep -n -I -E "(skip|nothing_but|echo) \"" |
        grep -E "(skip|nothing_but) \"|echo \"skipped:" | grep -v -E '\(([^ )]+ ){2,}[^)]+\)|skipped: \$|"\$[1-9]"'
    return 0
}

# A comment gives the meaning of a value in a sentence, "0 means no limit": no colon follows a number, NULL, a constant
# for none or a word such as empty. Headings ("Time:", "COST:", "ARG (RANGE:") are words and stay.
bare_values() {
    awk '
        !/\/\*|^ *\*/ { next }
        match($0, /(^|[^A-Za-z0-9_"`%>])(-?[0-9]+|NULL|SIZE_MAX|UINT(32|64)_MAX|GSP_([A-Z]+_)?NONE|k|nonzero|none|empty|more|All zero): /) {
            print FILENAME ":" FNR ": " $0
        }' $header examples/extra/*.h
}
# Messages have one form: expects A, got 'b'; requires; cannot be combined with; can write to; missing FILE after.
other_forms() {
    find graphsplit.h examples -name '*.[ch]' | xargs grep -n -E \
        "\"[^\"]*(, (not|found) '%|exclude each other|belongs? to --|(--[a-z-]+|%s) (needs|takes) (--|an? |no |%s,|[A-Z]+[:=])|can have the standard)" |
        grep -v -e 'operator_lists\.c:' -e 'report/page\.c:'
    return 0
}

# A statement that refuses an argument or a choice also says which one: error.field.
unnamed_refusals() {
    awk '{ text = text " " $0 }
        /;/ {
            if (text ~ /ARG, *(RANGE|CHOICE|NULL_ARGUMENT)|DESC, *CHOICE|STATUS_(ARG|DESC), GSP_DETAIL_(RANGE|CHOICE|NULL)/ &&
                text !~ /CHECK_OF|GSPI_JOIN|_fail_(of|field|arg)\(|FIELD\(|, field\)/) print FILENAME ":" FNR ": " text
            text = ""
        }' $header
}

check "ASCII, width, line ends of C files" style
check_each "refusals name an argument or a field" unnamed_refusals
check_each "comments give the meaning of a value in a sentence" bare_values
check "messages have one form" other_forms
check_each "no long types" word 'long'
check_each "no memory of its own" word 'malloc|calloc|realloc|free|alloca'
check_each "no printing, no leaving" word 'printf|puts|fprintf|abort|exit|setjmp|longjmp|errno'
check_each "no goto" word goto
check_each "only freestanding headers and mem*" includes
check_each "floats only in costs" floats
check_each "platforms only in config and impl" platforms
check "nothing left to do" unfinished
check "skipped tests say why" skips
check "no paths of a machine" machine_paths
check "top level" top_level
check "tests/README.md has a line for every folder, and no other" test_folders
finish
