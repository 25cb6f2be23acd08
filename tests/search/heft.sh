#!/bin/sh
# `partition --repair`: finds a placement exactly where enumeration finds one; proofs on graphs of 30
# nodes. `partition --mode heft`: makespans beside lower bounds and beside those of the other modes.
# usage: B=build sh tests/search/heft.sh [--table]
. "$(dirname "$0")/../elsewhere.sh"
out=$dir
table=${1:-}

# ---- --repair ----

works "the enumeration compiles" "${CC:-cc}" -std=c99 -O2 -I. -o "$out/placements" tests/search/placements.c

# holds OPTION...: the mode finds a placement, and no device has more than its bytes.
holds() {
    $program partition --json "$@" > "$out/json" 2> "$out/err" &&
        awk '/"used"/ { gsub(/[,}]/, ""); for (i = 1; i < NF; i++) { if ($i == "\"bytes\":") has = $(i + 1); if ($i == "\"used\":") used = $(i + 1) }
            n++; if (used + 0 > has + 0) bad = 1 } END { exit bad || n == 0 }' "$out/json"
}

# A line per graph and mode: yes or no, found without --repair, found with it, proved that there is none.
"$out/placements" "$out" 60 7 > "$out/list" 2> "$out/err"
for mode in size cost kl; do
    while read -r i exists devices; do
        # shellcheck disable=SC2086 # options
        set -- --mode $mode $devices "$out/$i.fx"
        holds "$@"
        without=$?
        grep -q -- "--repair" "$out/err" && said=yes || said=no
        holds --repair "$@"
        echo "$mode $i $exists $without $? $said $(grep -c "these devices have no placement\|devices together have" "$out/err")"
    done < "$out/list"
done > "$out/rows"
awk '{ wrong = ($3 == "yes") != ($5 == 0) || ($5 != 0 && $7 == 0) || ($4 != 0 && $3 == "yes" && $6 == "no")
        if (wrong) { print; bad = 1 } n++ } END { exit bad || n != 180 }' "$out/rows" > "$out/wrong"
verdict "--repair finds a placement where enumeration does, else says that there is none" $? "$out/wrong"
awk '$3 == "yes" { n[$1]++; lost[$1] += $4 != 0 } END { for (m in n) { if (!lost[m]) bad = 1
    printf "# %s: NO_FIT on %d of %d graphs that have a placement\n", m, lost[m], n[m] } exit bad }' "$out/rows"
verdict "each mode misses placements that exist" $? "$out/rows"

# 30 called nodes: found, or proved.
"$out/placements" "$out" 24 30 > "$out/list" 2> "$out/err"
while read -r i exists devices; do
    # shellcheck disable=SC2086 # options
    holds --mode size --repair $devices "$out/$i.fx"
    echo "$i $? $(grep -c "these devices have no placement\|devices together have" "$out/err")"
done < "$out/list" > "$out/rows"
awk '{ n[$2]++; if ($2 != 0 && $3 == 0) { print; bad = 1 } }
    END { exit bad || n[0] + n[1] != 24 || !n[0] || !n[1] }' "$out/rows" > "$out/wrong"
verdict "30 called nodes: a placement, or a proof that there is none" $? "$out/wrong"
# Its work has a bound, which --work raises: a second of this search, and a minute to its end.
awk 'BEGIN { print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[8]"
    for (i = 0; i < 30; i++) {
        inputs = i < 15 ? "%x," : "%v" (i - 15) ", %v" (i - 1 - i * 7 % 15)
        printf "    %%v%d : [num_users=1] = call_function[target=f](args = (%s), kwargs = {})  # f32[%d]\n", i, inputs, 1 + i * 7919 % 997
    }
    print "    return v29" }' > "$out/hard.fx"
placed() { # BYTES OPTIONS...: seven devices
    bytes=$1
    shift
    set -- "$@" --device "a:$bytes" --device "b:$bytes" --device "c:$bytes" --device "d:$bytes" --device "e:$bytes" \
        --device "f:$bytes" --device "g:$bytes" "$out/hard.fx"
    ! $program partition --repair "$@" > "$out/log" 2> "$out/err"
}
placed 11000 && grep -q 'within its work; one may exist, and a larger --work (default 134217728) searches longer$' "$out/err"
verdict "--repair of a hard graph ends" $? "$out/err"
placed 10000 --work 200000000 && grep -q 'have no placement' "$out/err"
verdict "--repair with more work" $? "$out/err"
refused() {
    ! $program partition "$@" --device a:64 "$out/1.fx" > "$out/log" 2> "$out/err" && grep -q -- "--repair requires" "$out/err"
    verdict "refused: $*" $? "$out/err"
}
refused --repair --mode sparse-nn
refused --repair --count peak

# ---- --mode heft: 48 nodes, four devices that each hold 40 % of them ----

