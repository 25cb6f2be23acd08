#!/bin/sh
# `partition --mode kway`: parts that `eval` finds valid, in several formats; dagP's best cuts (ten seeds)
# of six graphs; bad options.
# usage: B=build sh tests/search/kway.sh [--table]
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM
. tests/check.sh
table=${1:-}

# cut GRAPH K IMBALANCE [OPTION...]: parts that eval finds valid; prints their cut.
cut() {
    graph=$1 k=$2 most=$3
    shift 3
    rm -f "$out/part"
    $program partition --mode kway --parts "$k" --imbalance "$most" --part "$out/part" --porcelain \
        "$@" "$graph" > "$out/log" 2> "$out/err" &&
        $program eval "$graph" "$out/part" --parts "$k" --imbalance "$most" --porcelain \
            > "$out/score" 2>> "$out/err" &&
        sed -n 's/^proof objective=\([0-9]*\) .*/\1/p' "$out/log"
}

# A ladder of 40 steps: the cut of two parts is one step.
awk 'BEGIN { print 80, 118
    for (i = 0; i < 40; i++) print 2 * i, 2 * i + 1
    for (i = 0; i < 39; i++) { print 2 * i, 2 * i + 2; print 2 * i + 1, 2 * i + 3 } }' > "$out/ladder.edges"
for k in 2 4 8; do
    [ "$(cut "$out/ladder.edges" $k 0)" = $((2 * (k - 1))) ]
    verdict "ladder in $k parts" $? "$out/err"
done
$program convert "$out/ladder.edges" "$out/ladder.fx" 2> "$out/err" && [ "$(cut "$out/ladder.fx" 4 0)" = 6 ] &&
    grep -q "cut_edges=6 " "$out/score"
verdict "the same as graph text" $? "$out/err"
for to in graph hgr mtx hdag; do
    $program convert "$out/ladder.edges" "$out/ladder.$to" 2> "$out/err" &&
        [ -n "$(cut "$out/ladder.$to" 4 0.1 --objective bytes --seed 7)" ]
    verdict "the same as .$to, in bytes" $? "$out/err"
done
cut "$out/ladder.edges" 4 0.1 --seed 3 > "$out/one" && cp "$out/part" "$out/first" &&
    cut "$out/ladder.edges" 4 0.1 --seed 3 > "$out/two" && cmp -s "$out/part" "$out/first"
verdict "the same seed, the same parts" $? "$out/err"
awk 'BEGIN { for (i = 0; i < 80; i++) print i == 50 ? 0 : -1 }' > "$out/fix"
cut "$out/ladder.edges" 2 0.3 --fix "$out/fix" > "$out/one" && [ "$(sed -n 51p "$out/part")" = 0 ]
verdict "a node that is fixed" $? "$out/err"

# ---- the limit: (1 + E) * ceil(load / K), rounded down, which small graphs reach ----

