#!/bin/sh
# Limits that keep the best nodes and phases of least traffic: the split modules compute what the models
# compute, what cannot be is refused, and on published graphs the figures are at least those expected.
# usage: B=build sh tests/search/flow.sh [--table]     --table: a row per published figure, and less of the rest
cd "$(dirname "$0")/../.." || exit 1
table=${1:-}
tests="${RUN:-} ${B:-build}/tests"
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
. tests/check.sh
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT INT TERM

models='examples/models/*.fx'
shapes='diamonds hub layers'
[ "$table" != --table ] || models='' shapes=''

# ---- the same values ----

for graph in $models; do
    for options in "--order min-traffic" "--order min-traffic:read --start best" "--order min-traffic:resident --min-acc-module-size 2" \
        "--max-acc 2" "--max-acc 3 --value bytes --order min-traffic:read" "--max-acc-splits 4 --limit-policy exact --order min-traffic:resident"; do
        # shellcheck disable=SC2086
        $program split --acc-ops xnnpack $options --porcelain "$graph" > "$out/made" 2> "$out/log" &&
            $tests --equal "$graph" "$out/made" >> "$out/log" 2>&1
        verdict "$graph $options" $? "$out/log"
    done
done

# ---- shapes that are hard for flows end in time, with what is proved ----

# shape NAME: 4000 nodes; every seventh is not supported.
shape() {
    awk -v shape="$1" '
        function node(v, inputs) {
            text[v] = inputs
            n = split(inputs, of, " ")
            for (i = 1; i <= n; i++) users[of[i]]++
        }
        BEGIN {
            for (v = 0; v < 4000; v++) {
                inputs = ""
                if (shape == "diamonds" && v % 3 == 0 && v > 0) inputs = (v - 2) " " (v - 1)
                else if (shape == "diamonds") inputs = v - v % 3 == v ? "" : v - v % 3
                else if (shape == "hub") inputs = v == 0 ? "" : v == 1 ? 0 : 0 " " (v - 1)
                else for (u = v - v % 20 - 20; u >= 0 && u < v - v % 20; u++) inputs = inputs u " "
                node(v, inputs)
            }
            print "graph():\n    %x : [num_users=1] = placeholder[target=x]"
            for (v = 0; v < 4000; v++) {
                gsub(/ $/, "", text[v])
                arguments = text[v] == "" ? "x" : text[v]
                gsub(/[0-9]+/, "n&", arguments)
                gsub(/ /, ", %", arguments)
                printf "    %%n%d : [num_users=%d] = call_function[target=f](args = (%%%s,), kwargs = {})  # i8[%d] acc=%d\n", v, users[v] + (v == 3999), arguments, v * 37 % 101, v % 7 != 3
            }
            print "    return n3999"
        }' > "$out/hard.fx"
}
for name in $shapes; do
    shape "$name"
    for options in "--order min-traffic" "--order min-traffic:read" "--order min-traffic:resident" "--max-acc 3"; do
        # shellcheck disable=SC2086
        timeout 30 $program split $options --porcelain "$out/hard.fx" 2>&1 | grep '^proof ' > "$out/log"
        verdict "$name $options" $? "$out/log"
    done
done

# ---- refusals: one sentence, nothing written ----

printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]\n    %%a : [num_users=1] = call_function[target=f](args = (%%x,), kwargs = {})  # f32[4] %s\n    %%b : [num_users=1] = call_function[target=g](args = (%%a,), kwargs = {})  # f32[4] acc=0\n    %%c : [num_users=1] = call_function[target=f](args = (%%b,), kwargs = {})  # f32[4] acc=1\n    return c\n' 'acc=1 compute=-1' > "$out/bad.fx"
sed 's/ compute=-1//' "$out/bad.fx" > "$out/good.fx"
# refuses WORDS OPTION...: exit 1 or 2, one line with the words, no directory
refuses() {
    words=$1
    shift
    $program split "$@" --emit "$out/dir" > "$out/log" 2>&1
    [ $? -ne 0 ] && grep -q -e "$words" "$out/log" && [ "$(grep -c '^graphsplit:' "$out/log")" -eq 1 ] && ! [ -e "$out/dir" ]
    verdict "$*: '$words'" $? "$out/log"
}
refuses 'pinned to acc need more subgraphs than --max-acc allows' --max-acc 1 --pin acc:name:a,c "$out/good.fx"
refuses 'pinned to acc need more subgraphs than --max-acc-splits allows' --max-acc-splits 2 --limit-policy exact --pin acc:name:a,c "$out/good.fx"
refuses 'a time of a is negative' --max-acc 1 --value time "$out/bad.fx"
refuses 'no node has compute=' --max-acc 1 --value time "$out/good.fx"
refuses 'for one accelerator; there are 2' --max-acc 1 --accelerator x=f --accelerator y=g "$out/good.fx"
refuses 'for one accelerator; there are 2' --order min-traffic --accelerator x=f --accelerator y=g "$out/good.fx"
refuses 'min-traffic' --order least "$out/good.fx"

