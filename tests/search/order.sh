#!/bin/sh
# Orders of the least peak (`memory --order best`): against every order of small graphs, on graphs in which a search
# has much to choose, and on real models; the model in that order is the same model.
# usage: sh tests/search/order.sh   (GRAPHS=N: so many small graphs, 60)
cd "$(dirname "$0")/../.." || exit 1
program="${RUN:-} ${B:-build}/graphsplit"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
. tests/check.sh
export LC_ALL=C

all="${RUN:-} $dir/all_orders"
${CC:-cc} -std=c99 -O1 -I. -o "$dir/all_orders" tests/search/all_orders.c > "$dir/log" 2>&1
verdict "tests/search/all_orders.c" $? "$dir/log"

# peak FILE: of its order
peak() {
    $program memory --porcelain "$1" 2> /dev/null | sed -n 's/^peak bytes=\([0-9]*\) .*/\1/p'
}

# order FILE OPTION...: "PEAK BOUND PROVED REFERENCE" of the search
order() {
    $program memory --order best --porcelain "$@" 2> "$dir/errors" |
        sed -n '$s/^proof objective=\(.*\) bound=\(.*\) proved=\(.*\) reference=\(.*\)/\1 \2 \3 \4/p'
}

# ---- every order of small graphs ----

seed=0
better=0
fewer=0
while [ $seed -lt "${GRAPHS:-60}" ]; do
    seed=$((seed + 1))
    graph=$dir/$seed.fx
    $all make $seed > "$graph"
    given=$(peak "$graph")
    budget=$((given * 3 / 4))
    read -r least parts << END
$($all least $budget < "$graph")
END
    [ "$(order "$graph" --align 1 --emit-model "$dir/new.fx")" = "$least $least 1 $given" ] &&
        [ "$(peak "$dir/new.fx")" = "$least" ] && [ "$(grep -c . "$dir/new.fx")" -eq "$(grep -c . "$graph")" ]
    verdict "graph $seed: least peak $least" $? "$graph"
    [ "$least" = "$given" ] || better=$((better + 1))
    # The fewest parts, and no fit only where no order has one.
    found=$($program memory --order best --budget-pieces $budget --porcelain "$graph" 2> /dev/null | grep -c '^piece')
    [ "$found" -eq "$parts" ]
    verdict "graph $seed: $found parts, $parts are the fewest" $? "$graph"
    alone=$($program memory --budget-pieces $budget --porcelain "$graph" 2> /dev/null | grep -c '^piece')
    [ "$alone" -eq "$parts" ] || fewer=$((fewer + 1))
    # One RAM: fits from the least peak on.
    $program memory --order best --budget "$least" "$graph" > "$dir/out" 2>&1 &&
        { [ "$least" -eq 0 ] || ! $program memory --order best --budget $((least - 1)) "$graph" > "$dir/out" 2>&1; }
    verdict "graph $seed: one RAM of $least" $? "$dir/out"
done
echo "$better of $seed small graphs have a better order, $fewer need fewer parts or fit only in another"
[ $better -gt $((seed / 5)) ]
verdict "small graphs have better orders" $?

# ---- a narrow search ----

# In 140,000 bytes within 1.5 % of the best known.
for kind in "randwire 340" "darts 170"; do
    set -- $kind
    for seed in 1 2 3 4 8 12; do
        $all "$1" $seed > "$dir/graph.fx"
        set -- "$1" "$2" $(order "$dir/graph.fx")
        $program memory --order best --beam "$2" --json "$dir/graph.fx" > "$dir/json"
        narrow=$(sed -n 's/^"order": {"objective": \([0-9]*\),.*/\1/p' "$dir/json")
        bytes=$(sed -n 's/^"order": .*"search_bytes": \([0-9]*\)}.*/\1/p' "$dir/json")
        [ "$5" = 1 ] && [ "$bytes" -le 140000 ] && [ $((narrow * 1000)) -le $(($3 * 1015)) ]
        verdict "$1 $seed: $narrow in $bytes bytes, the best is $3" $? "$dir/json"
    done
done

# ---- files ----

net=examples/models/onnx_mnist.fx
[ "$(order $net --emit-model "$dir/mnist.fx")" = "50176 50176 1 60416" ] &&
    $program run --equal $net "$dir/mnist.fx" | grep -q 'computes the same$' && [ "$(peak "$dir/mnist.fx")" = 50176 ]
verdict "mnist in 10,240 bytes less, and the same" $? "$dir/errors"
[ "$(order "$dir/mnist.fx" --emit-model "$dir/again.fx")" = "50176 50176 1 50176" ] && cmp -s "$dir/mnist.fx" "$dir/again.fx"
verdict "a best order stays" $? "$dir/errors"

# A module: the graph that --graph names, and only it.
$all make 5 | sed 's/^graph/module main\ngraph/' > "$dir/module.fx"
$all make 4 | sed 's/^graph/module child\ngraph/' >> "$dir/module.fx"
$all make 4 > "$dir/child.fx"
set -- $(order "$dir/child.fx") $(order "$dir/module.fx" --graph child --emit-model "$dir/new.fx")
$program memory --porcelain "$dir/new.fx" > "$dir/out" 2> "$dir/errors"
[ "$1 $2 $3 $4" = "$5 $6 $7 $8" ] && [ "$1" -lt "$4" ] && [ "$(sed -n 's/^graph child bytes=\([0-9]*\) .*/\1/p' "$dir/out")" = "$1" ] &&
    [ "$(sed -n 's/^graph main bytes=\([0-9]*\) .*/\1/p' "$dir/out")" = "$(peak "$dir/module.fx")" ]
verdict "a graph of a module" $? "$dir/out"

# says STATUS PATTERN OPTION...: a sentence, and nothing is written
says() {
    status=$1
    pattern=$2
    shift 2
    $program memory "$@" > "$dir/out" 2> "$dir/errors"
    [ $? -eq "$status" ] && grep -q -- "$pattern" "$dir/errors" && [ ! -e "$dir/none.fx" ] && [ -z "$(ls "$dir" | grep none)" ]
    verdict "memory $*: exit $status" $? "$dir/errors"
}
says 2 "--order expects best, got 'worst'" --order worst --emit-model "$dir/none.fx" $net
says 2 "--beam requires --order best" --beam 7 $net
says 2 "--emit-model requires --order best" --emit-model "$dir/none.fx" $net
says 2 "--csv cannot be combined with --order, which requires a graph" --order best --csv $net
says 1 "the model can be written as .fx" --order best --emit-model "$dir/none.onnx" $net
says 1 "only text has the graph child reordered" --order best --graph child --emit-model "$dir/none.tflite" "$dir/module.fx"
says 1 "needs 50176 bytes, and --budget allows 50175" --order best --budget 50175 --emit-model "$dir/none.fx" $net

# ---- real models ----

[ -d "$shared/models/fx" ] || nothing_but "real models (looked for in $shared/models/fx)"
for model in "$shared"/models/fx/*.fx; do
    nodes=$(grep -c ' = ' "$model")
    if [ "$nodes" -lt 300 ]; then
        proof=$(order "$model" --emit-model "$dir/new.fx")
        set -- $proof
        [ "$1" = "$2" ] && [ "$1" -le "$4" ] && [ "$(peak "$dir/new.fx")" = "$1" ] &&
            $program run --equal "$model" "$dir/new.fx" 2> /dev/null | grep -q 'computes the same$'
        verdict "$(basename "$model"), $nodes nodes: $proof" $? "$dir/errors"
    fi
done

finish
