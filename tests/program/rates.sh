#!/bin/sh
# Times from shapes, with rates per class of operators: files and their mistakes, seconds of graphs that nodes run, and
# predicted over measured times of nine models. Measured: the sum of the first
# quartiles of each node over 12 runs of ONNX Runtime 1.32's profiler, one thread, no graph optimizations, on a shared
# x86-64 machine, 28 November 2026.
# usage: B=build sh tests/program/rates.sh
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=${B:-build}/rates
mkdir -p "$out" || exit 1
. tests/check.sh

# seconds FILE OPTION...: the estimate of the whole graph, in ns.
seconds() {
    file=$1
    shift
    $program pipe --stages 1 --time-unit shapes --json "$@" "$file" 2> "$out/log" |
        sed -n 's/^  {"stage": 0, "module".* "ns": \([0-9]*\).*/\1/p'
}

# ---- a file ----

{
    echo 'graph():'
    echo '    %x : [num_users=1] = placeholder[target=x]  # f32[1, 64, 10, 10]'
    echo '    %w : [num_users=1] = get_attr[target=w]  # f32[100, 64, 1, 1]'
    echo '    %d : [num_users=1] = get_attr[target=d]  # f32[100, 1, 3, 3]'
    echo '    %c : [num_users=1] = call_function[target=onnx.Conv](args = (%x, %w), kwargs = {})  # f32[1, 100, 10, 20]'
    echo '    %e : [num_users=1] = call_function[target=onnx.Conv](args = (%c, %d), kwargs = {})  # f32[1, 100, 10, 20]'
    echo '    %r : [num_users=1] = call_function[target=onnx.Relu](args = (%e,), kwargs = {})  # f32[1, 100, 10, 20]'
    echo '    %s : [num_users=1] = call_function[target=onnx.Softmax](args = (%r,), kwargs = {})  # f32[1, 100, 10, 20]'
    echo '    return s'
} > "$out/net.fx"
sed 's/64, 10, 10\]/65, 10, 10]/; s/100, 64, 1, 1/100, 65, 1, 1/' "$out/net.fx" > "$out/conv.fx"
# wanted NS FILE LINE...
wanted() {
    ns=$1 file=$2
    shift 2
    printf '%s\n' "$@" > "$out/own.rates"
    found=$(seconds "$out/$file.fx" --rates "$out/own.rates")
    [ "$found" = "$ns" ]
    verdict "$*: $found ns, by hand $ns" $? "$out/log"
}
# A node takes 1 ns at least. 64 MACs per element count as depthwise, 65 as a convolution. 20,000 elements: 1.28e6 or 1.3e6 MACs, then 1.8e5.
wanted 1460002 net 'all 1e9 1e18' 'launch 0'
wanted 3080002 net 'all 1e15 1e18' 'depthwise 4.74025974e8 1e18'
wanted 1300003 conv '# a comment' '' 'all 1e15 1e18 # and one here' 'conv 1e9 1e18'
wanted 1340000 conv 'all 1e15 1e18' 'conv 1e9 1e18' 'launch 1e-5'
# Relu and Softmax move 160,000 bytes each, 160 us at 1 GB/s.
wanted 320002 net 'all 1e15 1e18' 'other 1e15 1e9'
wanted 240002 net 'other 1e15 1e9' 'onnx.Softmax 1e15 2e9' 'all 1e15 1e18'

