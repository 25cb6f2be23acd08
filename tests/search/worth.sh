#!/bin/sh
# `split --minimise time`: what is worth offloading on small graphs that are worked out by hand, on published
# graphs and on shapes that users report; cost files and profiles; what is refused. Enumeration: oracle_offload.
# usage: B=build sh tests/search/worth.sh [--table]     --table: a row per published figure
set -u
table=${1:-}
. "$(dirname "$0")/../elsewhere.sh"
tests="${RUN:-} $(echo "${B:-build}" | sed "s,^[^/],$root/&,")/tests"
cd "$dir" || exit 1

# ---- a chain by hand: a and c are supported, every value takes a second to move ----

cat > chain.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] cpu=4 compute=1 acc=1
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4] cpu=2 compute=1 acc=0
    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[4] cpu=5 compute=1 acc=1
    return c
END
# is EXPECTED OPTION...: the lines of time and proof
is() {
    expected=$1
    shift
    $program split --minimise time --porcelain "$@" > made 2> err
    grep '^time\|^proof' made | tr '\n' ';' > out
    [ "$(cat out)" = "$expected" ]
    verdict "$*: $expected" $? out
}
# All: 1 + 2 + 1 + 4 moves + 2 launches; c alone: 4 + 2 + 1 + 2 moves + 1 launch; the CPU: 11.
is 'time cpu_only=11 best=8.4;proof objective=8400000000 bound=8400000000 proved=1 reference=8400000000;' \
    --bandwidth 16 --launch 0.2 chain.fx
is 'time cpu_only=11 best=10.5;proof objective=10500000000 bound=10500000000 proved=1 reference=11000000000;' \
    --bandwidth 16 --launch 1.5 chain.fx
is 'time cpu_only=11 best=11;proof objective=11000000000 bound=11000000000 proved=1 reference=12200000000;' \
    --bandwidth 16 --launch 2.1 chain.fx
# Everything at every boundary: no value of a chain is moved twice.
is 'time cpu_only=11 best=10.5;proof objective=10500000000 bound=10500000000 proved=1 reference=11000000000;' \
    --bandwidth 16 --launch 1.5 --transfer residency chain.fx
is 'time cpu_only=11 best=4;proof objective=4000000000 bound=4000000000 proved=1 reference=4000000000;' chain.fx

# ---- what is said ----

# shows WORDS OPTION...: a line of the report
shows() {
    words=$1
    shift
    $program split --minimise time "$@" > out 2>&1
    grep -q -e "$words" out
    verdict "$*: '$words'" $? out
}
shows '^The CPU alone is faster by 1.2 s (9.8 %): 11 s, against all supported nodes on acc in 2 subgraphs (12.2 s); run one after the other, no choice' \
    --bandwidth 16 --launch 2.1 chain.fx
[ "$(head -n 1 out | cut -c 1-30)" = 'The CPU alone is faster by 1.2' ]
verdict "the first line says so" $? out
shows '^Worth it: 10.5 s, less than the CPU alone by 500 ms' --bandwidth 16 --launch 1.5 chain.fx
shows '^  _run_on_acc_1  *1  *5 s  *1 s  *500 ms$' --bandwidth 16 --launch 1.5 chain.fx
shows '^  a  *1  *0  *4 s  *1 s  *-500 ms$' --bandwidth 16 --launch 1.5 chain.fx
shows '^  *1  *10.5 s  <- this split$' --bandwidth 16 --launch 1.5 chain.fx
shows 'the accelerator saves no time here, with transfers and launches' --bandwidth 16 --launch 1.5 chain.fx
shows 'a .* saves no time here' --why a --bandwidth 16 --launch 1.5 chain.fx
$program split --minimise time --bandwidth 16 --launch 1.5 --json chain.fx > out 2>&1 &&
    grep -q '"time": {"cpu_only": 11, "best": 10.5, "bound": 10.5, "all": 11, "launch": 1.5' out &&
    grep -q '"at_most": \[{"acc_subgraphs": 0, "seconds": 11},{"acc_subgraphs": 1, "seconds": 10.5}\]' out &&
    grep -q '"first": "a", "nodes": 1, "kept": 0, "cpu_seconds": 4, "acc_seconds": 1, "saves": -0.5' out &&
    grep -q '"proof": {"objective": 10500000000, "bound": 10500000000, "proved": true, "reference": 11000000000}' out
