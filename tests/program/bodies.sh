#!/bin/sh
# Graphs that nodes run: what they need counts, and a node is supported only if all nodes in them are.
cd "$(dirname "$0")/../.." || exit 1
. tests/check.sh
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=${B:-build}/bodies
mkdir -p "$out" || exit 1

# says LABEL LINE COMMAND...: it succeeds and prints this line; a pattern of grep -x.
says() {
    label=$1 line=$2
    shift 2
    "$@" > "$out/text" 2> "$out/log" && grep -qx -e "$line" "$out/text"
    verdict "$label: no line '$line'" $? "$out/text"
}
# without LABEL PATTERN: what the last command printed has no such text.
without() {
    ! grep -q -e "$2" "$out/text"
    verdict "$1: '$2' must not stand there" $? "$out/text"
}

# The graph that %PREFIX.If runs needs 64 bytes beside its caller's 129, or 32 KiB.
branches() {
    cat << END
module main
graph():
    %c : [num_users=1] = placeholder[target=c]  # b1[1]
    %x : [num_users=1] = placeholder[target=x]  # f32[1, 16]
    %if : [num_users=1] = call_function[target=$1](args = (%c, %x), kwargs = {})  # f32[1, 16] then=large else=small
    %abs : [num_users=1] = call_function[target=$2](args = (%if,), kwargs = {})  # f32[1, 16]
    return abs
module large
graph():
    %ti : [num_users=1] = placeholder[target=ti]  # f32[1, 16]
    %w : [num_users=1] = get_attr[target=w]  # f32[256, 16]
    %wide : [num_users=1] = call_function[target=f.broadcast](args = (%ti, %w), kwargs = {})  # f32[256, 16]
    %again : [num_users=1] = call_function[target=$2](args = (%wide,), kwargs = {})  # f32[256, 16]
    %mean : [num_users=1] = call_function[target=f.mean](args = (%again,), kwargs = {})  # f32[1, 16]
    return mean
module small
graph():
    %ei : [num_users=1] = placeholder[target=ei]  # f32[1, 16]
    %id : [num_users=1] = call_function[target=$2](args = (%ei,), kwargs = {})  # f32[1, 16]
    return id
END
}
branches tflite.IF tflite.ABS > "$out/tflite.fx"
branches onnx.If onnx.Abs > "$out/onnx.fx"

# Interpreters of TFLite copy inputs and results of a subgraph; elsewhere they count once.
says "TFLite's branch" 'peak bytes=32897 .*' $program memory --porcelain "$out/tflite.fx"
says "ONNX's branch" 'peak bytes=32833 .*' $program memory --porcelain "$out/onnx.fx"

says "the plan has room for it" 'scratch if offset=0 bytes=32768 first=2 last=2' $program memory --porcelain "$out/tflite.fx"
says "tensors of the branch in the arena" 'inside tensor large again offset=[0-9]* bytes=16384 .*' $program memory --porcelain "$out/tflite.fx"
says "parameters of bodies" '  parameters  16.0 KiB (16384 bytes), counted separately' $program memory "$out/onnx.fx"

# 49,281 bytes are 193 of the values of main, 16 KiB of parameters, and 32,704 while %if runs.
says "a partition that fits" 'partition 0 devices=0 bytes=49281 : if abs' \
    $program partition --porcelain --device npu:64KiB "$out/onnx.fx"
says "one that does not" 'error NO_FIT' \
    sh -c '"$@" || true' sh $program partition --porcelain --device npu:48KiB "$out/onnx.fx"
says "what is in memory at once" '  needs 48.1 KiB at once (parameters 16.0 KiB, live values at the peak 32.1 KiB),' \
    $program partition --device npu:64KiB "$out/onnx.fx"
says "the peak of a subgraph" '  _run_on_cpu_0  cpu .* 32.1 KiB    16.0 KiB' $program split --acc-ops onnx.Abs "$out/onnx.fx"
says "the parameters of a stage" '.* 16.0 KiB .*' $program pipe --stages 2 "$out/onnx.fx"

# A piece has the graphs that its nodes name, and runs alone.
rm -rf "$out/pieces"
says "pieces" '.*' $program split --min-acc-module-size 1 --acc-ops onnx.Abs --emit "$out/pieces" "$out/onnx.fx"
says "a piece with its bodies" 'peak bytes=32833 .*' $program memory --porcelain "$out/pieces/_run_on_cpu_0.fx"
says "and their parameters" 'graph main .* parameters=16384' $program memory --porcelain "$out/pieces/_run_on_cpu_0.fx"
sed -e '/%abs/d' -e 's/return abs/return if/' "$out/onnx.fx" > "$out/whole.fx"
says "it computes what these nodes do" '.* computes the same.*' \
    $program run --equal "$out/pieces/_run_on_cpu_0.fx" "$out/whole.fx"

# Every pass takes one of the graphs.
says "read --graph" '    return mean' $program read --graph large "$out/onnx.fx"
says "split --graph" 'subgraph _run_on_acc_1 acc again' \
    $program split --porcelain --min-acc-module-size 1 --acc-ops onnx.Abs --graph large "$out/onnx.fx"
