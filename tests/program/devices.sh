#!/bin/sh
# Stages on unequal devices: what `pipe --device` prints of a chain of equal layers, and what it refuses.
# usage: B=build sh tests/program/devices.sh
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM
. tests/check.sh

# chain N: N layers of 1 s and 4,000 bytes of parameters each, in values of 4,096 bytes.
chain() {
    awk -v n="$1" 'BEGIN {
        print "graph():"
        print "    %x : [num_users=1] = placeholder[target=x]  # f32[1024]"
        for (i = 0; i < n; i++) {
            printf "    %%n%d : [num_users=1] = call_module[target=layers.%d](args = (%%%s,), kwargs = {})", i, i, i ? "n" i - 1 : "x"
            print "  # f32[1024] compute=1 params=4000"
        }
        print "    return n" n - 1
    }'
}
chain 24 > "$out/24.fx"
chain 10000 > "$out/10000.fx"
sed 's/ compute=1//' "$out/24.fx" > "$out/timeless.fx"
four="--device a:1G:4 --device b:1G:2 --device c:1G:1 --device d:1G"

# pipe OPTIONS...: of the chain of 24, in $out/said.
pipe() {
    # shellcheck disable=SC2086
    $program pipe "$@" "${graph:-$out/24.fx}" > "$out/said" 2> "$out/told"
}

# proof OBJECTIVE REFERENCE OPTIONS...: proved; REFERENCE - fits no device.
proof() {
    objective=$1
    reference=" reference=$2"
    [ "$2" != - ] || reference=
    shift 2
    pipe --porcelain "$@"
    [ "$(tail -n 1 "$out/said")" = "proof objective=$objective bound=$objective proved=1$reference" ]
    verdict "$*: $objective" $? "$out/said"
}

# small: layers of a table that two devices hold, but not with as many layers each.
printf 'layer,params,seconds,activation,kv\na,9000,1,0,0\nb,1000,1,0,0\nc,9000,1,0,0\nd,9000,1,0,0\n' > "$out/small.csv"
small() {
    $program pipe "$@" --device x:30000 --device y:10000 --table "$out/small.csv" | tee "$out/said"
}

# devices NAME... -- OPTIONS...: on which the stages are.
devices() {
    wanted=
    while [ "$1" != -- ]; do
        wanted="$wanted $1"
        shift
    done
    shift
    pipe --porcelain "$@"
    [ "$(sed -n 's/^stage [0-9]* submod_[0-9]* device=/ /p' "$out/said" | tr -d '\n')" = "$wanted" ]
    verdict "$*: on$wanted" $? "$out/said"
}

# sentence TEXT OPTIONS...: one line, and no result.
sentence() {
    text=$1
    shift
    pipe --porcelain "$@"
    [ $? -ne 0 ] && grep -q -- "$text" "$out/told" && [ "$(grep -cv '^Try ' "$out/told")" -eq 1 ]
    verdict "$*: $text" $? "$out/told"
}

# says TEXT OPTIONS...: in the report.
says() {
    text=$1
    shift
    pipe "$@"
    grep -q -- "$text" "$out/said"
    verdict "$*: $text" $? "$out/said"
}

