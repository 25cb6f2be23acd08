#!/bin/sh
# TensorFlow Lite models on the command line: every pass takes them, refusals are sentences; and, where the
# models are, the text of every one to the byte and what vendors' compilers made of them.
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
seeds=tests/formats/data
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/check.sh
export LC_ALL=C

# ---- passes ----

# The same from the model as from its text. `--stages 2` and the like stand behind the pass.
for name in small odd flow; do
    $program read "$seeds/$name.tflite" > "$dir/$name.fx" 2> "$dir/errors"
    verdict "read $name.tflite" $?
    $program read "$dir/$name.fx" | cmp -s - "$dir/$name.fx"
    verdict "the text of $name.tflite reads back" $?
    for pass in "split --acc-ops ethos-u55" "split --acc-ops tflite.*" "preview --acc-ops edgetpu" "memory" dedup \
        "partition --mode size --device a:1G --device b:1G" "pipe --stages 2" "read"; do
        # shellcheck disable=SC2086
        $program $pass --porcelain "$seeds/$name.tflite" > "$dir/model" 2> "$dir/errors"
        first=$?
        # shellcheck disable=SC2086
        $program $pass --porcelain "$dir/$name.fx" > "$dir/text" 2> /dev/null
        [ $first -eq $? ] && [ -s "$dir/model" ] && cmp -s "$dir/model" "$dir/text"
        verdict "$pass: $name.tflite and its text" $?
    done
done
[ "$($program --to-fx "$seeds/small.tflite")" = "$($program read "$seeds/small.tflite")" ]
verdict "--to-fx" $?
! $program read --main "$seeds/flow.tflite" | grep -q '^module'
verdict "--main prints the main graph alone" $?
[ "$($program split --acc-ops tflite.ADD --porcelain "$seeds/flow.tflite" 2> /dev/null | grep -c '^module ')" -eq 7 ]
verdict "child graphs stay in the module" $?
$program read $seeds/while.tflite | grep -q ' cond=cond body=body trips=4$' # 1, 2, 4, 8, while below 10
verdict "trips of a WHILE" $?
! $program read $seeds/flow.tflite | grep -q 'trips='
verdict "no trips where no constant bounds the counter" $?
# takes PASS WORDS: of a signature, whose subgraph has another name; nothing is told
takes() {
    # shellcheck disable=SC2086
    $program $1 --graph encode "$seeds/signatures.tflite" > "$dir/out" 2> "$dir/errors" &&
        grep -q -e "$2" "$dir/out" && [ ! -s "$dir/errors" ]
    verdict "$1 --graph: expected '$2'" $? "$dir/out"
}
takes read '^    return mean$'
takes "memory --porcelain" '^peak bytes=32768 step=3 node=abs '
takes "split --acc-ops tflite.ABS --min-acc-module-size 1 --porcelain" '^subgraph _run_on_acc_1 acc abs$'
takes "partition --device npu:64KiB --porcelain" '^partition 0 devices=0 bytes=32908 : broadcast_to abs mean$'
takes "pipe --stages 2 --porcelain" '^param ax : submod_1$'
takes "dedup --porcelain" '^    return mean$'
takes "preview --acc-ops tflite.ABS" '^  3 subgraphs (1 on accelerators, 2 on the CPU)$'
[ "$($program read "$seeds/signatures.tflite" 2>&1 > /dev/null)" = "graphsplit: $seeds/signatures.tflite: main is taken; --graph takes another: encode" ]
verdict "other signatures are told once" $?
[ "$($program read --graph decode "$seeds/signatures.tflite" 2>&1)" = "graphsplit: --graph: the module has no graph decode; it has $($program read --porcelain "$seeds/signatures.tflite" 2> /dev/null | sed -n 's/^module //p' | paste -sd, - | sed 's/,/, /g')" ]
verdict "a signature that is missing" $?
$program split --acc-ops ethos-u55 --emit "$dir/parts" "$seeds/small.tflite" > "$dir/out" && [ -s "$dir/parts/manifest.json" ]
verdict "--emit" $?
$program read "$seeds/small.tflite" > "$dir/small.fx"
$program run --equal "$seeds/small.tflite" "$dir/small.fx" | grep -q 'small.tflite computes the same' &&
    $program run --equal "$dir/small.fx" "$seeds/small.tflite" | grep -q 'small.fx computes the same'