# ---- published graphs ----

if [ ! -d "$shared/models/cost" ]; then
    skip "figures of published graphs (looked for in $shared/models/cost)" 30
    finish
fi

# made NAME PATTERN SHARE: a graph without groups, weights as attributes; targets of the pattern, or a share in
# per cent of all nodes, are not supported.
made() {
    sed -E 's/ group=[0-9]+//; s/call_module(\[target=[^]]*\])\(args = \(\), kwargs = \{\}\)/get_attr\1/' "$shared/models/cost/$1.fx" |
        awk -v pattern="$2" -v share="$3" '
            BEGIN { state = 7 }
            /^    %/ {
                state = state * 16807 % 2147483647
                if (share > 0 ? state % 100 < share : $0 ~ ("target=.*(" pattern ")")) sub(/acc=1/, "acc=0")
            }
            { print }' > "$out/graph.fx"
}
# proof OPTION...: sets objective, bound, proved, reference
proof() {
    eval "$($program split "$@" --porcelain "$out/graph.fx" 2> /dev/null | sed -n 's/^proof //p')"
}
# figure TABLE NAME OURS PUBLISHED: less is better
figure() {
    [ "$table" != --table ] || echo "| $1 $(echo "$2" | tr -d ' ') $3 $4"
}
# saves LABEL MEASURE PER_MILLE [proved [PUBLISHED]]: the published figure, if it is another
saves() {
    proof --start best --order "min-traffic:$2"
    [ $(((reference - objective) * 1000 / reference)) -ge "$3" ] && [ "$bound" -le "$objective" ] && { [ -z "${4:-}" ] || [ "$proved" -eq 1 ]; }
    verdict "$1: $2 saves $3 per mille ($objective of $reference, not below $bound)" $?
    figure traffic "$1:$2" $((objective * 1000 / reference)) $((1000 - ${5:-$3}))
}
# counts LABEL LEAST REFERENCE [PUBLISHED]
counts() {
    proof --start best
    [ "$objective $bound $reference" = "$2 $2 $3" ]
    verdict "$1: $2 subgraphs, $3 in PyTorch's order ($objective, $reference)" $?
    [ -z "${4:-}" ] || figure subgraphs "$1" "$objective" "$4"
}
# keeps LABEL PER_CENT...: of the time saved, with at most 1, 2, 3, 4, 6, 8 accelerator subgraphs
keeps() {
    label=$1
    shift
    proof --max-acc 100000 --value time
    all=$objective
    for limit in 1 2 3 4 6 8; do
        proof --max-acc $limit --value time
        [ $((objective / (all / 1000))) -ge $(($1 * 10)) ] && [ "$objective" -ge "$reference" ] && [ "$proved" -eq 1 ]
        verdict "$label: $1 % kept by $limit ($objective of $all, whole subgraphs $reference)" $?
        figure lost "$label:limit=$limit" $((100 - objective * 100 / all)) $((100 - $1))
        shift
    done
}

made latency_op_bert_l_12_inference 'Dropout|Gelu' 0
counts "BERT-12" 101 101 101
saves "BERT-12" written 34 proved 53
saves "BERT-12" read 24
saves "BERT-12" resident 685 proved
made latency_op_bert_l_12_inference 'Softmax|Transpose' 0
counts "BERT-12 without Softmax, Transpose" 75 76
made throughput_op_bert_l_3_training 'Dropout|Gelu' 0
saves "BERT-3 training" written 70
saves "BERT-3 training" read 54
saves "BERT-3 training" resident 170 proved 182
for figures in "5 72 77 34" "15 42 36 32" "30 37 5 28"; do
    # shellcheck disable=SC2086
    set -- $figures
    made throughput_op_resnet50_training '' "$1"
    saves "ResNet-50 training, $1 %" written "$2"
    saves "ResNet-50 training, $1 %" read "$3"
    saves "ResNet-50 training, $1 %" resident "$4" proved
done
made throughput_layer_bert24_training '' 15
$program split --order min-traffic "$out/graph.fx" 2> /dev/null | grep -q 'already optimal'
verdict "BERT-24 training: already optimal" $?
made latency_op_bert_l_3_inference 'Dropout|Gelu' 0
keeps "BERT-3" 51 58 65 72 85 92
made throughput_op_resnet50_inference 'Relu|Sum' 0
keeps "ResNet-50" 12 19 26 32 43 49

finish