# shellcheck disable=SC2086
{
    proof 3000000000 6000000000 $four
    devices a b c d -- $four
    proof 3000000000 6000000000 --device d:1G --device b:1G:2 --device c:1G --device a:1G:4 --any-order
    proof 7750000000 16500000000 $four --balance latency
    proof 2000000000 2000000000 --device a:1G:4 --device b:1G:4 --device c:1G:4
    proof 3000000000 8000000000 --device a:50000:4 --device b:1G:4 --device c:45000
    devices c b a -- --device a:1G:4 --device b:1G --device c:1G:2 --any-order --bandwidth a,b=1G --bandwidth b,c=1G
    devices a c -- --device a:1G:4 --device b:1G --device c:1G:2 --stages 2
    devices a b c c b a -- --device a:1G:4 --device b:1G:2 --device c:1G --schedule zbv --microbatches 6
    devices a b c a b c -- --device a:1G:4 --device b:1G:2 --device c:1G --schedule interleaved --microbatches 6
    devices a b,c -- --device a:1G:2 --device b:1G --device c:1G --replicas --microbatches 2
    devices cuda:0 cuda:1 -- --device cuda:0:24000000000 --device cuda:1:24G:2
    proof 24000000000 - --device a:16K --device b:1G --bandwidth 512000000 --stages 1
}
says 'proved to be the minimum in graph order, of the given order of devices$' --device a:1G:4 --device b:1G:2
says 'proved to be the minimum in graph order, of all orders of devices$' --device a:1G:4 --device b:1G:2 --any-order
says '^  submod_1   8 s   +0.0 %      8 s    0 s    0 s    31.3 KiB     1    36.0 KiB  67.3 KiB  b$' --device a:1G:2 --device b:1G --schedule 1f1b --microbatches 4
says '^interleaved 1F1B, 4 microbatches on 2 devices: 108 s, ' --device a:1G:2 --device b:1G --schedule interleaved --microbatches 4
says '^  submod_1   8 s .* 86.2 KiB  b$' --device a:24G --device b:24G:2 --kv 1000
says 'equal numbers of nodes per stage need a link without a bandwidth$' --any-order --device a:1G --device b:1G --device c:1G --bandwidth a,b=1G --bandwidth a,c=1M

sentence 'the speed divides times, so it is a number above 0' --device a:1G:0 --device b:1G
sentence 'the speed divides times, so it is a number above 0' --device a:1G:-2
sentence '--device b: no layer fits into its 10 bytes; the smallest, %n0, takes 12192$' --device a:1G --device b:10
sentence '--device b: no layer fits into its 10 bytes for each of its 2 stages; the smallest, %n0, takes [0-9]*$' \
    --device a:1G --device b:20 --schedule v-half --microbatches 2
sentence '%n0 takes 12192 bytes, and the largest device has 12000$' --stages 1 --device a:12000 --device b:12000:3
sentence 'no 2 contiguous stages fit the devices in the given order; --any-order tries others$' --device a:52000 --device b:52000
sentence '--device: the whole graph fits no device$' --stages 1 --device a:52000 --device b:52000
sentence 'no 2 contiguous stages fit the devices in any order$' --device a:52000 --device b:52000 --any-order
sentence '^graphsplit: --device: 93.8 KiB of layers do not fit into 39.6 KiB of devices (96000 bytes into 40480)$' --device a:20K --device b:20000
sentence 'bytes must cross from b to c, and no bandwidth of that link is given: add --bandwidth b,c=BYTES_PER_S$' --device a:1G --device b:1G --device c:1G --bandwidth a,b=1G
sentence "no --device has the name 'c'$" --device a:1G --device b:1G --bandwidth a,c=1G
sentence 'a link is between two devices$' --device a:1G --device b:1G --bandwidth a,a=1G
for second in a,b=2G b,a=1G; do
    sentence "--bandwidth $second: this link has another one$" --device a:1G --device b:1G --bandwidth a,b=1G --bandwidth $second
done
sentence '--bandwidth 2G: all links have another one$' --device a:1G --device b:1G --bandwidth 1G --bandwidth 2G
small | grep -qx 'for comparison   2 s with equal numbers of nodes per stage, which does not fit'
verdict 'a comparison that does not fit' $? "$out/said"
[ "$(small --porcelain | tail -n 1)" = 'proof objective=3000000000 bound=3000000000 proved=1' ]
verdict 'no reference= that does not fit' $? "$out/said"
small --json | grep -q '"proved": true, "order": 0'
verdict 'no reference that does not fit in JSON' $? "$out/said"
sentence "--bandwidth expects bytes from 1 " --device a:1G --device b:1G --bandwidth a,b=0
sentence "--bandwidth expects BYTES_PER_S or A,B=BYTES_PER_S" --device a:1G --device b:1G --bandwidth a=1
sentence 'another device has this name$' --device a:1G --device a:2G
sentence "expects NAME:BYTES\[:SPEED\], such as gpu:24G or gpu:24G:3.5, got 'a'$" --device a
for fields in a:1G:1:2 a:1G:2G cuda:0:1G:1:2 a:1:1:2; do
    sentence "--device $fields: it has more than a name, bytes and a speed, as in gpu:24G:3.5\$" --device "$fields"
