#!/bin/sh
# Every real network under every operator list, and with what
# it repeats as subgraphs: what the program prints of the split or deduplicated module, read back and run on hashed values, gives what the model gives.
# On some of them the independent checker oracle/equiv.py, where it stands beside the checkout, has to agree; it needs a python3
# that runs it. EQUAL_ALL=1 takes the models above 10 000 lines, too.
cd "$(dirname "$0")/../.." || exit 1
tests="${RUN:-} ${B:-build}/tests"
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
. tests/check.sh
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT INT TERM

if [ ! -d "$shared/models/fx" ]; then
    nothing_but "subgraphs that compute the same (looked for in $shared/models/fx)"
fi

# equal GRAPH PASS OPTIONS...: what the pass makes of the graph
equal() {
    graph=$1
    shift
    if $program "$@" --porcelain "$graph" > "$out/made" 2> "$out/error"; then
        $tests --equal "$graph" "$out/made" > "$out/report"
        verdict "$graph $*" $?
    else
        verdict "$graph $*: $(cat "$out/error")" 1
    fi
}
# python: what equal() has made, seen by the other checker
python() {
    python3 "$shared/oracle/equiv.py" "$graph" "$out/made" > /dev/null 2>&1
    verdict "equiv.py $graph $*" $?
}
other=1
printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]\n    return x\n' > "$out/x.fx"
if ! python3 "$shared/oracle/equiv.py" "$out/x.fx" "$out/x.fx" > /dev/null 2>&1; then
    skip "comparison by a second program (python3 and $shared/oracle/equiv.py, which is no part of this repository, are not there)"
    other=0
fi

for file in "$shared"/models/fx/*.fx "$shared"/models/fx/*.gz "$shared"/models/fx/*_as_printed.txt \
    "$shared"/models/cost/*.fx; do
    graph=$file
    case $file in
    *.gz)
        graph=$out/$(basename "$file" .gz)
        gzip -dc "$file" > "$graph"
        ;;
    esac
    if [ "$(wc -l < "$graph")" -gt 10000 ] && [ -z "$EQUAL_ALL" ]; then
        continue
    fi
    short=0
    if [ $other -eq 1 ] && [ "$(wc -l < "$graph")" -lt 500 ] &&
        ! grep -q '\[#users=' "$graph"; then # which it cannot read
        short=1
    fi
    equal "$graph" dedup
    if [ $short -eq 1 ]; then
        python
    fi
    n=0
    for list in "$shared"/models/ops/*.ops; do
        equal "$graph" split --acc-ops "@$list"
        n=$((n + 1))
        if [ $short -eq 1 ] && [ $n -eq 1 ]; then
            python "$list"
        fi
    done
done

finish