verdict "run --equal takes models on either side" $?
cp "$seeds/small.tflite" "$dir/small.model"
$program run --equal "$dir/small.model" "$dir/small.fx" 2>&1 | grep -q 'small.model is a TensorFlow Lite model' &&
    $program read "$dir/small.model" 2>&1 | grep -q 'small.model is a TensorFlow Lite model'
verdict "and tells one under another name" $?

# ---- what TensorFlow Lite Micro needs beside the activations ----

# interpreter MODEL PATTERN
interpreter() {
    $program memory "$1" > "$dir/out" 2> "$dir/errors" && grep -q -e "$2" "$dir/out"
    verdict "$1: expected '$2'" $? "$dir/out"
}
interpreter $seeds/small.tflite ' 6 tensors x 12 B, 2 operators x 32 B, 2 inputs and outputs x 40 B,$'
# needs MODEL BYTES: the estimate is within 2 % of the arena that the interpreter of tflite-micro was measured with.
needs() {
    found=$($program memory "$1" 2> "$dir/errors" | sed -n 's/^  TFLM  *estimate.*[(]\([0-9]*\) bytes[)] in all on a 64-bit host.*/\1/p')
    [ "${found:-0}" -ge "$(($2 * 98 / 100))" ] && [ "$found" -le "$(($2 * 102 / 100))" ]
    verdict "$1: the interpreter takes $2 bytes, the estimate is '$found'" $?
}
needs $seeds/if.tflite 34416
needs $seeds/while.tflite 83840
needs $seeds/variables.tflite 2528
if [ -d "$shared/models/tflite" ]; then
    needs "$shared/models/tflite/person_detect.tflite" 85264
    needs "$shared/models/tflite/mlperf_tiny_resnet8.tflite" 55984
    needs "$shared/models/tflite/mlperf_tiny_kws.tflite" 24272
    needs "$shared/models/tflite/micro_speech_quantized.tflite" 7584
    needs "$shared/models/tflite/audio_preprocessor_int8.tflite" 10224
    needs "$shared/models/tflite/dtln_noise_suppression.tflite" 5840
    needs "$shared/models/tflite/keyword_scrambled_8bit.tflite" 10032
    needs "$shared/models/tflite/mnist_lstm_int8.tflite" 4208
    needs "$shared/models/tflite/torchaudio_conformer.tflite" 40236944
fi
# planned MODEL BYTES OPTION...: the same with the plan that is in the file.
planned() {
    model=$1
    bytes=$2
    shift 2
    $program memory "$@" --save-tflite "$dir/planned.tflite" "$model" > "$dir/out" 2>&1
    needs "$dir/planned.tflite" "$bytes"
}
planned $seeds/if.tflite 42480 --align 4096
planned $seeds/while.tflite 87920 --align 4096
planned $seeds/branches.tflite 9744 --align 4096
planned $seeds/branches.tflite 1824 --in-place
planned $seeds/variables.tflite 2512 --in-place
if [ -d "$shared/models/tflite" ]; then
    planned "$shared/models/tflite/keyword_scrambled_8bit.tflite" 13648 --align 4096
    planned "$shared/models/tflite/audio_preprocessor_int8.tflite" 15536 --align 4096
fi
interpreter "$dir/planned.tflite" '^ *on a 32-bit core: .* of tensors and buffers, by the plan in the file,$'
interpreter $seeds/variables.tflite '^  state  *32 B '
interpreter $seeds/composite.tflite '^ *without what tflite.STABLEHLO_COMPOSITE needs, which no rule tells$'
! $program memory "$dir/small.fx" 2> "$dir/errors" | grep -q TFLM
verdict "graph text has no interpreter" $?
# So many tensors and operators its recording of this model counts.
[ ! -f "$shared/models/tflite/keyword_scrambled_8bit.tflite" ] ||
    interpreter "$shared/models/tflite/keyword_scrambled_8bit.tflite" ' 54 tensors x 12 B, 15 operators x 32 B, 2 inputs and outputs x 40 B,$'