verdict "JSON has times, the curve and subgraphs" $? out
$program split --minimise time --bandwidth 16 --launch 1.5 --html page.html chain.fx > out 2>&1 &&
    grep -q '"points":\[\[0,11\],\[1,10.5\]\]' page.html &&
    grep -q '"made":\[\[1,3,1,1,5,1,0.5\]\]' page.html && grep -q '"if_all":\[\[0,1,1,0,4,1,-0.5\],' page.html
verdict "so has the report" $? out

# ---- times from files ----

printf '# measured\nNODE,CPU_SECONDS,ACC_SECONDS\na,1,0.5\nc 1 0.5\n' > costs
sed 's/ cpu=[0-9]* compute=[0-9]*//' chain.fx > bare.fx
is 'time cpu_only=2.000000002 best=1.000000002;proof objective=1000000002 bound=1000000002 proved=0 reference=1000000002;' \
    --costs costs bare.fx
shows '^Worth it: .*; by what is known: 1 of 3 times is unknown\.$' --costs costs bare.fx
! grep -q 'no choice' out
verdict "what is estimated beside measured times proves nothing" $? out
$program split --minimise time --costs costs --json bare.fx 2>&1 | grep -q '"unknown_times": 1, "estimated": 1, "called": 3, '
verdict "JSON has their number" $?
$program split --minimise time --costs costs --html page.html bare.fx > out 2>&1 && grep -q '"unknown_times": 1,' page.html
verdict "so has the page" $? out
# Four elements each: f takes 8 s on the CPU and 4 s on the accelerator, and g 4 s; node c is an exception.
printf 'c 1 0.5\nf 2 1\ng 1 1\n' > costs
is 'time cpu_only=13 best=8.5;proof objective=8500000000 bound=8500000000 proved=1 reference=8500000000;' --costs costs bare.fx
printf 'f 1\n' > costs
is 'time cpu_only=11 best=10;proof objective=10000000000 bound=10000000000 proved=1 reference=10000000000;' --costs costs chain.fx

mnist=$root/examples/models/onnx_mnist.fx
person=$root/examples/models/tflite_person_detect.fx
cat > ort.json << 'END'
[
{"cat" : "Session","pid" :1,"tid" :1,"dur" :698,"ts" :11,"ph" : "X","name" :"model_loading_array","args" : {}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :0,"ts" :16800,"ph" : "X","name" :"Convolution28_fence_before","args" : {"op_name" : "Conv"}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :3000000,"ts" :16800,"ph" : "X","name" :"Convolution28_kernel_time","args" : {"parameter_size" : "832","provider" : "CPUExecutionProvider","op_name" : "Conv","input_type_shape" : [{"float":[1,1,28,28]},{"float":[8,1,5,5]}]}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :5000000,"ts" :16900,"ph" : "X","name" :"Convolution28_kernel_time","args" : {"provider" : "CPUExecutionProvider","op_name" : "Conv"}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :1000000,"ts" :17000,"ph" : "X","name" :"Conv_1_kernel_time","args" : {"provider" : "CUDAExecutionProvider","op_name" : "Conv"}}
]
END
shows 'Times of 1 of ' --profile ort.json --acc-ops onnx.Conv "$mnist"
# The average of both runs, and the time on the accelerator; all else is far below.
$program split --minimise time --porcelain --acc-ops onnx.Conv --profile ort.json "$mnist" 2>&1 | grep '^time' > out
grep -q '^time cpu_only=4.0' out && grep -q 'best=1.0' out
verdict "a profile of ONNX Runtime: 4 s on the CPU, 1 s on the accelerator" $? out

cat > tflite.csv << 'END'
Operator-wise Profiling Info for Primary graph:
============================== Run Order ==============================
node type, first, avg_ms, %, cdf%, mem KB, times called, name
DEPTHWISE_CONV_2D, 2100, 2000, 50%, 50%, 0, 1, [MobilenetV1/Conv2d_0/Relu6]:0
CONV_2D, 3100, 3000, 50%, 100%, 0, 1, [MobilenetV1/Conv2d_1_pointwise/Relu6	other]:2

============================== Top by Computation Time ==============================
node type, first, avg_ms, %, cdf%, mem KB, times called, name
CONV_2D, 3100, 3000, 50%, 100%, 0, 1, [MobilenetV1/Conv2d_1_pointwise/Relu6]:2

