#!/bin/sh
# A mode of `graphsplit partition` that knows the memory of devices and no imbalance: K equal devices, the
# smallest of a few sizes on which it finds a place. Its time includes these attempts.
# usage: sh bench/fit.sh PROGRAM MODE K BYTES GRAPH PART
devices=$6.devices
for percent in 101 103 110 125 150 200 300 400; do
    seq "$3" | awk -v bytes="$4" -v k="$3" -v percent="$percent" \
        '{ printf "p%d %d\n", $1, bytes / k * percent / 100 + 1 }' > "$devices"
    "$1" partition --mode "$2" --devices "$devices" --part "$6" "$5" && exit 0
done
exit 1
