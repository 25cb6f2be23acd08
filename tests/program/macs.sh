#!/bin/sh
# read --macs: multiply-accumulates of operators, each rule against a count by hand, and of graphs that nodes run.
cd "$(dirname "$0")/../.." || exit 1
. tests/check.sh
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=${B:-build}/macs
mkdir -p "$out" || exit 1

# rule WANTED CALL RESULT [NAME TYPE]...: the MACs of %y, a call of what comes in.
rule() {
    wanted=$1 call=$2 result=$3
    shift 3
    {
        echo "graph():"
        while [ $# -gt 1 ]; do
            echo "    %$1 : [num_users=1] = get_attr[target=$1]  # $2"
            shift 2
        done
        echo "    %y : [num_users=1] = call_$call  # $result"
        echo "    return y"
    } > "$out/rule.fx"
    found=$($program read --macs "$out/rule.fx" 2> "$out/log" | head -n 1)
    [ "$found" = "macs y $wanted" ]
    verdict "$call: $found, expected $wanted" $? "$out/rule.fx"
}
# f NAME ARGS: a call of a function.
f() {
    echo "function[target=$1](args = $2, kwargs = {})"
}

# TensorFlow Lite: weights are [out, height, width, in], of depthwise ones [1, height, width, channels].
rule 460800 "$(f tflite.CONV_2D '(%x, %w)')" 'qi8[1, 8, 8, 16]' x 'qi8[1, 16, 16, 50]' w 'qi8[16, 3, 3, 50]'
rule 9216 "$(f tflite.DEPTHWISE_CONV_2D '(%x, %w)')" 'qi8[1, 8, 8, 16]' x 'qi8[1, 8, 8, 8]' w 'qi8[1, 3, 3, 16]'
rule 204800 "$(f tflite.TRANSPOSE_CONV '(%s, %w, %x)')" 'qi8[1, 20, 20, 16]' s 'i32[4]' w 'qi8[16, 4, 4, 8]' x 'qi8[1, 10, 10, 8]'
rule 6912 "$(f tflite.CONV_3D '(%x, %w)')" 'f32[1, 4, 4, 4, 2]' x 'f32[1, 4, 4, 4, 2]' w 'f32[3, 3, 3, 2, 2]'
rule 640 "$(f tflite.FULLY_CONNECTED '(%x, %w, None)')" 'f32[2, 5]' x 'f32[2, 4, 4, 4]' w 'f32[5, 64]'
rule 960 "$(f tflite.BATCH_MATMUL '(%a, %b)')" 'f32[2, 8, 10]' a 'f32[2, 6, 8]' b 'f32[2, 6, 10]'
rule 2432 "$(f tflite.SVDF '(%x, %a, %b, None, %s)')" 'f32[2, 16]' x 'f32[2, 60]' a 'f32[16, 60]' b 'f32[16, 16]' s 'f32[2, 256]'
rule 1536 "$(f tflite.UNIDIRECTIONAL_SEQUENCE_RNN '(%x, %a, %b, %c, %s)')" 'f32[2, 4, 8]' \
    x 'f32[2, 4, 16]' a 'f32[8, 16]' b 'f32[8, 8]' c 'f32[8]' s 'f32[2, 8]'
rule 6144 "$(f tflite.UNIDIRECTIONAL_SEQUENCE_LSTM '(%x, %a, %a, %a, %a, %b, %b, %b, %b, None, None, None, %c, %c, %c, %c, None, None, %s, %s)')" \
    'f32[2, 4, 8]' x 'f32[2, 4, 16]' a 'f32[8, 16]' b 'f32[8, 8]' c 'f32[8]' s 'f32[2, 8]'
rule 0 "$(f tflite.MAX_POOL_2D '(%x,)')" 'f32[1, 4, 4, 8]' x 'f32[1, 8, 8, 8]'
rule '?' "$(f tflite.custom.mine '(%x,)')" 'f32[4]' x 'f32[4]'
rule '?' "$(f tflite.CONV_2D '(%x, %w)')" 'f32[s0, 8, 8, 16]' x 'f32[s0, 8, 8, 4]' w 'f32[16, 1, 1, 4]'
# ONNX: weights are [out, in of a group, ...], of transposed convolutions [in, out of a group, ...].
rule 1728 "$(f onnx.Conv '(%x, %w)')" 'f32[1, 4, 4, 4]' x 'f32[1, 6, 6, 6]' w 'f32[4, 3, 3, 3]'
rule 58982400 "$(f onnx.ConvTranspose '(%x, %w)')" 'f32[1, 24, 320, 320]' x 'f32[1, 24, 160, 160]' w 'f32[24, 24, 2, 2]'
rule 1728 "$(f onnx.QLinearConv '(%x, %s, %z, %w, %s, %z, %s, %z)')" 'u8[1, 4, 4, 4]' x 'u8[1, 6, 6, 6]' s 'f32[]' z 'u8[]' w 'u8[4, 3, 3, 3]'
rule 120 "$(f onnx.Gemm '(%a, %b)')" 'f32[4, 6]' a 'f32[5, 4]' b 'f32[6, 5]'
rule 61440 "$(f onnx.LSTM '(%x, %w, %r)')" 'f32[10, 1, 1, 32]' x 'f32[10, 1, 16]' w 'f32[1, 128, 16]' r 'f32[1, 128, 32]'
rule 46080 "$(f onnx.GRU '(%x, %w, %r)')" 'f32[10, 1, 1, 32]' x 'f32[10, 1, 16]' w 'f32[1, 96, 16]' r 'f32[1, 96, 32]'
rule 360 'function[target=onnx.Einsum](args = (%a, %b), kwargs = {equation: "bij,bjk->bik"})' 'f32[3, 4, 6]' a 'f32[3, 4, 5]' b 'f32[3, 5, 6]'
# A step of 2 sequences takes 2 * (3 + 4) * 4 per gate, with 3 values in and 4 of the state; 5 steps, once per direction.
for layer in 1,LSTM,16,1120 2,LSTM,16,2240 1,GRU,12,840 2,GRU,12,1680 1,RNN,4,280 2,RNN,4,560; do
    IFS=, read -r directions name gates count << END
$layer
END
    rule "$count" "$(f "onnx.$name" '(%x, %w, %r)')" "tuple(f32[5, $directions, 2, 4], f32[$directions, 2, 4])" \
        x 'f32[5, 2, 3]' w "f32[$directions, $gates, 3]" r "f32[$directions, $gates, 4]"
done
rule 720 'function[target=onnx.Einsum](args = (%a, %b), kwargs = {equation: "...ij,...jk->...ik"})' 'f32[2, 3, 4, 6]' \
    a 'f32[2, 3, 4, 5]' b 'f32[2, 3, 5, 6]'
rule 240 'function[target=onnx.Einsum](args = (%a, %b), kwargs = {equation: "...ij,jk->ik..."})' 'f32[4, 6, 2]' a 'f32[2, 4, 5]' b 'f32[5, 6]'
rule 120 'function[target=onnx.Gemm](args = (%a, %b), kwargs = {transA: 1, transB: 1})' 'f32[4, 6]' a 'f32[5, 4]' b 'f32[6, 5]'
# 96 results of 2 channels and 9 taps; 64 of one channel; 100 values that each spread over 3 channels and 4 taps.
rule 1728 'function[target=onnx.Conv](args = (%x, %w), kwargs = {group: 2})' 'f32[1, 6, 4, 4]' x 'f32[1, 4, 6, 6]' w 'f32[6, 2, 3, 3]'
rule 576 'function[target=onnx.Conv](args = (%x, %w), kwargs = {group: 4})' 'f32[1, 4, 4, 4]' x 'f32[1, 4, 6, 6]' w 'f32[4, 1, 3, 3]'
rule 1200 'function[target=onnx.ConvTranspose](args = (%x, %w), kwargs = {group: 2, strides: [2, 2]})' 'f32[1, 6, 10, 10]' \
    x 'f32[1, 4, 5, 5]' w 'f32[4, 3, 2, 2]'
rule 3360 "$(f onnx.Attention '(%q, %k, %k)')" 'f32[2, 3, 5, 8]' q 'f32[2, 3, 5, 8]' k 'f32[2, 3, 7, 8]'
rule 192 "$(f onnx.AffineGrid '(%t, %s)')" 'f32[2, 4, 4, 2]' t 'f32[2, 2, 3]' s 'i64[4]'
rule 480 "$(f onnx.CausalConvWithState '(%x, %w)')" 'tuple(f32[2, 6, 10], f32[2, 6, 3])' x 'f32[2, 6, 10]' w 'f32[6, 1, 4]'
# A state of 2 heads of 4 x 8 per batch, updated and read by 2 of 4 heads each in 5 steps; delta reads it twice.
rule 1920 'function[target=onnx.LinearAttention](args = (%q, %k, %v), kwargs = {update_rule: "linear"})' \
    'tuple(f32[2, 5, 32], f32[2, 2, 4, 8])' q 'f32[2, 5, 16]' k 'f32[2, 5, 8]' v 'f32[2, 5, 16]'
rule 2560 "$(f onnx.LinearAttention '(%q, %k, %v, %p)')" 'tuple(f32[2, 5, 32], f32[2, 2, 4, 8])' \
    q 'f32[2, 5, 16]' k 'f32[2, 5, 8]' v 'f32[2, 5, 16]' p 'f32[2, 2, 4, 8]'
rule 2560 "$(f onnx.com.microsoft.LinearAttention '(%q, %k, %v, %p)')" 'tuple(f32[2, 5, 32], f32[2, 2, 4, 8])' \
    q 'f32[2, 5, 16]' k 'f32[2, 5, 8]' v 'f32[2, 5, 16]' p 'f32[2, 2, 4, 8]'
rule 480 "$(f onnx.com.microsoft.CausalConvWithState '(%x, %w)')" 'tuple(f32[2, 6, 10], f32[2, 6, 3])' x 'f32[2, 6, 10]' w 'f32[6, 1, 4]'
rule 1728 "$(f onnx.com.microsoft.NhwcConv '(%x, %w)')" 'f32[1, 4, 4, 4]' x 'f32[1, 6, 6, 3]' w 'f32[4, 3, 3, 3]'
rule 120 "$(f onnx.com.microsoft.QOrderedMatMul '(%a, %s, %b, %s)')" 'i8[4, 6]' a 'i8[4, 5]' s 'f32[]' b 'i8[5, 6]'
rule 160 "$(f onnx.com.microsoft.DecoderMaskedMultiHeadAttention '(%q, %k, %k, None, None, %p, %p)')" 'f32[2, 1, 8]' \
    q 'f32[2, 1, 8]' k 'f32[2, 1, 8]' p 'f32[2, 2, 4, 4]'
rule '?' "$(f onnx.com.microsoft.Inverse '(%x,)')" 'f32[4, 4]' x 'f32[4, 4]'
rule 480 "$(f onnx.com.microsoft.FusedMatMul '(%a, %b)')" 'f32[8, 10]' a 'f32[6, 8]' b 'f32[6, 10]'
rule 0 "$(f onnx.com.microsoft.QuickGelu '(%x,)')" 'f32[4]' x 'f32[4]'
rule '?' "$(f onnx.my.domain.Op '(%x,)')" 'f32[4]' x 'f32[4]'
# PyTorch; tests/pytorch/macs.py asks its own counter.
rule 480 "$(f torch.ops.aten.mm.default '(%a, %b)')" 'f32[8, 10]' a 'f32[8, 6]' b 'f32[6, 10]'
rule 192 "$(f torch.nn.functional.affine_grid '(%t, (2, 1, 4, 4))')" 'f32[2, 4, 4, 2]' t 'f32[2, 2, 3]'
rule 192 "$(f torch.ops.aten.affine_grid_generator.default '(%t, (2, 1, 4, 4), False)')" 'f32[2, 4, 4, 2]' t 'f32[2, 2, 3]'
rule 720 "$(f torch.conv_tbc '(%x, %w, %b)')" 'f32[6, 2, 5]' x 'f32[8, 2, 4]' w 'f32[3, 4, 5]' b 'f32[5]'
rule 12 "$(f torch.linalg.vecdot '(%a, %a)')" 'f32[3]' a 'f32[3, 4]'
rule 480 "$(f torch.ops.aten.linalg_matmul.default '(%a, %b)')" 'f32[8, 10]' a 'f32[8, 6]' b 'f32[6, 10]'
for name in _conv_depthwise2d thnn_conv2d _slow_conv2d_forward slow_conv_dilated2d; do
    rule 1728 "$(f torch.ops.aten.$name.default '(%x, %w, (3, 3))')" 'f32[1, 4, 4, 4]' x 'f32[1, 3, 6, 6]' w 'f32[4, 3, 3, 3]'
done
for name in conv_depthwise3d slow_conv3d slow_conv_dilated3d; do
    rule 864 "$(f torch.ops.aten.$name.default '(%x, %w, (3, 3, 3))')" 'f32[1, 4, 2, 2, 2]' x 'f32[1, 1, 4, 4, 4]' w 'f32[4, 1, 3, 3, 3]'
done
for name in slow_conv_transpose2d slow_conv_transpose3d; do
    rule 3888 "$(f torch.ops.aten.$name.default '(%x, %w, (3, 3))')" 'f32[1, 4, 8, 8]' x 'f32[1, 3, 6, 6]' w 'f32[3, 4, 3, 3]'
done
rule 1728 "$(f torch.ops.aten.convolution_overrideable.default '(%x, %w, None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1)')" \
    'f32[1, 4, 4, 4]' x 'f32[1, 3, 6, 6]' w 'f32[4, 3, 3, 3]'
rule 42 "$(f torch.ops.aten.mkldnn_linear.default '(%x, %w)')" 'f32[2, 7]' x 'f32[2, 3]' w 'f32[7, 3]'
for name in torch.linalg.inv torch.stft torch.cov torch.nn.functional.linear_cross_entropy torch.ops.aten._transformer_encoder_layer_fwd.default; do
    rule '?' "$(f $name '(%x,)')" 'f32[4, 4]' x 'f32[4, 4]'
done
for name in torch.ops.aten._weight_norm_interface.default torch.ops.aten.upsample_trilinear3d.default torch.fft.fftshift torch.resolve_conj; do
    rule 0 "$(f $name '(%x,)')" 'f32[4, 4]' x 'f32[4, 4]'
done
rule 84 'module[target=l](args = (%x,), kwargs = {})' 'f32[3, 7] module=torch.nn.LazyLinear params=140' x 'f32[3, 4]'
rule '?' "$(f tflite.LSTM '(%x,)')" 'f32[2, 4]' x 'f32[2, 4]'
rule '?' "$(f tflite.STABLEHLO_CUSTOM_CALL '(%x,)')" 'f32[2, 4]' x 'f32[2, 4]'
rule 12 "$(f torch.dot '(%a, %a)')" 'f32[]' a 'f32[12]'
rule '?' "$(f torch.ops.mylib.special.default '(%x,)')" 'f32[4]' x 'f32[4]'
rule 17 'function[target=mine](args = (%x,), kwargs = {})' 'f32[4] macs=17' x 'f32[4]'

# Graphs that nodes run: the larger branch; a loop once per trip, with its condition, or at least once; a call.
cat > "$out/graphs.fx" << 'END'
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
    %w : [num_users=1] = get_attr[target=w]  # f32[3, 4]
    %m : [num_users=1] = call_function[target=torch.mm](args = (%a, %w), kwargs = {})  # f32[2, 4]
    return m
module two
graph():
    %b : [num_users=1] = placeholder[target=b]  # f32[2, 3]
    %one : [num_users=1] = call_module[target=one](args = (%b,), kwargs = {})  # f32[2, 4]
    %v : [num_users=1] = get_attr[target=v]  # f32[4, 4]
    %n : [num_users=1] = call_function[target=torch.mm](args = (%one, %v), kwargs = {})  # f32[2, 4]
    return n
END
printf '%s\n' 'macs if 56' 'macs for 240' 'macs while >=80' 'macs call 56' 'macs total=>=432 unknown=0' > "$out/expected"
$program read --macs "$out/graphs.fx" 2> "$out/log" | cmp -s - "$out/expected"
verdict "graphs that nodes run" $? "$out/log"
# A branch of 2 * 3 * 16 in each of 10 iterations; a scan of 4 elements, each by a matrix of the graph around it.
cat > "$out/nested.fx" << 'END'
module main
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[2, 3]
    %xs : [num_users=1] = placeholder[target=xs]  # f32[4, 2, 3]
    %w : [num_users=1] = get_attr[target=w]  # f32[3, 4]
    %loop : [num_users=0] = call_function[target=onnx.Loop](args = (%x,), kwargs = {})  # f32[2, 16] body=step trips=10
    %scan : [num_users=1] = call_function[target=onnx.Scan](args = (%xs, %w), kwargs = {})  # f32[4, 2, 4] body=each trips=4
    return scan
module step
graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[2, 3]
    %if : [num_users=1] = call_function[target=onnx.If](args = (%a,), kwargs = {})  # f32[2, 16] then=wide else=none
    return if
module wide
graph():
    %b : [num_users=1] = placeholder[target=b]  # f32[2, 3]
    %v : [num_users=1] = get_attr[target=v]  # f32[3, 16]
    %m : [num_users=1] = call_function[target=onnx.MatMul](args = (%b, %v), kwargs = {})  # f32[2, 16]
    return m
module none
graph():
    %c : [num_users=1] = placeholder[target=c]  # f32[2, 3]
    %z : [num_users=1] = call_function[target=onnx.Relu](args = (%c,), kwargs = {})  # f32[2, 16]
    return z
module each
graph():
    %e : [num_users=1] = placeholder[target=e]  # f32[2, 3]
    %u : [num_users=1] = placeholder[target=w]  # f32[3, 4]
    %n : [num_users=1] = call_function[target=onnx.MatMul](args = (%e, %u), kwargs = {})  # f32[2, 4]
    return n
END
printf '%s\n' 'macs loop 960' 'macs scan 96' 'macs total=1056 unknown=0' > "$out/expected"
$program read --macs "$out/nested.fx" 2> "$out/log" | cmp -s - "$out/expected"
verdict "a branch in a loop, and a scan" $? "$out/log"
# What a node states holds whatever it runs.
sed -e 's/trips=10/trips=10 macs=7/' "$out/graphs.fx" > "$out/stated.fx"
printf '%s\n' 'macs if 56' 'macs for 7' 'macs while >=80' 'macs call 56' 'macs total=>=199 unknown=0' > "$out/expected"
$program read --macs "$out/stated.fx" 2> "$out/log" | cmp -s - "$out/expected"
verdict "MACs that a node states" $? "$out/log"
sed -e 's/then=one/then=on/' "$out/graphs.fx" > "$out/missing.fx"
$program read --macs "$out/missing.fx" > "$out/got" 2> "$out/log"
[ $? -eq 1 ] && [ ! -s "$out/got" ] && [ "$(cat "$out/log")" = 'graphsplit: node if: then=on, but the module has no such graph' ]
verdict "a graph that is missing" $? "$out/log"
# ---- shares: total, on each accelerator, and what has no rule ----
{
    echo 'graph():'
    echo '    %x : [num_users=1] = placeholder[target=x]  # f32[10, 10]'
    echo '    %m : [num_users=1] = call_function[target=torch.mm](args = (%x, %x), kwargs = {})  # f32[10, 10]'
    echo '    %l : [num_users=1] = call_function[target=torch.nn.functional.linear](args = (%m, %x), kwargs = {})  # f32[10, 10]'
    echo '    %b : [num_users=1] = call_function[target=torch.bmm](args = (%u, %u), kwargs = {})  # f32[2, 10, 10]' | sed 's/%u/%l/g; s/2, 10, 10/10, 10/'
    echo '    return b'
} > "$out/share.fx"
sed 's/target=torch.bmm/target=my.kernel/' "$out/share.fx" > "$out/mine.fx"
# shows WORDS PASS OPTION... FILE
shows() {
    words=$1
    shift
    $program "$@" > "$out/report" 2>&1
    grep -qF -- "$words" "$out/report"
    verdict "$*: $words" $? "$out/report"
}
two='--accelerator npu=torch.mm --accelerator dsp=torch.bmm'
shows '  nodes: 1 on npu (33.3 % of MACs), 1 on dsp (33.3 % of MACs), 1 on the CPU (33.3 % of MACs)' split $two "$out/share.fx"
shows '66.7 % of 3.00 thousand multiply-accumulates (MACs)' split $two "$out/share.fx"
shows '    npu (33.3 % of MACs), dsp (33.3 % of MACs)' preview $two "$out/share.fx"
shows '"without_rule": [], "of": {"cpu": 1000, "npu": 1000, "dsp": 1000}}' split $two --json "$out/share.fx"
shows '"without_rule": [], "of": {"cpu": 1000, "npu": 1000, "dsp": 1000}}' preview $two --json "$out/share.fx"
shows '3.00 thousand multiply-accumulates (MACs)' ops --for "$out/share.fx"
shows '"macs":{"of":[1000,1000,1000],"unknown":0,"least":0,"names":[]}' split $two --html - "$out/share.fx"
shows '1.00 thousand of >= 2.00 thousand multiply-accumulates (MACs);' \
    split --acc-ops torch.mm "$out/mine.fx"
shows '    MACs of 1 node are not known: no rule for my.kernel' split --acc-ops torch.mm "$out/mine.fx"
shows 'mine.fx: MACs of 1 node are not known: no rule for my.kernel' read --macs "$out/mine.fx"
shows '>= 2.00 thousand multiply-accumulates (MACs); MACs of 1 node are not known: no rule for my.kernel' ops --for "$out/mine.fx"
shows '"without_rule": ["my.kernel"], ' split --acc-ops torch.mm --json "$out/mine.fx"
$program read --macs --json "$out/mine.fx" > "$out/report" 2> "$out/err"
[ $? -eq 2 ] && grep -q -e '--macs cannot be combined with --json' "$out/err" && ! [ -s "$out/report" ]
verdict "read --macs --json is refused" $? "$out/err"

finish