# parts: a part per partition and device, so that `eval` has part I on device I modulo 4.
parts() {
    awk '/^partition / { split($3, d, "="); for (i = 6; i <= NF; i++) part[$i] = 4 * $2 + d[2] }
        FNR == NR { next }
        /call_function/ { print part[substr($1, 2)] }' "$out/log" "$1"
}
# serial MODE GRAPH OPTION...: seconds of its partitions if a device runs one at a time.
serial() {
    mode=$1 graph=$2
    shift 2
    $program partition --mode "$mode" --porcelain "$@" "$graph" > "$out/log" 2> "$out/err" || return 1
    parts "$graph" > "$out/part"
    $program eval "$graph" "$out/part" --porcelain "$@" 2>> "$out/err" | sed -n 's/.* serial=//p'
}
for kind in branchy nas chain; do
    for rate in 64KiB 640KiB; do
        for seed in 1 2 3; do
            graph=$out/$kind$seed.fx
            awk -v kind=$kind -v seed=$seed -v n=48 -f tests/search/instance.awk > "$graph"
            bytes=$(awk '/# f32/ { split($0, a, "# f32\\["); s += 4 * (a[2] + 0) } END { print int(s * 0.4) }' "$graph")
            work=$(awk '/compute=/ { split($0, a, "compute="); s += a[2] } END { printf "%.3f", s }' "$graph")
            set -- --device "a:$bytes" --device "b:$bytes" --device "c:$bytes" --device "d:$bytes" --transfer-rate $rate
            cost=$(serial cost "$graph" "$@")
            size=$(serial size "$graph" "$@")
            heft=$(serial heft "$graph" "$@")
            [ $seed != 1 ] || holds --mode heft --seed 1 "$@" "$graph"
            echo "$kind $rate $seed $? $(sed -n 's/^latency \([0-9.]*\)$/\1/p' "$out/log") ${heft:--} ${size:--} ${cost:--} $work" \
                "$(sed -n 's/^proof objective=\([0-9]*\) bound=\([0-9]*\) .* reference=/\1 \2 /p' "$out/log")"
        done
    done
done > "$out/rows"
[ "$table" != --table ] || awk '{ print "heft:", $1, $2, $3, $6, $7, $8, $11 / 1e9, $9 / 4 }' "$out/rows"
fails() {
    awk "$1"' { print; bad = 1 } END { exit bad || NR != 18 }' "$out/rows" > "$out/wrong"
    verdict "$2" $? "$out/wrong"
}
fails '$4 != 0' "no device has more than its bytes"
fails '$5 != $6 || sprintf("%.0f", $5 * 1e9) != $10' "the latency is the serial time of the evaluator, and the objective"
fails '$7 != "-" && ($6 > $7 || $10 > $12) || $8 != "-" && $6 > $8' "never slower than size or cost"
fails '$11 > $10' "never below the bound"
fails '$6 > 1.09 * ($11 / 1e9 > $9 / 4 ? $11 / 1e9 : $9 / 4)' "within 9 % of the critical path or a quarter of the work"
awk '{ least = $11 / 1e9 > $9 / 4 ? $11 / 1e9 : $9 / 4; n[$1 " " $2]++; above[$1 " " $2] += 100 * ($6 / least - 1) }
    END { for (k in n) printf "# heft, %s: %.1f %% above the lower bound, mean of %d\n", k, above[k] / n[k], n[k] }' "$out/rows"
graph=$out/nas2.fx
set -- --mode heft --device a:30000 --device b:40KiB --device c:2MiB --transfer-rate 64KiB
$program partition --porcelain --seed 3 "$@" "$graph" > "$out/one" 2> "$out/err" &&
    $program partition --porcelain --seed 3 "$@" "$graph" > "$out/two" 2> "$out/err" && cmp -s "$out/one" "$out/two"
verdict "the same seed, the same partitions" $? "$out/err"
grep -q '^partition 0 devices=2 ' "$out/one" && grep -q ' proved=1 ' "$out/one"
verdict "a graph that fits one device is one partition" $? "$out/one"
# free WANTED OPTION...: whether it says that transfers take no time.
free() {
    wanted=$1
    shift
    $program partition --mode heft --device a:16MiB --device b:16MiB "$@" \
        examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx > "$out/one" 2> "$out/err" &&
        [ "$(grep -c '^Transfers take no time; --transfer-rate gives a rate' "$out/one")" = "$wanted" ]
    verdict "transfers without a rate: $*" $? "$out/err"
}
free 1 --time-unit shapes
free 0 --time-unit shapes --transfer-rate 1e9
free 0 --time-unit shapes --device c:64MiB
free 0 --time-unit nodes
! $program partition --mode heft --device a:1KiB --device b:2KiB --porcelain "$graph" > "$out/one" 2> "$out/err" &&
    grep -q "^error NO_FIT" "$out/one" && grep -q "all 2 devices together have 3072" "$out/err"
verdict "devices that are too small" $? "$out/err"
finish
