#!/bin/sh
# `split --rewrite-to`: the fewest operators to support, against all sets of operators; the steps; what is
# said. GRAPHSPLIT: the program; COUNT: random graphs (default 40).
set -u
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

# random SEED: a graph of 14 nodes, whose operators are base and some of a to e
random() {
    awk -v seed="$1" 'BEGIN {
        srand(seed); print "graph():"; print "    %x : [num_users=1] = placeholder[target=x]  # f32[4]"
        for (v = 0; v < 14; v++) {
            u = v == 0 ? "%x" : "%n" int(rand() * v)
            w = v == 0 || rand() < 0.5 ? "" : ", %n" int(rand() * v)
            op = rand() < 0.4 ? "base" : substr("abcde", 1 + int(rand() * 5), 1)
            printf "    %%n%d : [num_users=1] = call_function[target=%s](args = (%s%s), kwargs = {})  # f32[4]\n", v, op, u, w
        }
        print "    return n13" }'
}
# brute GOAL OPTIONS: the least number of operators that reach the goal; none
brute() {
    goal=$1
    shift
    for set in $sets; do
        $program split --porcelain "$@" --acc-ops "base$(echo "$set" | sed 's/-//;s/[a-e]/,&/g')" g.fx > p 2> err
        if [ "$goal" -eq 0 ]; then
            grep -q '^subgraph [^ ]* cpu' p || break
        else
            [ "$(grep -c '^subgraph' p)" -gt "$goal" ] || break
        fi
        set=
    done
    [ -z "$set" ] && echo none || printf %s "$set" | tr -d - | wc -c | tr -d ' '
}
# The sets of the operators a to e, smallest first.
sets=$(awk 'BEGIN { for (size = 0; size <= 5; size++) for (i = 0; i < 32; i++) {
    s = "-"; for (b = 0; b < 5; b++) if (int(i / 2 ^ b) % 2) s = s substr("abcde", b + 1, 1)
    if (length(s) == size + 1) print s } }')

seed=0
differ=
while [ $seed -lt "${COUNT:-40}" ]; do
    random $seed > g.fx
    goal=$((seed % 5))
    options="--allow-non-tensor"
    [ $((seed % 3)) -eq 0 ] && options="--min-acc-module-size 2"
    [ $((seed % 3)) -eq 1 ] && options="--start best"
    # shellcheck disable=SC2086
    $program split --porcelain $options --acc-ops base --rewrite-to $goal g.fx > out 2> err
    least=$(sed -n 's/^proof objective=\([^ ]*\) .* proved=1 .*/\1/p' out | tail -n 1)
    # shellcheck disable=SC2086
    [ "$least" = "$(brute $goal $options)" ] || differ="$differ $seed"
    seed=$((seed + 1))
done
echo "differ:$differ" > out
[ -z "$differ" ]
verdict "the least sets of $seed random graphs" $? out

# a chain base, a, base, b, base, c: the last operator to support is at the end
cat > chain.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %n0 : [num_users=1] = call_function[target=base](args = (%x,), kwargs = {})  # f32[4] cpu=4.0 compute=1.0
    %n1 : [num_users=1] = call_function[target=a](args = (%n0,), kwargs = {})  # f32[4] cpu=4.0 compute=1.0
    %n2 : [num_users=1] = call_function[target=base](args = (%n1,), kwargs = {})  # f32[4] cpu=4.0 compute=1.0
    %n3 : [num_users=1] = call_function[target=b](args = (%n2,), kwargs = {})  # f32[4] cpu=2.0 compute=1.0
    %n4 : [num_users=1] = call_function[target=base](args = (%n3,), kwargs = {})  # f32[4] cpu=2.0 compute=1.0
    %n5 : [num_users=1] = call_function[target=c](args = (%n4,), kwargs = {})  # f32[4]
    return n5
END
# shows WORDS ARGUMENTS...: a line of the report
shows() {
    words=$1
    shift
    $program split --more --acc-ops base "$@" chain.fx > out 2>&1
    grep -q -e "$words" out
    verdict "split $* says: $words" $? out
}
shows '^  a  *4  *4  *66.7 %  *48 B  *3 s$'
shows '^  b  *2  *5  *83.3 %  *16 B  *4 s$'
shows '^  c  *1  *6  *100 %  *0 B  *?$'
shows 'at most 4 subgraphs remain, support 1 operator: a$' --rewrite-to 4
shows 'no fewer are enough' --rewrite-to 4
shows 'nothing runs on the CPU, support 3 operators: a, b, c$' --rewrite-to 0
shows 'Without any more operators, at most 6 subgraphs remain already' --rewrite-to 6
shows 'No set of operators is enough so that nothing runs on the CPU' --rewrite-to 0 --cpu-nodes n1
# No operator is missing, and a node stays all the same.
shows 'No set of operators is enough so that nothing runs on the CPU' --rewrite-to 0 --acc-ops base,a,b,c --cpu-nodes n1

$program split --json --acc-ops base --rewrite-to 4 chain.fx |
    grep -q '"support_least": {"goal": 4, "operators": \["a"\], "proof": {"objective": 1, "bound": 1, "proved": true, "reference": 1}}'
verdict "JSON names the least set" $?
$program split --acc-ops base --html page.html chain.fx > out &&
    grep -q '"next":\[\[1,4,4,48,3\],\[2,2,5,16,4\],\[3,1,6,0,null\]\]' page.html
verdict "the report has the steps" $? out
finish
