#!/bin/sh
# The regions that `dedup --start best` finds on 500 random layered graphs of at most 11 operators, beside the most
# nodes that any regions save (repeats.c), and what --lift-constants finds beside that. Every module computes what
# its graph does. GRAPHSPLIT: the program.
# usage: sh tests/search/repeats.sh [--table]
. "$(dirname "$0")/../elsewhere.sh"
${CC:-cc} -O1 -o "$dir/repeats" tests/search/repeats.c 2> "$dir/log" ||
    nothing_but "random graphs (no C compiler here)"
cd "$dir" || exit 1

# saved OPTIONS...: the nodes that calls save in net.fx
saved() {
    $program dedup --porcelain "$@" net.fx > module.fx 2> err || echo failed
    awk '/^region / { rows[$2] = NF - 4; calls[$2]++ }
        END { for (k in rows) sum += rows[k] * (calls[k] - 1); print sum + 0 }' module.fx
}

seed=1
while [ $seed -le 500 ]; do
    most=$(./repeats $seed net.fx)
    reference=$(saved)
    lifted=$(saved --lift-constants)
    best=$(saved --start best)
    sed '/^region /d' module.fx > made.fx
    $program run --equal net.fx made.fx > log 2>&1 || echo "seed $seed"
    echo "$seed $most $best $reference $lifted" >> table
    seed=$((seed + 1))
done > wrong
[ ! -s wrong ]
verdict "every module computes what its graph does" $? wrong
awk '$3 > $2 || $3 < $4 || $5 < $3 || NF != 5' table > wrong
[ "$(wc -l < table)" -eq 500 ] && [ ! -s wrong ]
verdict "none saves more than is possible, or less than PyTorch's regions; lifting loses nothing" $? wrong
awk '{ most += $2; best += $3; reference += $4 }
    END { printf "500 graphs: of %d nodes at most, PyTorch'"'"'s regions save %d (%.1f %%), --start best %d (%.1f %%)\n",
              most, reference, 100 * reference / most, best, 100 * best / most
          exit best < 0.99 * most }' table > figure
verdict "--start best saves 99 % of what is possible" $? figure
cat figure

# Graphs with constants: lifting them finds no less than leaving them does.
seed=1
while [ $seed -le 120 ]; do
    ./repeats $seed net.fx $((seed % 40 + 4)) $((seed % 3 + 2))
    plain=$(saved --start best)
    lifted=$(saved --lift-constants)
    sed '/^region /d' module.fx > made.fx
    $program run --equal net.fx made.fx > log 2>&1 || echo "seed $seed"
    [ "$lifted" -ge "$plain" ] || echo "seed $seed: $lifted with --lift-constants, $plain without"
    echo "$plain $lifted" >> lifts
    seed=$((seed + 1))
done > wrong
awk '$2 > $1 { more++ } END { exit more < 40 }' lifts || echo "few gain" >> wrong
[ ! -s wrong ]
verdict "120 graphs with constants: --lift-constants never finds less" $? wrong
finish