# refused WORDS LINE...
refused() {
    words=$1
    shift
    printf '%s\n' "$@" > "$out/own.rates"
    ! $program pipe --stages 1 --time-unit shapes --rates "$out/own.rates" "$out/net.fx" > "$out/report" 2>&1 &&
        grep -q -- "$words" "$out/report" && [ "$(wc -l < "$out/report")" -eq 1 ]
    verdict "refused: $*" $? "$out/report"
}
refused "own.rates:2: expected NAME MACS_PER_S BYTES_PER_S" 'all 1e9 1e9' 'conv 1e9'
refused "own.rates:1: expected NAME" 'all 0 1e9'
refused "own.rates:1: expected NAME" 'conv -1 1e9'
refused "own.rates:1: expected NAME" 'all inf 1e9'
refused "own.rates:1: expected NAME" 'all 1e9 nan'
refused "own.rates:2: expected NAME" 'all 1e9 1e9' 'launch inf'
refused "own.rates:2: a second line of all" 'all 1e9 1e9' 'all 2e9 1e9'
refused "own.rates:3: a second line of conv" 'conv 1e9 1e9' 'all 1e9 1e9' 'conv 2e9 1e9'
refused "own.rates:3: a second line of launch" 'launch 1e-6' 'all 1e9 1e9' 'launch 2e-6'
refused "own.rates:1: expected NAME" 'conv 1 2 3'
refused "own.rates:1: expected NAME" 'launch soon'
refused "own.rates:1: expected NAME" 'within 0.5 3'
refused "a line 'all MACS_PER_S BYTES_PER_S' is missing" 'conv 1e9 1e9'
for wrong in 1e9 1e9, 0,1 'x,y' ''; do
    $program pipe --stages 1 --time-unit shapes --rates "$wrong" "$out/net.fx" > "$out/report" 2>&1
    [ $? -eq 2 ] && grep -q 'such as 1e12,1e11, got .*, or a file of them' "$out/report"
    verdict "--rates '$wrong'" $? "$out/report"
done
$program pipe --stages 1 --time-unit shapes --rates "$out/none.rates" "$out/net.fx" > "$out/report" 2>&1
[ $? -eq 2 ] && grep -q 'none.rates' "$out/report"
verdict "a file that is missing" $? "$out/report"

# says WORDS LINE...: of estimates.
says() {
    words=$1
    shift
    printf '%s\n' "$@" > "$out/own.rates"
    $program pipe --stages 1 --time-unit shapes --rates "$out/own.rates" "$out/net.fx" > "$out/report" 2>&1
    grep -q -- "$words" "$out/report"
    verdict "$*: $words" $? "$out/report"
}
says 'are rough estimates' 'all 1e9 1e9'
says 'are rough estimates' 'all 1e9 1e9' 'within 1.6 6'
says 'are estimates' 'all 1e9 1e9' 'within 1.5 6'
says '^On 6 measured models they are off by a factor of 1.50 (median).$' 'all 1e9 1e9' 'within 1.5 6'
$program partition --mode size --device a:1G --time-unit shapes "$out/net.fx" | grep -q 'are rough estimates'
verdict "two numbers are rough" $?
for file in examples/rates/*.rates; do
    [ "$(seconds "$out/net.fx" --rates "$file")" -gt 0 ]
    verdict "$file" $? "$out/log"
done

# ---- graphs that nodes run: seconds as multiply-accumulates ----

cat > "$out/bodies.fx" << 'END'
module main
graph():
    %x : [num_users=4] = placeholder[target=x]  # f32[2, 3]
    %if : [num_users=0] = call_function[target=onnx.If](args = (%x,), kwargs = {})  # f32[2, 4] then=one else=two
    %for : [num_users=0] = call_function[target=onnx.Loop](args = (%x,), kwargs = {})  # f32[2, 4] body=one trips=10
    %while : [num_users=0] = call_function[target=tflite.WHILE](args = (%x,), kwargs = {})  # f32[2, 4] cond=one body=two
    %call : [num_users=1] = call_module[target=two](args = (%x,), kwargs = {})  # f32[2, 4]
    return call
module one
graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[2, 3]
    %m : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # f32[2, 4] compute=0.001
    return m
module two
graph():
    %b : [num_users=1] = placeholder[target=b]  # f32[2, 3]
    %one : [num_users=1] = call_module[target=one](args = (%b,), kwargs = {})  # f32[2, 4]
    %n : [num_users=1] = call_function[target=f](args = (%one,), kwargs = {})  # f32[2, 4] compute=0.002
    return n
END
# By hand: the larger branch 3 ms, 10 trips of 1 ms, one trip of 1 + 3 ms, a call of 3 ms.
for unit in seconds shapes; do
    $program pipe --stages 4 --time-unit $unit --json "$out/bodies.fx" 2> "$out/log" |
        sed -n 's/^  {"stage": .*"module".* "ns": \([0-9]*\).*/\1/p' | tr '\n' ' ' > "$out/found"
    [ "$(cat "$out/found")" = "3000000 10000000 4000000 3000000 " ]
    verdict "--time-unit $unit: bodies take $(cat "$out/found")ns" $? "$out/log"
