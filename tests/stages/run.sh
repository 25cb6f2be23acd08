#!/bin/sh
# The optimal pipe policy on the instances of a placement benchmark beside the checkout (../shared, or
# $GRAPHSPLIT_SHARED), against its published figures: never above the least load of the file's own order.
# Loads are counted again here, from the stages that the command prints.
# usage: B=build sh tests/stages/run.sh [--table]
cd "$(dirname "$0")/../.." || exit 1
shared=${GRAPHSPLIT_SHARED:-../shared}
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT
trap 'exit 1' HUP INT TERM
. tests/check.sh

if [ ! -d "$shared/models/cost" ]; then
    nothing_but "stages beside published optima (other people's models are no part of this repository; looked for in $shared/models/cost)"
fi

figure() {
    awk -v key="$1" '$1 == key { print $2 }' "$figures"
}

# stage_of FILE: what `pipe --porcelain` printed, as a line `NODE STAGE` a node.
stage_of() {
    awk '/^module submod_/ { stage = substr($2, 8); inside = 1 }
        /^module main/ { inside = 0 }
        inside && / = call_module\[/ { print substr($1, 2), stage }' "$1"
}

# load STAGES GRAPH: the greatest load: compute= of its nodes, comm= once of every value that enters and
# of every one that leaves, to six digits.
load() {
    awk 'FNR == NR { stage[$1] = $2; next }
        / = call_module\[/ {
            name = substr($1, 2)
            for (i = 2; i <= NF; i++) {
                if ($i ~ /^compute=/) sum[stage[name]] += substr($i, 9)
                if ($i ~ /^comm=/) comm[name] = substr($i, 6)
            }
            args = $0
            sub(/.*\(args = \(/, "", args)
            sub(/\), kwargs.*/, "", args)
            n = split(args, input, /[%, ]+/)
            for (i = 1; i <= n; i++) {
                if (input[i] != "" && stage[input[i]] != stage[name]) {
                    pays[stage[name] " " input[i]] = 1
                    pays[stage[input[i]] " " input[i]] = 1
                }
            }
        }
        END {
            for (pair in pays) {
                split(pair, part, " ")
                sum[part[1]] += comm[part[2]]
            }
            for (s in sum) if (sum[s] > most) most = sum[s]
            printf "%.6g\n", most
        }' "$1" "$2"
}

plan() {
    $program pipe --stages "$devices" --policy optimal --orders "$1" --memory "$bytes" --porcelain \
        "$graph" > "$temporary/plan" || return 1
    stage_of "$temporary/plan" > "$temporary/stages"
    load "$temporary/stages" "$graph"
}

at_most() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'
}

[ "$1" = --table ] && printf '%-24s %9s %9s | %9s %10s %9s %9s\n' 'load of the slowest of' 'file' \
    '14 orders' 'file' 'contiguous' 'expert' 'pipedream'
for figures in "$shared"/models/cost/throughput_*.figures; do
    graph=${figures%.figures}.fx
    name=$(basename "$graph" .fx)
    devices=$(figure accelerators)
    bytes=$(figure bytes_each)
    one=$(plan 1)
    verdict "$name: a plan in the order of the file" $?
    said=$(awk '$1 == "proof" { sub(/objective=/, "", $2); printf "%.6g\n", $2 / 1e9 }' \
        "$temporary/plan")
    [ "$said" = "$one" ]
    verdict "$name: says $said, the stages have $one" $?
    all=$(plan 14)
    verdict "$name: a plan in one of 14 orders" $?
    at_most "$all" "$one"
    verdict "$name: 14 orders give $all, one gives $one" $?
    least=$(figure order_optimum_comm)
    if [ -n "$least" ]; then
        at_most "$one" "$least"
        verdict "$name: $one is above $least" $?
    fi
    [ "$1" = --table ] && printf '%-24s %9s %9s | %9s %10s %9s %9s\n' "${name#throughput_}" "$one" \
        "$all" "${least:--}" "$(figure contiguous_optimum)" "$(figure expert | grep . || echo -)" \
        "$(figure pipedream)"
done
finish
