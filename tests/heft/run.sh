#!/bin/sh
# `partition --repair`: finds a placement exactly where enumeration finds one; proofs on graphs of 30
# nodes. `partition --mode heft`: makespans beside lower bounds and beside those of the other modes.
# usage: B=build sh tests/heft/run.sh [--table]
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM
. tests/check.sh
table=${1:-}

# ---- --repair ----

works "the enumeration compiles" "${CC:-cc}" -std=c99 -O2 -I. -o "$out/placements" tests/heft/placements.c

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
refused() {
    ! $program partition "$@" --device a:64 "$out/1.fx" > "$out/log" 2> "$out/err" && grep -q -- "--repair belongs to" "$out/err"
    verdict "refused: $*" $? "$out/err"
}
refused --repair --mode sparse-nn
refused --repair --count peak
finish