says "partition --graph" 'partition 0 devices=0 bytes=49280 : wide again mean' \
    $program partition --porcelain --device npu:64KiB --graph large "$out/onnx.fx"
says "pipe --graph" 'stage 1 submod_1' $program pipe --porcelain --stages 2 --graph large "$out/onnx.fx"
says "memory --graph" 'peak bytes=32768 .*' $program memory --porcelain --graph large "$out/onnx.fx"
says "a graph that is missing" 'error ARG' \
    sh -c '"$@" || true' sh $program dedup --porcelain --graph none "$out/onnx.fx"

# A graph that runs the first one again has no graph to take.
printf 'module main
graph():
    %%x : [num_users=1] = placeholder[target=x]  # f32[4]
    %%a : [num_users=1] = call_function[target=loop](args = (%%x,), kwargs = {})  # f32[4] body=one
    return a
module one
graph():
    %%p : [num_users=1] = placeholder[target=p]  # f32[4]
    %%q : [num_users=1] = call_module[target=main](args = (%%p,), kwargs = {})  # f32[4]
    return q
' > "$out/again.fx"
says "--graph: recursion" 'error CYCLE' \
    sh -c '"$@" || true' sh $program read --porcelain --graph one "$out/again.fx"
sed -e 's/call_module.target=main/call_function[target=loop/' -e '/loop.*%p/s/$/ body=main/' "$out/again.fx" > "$out/first.fx"
$program memory "$out/first.fx" > "$out/text" 2>&1
[ $? -eq 1 ] && [ "$(cat "$out/text")" = 'graphsplit: node q: body=main, but no node can run the first graph' ]
verdict "body= names the first graph" $? "$out/text"
# calls= names several.
sed -e '/loop.*%x/s/body=one/calls=one,two/' -e 's/call_module.target=main/call_function[target=f/' "$out/again.fx" > "$out/list.fx"
for pass in memory 'partition --device a:1K' 'pipe --stages 1' 'split --acc-ops f' 'read --macs' preview dedup; do
    $program $pass "$out/list.fx" > "$out/text" 2>&1
    [ $? -eq 1 ] && [ "$(cat "$out/text")" = 'graphsplit: node a: calls=two, but the module has no such graph' ]
    verdict "$pass: calls= names a graph that is missing" $? "$out/text"
done
sed 's/calls=one,two/calls=main/' "$out/list.fx" > "$out/first.fx"
$program memory "$out/first.fx" > "$out/text" 2>&1
[ $? -eq 1 ] && [ "$(cat "$out/text")" = 'graphsplit: node a: calls=main, but no node can run the first graph' ]
verdict "calls= names the first graph" $? "$out/text"
sed 's/calls=one,two/calls=one,one/' "$out/list.fx" > "$out/both.fx"
says "calls= of graphs that are there" 'peak bytes=32 .*' $program memory --porcelain "$out/both.fx"

# Support: all callable nodes of all graphs, unless the list takes bodies as a whole.
says "a body that is not supported" 'acc abs' \
    $program split --porcelain --min-acc-module-size 1 --acc-ops onnx.If,onnx.Abs "$out/onnx.fx"
says "a body that is supported" 'acc if abs' \
    $program split --porcelain --acc-ops onnx.If,onnx.Abs,f.broadcast,f.mean "$out/onnx.fx"
echo 'onnx.If bodies: any' > "$out/any.ops"
says "bodies: any" 'acc if' $program split --porcelain --min-acc-module-size 1 --acc-ops "@$out/any.ops" "$out/onnx.fx"
[ ! -s "$out/log" ]
verdict "bodies: any is no attribute" $? "$out/log"
says "--why names the node in the body" \
    'if (onnx.If) runs on the CPU, in _run_on_cpu_0, because wide (f.broadcast) in the graph large, which it runs, is on the CPU.' \
    $program split --why=if --min-acc-module-size 1 --acc-ops onnx.If,onnx.Abs "$out/onnx.fx"
says "the list of --why names it" '.*wide (f.broadcast) in the graph large .*' \
    $program split --why --min-acc-module-size 1 --acc-ops onnx.If,onnx.Abs "$out/onnx.fx"
without "not every node is accelerated" 'Every callable node'
says "--why without the operator" '.*because the accelerator does not support onnx.If.' \
    $program split --why=if --min-acc-module-size 1 --acc-ops onnx.Abs "$out/onnx.fx"
says "support of the operator alone changes nothing" '  onnx.If  *1  *1  *2' $program split --more --acc-ops onnx.Abs "$out/onnx.fx"

# Which graphs a node runs belongs to it: conditionals of equal shape differ in a branch.
twice() {
    cat << END
module main
graph():
    %c : [num_users=2] = placeholder[target=c]  # b1[1]
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=tflite.IF](args = (%c, %x), kwargs = {})  # f32[4] $1
    %b : [num_users=1] = call_function[target=tflite.ABS](args = (%a,), kwargs = {})  # f32[4]
    %d : [num_users=1] = call_function[target=tflite.IF](args = (%c, %b), kwargs = {})  # f32[4] $2
    %e : [num_users=1] = call_function[target=tflite.ABS](args = (%d,), kwargs = {})  # f32[4]
    return e
