#!/bin/sh
# What is published, and what graphsplit reaches: a line per figure. The instances stand beside the checkout
# (../shared, or $GRAPHSPLIT_SHARED); those that are not there are named and skipped.
# usage: B=build sh bench/repro.sh
cd "$(dirname "$0")/.." || exit 1
shared=${GRAPHSPLIT_SHARED:-../shared}
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
. tests/check.sh

# row TABLE INSTANCE OURS PUBLISHED: less is better. A row fails without a figure of ours.
row() {
    echo "$1 $2 $3 $4" | awk '{ gap = NF == 4 && $4 > 0 ? sprintf("%+.2f %%", 100 * ($3 - $4) / $4) : "?"
        printf "%-10s %-36s %14s %14s %9s\n", $1, $2, $3, NF == 4 ? $4 : "", gap; exit NF != 4 }'
    verdict "$1 $2" $?
}
printf '%-10s %-36s %14s %14s %9s\n' table instance ours published gap

# ---- arena heights: MiniMalloc (ASPLOS 2023) ----

for file in tests/pack/A.csv tests/pack/C.csv "$shared"/alloc/[BD-K].*.csv; do
    [ -f "$file" ] || continue
    best=$($program memory --csv "$file" --exact --porcelain 2> "$out/err" |
        sed -n 's/^proof objective=\([0-9]*\) .*/\1/p')
    row MiniMalloc "$(basename "$file" .csv)" "$best" 1048576
done
[ -d "$shared/alloc" ] || skip "MiniMalloc's other instances ($shared/alloc is not there)" 9

# ---- cut edges of acyclic parts: dagP, best of ten seeds (tests/kway/run.sh has its figures) ----

if [ -d "$shared/dag" ]; then
    sh tests/kway/run.sh --table > "$out/kway" 2> "$out/err"
    awk '/^(fast|eco): graph/ { preset = substr($1, 1, length($1) - 1) }
        preset == "eco" && NF == 5 && $2 ~ /^0/ { print $1 ":k=" $3 ":" $2, $4, $5 }' "$out/kway" > "$out/rows"
    [ -s "$out/rows" ]
    verdict "the table of tests/kway/run.sh" $? "$out/kway"
    while read -r name ours theirs; do
        row dagP "$name" "$ours" "$theirs"
    done < "$out/rows"
else
    skip "dagP's graphs ($shared/dag is not there)" 48
fi

# ---- load of the slowest stage: Tarnawski et al. 2020, contiguous optimum ----

if [ -d "$shared/models/cost" ]; then
    sh tests/groups/run.sh --table > "$out/stages" 2> "$out/err"
    awk 'NF == 3 && $3 ~ /^[0-9.]+$/' "$out/stages" > "$out/rows"
    [ -s "$out/rows" ]
    verdict "the table of tests/groups/run.sh" $? "$out/stages"
    while read -r name ours theirs; do
        row stages "$name" "$ours" "$theirs"
    done < "$out/rows"
else
    skip "the graphs of the placement benchmark ($shared/models/cost is not there)" 9
fi

# ---- splits: what remains of the traffic (per mille), and of the time saved is lost (per cent) ----

if [ -d "$shared/models/cost" ]; then
    sh tests/flow/run.sh --table > "$out/flow" 2> "$out/err"
    sed -n 's/^| //p' "$out/flow" > "$out/rows"
    [ -s "$out/rows" ]
    verdict "the table of tests/flow/run.sh" $? "$out/flow"
    while read -r table name ours theirs; do
        row "$table" "$name" "$ours" "$theirs"
    done < "$out/rows"
else
    skip "splits of these graphs ($shared/models/cost is not there)" 28
fi

# ---- the tables of README ----

echo
if [ -x "${B:-build}/bench" ]; then
    "${B:-build}/bench" --quick > "$out/bench" 2> "$out/err"
    verdict "the table of times: make bench" $? "$out/err"
    cat "$out/bench"
else
    skip "the table of times (build/bench is not made)"
fi
if command -v arm-none-eabi-gcc > /dev/null && command -v clang > /dev/null; then
    sh bench/size.sh > "$out/size" 2> "$out/err"
    verdict "the table of sizes: bench/size.sh" $? "$out/err"
    cat "$out/size"
else
    skip "the table of sizes (it takes arm-none-eabi-gcc and clang)"
fi
finish