done
$program partition --mode size --device a:1G "$out/bodies.fx" 2>&1 | grep -q 'latency 10 ms'
verdict "partition: the latency of bodies" $?

# split --minimise time: the same bodies, their times given, by operator (8 elements of 1 ms, 0.1 ms on acc), or
# estimated. 20 ms of 3 + 10 + 4 + 3; 136 ms of 16 + 80 + 24 + 16; of the bodies, none or all four are estimates.
cost() {
    label=$1 words=$2
    shift 2
    $program split --acc-ops f,onnx.If --minimise time --json "$@" > "$out/report" 2>&1 &&
        grep -q -- "^\"time\": {$words" "$out/report"
    verdict "costs of bodies: $label" $? "$out/report"
}
sed 's/compute=\(0.00.\)/cpu=\1 compute=\1/' "$out/bodies.fx" > "$out/both.fx"
sed 's/ compute=.*//' "$out/bodies.fx" > "$out/none.fx"
echo 'f 0.001 0.0001' > "$out/f.costs"
cost "annotations" '"cpu_only": 0.02, .*"estimated": 0,' "$out/both.fx"
cost "--costs of an operator in them" '"cpu_only": 0.136, "best": 0.1072, .*"estimated": 0,' --costs "$out/f.costs" "$out/none.fx"
cost "estimates" '.*"estimated": 4,' "$out/none.fx"
# f moves 24 and 32 bytes, or 64: of 1 byte per second 56 or 64 s; one: 56, two: 56 + 64.
cost "estimates, by hand" '"cpu_only": 976, ' --cpu-rates 1e18,1 --acc-rates 1e18,1 "$out/none.fx"

# ---- predicted over measured ----

[ -d "$shared/models/fx" ] || nothing_but "predicted over measured times (looked for in $shared/models/fx)"
while read -r model measured; do
    found=$(seconds "$shared/models/fx/onnx_$model.fx" --rates examples/rates/desktop-core.rates)
    awk -v p="$found" -v m="$measured" -v name="$model" 'BEGIN {
        r = p / 1e6 / m
        printf "%.6f %-30s predicted %7.2f ms over measured %7.2f ms: %.2f\n", r < 1 ? 1 / r : r, name, p / 1e6, m, r
    }'
done > "$out/ratios" << 'END'
light_squeezenet 4.507
light_inception_v1 66.609
light_shufflenet 4.930
light_resnet50 46.150
ultraface_slim_320_simplified 3.961
yunet_n_320 5.321
mnist 0.048
light_densenet121 45.205
light_bvlc_alexnet 86.253
END
cut -d ' ' -f 2- "$out/ratios"
median=$(grep 'inception\|shufflenet\|ultraface\|yunet\|mnist' "$out/ratios" | sort -n | sed -n '3s/ .*//p')
all=$(sort -n "$out/ratios" | sed -n '5s/ .*//p')
stated=$(awk '$1 == "within" { print $2 }' examples/rates/desktop-core.rates)
awk -v m="$median" -v s="${stated:-0}" 'BEGIN { exit !(m <= 1.5 && m <= s + 0.005 && m >= s - 0.05) }'
verdict "five models beside the fit: the median factor is $median, stated $stated; of all nine $all" $? "$out/ratios"
finish
