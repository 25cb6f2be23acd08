#!/bin/sh
# `split --units`: units of DequantizeLinear and QuantizeLinear, patterns of operators, what is wrong with a
# pattern; random chains against a reader of their own. GRAPHSPLIT: the program; COUNT: random chains (default 60).
set -u
. "$(dirname "$0")/../elsewhere.sh"
cp tests/program/qdq.fx "$dir"
cd "$dir" || exit 1

# cuts LINES ARGUMENTS...: the subgraphs of qdq.fx
cuts() {
    printf '%b' "$1" > expected
    shift
    $program split --porcelain "$@" qdq.fx 2> err | sed -n 's/^subgraph [^ ]* //p' > out
    cmp -s out expected
    verdict "split $*" $? out
}
all=onnx.Conv,onnx.Add,onnx.Sigmoid,onnx.Mul,onnx.QuantizeLinear,onnx.DequantizeLinear
cuts 'cpu q0 d0\nacc c0\ncpu q1 d1 d2\nacc a0\ncpu q2 d3\nacc c1\ncpu s1 m1\n' --acc-ops onnx.Conv,onnx.Add
cuts 'cpu q0 d0 c0 q1 d1 d2 a0 q2 d3\nacc c1\ncpu s1 m1\n' --acc-ops onnx.Conv,onnx.Add --units qdq
cuts 'acc q0 d0 c0 q1 d1 d2 a0 q2 d3 c1 s1 m1\n' --acc-ops $all --units qdq
cuts 'acc q0\ncpu d0 c0 q1\nacc d1 d2 a0 q2 d3 c1 s1 m1\n' --acc-ops $all --units qdq --cpu-nodes c0
cuts 'acc q0 d0 c0 q1 d1 d2 a0 q2 d3\ncpu c1 s1 m1\n' --acc-ops $all --cpu-nodes s1 --units 'onnx.Conv+onnx.Sigmoid+onnx.Mul(1,2)'
cuts 'acc q0 d0 c0 q1 d1 d2 a0 q2 d3\ncpu c1 s1 m1\n' --acc-ops $all --cpu-nodes s1 --units '*.Conv+*.Tanh|*.Sigmoid+*.Mul(2,1)'
# c1 is read outside of the unit conv, sigmoid: no unit
cuts 'acc q0 d0 c0 q1 d1 d2 a0 q2 d3 c1\ncpu s1\nacc m1\n' --acc-ops $all --cpu-nodes s1 --units 'onnx.Conv+onnx.Sigmoid'
printf '# activations\n\n  onnx.Conv+onnx.S*+onnx.Mul(1,2) # silu\r\nonnx.Add+onnx.Q*\n' > units.txt
cuts 'acc q0 d0 c0 q1 d1 d2\ncpu a0 q2\nacc d3\ncpu c1 s1 m1\n' --acc-ops $all --cpu-nodes s1,q2 --units units.txt
cuts 'acc q0 d0 c0 q1 d1 d2\ncpu a0 q2\nacc d3\ncpu c1 s1 m1\n' --acc-ops $all --cpu-nodes s1,q2 --units @units.txt

# refuses WORDS PATTERN: one sentence, and no subgraph
refuses() {
    $program split --porcelain --units "$2" qdq.fx > out 2> err
    [ $? -eq 2 ] && ! [ -s out ] && grep -q -e "$1" err
    verdict "--units $2" $? err
}
refuses "at least two operators" 'a+'
refuses "name of an operator is missing" '+a'
refuses "name of an operator is missing" 'a|+b'
refuses "name of an operator is missing" 'a++b'
refuses "steps before it" 'a+b(2)'
refuses "steps before it" 'a+b(0)'
refuses "steps before it" 'a+b(x)'
refuses "')' is missing" 'a+b(1'
refuses "read by a later one" 'a+b()+c'
refuses "may share nodes" 'relu+relu'
refuses "may share nodes" 'a+b+a'
refuses "may share nodes" 'a+*'
refuses "at most 16 steps" 'a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q'
refuses "cannot read none" none
printf 'a+b\nc++d\n' > wrong.txt
refuses "wrong.txt:2: the name of an operator is missing: 'c++d'" wrong.txt
$program split --acc-ops $all --units x+y qdq.fx > out 2> err && grep -q "no nodes match .x+y." err
verdict "a pattern that matches nothing is told" $? err
$program split --acc-ops $all --units qdq qdq.fx > out 2> err && grep -q "2 units with 7 nodes for .qdq." err
verdict "the number of units" $? err

# a chain is a word: the first match of abc from the left, then the next behind it
seed=0
differ=
while [ $seed -lt "${COUNT:-60}" ]; do
    awk -v seed=$seed 'BEGIN {
        srand(seed); print "graph():"; print "    %n0 : [num_users=1] = placeholder[target=n0]"
        for (v = 1; v <= 24; v++)
            printf "    %%n%d : [num_users=1] = call_function[target=%s](args = (%%n%d,), kwargs = {})\n", v,
                substr("abcc", 1 + int(rand() * 4), 1), v - 1
        print "    return n24" }' > qdq.fx
    # b is not supported, so every unit is on the CPU, and so is every b
    sed -n 's/.*target=\([a-c]\)\].*/\1/p' qdq.fx | tr -d '\n' | sed 's/abc/CCC/g; s/b/C/g; s/[ac]/A/g' > expected
    $program split --porcelain --acc-ops a,c --units a+b+c qdq.fx 2> err |
        awk '$1 == "subgraph" { for (i = 4; i <= NF; i++) kind[$i] = $3 == "cpu" ? "C" : "A" }
            END { for (v = 1; v <= 24; v++) printf "%s", kind["n" v] }' > out
    cmp -s out expected || differ="$differ $seed"
    seed=$((seed + 1))
done
echo "differ:$differ" > out
[ -z "$differ" ]
verdict "$seed random chains" $? out

cat > typed.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=a](args = (%x,), kwargs = {})  # f32[4]
    %b : [num_users=1] = call_function[target=a](args = (%a,), kwargs = {})  # f32[4]
    return b
END
echo 'a qi8' > typed.ops
$program split --acc-ops @typed.ops --acc-nodes b typed.fx > out 2> err &&
    grep -q 'the list of acc does not take the types of 1 node there, which are converted,' out &&
    grep -q '^    such as [ab] (f32, taken: qi8)' out
verdict "a pinned node whose types are converted" $? out
$program split --acc-ops @typed.ops --acc-nodes b --json typed.fx > out 2> err &&
    grep -A 1 '^"conversions": \[$' out |
    grep -q '^  {"node": "b", "kind": "acc", "value": "[ab]", "dtype": "f32", "taken": "qi8"}\],$'
verdict "the JSON has it, too" $? out
$program split --acc-ops a --json typed.fx > out 2> err && grep -q '^"conversions": \[\],$' out
verdict "and none where all types are taken" $? out
finish
