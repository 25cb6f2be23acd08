#!/bin/sh
# Limits of accelerator subgraphs in bytes, parameters, inputs and outputs: pieces, what is said of them, why a node is
# above one, what they cannot be combined with. GRAPHSPLIT: the program.
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

cat > chain.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # u8[10]
    %v : [num_users=1] = get_attr[target=v]  # u8[30]
    %w : [num_users=1] = get_attr[target=w]  # u8[5]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # u8[10]
    %b : [num_users=1] = call_function[target=f](args = (%a, %v), kwargs = {})  # u8[4]
    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # u8[8]
    %d : [num_users=1] = call_function[target=f](args = (%c, %w), kwargs = {})  # u8[10]
    %e : [num_users=1] = call_function[target=f](args = (%d,), kwargs = {})  # u8[1]
    return e
END

# pieces EXPECTED OPTION...: subgraphs of the module as their nodes, in one line
pieces() {
    expected=$1
    shift
    $program split --acc-ops f "$@" --porcelain chain.fx > out 2> err
    awk '/^module _run_on/ { printf "%s%s:", n++ ? " | " : "", $2 }
        /= call_function/ { name = $1; sub("%", "", name); printf " %s", name }' out > found
    [ "$(sed 's/_run_on_//g' found)" = "$expected" ]
    verdict "$*: $expected" $? found
}

# has WORDS OPTION...: the report has these words
has() {
    words=$1
    shift
    $program split --acc-ops f "$@" > report 2>&1 && grep -q -e "$words" report
    verdict "$*: '$words'" $? report
}

# says STATUS WORDS OPTION...: the error has these words
says() {
    status=$1
    words=$2
    shift 2
    $program split --acc-ops f "$@" chain.fx > report 2>&1
    [ $? -eq "$status" ] && grep -q -e "$words" report
    verdict "$*: '$words'" $? report
}

pieces 'acc_0: a b | acc_1: c d e' --max-acc-params 30
pieces 'acc_0: a | acc_1: b | acc_2: c d e' --max-acc-bytes 44
pieces 'acc_0: a | cpu_1: b | acc_2: c d e' --max-acc-bytes 43
pieces 'acc_0: a b c d e' --max-acc-bytes 55
pieces 'acc_0: a b c d e' --max-acc-inputs 1 --max-acc-outputs 1
has '^  2 accelerator subgraphs within the limits, between which 4 B cross because of them; no cut has fewer, or as many and fewer bytes$' \
    --max-acc-params 30 chain.fx
has '^  1 node above a limit is on the CPU$' --max-acc-bytes 43 chain.fx
has 'on the CPU, in _run_on_cpu_1, because by itself, or with its group, it is above --max-acc-bytes 43\.$\|because by itself, or with its group, it is above --max-acc-bytes 43\.$' \
    --max-acc-bytes 43 --why=b chain.fx
has 'above --max-acc-bytes 43 or --max-acc-params 9 or --max-acc-inputs 1 or --max-acc-outputs 1\.$' \
    --max-acc-bytes 43 --max-acc-params 9 --max-acc-inputs 1 --max-acc-outputs 1 --why=b chain.fx
sed 's/u8\[8\]/u8[s0]/' chain.fx > unknown.fx
has '; 1 node without a size counts as 0 bytes$' --max-acc-params 30 unknown.fx
cat > two.fx << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]  # u8[10]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # u8[10]
    %b : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # u8[4]
    %c : [num_users=2] = call_function[target=f](args = (%a, %b), kwargs = {})  # u8[4]
    %d : [num_users=1] = call_function[target=f](args = (%c, %c), kwargs = {})  # u8[4]
    return (c, d)
END
has '; no cut has fewer than 1$' --max-acc-outputs 1 two.fx
# Few accelerator subgraphs, each within limits: no more than so many, and none above the limit; the value and its bound
# are on either side of the best of all ways to choose windows of a chain, and equal to it where they are said to be.
wrong=0
proved=0
seed=0
while [ $seed -lt "${GRAPHS:-60}" ]; do
    seed=$((seed + 1))
    awk -v seed=$seed 'BEGIN {
        srand(seed)
        n = 2 + int(rand() * 8)
        print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # u8[1]"
        for (i = 1; i <= n; i++) print "    %w" i " : [num_users=1] = get_attr[target=w" i "]  # u8[" 1 + int(rand() * 9) "]"
        for (i = 1; i <= n; i++) print "    %n" i " : [num_users=1] = call_function[target=" (rand() < 0.9 ? "f" : "h") "](args = (%" (i > 1 ? "n" i - 1 : "x") ", %w" i "), kwargs = {})  # u8[" 1 + int(rand() * 9) "]"
        print "    return n" n
    }' > few.fx
    most=$((4 + seed % 13))
    few=$((1 + seed % 3))
    $program split --acc-ops f --max-acc-params $most --max-acc $few --porcelain few.fx > out 2> err || wrong=$((wrong + 1))
    awk -v most=$most -v few=$few '
        FNR == 1 { file++ }
        file == 1 && /get_attr/ { size = $NF; gsub(/^.*\[|\]/, "", size); w[++n] = size }
        file == 1 && /call_function/ { can[++calls] = /target=f]/ }
        file == 2 && $1 == "subgraph" && $3 == "acc" {
            subgraphs++
            bytes = 0
            for (i = 4; i <= NF; i++) { k = substr($i, 2); bytes += w[k]; kept += can[k] ? 1 : 1000 }
            if (bytes > most) bad = 1
        }
        file == 2 && $1 == "proof" { for (i = 2; i <= NF; i++) { split($i, part, "="); fact[part[1]] = part[2] } }
        END {
            # best[k, i]: the most nodes of the first i in k windows
            for (k = 1; k <= few; k++) for (i = 1; i <= n; i++) {
                best[k, i] = best[k, i - 1] + 0
                bytes = 0
                for (p = i; p > 0 && can[p] && bytes + w[p] <= most; p--) {
                    bytes += w[p]
                    if (best[k - 1, p - 1] + i - p + 1 > best[k, i]) best[k, i] = best[k - 1, p - 1] + i - p + 1
                }
            }
            bad = bad || subgraphs > few || kept + 0 != fact["objective"] || fact["objective"] > best[few, n] || fact["bound"] < best[few, n]
            print fact["proved"]
            exit bad
        }' few.fx out > verdict || wrong=$((wrong + 1))
    proved=$((proved + $(cat verdict)))
done
[ $wrong -eq 0 ] && [ $proved -ge $((seed / 4)) ]
verdict "few subgraphs within limits: $wrong of $seed wrong, $proved proved" $?
says 2 'max-acc-bytes cannot be combined with --order beside an exact limit' --max-acc-bytes 9 --max-acc 1 --order least-peak
says 2 'max-acc-bytes cannot be combined with --minimise time' --max-acc-bytes 9 --minimise time
says 2 'max-acc-params cannot be combined with --blocks' --max-acc-params 9 --blocks
says 2 'max-acc-inputs cannot be combined with --move-non-tensor-nodes-on-boundary' --max-acc-inputs 9 --move-non-tensor-nodes-on-boundary
says 2 'max-work requires --minimise time' --max-work 9
says 1 'max-acc-outputs: the search takes more than 1 steps; raise --max-work' --max-acc-outputs 1 --max-work 1 --max-acc-params 30
$program split --acc-ops f --save-plan plan.txt chain.fx > out 2>&1
has 'the plan alone assigns the nodes; ignored: --acc-ops, --max-acc-bytes' --max-acc-bytes 43 --plan plan.txt chain.fx
finish
