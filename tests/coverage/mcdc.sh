#!/bin/sh
# MC/DC (clang 19): of each condition of a decision in graphsplit.h, do two runs of build/tests differ by
# it alone and decide differently? At most as many conditions are without such a pair as tests/coverage/unpaired says.
# usage: sh tests/coverage/mcdc.sh [--write]     --write: tests/coverage/unpaired and the table of tests/README.md
cd "$(dirname "$0")/../.." || exit 1
. tests/check.sh
. tests/coverage/readme.sh
for tool in clang-19 llvm-profdata-19 llvm-cov-19; do
    command -v $tool > /dev/null || nothing_but "MC/DC ($tool is not installed)"
done
dir=build/mcdc
rm -rf $dir
mkdir -p $dir
echo 'int main(void) { return 0; }' > $dir/probe.c
clang-19 -fprofile-instr-generate -o $dir/probe $dir/probe.c 2> $dir/log || nothing_but "MC/DC (libclang-rt-19-dev is not installed)"
"${MAKE:-make}" --no-print-directory -s -j2 B=$dir CC=clang-19 CXX=none LDFLAGS=-fprofile-instr-generate \
    CFLAGS='-O1 -g0 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc' $dir/tests > $dir/log 2>&1 &&
    LLVM_PROFILE_FILE=$dir/fast.profraw $dir/tests --fast > $dir/log 2>&1 &&
    LLVM_PROFILE_FILE=$dir/damaged.profraw $dir/tests contract_stored contract_mutated contract_limits >> $dir/log 2>&1
verdict "the tests pass when pairs are measured" $? $dir/log
llvm-profdata-19 merge -o $dir/tests.profdata $dir/fast.profraw $dir/damaged.profraw &&
    llvm-cov-19 export -summary-only -instr-profile $dir/tests.profdata $dir/tests graphsplit.h > $dir/summary 2> $dir/log &&
    llvm-cov-19 show -show-mcdc -show-instantiations=false -instr-profile $dir/tests.profdata $dir/tests graphsplit.h \
        > $dir/shown 2> $dir/log
verdict "llvm-cov counts them" $? $dir/log

sed -n 's/.*"totals".*"mcdc":{"count":\([0-9]*\),"covered":[0-9]*,"notcovered":\([0-9]*\),.*/\1 \2/p' $dir/summary > $dir/pairs
awk '/MC\/DC Decision Region/ { place = $0; sub(/.*Region /, "", place) }
    /C[0-9]+-Pair: not covered/ { print place ": " $3 }' $dir/shown > $dir/unpaired
read -r pairs lost < $dir/pairs
of_conditions=$(awk -v all="$pairs" -v lost="$lost" 'BEGIN { printf "%.1f %% of %d", int(1000 * (all - lost) / all) / 10, all }')
if [ "$1" = --write ]; then
    echo "$lost" > tests/coverage/unpaired
    readme_cell 5 "$of_conditions"
fi
read -r may_lost < tests/coverage/unpaired
echo "MC/DC: $of_conditions conditions of the header"
echo "what has no pair: $dir/unpaired"
[ "$pairs" -gt 0 ] && [ "$lost" -le "$may_lost" ]
verdict "conditions of graphsplit.h without a pair: $lost, at most $may_lost" $?
finish
