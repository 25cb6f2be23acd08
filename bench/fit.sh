#!/bin/sh
# A mode of `graphsplit partition` that knows the memory of devices and no imbalance: K equal devices, the
# smallest of a few sizes on which it finds a place. Its time includes these attempts.
# usage: sh bench/fit.sh PROGRAM K BYTES GRAPH PART OPTION...
program=$1
k=$2
bytes=$3
graph=$4
part=$5
shift 5
for percent in 101 103 110 125 150 200 300 400; do
    seq "$k" | awk -v bytes="$bytes" -v k="$k" -v percent="$percent" \
        '{ printf "p%d %d\n", $1, bytes / k * percent / 100 + 1 }' > "$part.devices"
    "$program" partition --devices "$part.devices" --part "$part" "$@" "$graph" && exit 0
done
exit 1
