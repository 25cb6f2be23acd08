#!/bin/sh
# `dedup --lift-constants`: layers that differ in numbers, what stays inside, what is not lifted;
# random graphs save at least as many nodes as with every constant written as an input, which plain
# `dedup` takes. GRAPHSPLIT: the program; COUNT: random graphs (default 60).
set -u
lift=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

# layers N: a model whose layers differ in their number, and in a flag of the last
layers() {
    echo 'graph():'
    echo '    %x : [num_users=1] = placeholder[target=x]  # f32[4]'
    i=0
    last=x
    while [ $i -lt "$1" ]; do
        flag=False
        [ $i -ne $(($1 - 1)) ] || flag=True
        echo "    %a$i : [num_users=1] = call_function[target=scale](args = (%$last, 0.5, $i), kwargs = {})  # f32[4]"
        echo "    %b$i : [num_users=1] = call_function[target=norm](args = (%a$i, [1, 2]), kwargs = {last: $flag})  # f32[4]"
        last=b$i
        i=$((i + 1))
    done
    echo "    return $last"
}
layers 80 > layers.fx
$program dedup --porcelain --lift-constants layers.fx > out 2> err
[ "$(grep -c '^region subgraph_0 ' out)" -eq 80 ] && [ "$(grep -c '^module' out)" -eq 2 ]
verdict "80 layers are one subgraph" $? out
grep -q 'invoke_subgraph\](args = (%subgraph_0, subgraph_0, %x, 0, False)' out &&
    grep -q 'subgraph_0, %getitem_78, 79, True)' out
verdict "the number and the flag are arguments" $? out
grep -q 'scale\](args = (%[a-z0-9_]*, 0.5, %' out && grep -q ', \[1, 2\]), kwargs = {last: %' out
verdict "constants on which all layers agree stay inside" $? out
$program run --equal out layers.fx > equal 2> err
verdict "80 calls compute what 80 layers compute" $? equal
sed 's/getitem_78, 79, True/getitem_78, 78, True/' out > other
! $program run --equal other layers.fx > equal 2> err && grep -q '^other has not the same operations;' equal
verdict "another argument is another result" $? equal
$program dedup --lift-constants --map layers.fx | grep -q '^b79 -> getitem_79$'
verdict "--map names nodes of the file" $?
$program dedup --lift-constants layers.fx > out 2> err && grep -q '2 constants that differ' out
verdict "people learn how many" $? out
$program dedup --lift-constants --json layers.fx > out 2> err &&
    grep -q '"lifted": 2' out && grep -q '"constants_lifted": 2' out
verdict "--json has the number" $? out
! $program dedup --json layers.fx | grep -q lifted
verdict "nothing about it without the option" $?
! $program dedup --lift-constants --emit parts layers.fx > out 2> err && ! [ -d parts ] &&
    grep -q 'take tensors alone' err
verdict "not with --emit" $? err

# kept TARGET ARGUMENT ARGUMENT: two layers that differ in it are not equal
kept() {
    cat > kept.fx << END
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %p : [num_users=1] = call_function[target=pair](args = (%x,), kwargs = {})  # tuple(f32[4], f32[4])
    %a : [num_users=1] = call_function[target=$1](args = (%p, $2), kwargs = {})  # f32[4]
    %b : [num_users=1] = call_function[target=relu](args = (%a,), kwargs = {})  # f32[4]
    %q : [num_users=1] = call_function[target=pair](args = (%b,), kwargs = {})  # tuple(f32[4], f32[4])
    %c : [num_users=1] = call_function[target=$1](args = (%q, $3), kwargs = {})  # f32[4]
    %d : [num_users=1] = call_function[target=relu](args = (%c,), kwargs = {})  # f32[4]
    return d
END
    $program dedup --porcelain --lift-constants kept.fx | grep '^region' > out
    ! grep -q ' a ' out
    verdict "$1 of $2 and $3 differ" $? out
}
kept f None 1
kept f 1 1.0
kept f 1 True
kept f cpu cuda:0
kept f torch.float32 torch.int8
kept operator.getitem 0 1

# saved: nodes that calls of the regions replace
saved() {
    awk '/^region/ { calls[$2]++; size[$2] = NF - 4 } END { for (s in calls) n += (calls[s] - 1) * size[s]; print n + 0 }'
}
seed=0
differ=
repeated=0
while [ $seed -lt "${COUNT:-60}" ]; do
    seed=$((seed + 1))
    awk -v seed=$seed -v literal=literal.fx -v given=given.fx -f "$lift/random.awk"
    $program dedup --porcelain --lift-constants literal.fx > out 2> err &&
        $program dedup --porcelain given.fx > plain 2> err &&
        grep '^region' out > regions
    [ "$(saved < regions)" -ge "$(saved < plain)" ] &&
        $program run --equal out literal.fx > equal 2> err &&
        awk -f "$lift/agreed.awk" out || differ="$differ $seed"
    [ ! -s regions ] || repeated=$((repeated + 1))
done
[ -z "$differ" ] && [ $repeated -ge $((seed / 2)) ]
verdict "random graphs, $repeated of $seed with regions; wrong:$differ" $?
finish