# ---- what is said ----

# says STATUS PATTERN FILE
says() {
    $program split --acc-ops ethos-u55 "$3" > "$dir/out" 2> "$dir/errors"
    [ $? -eq "$1" ] && grep -q -- "$2" "$dir/errors"
    verdict "$3: expected '$2'" $? "$dir/errors"
    [ "$1" -eq 0 ] || [ ! -s "$dir/out" ]
    verdict "$3: nothing half printed" $?
}
says 0 'odd.tflite: 2 tensors have no shape and count 0 bytes: edgetpu_custom_op, getitem$' $seeds/odd.tflite
says 0 "odd.tflite: 'tflite.custom.edgetpu_custom_op' is a program for the Google Edge TPU, .* before it was compiled$" $seeds/odd.tflite
says 0 'odd.tflite: 1 operator has a code newer than this reader: tflite.OP_210$' $seeds/odd.tflite
says 2 'cannot read' "$dir/none.tflite"
head -c 700 $seeds/small.tflite > "$dir/cut.tflite"
says 1 'cut.tflite: byte [0-9]*: a .* stands beyond the end of the file, which is cut short or damaged$' "$dir/cut.tflite"
: > "$dir/empty.tflite"
says 1 'empty.tflite: byte 4: this is no TFLite file' "$dir/empty.tflite"
cp "$dir/small.fx" "$dir/text.tflite"
says 1 'text.tflite: byte 4: this is no TFLite file' "$dir/text.tflite"
cp $seeds/small.tflite "$dir/model.bin"
says 1 'model.bin is a TensorFlow Lite model; it is read from a file whose name ends in .tflite' "$dir/model.bin"
cp $seeds/small.tflite "$dir/itself.tflite"
! $program split --acc-ops ethos-u55 --html "$dir/itself.tflite" "$dir/itself.tflite" > "$dir/out" 2> "$dir/errors" &&
    grep -q 'is the input' "$dir/errors" && cmp -s $seeds/small.tflite "$dir/itself.tflite"
verdict "a model is not written over" $?
[ "$($program split --porcelain "$dir/cut.tflite" 2> /dev/null)" = "error PARSE" ]
verdict "porcelain of a damaged file" $?

# ---- why not ----

printf 'tflite.CONV_2D f32,f16\ntflite.SVDF\n' > "$dir/float.ops"
# why NODE SENTENCE [LIST]: from small.tflite, or the other seed for another list
why() {
    found=$($program split --acc-ops "${3:-@$dir/float.ops}" --why="$1" "$seeds/${4:-small}.tflite" 2> /dev/null)
    [ "${found#*because }" = "$2" ]
    verdict "why $1: '$found', expected '... because $2'" $?
}
why conv_2d 'acc supports tflite.CONV_2D with f32 or f16, and not the qi8 that it reads from in.'
why svdf 'acc supports tflite.SVDF.'
why svdf 'the accelerator does not support tflite.SVDF.' edgetpu
why split 'acc supports tflite.SPLIT with i32, qi8 or qu8, and not the f32 that it yields.' edgetpu odd
why edgetpu_custom_op \
    'the accelerator does not support tflite.custom.edgetpu_custom_op, which is a program for the Google Edge TPU: only its own delegate runs it.' \
    nnapi odd
$program split --more --acc-ops "@$dir/float.ops" "$seeds/small.tflite" | grep -q '^  tflite.CONV_2D .* unsupported with these types$'
verdict "the table of operators tells types apart" $?
$program split --acc-ops nnapi --why --all "$seeds/odd.tflite" 2> /dev/null | grep -q '  a program for the Google Edge TPU  *no accelerator supports it$'
verdict "so does the table of nodes" $?

# ---- for authors of delegates ----

