#!/bin/sh
# The subgraphs of `graphsplit split` as a number per called node, and the nanoseconds of the pass.
# usage: sh bench/split.sh PROGRAM LABELS NAMES NS GRAPH PART OPTION...
program=$1
labels=$2
names=$3
ns=$4
graph=$5
part=$6
shift 6
"$program" split --porcelain --time 1 --acc-nodes "@$labels" "$@" "$graph" > "$part.split" 2> "$part.err" || exit 1
awk 'FNR == NR { if ($1 == "subgraph") { for (i = 4; i <= NF; i++) part[$i] = n + 0; n++ } next }
    { print part[$1] }' "$part.split" "$names" > "$part"
sed -n 's/^time .* ns=\([0-9]*\) .*/\1/p' "$part.err" > "$ns"