Number of nodes executed: 2
============================== Summary by node type ==============================
[Node type], [count], [avg ms], [avg %], [cdf %], [mem KB], [times called]
CONV_2D, 1, 3000, 50%, 100%, 0, 1
END
sed 's/^node type, .*/\t[node type]\t[first]\t[avg ms]\t[%]\t[cdf%]\t[mem KB]\t[times called]\t[Name]/; /^[CD].*]:/ { s/\t/ /g; s/, /\t/g; s/^/\t/ }' tflite.csv > tflite.txt
for profile in tflite.csv tflite.txt; do
    shows 'Times of 2 of 31 nodes are measured' --profile $profile --acc-ops xnnpack "$person"
    $program split --minimise time --porcelain --acc-ops xnnpack --profile $profile "$person" 2>&1 | grep '^time' > out
    grep -q '^time cpu_only=5.000' out
    verdict "$profile: 5 s on the CPU" $? out
done

# ---- estimates: the first line says so, in three digits, and what was assumed is printed, defaults too ----

shows '^Worth it: about 9.64 us (estimated from shapes), less than the CPU alone by about 348 us (97.3 %)' --acc-ops xnnpack "$person"
shows '^  Estimated from shapes: the times of 31 of 31 nodes on the CPU, of 31 on the accelerator.$' --acc-ops xnnpack "$person"
shows '^  With --bandwidth 100 GiB/s, --launch 0 s, --cpu-rates 2e10,2e10, --acc-rates 1e12,1e11 (MACs/s,bytes/s).$' \
    --acc-ops xnnpack "$person"
shows '^  With --bandwidth 16 B/s, --launch 1 s, --cpu-rates 1e9,1e9, --acc-rates 1e12,1e11 ' \
    --acc-ops xnnpack --bandwidth 16 --launch 1 --cpu-rates 1e9,1e9 "$person"
shows '^The accelerator saves nothing: the CPU alone takes about [0-9.]* us (estimated from shapes); run one after the other, no choice' \
    --acc-ops tflite.NONE "$person"
sed 's/ compute=1 acc=0/ acc=0/' chain.fx > partly.fx
shows '^Worth it: about 4 s (partly estimated from shapes), less than the CPU alone by about 7 s (63.6 %)' partly.fx
shows '^  Estimated from shapes: the times of 0 of 3 nodes on the CPU, of 1 on the accelerator.$' partly.fx
sed '/%b : /s/f32\[4\] .*/acc=0/; /%c : /s/f32\[4\]//' chain.fx > partly.fx
shows '^  Estimated from shapes: .* 1 of 3 nodes on the CPU, of 1 on the accelerator.$' partly.fx
sed '/%[bc] : /s/  # .*/  # acc=1/' chain.fx > partly.fx
shows '^  Estimated from shapes: .* 2 of 3 nodes on the CPU, of 2 on the accelerator; 1 without sizes counts as 1 ns.$' partly.fx
shows '^  With --bandwidth 100 GiB/s, --launch 0 s.$' chain.fx
! grep -q 'about\|stimate' out
verdict "of given times nothing is estimated" $? out
$program split --minimise time --acc-ops xnnpack --json "$person" > out 2> err
grep -q '"estimated": 31, "called": 31, "bandwidth": 107374182400, "cpu_rates": "2e10,2e10", "acc_rates": "1e12,1e11"}*,$' out
verdict "JSON has what was assumed" $? out

# ---- refusals: one sentence, nothing written ----

refuses() {
    words=$1
    shift
    $program split --minimise time "$@" --emit emitted > out 2>&1
    [ $? -ne 0 ] && grep -q -e "$words" out && [ "$(grep -c '^graphsplit:' out)" -eq 1 ] && ! [ -e emitted ]
    verdict "$*: '$words'" $? out
}
sed 's/cpu=4/cpu=-4/' chain.fx > bad.fx
refuses 'a time of a is negative, not finite' bad.fx
sed 's/cpu=4/cpu=nan/' chain.fx > bad.fx
refuses 'a time of a is negative, not finite' bad.fx
refuses '--bandwidth 0 moves nothing, and x has 16 bytes' --bandwidth 0 chain.fx
refuses "--launch expects seconds from 0 to 10^9, such as 1e-4, got '-1'" --launch=-1 chain.fx
refuses "got 'nan'" --launch nan chain.fx
for line in 'a -1 1' 'a 1 nan'; do
    echo "$line" > costs
    refuses 'costs:1: .* is negative, not finite, or above' --costs costs chain.fx
