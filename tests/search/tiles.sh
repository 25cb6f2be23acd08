#!/bin/sh
# Tiles of random chains with residual sums beside all sets of regions, measured row by row (tiles.c): every point
# of the curve has the fewest MACs of its peak, and no point is missing.
# usage: sh tests/search/tiles.sh   GRAPHS: how many (1000)
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/check.sh
n=${GRAPHS:-1000}
${CC:-cc} -std=c99 -O1 -I. -o "$dir/tiles" tests/search/tiles.c 2> "$dir/log" || nothing_but "random chains (no C compiler here)"
"$dir/tiles" 1 "$n" > "$dir/log"
[ $? -eq 0 ] && [ "$(wc -l < "$dir/log")" -eq 1 ] && grep -q "^$n chains, " "$dir/log"
verdict "$n chains" $? "$dir/log"
awk '{ exit $NF < $1 / 10 }' "$dir/log"
verdict "tiles help every tenth" $? "$dir/log"
cat "$dir/log"
finish