module submod_1
graph():
    %p : [num_users=1] = placeholder[target=p]  # f32[4]
    %q : [num_users=1] = call_function[target=tflite.$3](args = (%p,), kwargs = {})  # f32[4]
    return q
module u
graph():
    %p : [num_users=1] = placeholder[target=p]  # f32[4]
    return p
module v
graph():
    %p : [num_users=1] = placeholder[target=p]  # f32[4]
    %q : [num_users=1] = call_function[target=tflite.EXP](args = (%p,), kwargs = {})  # f32[4]
    return q
END
}
twice 'then=submod_1 else=u' 'else=u then=submod_1' NEG > "$out/same.fx"
twice 'then=submod_1 else=u' 'then=v else=u' NEG > "$out/other.fx"
twice 'then=submod_1 else=u' 'then=u else=submod_1' NEG > "$out/swapped.fx"
twice 'then=submod_1 else=u' 'else=u then=submod_1' SIN > "$out/body.fx"
says "the same branches repeat" 'region subgraph_0 1 : d e' $program dedup --porcelain "$out/same.fx"
says "equal files" '.* computes the same.*' $program run --equal "$out/same.fx" "$out/same.fx"
for kind in other swapped body; do
    says "another program: $kind" '.* has not the same operations; .*' \
        sh -c '"$@" || true' sh $program run --equal "$out/$kind.fx" "$out/same.fx"
done
says "the same program" '.* 4 graphs, 2 to compile.*' \
    $program split --acc-ops tflite.ABS --fingerprints "$out/same.fx"
for kind in other swapped; do
    says "$kind branches do not repeat" 'module main' $program dedup --porcelain "$out/$kind.fx"
    without "$kind branches do not repeat" '^region'
    says "$kind branches are programs of their own" '.* 4 graphs, 3 to compile.*' \
        $program split --acc-ops tflite.ABS --fingerprints "$out/$kind.fx"
done

# A stage takes no name of a graph that a node runs, and the module of stages has that graph.
says "the name of a stage" 'stage 1 submod_2' $program pipe --stages 2 --porcelain "$out/other.fx"
says "the graph keeps its name" 'module submod_1' $program pipe --stages 2 --porcelain "$out/other.fx"
says "the other graph" 'module v' $program pipe --stages 2 --porcelain "$out/other.fx"

# Trips are a number.
for trips in -1 many 2.5; do
    branches onnx.Loop onnx.Abs | sed "s/then=large else=small/body=large trips=$trips/" > "$out/trips.fx"
    says "trips=$trips" 'error ARG' sh -c '"$@" || true' sh $program memory --porcelain "$out/trips.fx"
    grep -q "node if: trips=$trips, but it takes a number of trips, 0 or more$" "$out/log"
    verdict "trips=$trips: the sentence" $? "$out/log"
    says "read --macs: trips=$trips" 'error ARG' \
        sh -c '"$@" || true' sh $program read --macs --porcelain "$out/trips.fx"
done
# ---- limits and memories count what graphs need that nodes run ----

branches tflite.IF tflite.ABS > "$out/if.fx"
branches onnx.If onnx.Abs > "$out/onnx_if.fx"
for model in if onnx_if; do
    # What is passed on counts once in ONNX.
    [ $model = if ] && peak=32897 block=32768 || peak=32833 block=32704
    for limit in --budget --budget-pieces; do
        $program memory $limit 20K "$out/$model.fx" > "$out/text" 2> "$out/log"
        [ $? -eq 1 ] && grep -q "he least budget that works is $peak\$" "$out/log"
        verdict "$model: $limit 20K" $? "$out/log"
        says "$model: $limit 33K" 'The whole graph fits into the budget.' $program memory $limit 33K "$out/$model.fx"
    done
    $program memory --memory sram:16K --memory tcm:16K "$out/$model.fx" > "$out/text" 2> "$out/log"
    [ $? -eq 1 ]
    verdict "$model: a block of 32 KiB has no room in two memories of 16" $? "$out/text"
    says "$model: the block is in the memory that has room" "scratch if offset=[0-9]* bytes=$block first=2 last=2 memory=dram" \
        $program memory --porcelain --memory sram:20K --memory dram:1M "$out/$model.fx"
    says "$model: and could be cut" 'proof .* proved=0 .*' $program memory --porcelain --memory sram:20K --memory dram:1M "$out/$model.fx"
    says "$model: which is told" ' *no assignment costs less if what a node runs is one block' \
        $program memory --memory sram:20K --memory dram:1M "$out/$model.fx"
done
says "a body without offsets" '  and 31.9 KiB inside the graph that is called, in a block at offset [0-9]*' $program memory "$out/onnx_if.fx"
says "and why" 'Tensors of a called graph have no offsets of their own: the node that runs it has a' $program memory "$out/onnx_if.fx"
$program memory --graph none "$out/if.fx" > "$out/text" 2>&1
grep -qx 'graphsplit: --graph: the module has no graph none; it has main, large, small' "$out/text"
verdict "graphs that there are" $? "$out/text"

finish