done
sed 's/  # .*//' chain.fx > blank.fx
refuses '^graphsplit: --minimise time: no node has a time, or sizes to estimate it from; give times (--costs FILE, --profile FILE), or a graph with types such as # f32\[1, 8\]' \
    --acc-ops f blank.fx
[ "$(wc -l < out)" -eq 1 ]
verdict "and nothing is decided" $? out
$program split --minimise time --acc-ops f --json blank.fx > out 2> err
[ $? -eq 1 ] && ! grep -q '"time"' out
verdict "nor in JSON" $? out
sed 's/ compute=[0-9]*//; s/f32\[4\]//' chain.fx > blank.fx
refuses 'no node has a time on the accelerator, or sizes' --acc-ops f blank.fx
sed 's/ cpu=[0-9]*//; s/f32\[4\]//' chain.fx > blank.fx
refuses 'no node has a time on the CPU, or sizes' --acc-ops f blank.fx
# Some sizes are enough, and so are the times of one node. With sizes that are not known, nothing is proved.
sed '/^ *%[abc] /s/  # .*//' chain.fx > some.fx
is 'time cpu_only=4e-09 best=3e-09;proof objective=3 bound=3 proved=0 reference=3;' --cpu-rates 1e10,8e9 --acc-ops f some.fx
sed '/^ *%[xbc] /s/  # .*//; s/f32\[4\]//' chain.fx > some.fx
is 'time cpu_only=4.000000002 best=1.000000002;proof objective=1000000002 bound=1000000002 proved=0 reference=1000000002;' --acc-ops f some.fx
echo 'a one 1' > costs
refuses 'costs:1: one is no number of seconds' --costs costs chain.fx
printf '\nz 1 1\n' > costs
refuses 'costs:2: z is neither a node nor an operator of this graph' --costs costs chain.fx
echo 'a 1' > costs
refuses 'costs:1: a is a node, which requires two times, NODE CPU_SECONDS ACC_SECONDS' --costs costs chain.fx
echo 'x 1 1' > costs
refuses 'costs:1: x is not called and takes no time' --costs costs chain.fx
echo 'a' > costs
refuses 'costs:1: a requires two times' --costs costs chain.fx
refuses 'tflite.csv is not of this graph: of its 3 times 3 are of nodes that it does not have, such as ' --profile tflite.csv chain.fx
refuses 'costs has no times of operators' --profile costs chain.fx
sed 's/"dur" :5000000/"dur" :-1/' ort.json > bad.json
refuses 'the time of Convolution28 is negative' --profile bad.json "$mnist"
refuses '--minimise time cannot be combined with --max-acc' --max-acc 2 chain.fx
refuses '--cpu-rates expects MACs and bytes per second' --cpu-rates 1 chain.fx
refuses 'v can run none of the nodes' --accelerator u=f --accelerator v=g chain.fx
$program split --launch 1 chain.fx > out 2>&1
[ $? -eq 2 ] && grep -q -e '--launch requires --minimise time' out
verdict "--launch alone is refused" $? out

# ---- the same values ----

