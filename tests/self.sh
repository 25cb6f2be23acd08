#!/bin/sh
# The tests of the tests: what build/tests says of its arguments, and how tests/sum.sh and tests/check.sh count.
cd "$(dirname "$0")/.." || exit 1
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
. tests/check.sh
tests="${RUN:+$RUN }${B:-build}/tests"

# says LABEL STATUS TEXT COMMAND...: it ends with this status, and a line of it contains the text.
says() {
    label=$1
    status=$2
    text=$3
    shift 3
    "$@" > "$out/log" 2>&1
    [ $? -eq "$status" ] && grep -qF -- "$text" "$out/log"
    verdict "$label" $? "$out/log"
}

# sum_says LABEL STATUS LINE SCRIPT: what sum.sh makes of a command.
sum_says() {
    says "$1" "$2" "$3" sh tests/sum.sh "$4"
}

says "a suite runs" 0 "passed, 0 failed" $tests unit_bitset
says "a test by a part of its name" 0 "passed, 0 failed" $tests unit_bitset/ unit_status
says "a name that no test has" 2 "unit_split" $tests unit_slpit
says "beside one that tests have" 2 "no test matches 'unit_slpit'" $tests unit_bitset unit_slpit
says "names" 0 "contract_bound/" $tests --list
says "names of a suite" 0 "unit_bitset/" $tests --list bitset
check "and of no other" sh -c "! $tests --list unit_bitset | grep -v unit_bitset"
says "help" 0 "usage: build/tests" $tests --help
says "no option" 2 "'--fsat' is no option" $tests --fsat
says "no value of an option" 2 "'--seed' is no option, or its value is missing" $tests unit_bitset --seed
echo 'graph(' > "$out/bad.fx"
says "a failure names the status" 1 "PARSE (5) and OK (0)" $tests --file "$out/bad.fx"

sum_says "a sum" 0 "2 passed, 0 failed, 1 skipped" 'echo "2 passed, 0 failed, 1 skipped"'
sum_says "a failure" 1 "2 passed, 1 failed" 'echo "2 passed, 1 failed"; exit 1'
sum_says "a failure that is not counted" 1 "2 passed, 1 failed" 'echo "2 passed, 0 failed"; exit 3'
sum_says "nothing tested" 1 "0 passed, 1 failed" 'echo "0 passed, 0 failed"'
sum_says "no last line" 1 "0 passed, 1 failed" true
says "a check that fails" 1 "1 passed, 1 failed" sh -c '. tests/check.sh; verdict good 0; verdict bad 1; finish'
finish