for net in examples/models/*.fx; do
    called=$(grep -c '= call_' "$net")
    for k in 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        [ $k -gt "$called" ] || [ -n "$(cut "$net" $k 0.03)" ] || echo "$net $k"
    done
done > "$out/missing"
[ ! -s "$out/missing" ]
verdict "the models in 2 to 16 parts" $? "$out/missing"
printf '%s\n' '5 2' 2 1 '' 5 4 > "$out/five.graph"
[ "$(cut "$out/five.graph" 2 0.03)" = 0 ] && grep -q 'largest=3 ' "$out/score"
verdict "five nodes in two parts" $? "$out/err"
[ -n "$(cut "$out/ladder.edges" 3 0)" ] && grep -q 'largest=27 ' "$out/score" &&
    ! $program eval "$out/ladder.edges" "$out/part" --parts 4 --imbalance 0 > "$out/log" 2>&1
verdict "80 nodes in three parts" $? "$out/err"

# Weights 3 5 3 1 in a chain: two parts have 8 at best, and the limit is 6.
awk 'BEGIN { print "graph():"; split("3 5 3 1", w, " ")
    for (i = 1; i <= 4; i++) printf "    %%n%d : [num_users=1] = call_function[target=f](args = (%s), kwargs = {})  # i8[4] weight=%d\n", i, (i > 1) ? "%n" i - 1 "," : "", w[i]
    print "    return n4" }' > "$out/chain.fx"
! $program partition --mode kway --parts 2 "$out/chain.fx" > "$out/log" 2> "$out/err" && grep -q 'of at most 8 (%n2 5 + %n1 3 in one): --imbalance 0.34 ' "$out/err" &&
    [ "$(cut "$out/chain.fx" 2 0.34)" = 1 ] && [ -z "$(cut "$out/chain.fx" 2 0.33)" ]
verdict "the least imbalance is named and works" $? "$out/err"
$program partition --mode kway --parts 2 --best-effort --json "$out/chain.fx" > "$out/log" 2> "$out/err" &&
    grep -q '^"limit": 6, "excess": 2,$' "$out/log" && grep -q 'at most 8, as with --imbalance 0.34$' "$out/err"
verdict "--best-effort takes it" $? "$out/err"
$program partition --mode kway --parts 9 --imbalance 1 --porcelain "$out/chain.fx" > "$out/log" 2> "$out/err" &&
    [ "$(grep -c '^partition ' "$out/log")" = 4 ] && grep -q '4 called nodes make 4 parts, one each' "$out/err"
verdict "more parts than nodes: one of each" $? "$out/err"
for model in onnx_mnist tflite_person_detect tflite_deeplabv3_mnv2_dm05_pascal_quant; do
    for parts in 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        $program partition --mode kway --parts $parts --part "$out/part" examples/models/$model.fx > "$out/log" 2> "$out/err" &&
            { $program eval --imbalance 0.03 examples/models/$model.fx "$out/part" || [ $parts -gt 12 ]; } >> "$out/log" 2>> "$out/err"
        verdict "$model in $parts parts, with the limit by default" $? "$out/err"
    done
done
# What prevents parts is named: nodes of one part, and what they weigh.
prevents() { # EXPECTED PARTS GRAPH
    printf '%b' "$3" > "$out/heavy.graph"
    ! $program partition --mode kway --parts "$2" "$out/heavy.graph" > "$out/log" 2> "$out/err" && grep -q "no $2 parts of $1" "$out/err"
    verdict "what prevents $2 parts" $? "$out/err"
}
prevents 'at most 10 were found, but of at most 12 (%n0 6 + %n1 6 in one): --imbalance 0.20 allows them' 2 \
    '4 3 010\n6 2\n6 1 3\n6 2 4\n1 3\n'
prevents 'at most 10 were found, but of at most 11 (%n3 4 + %n2 3 + %n0 2 + 1 more in one): --imbalance' 3 \
    '7 6 010\n2 2\n2 1 3\n3 2 4\n4 3 5\n1 4 6\n9 5 7\n9 6\n'

# ---- what it says ----

net=examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx
$program partition --mode kway --parts 8 "$net" > "$out/log" 2> "$out/err" &&
    grep -q '^  device  id  at once *sum  partitions$' "$out/log" && ! grep -q 'capacity\|EiB' "$out/log" &&
    $program partition --mode kway --parts 8 --json "$net" | grep -q '"name": "part7", "id": 7, "bytes": null, ' &&
    $program partition --mode kway --parts 8 --time-unit shapes --svg "$out/svg" "$net" >> "$out/log" &&
    ! grep -q 'capacity\|EiB' "$out/log" "$out/svg"
verdict "parts have no capacity" $? "$out/log"


# says WORDS OPTION...: the cut of equal chunks in graph order, which obey the same limit.
says() {
    words=$1
    shift
    $program partition --mode kway "$@" > "$out/log" 2> "$out/err" && grep -q -- "$words" "$out/log"
    verdict "says '$words': $*" $? "$out/log"
}
says ', cut 13 edges, at least 7 since it is connected (equal chunks in graph order: 13)$' --parts 8 "$net"
says '^proof objective=13 bound=7 proved=0 reference=13$' --parts 8 --porcelain "$net"
printf '%s\n' 'graph():' '    %x : [num_users=1] = placeholder[target=x]  # i8[4]' \
    '    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # i8[4] weight=2' \
    '    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # i8[4] weight=2' \
    '    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # i8[4] weight=1' \
    '    return c' > "$out/heavy.fx"
says ', cut 1 edge, the least possible$' --parts 2 --imbalance 0.2 "$out/heavy.fx"
says ' reference=none$' --parts 2 --imbalance 0.2 --porcelain "$out/heavy.fx"
says ' "reference": null}' --parts 2 --imbalance 0.2 --json "$out/heavy.fx"

says '^proof objective=3 bound=3 proved=1 reference=3$' --parts 4 --imbalance 9 --porcelain "$out/chain.fx"
says '^proof objective=4 bound=4 proved=1 ' --parts 2 --imbalance 9 --objective bytes --porcelain "$out/chain.fx"
says '^proof objective=0 bound=0 proved=1 ' --parts 2 --porcelain "$out/five.graph"

# A flow bounds the cut of a grid of 12 by 12: connected nodes alone need one edge per part.
awk 'BEGIN { print "144 264"; for (i = 0; i < 144; i++) { if (i % 12 < 11) print i, i + 1; if (i < 132) print i, i + 12 } }' > "$out/grid.edges"
says ', cut 12 edges, at least 11 by a flow ' --parts 2 "$out/grid.edges"
if command -v python3 > /dev/null; then
    # shellcheck disable=SC2086
    python3 tests/search/cut_bound.py "$out" 150 $program > "$out/log" 2>&1
    verdict "bounds of 150 random graphs beside the least cut of all parts" $? "$out/log"
    grep '^# ' "$out/log"
else
    skip "bounds of random graphs (there is no python3)"
fi

sed 's/  # .*//' "$out/ladder.fx" > "$out/bare.fx"
says ', cut ? bytes (equal chunks in graph order: ?)$' --parts 4 --objective bytes "$out/bare.fx"
says '"objective": null, "bound": 0, "proved": false, "reference": null}' --parts 4 --objective bytes --json "$out/bare.fx"
says '^proof objective=0 bound=0 proved=0 ' --parts 4 --objective bytes --porcelain "$out/bare.fx"