for graph in "$root"/examples/models/*.fx; do
    for options in "--launch 1e-6" "--launch 1e-7 --transfer residency" "--launch 1e-5 --cpu-rates 1e8,1e8"; do
        # shellcheck disable=SC2086
        $program split --acc-ops xnnpack --minimise time $options --porcelain "$graph" > made 2> out &&
            $tests --equal "$graph" made >> out 2>&1
        verdict "$(basename "$graph") $options computes the same" $? out
    done
done

# ---- shapes ----

# chain N SHARE: a chain of nodes with this share in per cent of supported ones
chain() {
    awk -v n="$1" -v share="$2" 'BEGIN {
        state = 7
        print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[64]"
        for (v = 0; v < n; v++) {
            state = state * 16807 % 2147483647
            from = v - 1 - state % 3
            state = state * 16807 % 2147483647
            printf "    %%n%d : [num_users=1] = call_function[target=f](args = (%%%s,), kwargs = {})  # f32[%d] cpu=%de-6 compute=%de-7 acc=%d\n", v, from < 0 ? "x" : "n" from, 64 + state % 4096, 1 + state % 99, 1 + state % 99, (state % 100 < share)
        }
        print "    return n" n - 1 }'
}
chain 10000 70 > large.fx
for options in "--launch 0" "--launch 1e-5" "--launch 1e-3" "--launch 1e-5 --transfer residency"; do
    # shellcheck disable=SC2086
    timeout 30 $program split --minimise time --bandwidth 1e9 $options --porcelain large.fx 2> err | grep '^proof ' > out
    eval "$(sed -n 's/^proof //p' out)"
    [ -s out ] && [ "$bound" -le "$objective" ] && [ "$objective" -le "$reference" ]
    verdict "10,000 nodes, $options: $(cat out)" $? err
done
$program split --minimise time --bandwidth 1e9 --launch 1e-5 --max-work 1000 --porcelain large.fx 2> err | grep '^proof ' > out
grep -q 'proved=0' out
verdict "--max-work ends in the best so far" $? out

# A report of 513 nodes of which the accelerator takes 273 in 87 parts: 89 ms, and the CPU alone 11 ms.
awk 'BEGIN {
    print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[64]"
    for (v = 0; v < 513; v++)
        printf "    %%n%d : [num_users=1] = call_function[target=f](args = (%%%s,), kwargs = {})  # f32[64] cpu=21.4e-6 compute=2e-6 acc=%d\n",
            v, v ? "n" v - 1 : "x", (v * 87 % 513 < 273) ? 1 : 0
    print "    return n512" }' > partitions.fx
parts=$($program split --porcelain partitions.fx | grep -c '^subgraph [^ ]* acc')
$program split --minimise time --launch 9.5e-4 partitions.fx > out 2>&1
head -n 1 out | grep -q "^The CPU alone is faster by .*: 10.98 ms, against all supported nodes on acc in $parts subgraphs" &&
    [ "$parts" -eq 87 ]
verdict "513 nodes, $parts partitions: the CPU alone" $? out

# ---- published graphs ----

# made FILE PATTERN SHARE: weights as attributes; targets of the pattern, or a share of all, are not supported
made() {
    sed -E 's/ group=[0-9]+//; s/call_module(\[target=[^]]*\])\(args = \(\), kwargs = \{\}\)/get_attr\1/' "$1" |
        awk -v pattern="$2" -v share="$3" '
            BEGIN { state = 7 }
            /^    %/ {
                state = state * 16807 % 2147483647
                if (share > 0 ? state % 100 < share : $0 ~ ("target=.*(" pattern ")")) sub(/acc=1/, "acc=0")
            }
            { print }' > graph.fx
}
# worth LABEL LAUNCH LEAST PUBLISHED: with a launch of so many per mille of the time on the CPU within 2 % of the
# bound, and at least LEAST per mille below all offloaded, of whose time PUBLISHED per mille remain elsewhere
worth() {
    launch=$(sed -n 's/.* cpu=\([^ ]*\) .*/\1/p' graph.fx | awk -v share="$2" '{ sum += $1 } END { print share * sum / 1000 }')
    eval "$($program split --minimise time --launch "$launch" --porcelain graph.fx 2> err | sed -n 's/^proof //p')"
    [ $(((reference - objective) / (reference / 1000))) -ge "$3" ] && [ $((objective / 100)) -le $((bound / 98)) ]
    verdict "$1: at least $3 per mille below $reference ($objective, not below $bound)" $? err
    [ "$table" != --table ] ||
        echo "| offload $(echo "$1" | tr -d ' '):launch=$2 $((objective / (reference / 1000))) $4 $((bound / (reference / 1000)))"
}
made "$root/tests/search/data/inceptionv3.fx" '' 25
worth "Inception-v3, 25 %" 10 170 811
worth "Inception-v3, 25 %" 30 420 551
made "$root/tests/search/data/inceptionv3.fx" '' 10
worth "Inception-v3, 10 %" 10 130 892
worth "Inception-v3, 10 %" 30 330 703
if [ -d "$shared/models/cost" ]; then
    made "$shared/models/cost/throughput_op_resnet50_inference.fx" 'Relu|Sum' 0
    worth "ResNet-50" 2 130 818
    worth "ResNet-50" 10 270 735
    worth "ResNet-50" 30 550 461
    made "$shared/models/cost/latency_op_bert_l_3_inference.fx" 'Dropout|Gelu' 0
    worth "BERT-3" 2 20 883
    worth "BERT-3" 10 120 841
    worth "BERT-3" 30 270 705
else
    skip "figures of published graphs (looked for in $shared/models/cost)" 6
fi
finish