done
sentence "expects one device, got 'a,b:1G'; repeat it for more$" --device a,b:1G
sentence '--any-order requires --device NAME:BYTES$' --any-order
sentence '--kv requires --device NAME:BYTES$' --kv 5 --stages 2
sentence '--balance latency requires --device NAME:BYTES$' --balance latency --policy optimal --stages 2
sentence '--device cannot be combined with --memory$' --device a:1G --memory 5
sentence '--device requires --policy optimal' --device a:1G --policy nodes
sentence '--stages 2: there is 1 device, with one stage each$' --device a:3G --stages 2
sentence 'it expects time|latency$' --device a:1G --balance bytes
graph=$out/timeless.fx sentence 'no node has compute=, so no device is faster than another' --device a:1G --device b:1G

# hands FORM TEXT OPTIONS...: all that is printed; lines are parted by blanks.
hands() {
    form=$1
    text=$2
    shift 2
    pipe --stages-for "$form" "$@"
    [ "$(tr -s '\n ' '  ' < "$out/said")" = "$text " ]
    verdict "$form, $*" $? "$out/said"
}
graph=$out/3.fx
chain 3 > "$out/3.fx"
hands llama.cpp '--n-gpu-layers 4 --tensor-split 2,2' --device a:1G:2 --device b:1G
hands llama.cpp "--n-gpu-layers 4 --tensor-split 4 --override-tensor blk[.]2[.]=CPU" --device a:1G:2 --device cpu:1G
hands llama.cpp "--n-gpu-layers 4 --tensor-split 4 --override-tensor blk[.]0[.]=CPU,blk[.]1[.]=CPU" --device CPU:1G:2 --device a:1G
hands accelerate '{"layers.0": "cuda:0", "layers.1": "cuda:0", "layers.2": "cpu"}' --device cuda:0:1G:2 --device cpu:1G
hands accelerate '{"layers.0": 0, "layers.1": 0, "layers.2": 1}' --device 0:1G:2 --device 1:1G
hands accelerate '{"layers.0": 0, "layers.1": 0, "layers.2": 1}' --stages 2
hands openvino '{"n0": "GPU.0", "n1": "GPU.0", "n2": "CPU"}' --device GPU.0:1G:2 --device CPU:1G
hands onnxruntime '{"session.layer_assignment_settings": "gpu:0(=stage_0);cpu(=stage_1)", "layer_ann": {"n0": "stage_0", "n1": "stage_0", "n2": "stage_1"}}' \
    --device gpu:0:1G:2 --device cpu:1G
hands llama.cpp '--n-gpu-layers 0' --device cpu:1G:2 --device CPU:1G
$program pipe --stages-for openvino --stages 2 "$out/3.fx" > "$out/said" 2>&1
[ $? -eq 2 ] && grep -q 'openvino requires --device NAME:BYTES' "$out/said"
verdict "openvino without devices" $? "$out/said"
$program pipe --stages-for onnxruntime --device 'a(b:1G' "$out/3.fx" > "$out/said" 2>&1
[ $? -eq 2 ] && grep -q 'onnxruntime: its settings cannot name the device a(b$' "$out/said"
verdict "onnxruntime, a device that its settings cannot name" $? "$out/said"