# refused WORD OPTION...: fails and says the word; writes nothing.
refused() {
    word=$1
    shift
    rm -f "$out/part"
    ! $program partition --mode kway --part "$out/part" "$@" "$out/ladder.edges" > "$out/log" 2> "$out/err" &&
        grep -q -- "$word" "$out/err" && [ ! -e "$out/part" ]
    verdict "refused: $*" $? "$out/err"
}
refused "--parts K"
refused "such as 0.03" --parts 2 --imbalance x
refused "require --mode kway" --best-effort --mode size --parts 2
refused "devices" --parts 2 --device a:1MiB
awk 'BEGIN { for (i = 0; i < 80; i++) print i == 0 ? 1 : i == 79 ? 0 : -1 }' > "$out/fix"
refused "order" --parts 2 --fix "$out/fix"
yes -- -1 | head -n 80 > "$out/fix"
refused "80 called nodes cannot make 81 parts" --parts 81 --fix "$out/fix"

# dagP's best of ten seeds at 3 % and 10 %: k = 2, 4, 8, 16.
figures() {
    cat << EOT
chol16 102 290 534 736 81 261 516 699
fft7 160 235 350 437 140 222 331 407
grid32 32 64 128 192 32 64 128 192
layered1000 49 181 390 603 37 176 381 591
rand1k_w50 29 94 210 457 29 92 210 455
xf24x8 2 6 14 134 2 6 14 118
EOT
}
if [ -d "$shared/dag" ]; then
    for preset in fast eco; do
        figures | while read -r name a b c d e f g h; do
            for row in "0.03 2 $a" "0.03 4 $b" "0.03 8 $c" "0.03 16 $d" "0.1 2 $e" "0.1 4 $f" "0.1 8 $g" "0.1 16 $h"; do
                set -- $row
                echo "$name $1 $2 $(cut "$shared/dag/$name.edges" "$2" "$1" --preset $preset) $3"
            done
        done > "$out/cuts"
        [ "$table" != --table ] ||
            awk -v p=$preset 'BEGIN { print p ": graph imbalance k ours dagP" } { printf "%-12s %4s %2d %4d %4d\n", $1, $2, $3, $4, $5 }' "$out/cuts"
        awk -v p=$preset '{ if (NF != 5) bad = 1; else sum += log($4 / $5); n++ }
            END { printf "# kway %s: %.4f of dagP, geometric mean of %d\n", p, exp(sum / n), n
                  exit bad || n != 48 || sum > 0 }' "$out/cuts"
        verdict "$preset: at most dagP's best cuts" $? "$out/cuts"
    done
else
    skip "dagP's graphs ($shared/dag is not there)" 2
fi
finish
