#!/bin/sh
# Lines and branches that `make test` reaches (gcc, gcov), of most large random tests the quick form: of
# graphsplit.h and its add-ons at most as many are missing as tests/coverage/unreached says, of the program at least 95 % of the
# lines are reached. `make cov` names the scripts, without `stop`, which counts every write of the program,
# those of coverage too.
# usage: SCRIPTS=... sh tests/coverage/run.sh [--write]     --write: tests/coverage/unreached and the table of tests/README.md
cd "$(dirname "$0")/../.." || exit 1
. tests/check.sh
. tests/coverage/readme.sh
command -v gcov > /dev/null || nothing_but "coverage (gcov is not installed)"
dir=build/cov
rm -rf $dir
mkdir -p $dir/gcov
"${MAKE:-make}" --no-print-directory -s -j2 B=$dir CC=gcc CXX=none CFLAGS='-O0 -g0 --coverage' LDFLAGS=--coverage \
    $dir/tests $dir/graphsplit > $dir/log 2>&1 && (
    export B=$dir GRAPHSPLIT=$dir/graphsplit CC=gcc GRAPHSPLIT_SHARED=$dir/none # no more than a clone has
    set -- "$dir/tests --fast" "$dir/tests contract_stored contract_mutated contract_limits"
    for script in $SCRIPTS; do
        set -- "$@" "sh $script"
    done
    sh tests/sum.sh "$@" > $dir/log 2>&1
)
verdict "the tests pass when they are measured" $? $dir/log
find $dir/obj/examples/program $dir/obj/examples/tflite -name '*.gcda' | while read -r file; do
    gcov -b -c -p "$file" 2>&1
done > $dir/gcov/log
mv ./*.gcov $dir/gcov/

# measure KIND FILE...: prints how many lines, how many of them no test reaches, the same of branches. What
# is not reached is listed in $dir/KIND.unreached. A line with GSPI_NEVER(), or that of an
# add-on, and what it guards do not count.
measure() {
    kind=$1
    shift
    awk -v list="$dir/$kind.unreached" '
        function missed() {
            if (text != listed) {
                print text > list
                listed = text
            }
        }
        /^ *([0-9]+|#####|-)\*?: *[0-9]+:/ { # the guarded statement ends with its brace
            never = /GSPI_([A-Z]+_)?NEVER\(/ ? 1 : never && !/: *}$/ && /^ *(#####|-):/
        }
        never { next }
        /^ *([0-9]+|#####)\*?: *[0-9]+:/ {
            text = FILENAME ": " $0
            lines++
            if (/^ *#####/) {
                lost_lines++
                missed()
            }
        }
        /^branch/ {
            branches++
            if (/never executed/ || $4 == 0) {
                lost_branches++
                missed()
            }
        }
        END { print lines + 0, lost_lines + 0, branches + 0, lost_branches + 0 }' "$@"
}
measure header $dir/gcov/graphsplit.h.gcov $dir/gcov/examples#extra#*.h.gcov > $dir/header
measure program $dir/gcov/examples#*.c.gcov > $dir/program
read -r lines lost_lines branches lost_branches < $dir/header
read -r program_lines program_lost_lines program_branches program_lost_branches < $dir/program

# reached ALL MISSING
reached() {
    awk -v all="$1" -v missing="$2" 'BEGIN { printf "%.1f %% of %d", int(1000 * (all - missing) / all) / 10, all }'
}
of_lines=$(reached "$lines" "$lost_lines")
of_branches=$(reached "$branches" "$lost_branches")
of_program=$(reached "$program_lines" "$program_lost_lines")
echo "tests reach $of_lines lines and $of_branches branches of the header, $of_program lines of the program"
echo "branches of the program: $(reached "$program_branches" "$program_lost_branches")"
echo "guards that no input can reach: $(cat graphsplit.h examples/extra/graphsplit_*.h | grep 'GSPI_\([A-Z]*_\)\{0,1\}NEVER(' | grep -vc define)"
echo "what is not reached: $dir/header.unreached, $dir/program.unreached"
if [ "$1" = --write ]; then
    echo "$lost_lines $lost_branches" > tests/coverage/unreached
    readme_cell 3 "$of_lines"
    readme_cell 4 "$of_branches"
    readme_cell 6 "$of_program"
fi
read -r may_lines may_branches < tests/coverage/unreached
[ "$lost_lines" -le "$may_lines" ]
verdict "lines of graphsplit.h that no test reaches: $lost_lines, at most $may_lines" $?
[ "$lost_branches" -le "$may_branches" ]
verdict "branches of graphsplit.h that no test reaches: $lost_branches, at most $may_branches" $?
[ $((program_lost_lines * 20)) -le "$program_lines" ]
verdict "5 % of the program's lines at most are not reached: $program_lost_lines of $program_lines" $?
finish