# table LINE...: as the table of layers. FILE is then no graph.
table() {
    printf '%s\n' "$@" > "$out/table.csv"
}
pipe() {
    $program pipe "$@" --table "$out/table.csv" > "$out/said" 2> "$out/told"
}
table layer,params,seconds,activation,kv embed,100M,0.001,16384,0 blk.0,400M,0.01,16384,8M blk.1,400M,0.01,16384,8M \
    blk.2,400M,0.01,16384,8M blk.2,400M,0.01,16384,8M head,100M,0.002,65536,
says '^  submod_0      3           3  900 MiB       0 B  16.0 KiB  embed  blk_1$' --device gpu:1200M:4 --device cpu:2G
says ' 917 MiB  cpu$' --device gpu:1200M:4 --device cpu:2G
proof 22000000 22000000 --device gpu:1200M:4 --device cpu:2G
proof 15500000 21000000 --device cpu:2G --device gpu:1800M:2 --any-order
sentence '--device cpu: no layer fits into its 1000 bytes; the smallest, %embed, takes 104873984$' --device gpu:12G:4 --device cpu:1000
table a,1000,2e9 '# a comment' 'return,1000,3e9' '"x",1000,1e9,0,5' 'c d/e,1K,1e9' 7,0,1e9,,
proof 5000000 6000000 --device a:1G --device b:1G
says '^  submod_0      5           4  3.9 KiB  0 B  0 B  a      layer_7$' --device a:1G --device b:1G --stages 1
table layer,params,seconds,activation,kv a,x,1,1,1
sentence "table.csv:2: expected bytes, such as 65536, 32MiB or 1e9, got 'x'$" --device a:1G
table a,1,soon,1,1
sentence "table.csv:1: expected seconds or MACs, got 'soon'$" --device a:1G
table a,1,-1
sentence "table.csv:1: expected seconds or MACs, got '-1'$" --device a:1G
table layer,params,macs,colour a,1,1,1
sentence "table.csv:1: expected each of layer, params, seconds or macs, activation and kv once, got 'colour'$" --device a:1G
table layer,params a,1
sentence "table.csv:1: expected layer, and seconds or macs, among the columns, got 'layer'$" --device a:1G
table layer,params,macs
sentence 'table.csv: the table has no layers$' --device a:1G
table a,1,2,3,4,5
sentence "table.csv:1: expected layer, params, seconds or MACs, activation bytes and kv bytes, with commas, got 'a'$" --device a:1G
sentence 'is the input, and .* is one too$' --device a:1G "$out/24.fx"

pipe() {
    $program pipe "$@" "$out/10000.fx" > "$out/said" 2> "$out/told"
}
set -- --porcelain --device a:1G:4
for i in b:1G:2 c:30M d:1G:1.3 e:25M f:1G:3 g:40M:1.7 h:1G:2; do
    set -- "$@" --device "$i"
done
pipe "$@"
[ "$(tail -n 1 "$out/said")" = 'proof objective=625250000000 bound=625250000000 proved=1 reference=1250000000000' ]
verdict "10,000 layers on 8 devices" $? "$out/told"
# By hand: 2619 layers fit a and f each, one is on c, d, e and g each, and 4758 are on b and h.
set -- --porcelain --balance latency --device a:10M:4
for i in b:10M:2 c:8M d:6M:1.3 e:4M f:10M:3 g:4M:1.7 h:9M:2; do
    set -- "$@" --device "$i"
done
pipe "$@"
grep -q '^proof objective=3910107466063 bound=3910107466063 proved=1' "$out/said"
verdict "10,000 layers on 8 devices that are almost full: the least sum" $? "$out/told"
set -- --any-order
for i in a b c d e f g h; do
    set -- "$@" --device "$i:4.77M"
done
! pipe "$@" && grep -q ': no 8 contiguous stages fit the devices in any order$' "$out/told"
verdict "10,000 layers on 8 devices: no order fits" $? "$out/told"
finish