delegate="${RUN:-} ${B:-build}/delegate"
if [ -x "${B:-build}/delegate" ]; then
    printf 'tflite.SPLIT\ntflite.ADD\ntflite.TOPK_V2\noperator.getitem\n' > "$dir/some.ops"
    $delegate $seeds/odd.tflite "$dir/some.ops" > "$dir/out"
    cat > "$dir/expected" << 'END'
delegate { 4 5 6 }
not 0 tflite.custom.edgetpu_custom_op: no accelerator supports it
not 1 tflite.custom.3d_op_x: no accelerator supports it
not 2 tflite.STABLEHLO_CASE: no accelerator supports it
not 3 tflite.OP_210: no accelerator supports it
not 7 tflite.custom._: no accelerator supports it
END
    cmp "$dir/out" "$dir/expected"
    verdict "delegate: indices and reasons" $?
    $delegate "$dir/cut.tflite" "$dir/some.ops" 2>&1 | grep -q 'cut.tflite: byte [0-9]*: '
    verdict "delegate: a damaged file" $?
else
    skip "index lists for a delegate (${B:-build}/delegate is not built: make examples)" 2
fi

# ---- real models ----

# crossings NODES MODEL: tensors in and out of the one subgraph of these nodes, as "1 in, 2 out".
crossings() {
    $program split --acc-nodes "$1" --porcelain "$2" |
        awk '/^subgraph [^ ]* acc / { n++; tag = $2 }
            /^module / { inside = $2 == tag }
            inside && / = placeholder\[/ { ins++ }
            inside && /^    return / { outs = /^    return \(/ ? NF - 1 : 1 }
            END { if (n == 1) print ins " in, " outs " out" }'
}

# truth MODEL COMPILED TRUTH OPERATOR SCRATCH: the nodes that the vendor's compiler took are one subgraph here,
# with the tensors in and out that its own operator has in the compiled model; all others are in both. The
# last counts inputs of the truth that are no tensors of the model.
truth() {
    taken=$(sed -n 's/^acc //p' "$3" | tr ' ' ',')
    found=$(crossings "$taken" "$1")
    compiled=$($program split --acc-ops "$4,operator.getitem" --porcelain "$2" | sed -n 's/^acc //p' | tr ' ' ',')
    theirs=$(crossings "$compiled" "$2")
    [ -n "$found" ] && [ "$found" = "$theirs" ]
    verdict "$1: '$found', compiled '$theirs'" $?
    [ "$(awk -v s="$5" '/^in / { i = $2 - s } /^out / { o = $2 } END { print i " in, " o " out" }' "$3")" = "$found" ]
    verdict "$3 says so too" $?
    $program read "$1" | sed -n 's/.*%\([a-z0-9_]*\) : .*target=\(tflite[^]]*\).*/\1 \2/p' |
        awk -v taken=",$taken," '!index(taken, "," $1 ",") { print $2 }' | sort > "$dir/ours"
    $program read "$2" | sed -n 's/.*target=\(tflite[^]]*\).*/\1/p' | grep -v "^$4\$" | sort | cmp -s - "$dir/ours"
    verdict "$2: has the operators that were left" $?
}

if [ -d "$shared/models/tflite" ]; then
    for model in "$shared"/models/tflite/*.tflite; do
        name=$(basename "$model" .tflite)
        [ -f "$shared/models/fx/tflite_$name.fx" ] || continue
        $program read "$model" 2> "$dir/errors" | cmp -s - "$shared/models/fx/tflite_$name.fx" && [ ! -s "$dir/errors" ]
        verdict "$model: its text" $?
    done
    name=deeplabv3_mnv2_dm05_pascal_quant
    truth "$shared/models/tflite/$name.tflite" "$shared/models/tflite/${name}_edgetpu.tflite" \
        "$shared/models/fx/tflite_$name.edgetpu.truth" tflite.custom.edgetpu_custom_op 0
    name=person_detect
    truth "$shared/models/tflite/$name.tflite" "$shared/models/tflite/${name}_vela.tflite" \
        "$shared/models/fx/tflite_$name.ethos-u55.truth" tflite.custom.ethos_u 2
else
    skip "real TFLite models (tests/models/get.sh gets them; looked for in $shared/models)" 18
fi

finish
