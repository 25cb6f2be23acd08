#!/bin/sh
# Values that one side of a boundary takes in another type or layout: --no-convert and --convert of `split` beside all
# choices of nodes, what is said of them, and what is refused.
# usage: B=build [GRAPHS=N] sh tests/search/convert.sh     N random graphs; default 100
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

if command -v python3 > /dev/null; then
    python3 "$root/tests/search/convert.py" "$program" "${GRAPHS:-100}" > log 2>&1
    verdict "all choices of nodes: $(tail -n 1 log)" $? log
    tail -n 1 log
else
    skip "conversions beside all choices of nodes (python3 is missing)"
fi

printf 'f i8\n' > takes.ops
cat > net.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[1, 2, 2, 3]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[1, 2, 2, 3] acc=1 cpu=4 compute=1
    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # i8[1, 2, 2, 3] cpu=4 compute=1
    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # i8[4] acc=1 cpu=4 compute=1
    return c
END
# acc NODES OPTION...: the nodes on the accelerator
acc() {
    wanted=$1
    shift
    $program split --acc-ops @takes.ops --porcelain "$@" net.fx > found 2> error
    [ "$(awk '$1 == "subgraph" && $3 == "acc" { for (i = 4; i <= NF; i++) printf " %s", $i }' found)" = "$wanted" ]
    verdict "$*:$wanted" $? found
}
acc ' a c'
acc ' c' --no-convert
acc '' --no-convert --layouts nchw,nhwc
acc ' c' --minimise time --convert 16
acc ' a c' --minimise time --convert 1G
acc ' c' --minimise time --no-convert

# says STATUS WORDS OPTION...
says() {
    status=$1
    words=$2
    shift 2
    $program split --acc-ops @takes.ops "$@" net.fx > out 2>&1
    [ $? -eq "$status" ] && grep -q -e "$words" out
    verdict "$*: $words" $? out
}
says 0 '^  2 values (96 B) are converted at boundaries$' --minimise time --convert 1G
says 0 '^  0 values (0 B) are converted at boundaries$' --no-convert
says 0 '"converted": {"values": 2, "bytes": 96}' --minimise time --convert 1G --json
says 0 '^a (f) runs on the CPU, in _run_on_cpu_0, because --no-convert forbids to convert a at its boundary\.$\|forbids to convert x at its boundary\.$' --no-convert --why=a
says 1 'no-convert: a is pinned to an accelerator, and [ax] would be converted$' --no-convert --acc-nodes a
says 2 'convert requires --minimise time' --convert 5
says 2 'layouts expects nchw,nhwc or nhwc,nchw' --no-convert --layouts nchw
says 2 'layouts requires --convert or --no-convert' --layouts nchw,nhwc
says 2 'plan assigns the nodes, and takes no --no-convert' --no-convert --plan takes.ops
cat > empty.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    return x
END
$program split --no-convert --layouts nchw,nhwc --porcelain empty.fx > found 2> error
[ $? -le 1 ] && [ "$(wc -l < error)" -le 1 ]
verdict "a graph without calls" $? error
finish
