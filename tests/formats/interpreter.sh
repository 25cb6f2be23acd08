#!/bin/sh
# Pieces of a .tflite file are .tflite files: read back, they are the graph text of the piece; run one after the
# other, they yield what the whole file yields, to the bit. That runs in LiteRT and in TensorFlow Lite Micro,
# where a Python has them (ai-edge-litert, tflite-micro), and is skipped by name without.
# usage: sh tests/formats/interpreter.sh   (PYTHON: interpreters of Python that may have them)
cd "$(dirname "$0")/../.." || exit 1
program="${RUN:-} ${B:-build}/graphsplit"
seeds=tests/formats/data
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
. tests/check.sh
export LC_ALL=C

# emit NAME MODEL PASS OPTION...: into $dir/NAME
emit() {
    to=$dir/$1
    model=$2
    shift 2
    rm -rf "$to"
    $program "$@" --emit "$to" "$model" > "$dir/out" 2> "$dir/errors"
}

# plain FILE: its text, where weights of equal names lack the numbers that tell them apart in the whole graph
plain() {
    $program read "$1" 2>&1 | sed 's/\(get_attr\[target=[^]]*[^]0-9_]\)[_0-9]*\]/\1]/'
}

# same NAME: every piece in $dir/NAME is its text, and the manifest names it.
same() {
    bad=0
    : > "$dir/log"
    for piece in "$dir/$1"/*.tflite; do
        plain "${piece%.tflite}.fx" > "$dir/text.fx"
        plain "$piece" > "$dir/model.fx"
        $program run --equal "$dir/text.fx" "$dir/model.fx" > "$dir/out" 2>&1 && grep -q 'computes the same' "$dir/out" || {
            bad=1
            echo "$piece: $(tail -n 1 "$dir/out")" >> "$dir/log"
        }
        grep -q "\"file\": \"$(basename "$piece")\", \"graph\": \"$(basename "$piece" .tflite).fx\"" "$dir/$1/manifest.json" || bad=1
    done
    verdict "$model: pieces of $1 are their text" $bad "$dir/log"
}

# ---- without an interpreter ----

emit small $seeds/small.tflite pipe --stages 99
same small
[ "$(grep -c '"file": "submod_[01].tflite", "graph": "submod_' "$dir/small/manifest.json")" -eq 2 ]
verdict "two pieces" $?

# says SEED PATTERN PASS OPTION...: a piece has no model, for that reason; the text of all is there.
says() {
    seed=$1
    pattern=$2
    shift 2
    emit said "$seeds/$seed.tflite" "$@"
    status=$?
    grep -q -- "$pattern" "$dir/errors" && [ $status -eq 0 ] && ls "$dir"/said/*.fx > /dev/null
    verdict "$seed $*: expected '$pattern'" $? "$dir/errors"
}
says flow '_run_on_cpu_0 has no .tflite file: %while shares a tensor with another value of the part$' split --acc-ops xnnpack
says odd 'has no .tflite file: %stablehlo_case shares a tensor with another value of the part' split --acc-ops xnnpack
ahead=svdf=0,svdf_1=0,split=0
behind=getitem=1,getitem_1=1,add=1,read_variable=1
says state 'it shares state with other operators; nor has 1 more$' split --acc-nodes svdf
says state 'submod_0 has no .tflite file: %var_handle is a handle, which no other part can use; nor has 1 more$' \
    module --assign $ahead,var_handle=0,$behind

# Subgraphs that operators run come along, with their indices; variables stay where their operators are.
called() {
    seed=$1
    shift
    emit "$seed" "$seeds/$seed.tflite" "$@"
    [ ! -s "$dir/errors" ] && [ "$(ls "$dir/$seed"/*.fx | wc -l)" -eq "$(ls "$dir/$seed"/*.tflite | wc -l)" ]
    verdict "$seed: every piece is a model" $? "$dir/errors"
    same "$seed"
}
called composite split --acc-ops tflite.ABS
called while split --acc-ops tflite.ABS
ends=read_variable=0,add=0,assign_variable=0,abs=0,var_handle_1=1,read_variable_1=1,add_1=1,assign_variable_1=1
called variables module --assign call_once=0,var_handle=0,call_once_1=1,$ends
says variables 'submod_0 has no .tflite file: it shares the variable second with other operators; nor has 1 more$' \
    module --assign call_once=0,var_handle=0,call_once_1=0,$ends

# An operator of several outputs yields them all, under the names of its elements.
emit state $seeds/state.tflite split --acc-ops tflite.SPLIT,operator.getitem
same state
emit tuple $seeds/state.tflite module --assign $ahead,$behind,var_handle=1
$program read "$dir/tuple/submod_0.tflite" 2>&1 | grep -q 'return (getitem, getitem_1)$' &&
    $program read "$dir/tuple/submod_1.tflite" 2>&1 | grep -q 'tflite.ADD\](args = (%left, %right)'
verdict "a tuple between two pieces" $? "$dir/errors"

# The model in another order, with a smaller peak.
order="memory --order best --porcelain --emit-model"
$program $order "$dir/branches.tflite" $seeds/branches.tflite > "$dir/out" 2> "$dir/errors" &&
    grep -qx 'proof objective=164 bound=164 proved=1 reference=288' "$dir/out" &&
    $program memory --porcelain "$dir/branches.tflite" | grep -q '^peak bytes=164 ' &&
    $program run --equal $seeds/branches.tflite "$dir/branches.tflite" | grep -q 'computes the same$'
verdict "a model in another order" $? "$dir/errors"
$program $order "$dir/state.tflite" $seeds/state.tflite > "$dir/out" 2> "$dir/errors" &&
    $program run --equal $seeds/state.tflite "$dir/state.tflite" | grep -q 'computes the same$'
verdict "a model with state" $? "$dir/errors"

# A second run removes the models of the first one, which the manifest lists.
$program pipe --stages 99 --emit "$dir/small" $seeds/flow.tflite > "$dir/out" 2> "$dir/errors"
[ "$(ls "$dir/small" | grep 'tflite$')" = submod_3.tflite ] && grep -q 'removed what an earlier run wrote: .*\.tflite' "$dir/errors"
verdict "an earlier run's models are removed" $? "$dir/errors"
$program dedup --emit "$dir/dedup" $seeds/small.tflite > "$dir/out" 2> "$dir/errors" &&
    [ "$(ls "$dir/dedup" | grep 'tflite$')" = root_0.tflite ] && [ ! -s "$dir/errors" ]
verdict "dedup writes a model per call" $? "$dir/errors"
cp $seeds/small.tflite "$dir/submod_0.tflite"
! $program pipe --stages 99 --emit "$dir" "$dir/submod_0.tflite" > "$dir/out" 2> "$dir/errors" &&
    grep -q 'submod_0.tflite is the input' "$dir/errors" && cmp -s $seeds/small.tflite "$dir/submod_0.tflite"
verdict "a model is not written over itself" $? "$dir/errors"

# Damage in every place: a sentence, or files that can be read.
size=$(wc -c < $seeds/small.tflite)
bad=0
at=0
while [ $at -lt "$size" ]; do
    {
        head -c $at $seeds/small.tflite
        printf '\377\177\377'
        tail -c +$((at + 4)) $seeds/small.tflite
    } > "$dir/damaged.tflite"
    emit damaged "$dir/damaged.tflite" pipe --stages 99
    case $? in
    0) for piece in "$dir"/damaged/*.tflite; do
        [ ! -f "$piece" ] || $program read "$piece" > "$dir/out" 2>&1 || bad=$at
    done ;;
    1) [ -s "$dir/errors" ] || bad=$at ;;
    *) bad=$at ;;
    esac
    at=$((at + 7))
done
verdict "a damaged model (byte $bad)" $bad "$dir/errors"

# ---- a memory plan in the model ----

# offline MODEL OPTION...: $dir/planned.tflite, which reads like the model; written again, it stays the same
offline() {
    model=$1
    shift
    $program memory --porcelain "$@" --save-tflite "$dir/planned.tflite" "$model" > "$dir/plan" 2> "$dir/errors" &&
        $program memory --porcelain "$@" --save-tflite "$dir/again.tflite" "$dir/planned.tflite" > "$dir/out" 2> "$dir/errors" &&
        $program read "$model" > "$dir/model.fx" 2> /dev/null && $program read "$dir/planned.tflite" 2> /dev/null | cmp - "$dir/model.fx" > "$dir/errors" 2>&1 &&
        cmp "$dir/plan" "$dir/out" && [ "$(grep -ac OfflineMemoryAllocation "$dir/again.tflite")" -ge 1 ]
    verdict "$model $*: the planned model reads the same" $? "$dir/errors"
}
for name in small odd flow state if while variables; do
    offline "$seeds/$name.tflite"
done
offline $seeds/state.tflite --exact --align 64
at=0
bad=0
while [ $at -lt "$size" ]; do
    {
        head -c $at $seeds/small.tflite
        printf '\377\177\377'
        tail -c +$((at + 4)) $seeds/small.tflite
    } > "$dir/damaged.tflite"
    rm -f "$dir/planned.tflite"
    $program memory --save-tflite "$dir/planned.tflite" "$dir/damaged.tflite" > "$dir/out" 2> "$dir/errors"
    case $? in
    0) $program read "$dir/planned.tflite" > "$dir/out" 2>&1 || bad=$at ;;
    1) [ -s "$dir/errors" ] || bad=$at ;;
    *) bad=$at ;;
    esac
    at=$((at + 7))
done
verdict "the plan of a damaged model (byte $bad)" $bad "$dir/errors"

# refuses STATUS PATTERN OPTION...: one sentence, and no model
refuses() {
    status=$1
    pattern=$2
    shift 2
    rm -f "$dir/planned.tflite"
    $program memory --save-tflite "$dir/planned.tflite" "$@" > "$dir/out" 2> "$dir/errors"
    [ $? -eq "$status" ] && grep -q -e "$pattern" "$dir/errors" && [ ! -e "$dir/planned.tflite" ]
    verdict "$*: expected '$pattern'" $? "$dir/errors"
}
refuses 1 'chain.fx is no .tflite model' tests/cases/chain.fx
refuses 2 'in one arena at multiples of 16$' --align 8 $seeds/small.tflite
refuses 2 'cannot be combined with --memory' --memory ram:1M $seeds/small.tflite
refuses 2 'cannot be combined with --csv' --csv tests/search/data/example.csv

# ---- real models ----

models=$shared/models/tflite
[ -d "$models" ] || nothing_but "real TFLite models (tests/models/get.sh gets them; looked for in $models)"
for model in "$models"/*.tflite; do
    name=$(basename "$model" .tflite)
    emit "$name" "$model" pipe --stages 9999
    same "$name"
    weights=$(cat "$dir/$name"/*.tflite | wc -c)
    n=$(ls "$dir/$name" | grep -c 'tflite$')
    [ "$weights" -le $(($(wc -c < "$model") + n * 3000)) ]
    verdict "$name: no piece has weights of another ($weights bytes in $n pieces)" $?
done

python=
for found in ${PYTHON:-python3} build/python/bin/python; do
    $found -c 'import ai_edge_litert, numpy' 2> /dev/null && python="$found -W ignore -B"
done
[ -n "$python" ] || nothing_but "pieces in an interpreter (no Python has them: pip install ai-edge-litert tflite-micro)"

# The tables, which also are those of models that no interpreter here runs, and of one with all that is rare.
$python tests/formats/tables.py --make "$dir/rare.tflite" 2> "$dir/errors" &&
    emit rare "$dir/rare.tflite" pipe --stages 9999
for name in rare $(ls "$models" | sed -n 's/\.tflite$//p'); do
    model=$models/$name.tflite
    [ $name != rare ] || model=$dir/rare.tflite
    $python tests/formats/tables.py "$model" "$dir/$name" > "$dir/log" 2>&1 && grep -q ': same, [1-9][0-9]* operators$' "$dir/log"
    verdict "tables of $name" $? "$dir/log"
done

# runs ENGINE NAME...: which models it runs. LiteRT writes beyond its memory with the SVDF of one of them, and
# refuses the quantisation of another; nobody has the operators of those that a vendor compiled.
runs() {
    engine=$1
    shift
    case $engine in
    litert) import=ai_edge_litert ;;
    *) import=tflite_micro ;;
    esac
    if ! $python -c "import $import" 2> /dev/null; then
        skip "pieces in an interpreter (no Python has the package $import)" $#
        return
    fi
    for name; do
        model=$models/$name.tflite
        peak=$($program memory --porcelain "$model" 2> /dev/null | sed -n 's/^arena bytes=\([0-9]*\) .*/\1/p')
        emit "$name.split" "$model" split --acc-ops xnnpack --save-plan "$dir/plan"
        emit "$name.memory" "$model" memory --budget-pieces "$((peak * 3 / 4))" || emit "$name.memory" "$model" memory --budget-pieces "$peak"
        emit "$name.partition" "$model" partition --mode size --device a:40K --device b:300K --device c:400M
        emit "$name.module" "$model" module --number-inputs --return-tuple --plan "$dir/plan"
        $program memory --order best --emit-model "$dir/$name.tflite" "$model" > "$dir/out" 2> "$dir/errors"
        $python tests/formats/chain.py "$engine" "$model" "$dir/$name" "$dir/$name.split" "$dir/$name.memory" \
            "$dir/$name.partition" "$dir/$name.module" "$dir/$name.tflite" > "$dir/log" 2>&1
        [ "$(grep -c ': equal, [1-9][0-9]* pieces$\|: equal, 1 model$' "$dir/log")" -eq 6 ]
        verdict "$engine: $name" $? "$dir/log"
    done
}
$program $order "$dir/branches.tflite" $seeds/branches.tflite > "$dir/out" 2> "$dir/errors"
if $python -c 'import ai_edge_litert' 2> /dev/null; then
    $python tests/formats/chain.py litert $seeds/branches.tflite "$dir/branches.tflite" > "$dir/log" 2>&1 &&
        grep -q ': equal, 1 model$' "$dir/log"
    verdict "LiteRT: the model in another order" $? "$dir/log"
fi
if $python -c 'import ai_edge_litert' 2> /dev/null; then
    for name in composite while variables; do
        $python tests/formats/chain.py litert $seeds/$name.tflite "$dir/$name" > "$dir/log" 2>&1 &&
            grep -q ': equal, [1-9][0-9]* pieces$' "$dir/log"
        verdict "LiteRT: pieces with subgraphs, $name" $? "$dir/log"
    done
fi
runs litert deeplabv3_mnv2_dm05_pascal_quant dtln_noise_suppression micro_speech_quantized mlperf_tiny_kws \
    mlperf_tiny_resnet8 mnist_lstm_int8 torchaudio_conformer
runs micro audio_preprocessor_int8 dtln_noise_suppression keyword_scrambled_8bit micro_speech_quantized \
    mlperf_tiny_kws mlperf_tiny_resnet8 mnist_lstm_int8 person_detect

# TensorFlow Lite Micro runs the planned model with the same results, in the arena that the plan says; a plan at
# multiples of 4096 tells that it is taken. Kernels of other models ask for memory of their own beside.
if $python -c "import tflite_micro" 2> /dev/null; then
    for name in audio_preprocessor_int8 dtln_noise_suppression keyword_scrambled_8bit micro_speech_quantized \
        mlperf_tiny_kws mlperf_tiny_resnet8 mnist_lstm_int8 person_detect; do
        offline "$models/$name.tflite" --exact
        $python tests/formats/offline.py "$models/$name.tflite" "$dir/planned.tflite" > "$dir/log" 2>&1
        grep -q '^equal$' "$dir/log"
        verdict "micro: $name with its plan" $? "$dir/log"
    done
    for name in micro_speech_quantized mlperf_tiny_kws mlperf_tiny_resnet8 person_detect; do
        for align in 16 4096; do
            offline "$models/$name.tflite" --align $align
            bytes=$(sed -n 's/^arena bytes=\([0-9]*\) .*/\1/p' "$dir/plan")
            $python tests/formats/offline.py "$models/$name.tflite" "$dir/planned.tflite" > "$dir/log" 2>&1
            grep -q '^equal$' "$dir/log" && grep -q "Arena allocation head $(((bytes + 15) / 16 * 16)) bytes" "$dir/log"
            verdict "micro: $name in $bytes bytes" $? "$dir/log"
        done
    done
    # A plan in another order comes with a model in that order, and results in
    # place are those of kernels that read each element before they write it.
    $program fit --ram 200 --save-tflite "$dir/planned.tflite" $seeds/branches.tflite > "$dir/out" 2> "$dir/errors"
    $python tests/formats/offline.py $seeds/branches.tflite "$dir/planned.tflite" > "$dir/log" 2>&1
    grep -q 'another order' "$dir/out" && grep -q '^equal$' "$dir/log" && grep -q 'Arena allocation head 208 bytes' "$dir/log"
    verdict "micro: the order that fits, with its plan" $? "$dir/log"
    for name in branches variables; do
        offline $seeds/$name.tflite --in-place
        $python tests/formats/offline.py $seeds/$name.tflite "$dir/planned.tflite" > "$dir/log" 2>&1
        grep -q '^inplace ' "$dir/plan" && grep -q '^equal$' "$dir/log"
        verdict "micro: $name with results in place" $? "$dir/log"
    done
    # Subgraphs that operators run, planned beside their caller, and what the interpreter needs for all.
    $python tests/formats/nested.py "$program" 60 "$dir" > "$dir/log" 2>&1 && grep -qx '60 models' "$dir/log"
    verdict "micro: random models with subgraphs" $? "$dir/log"
    for name in audio_preprocessor_int8 dtln_noise_suppression keyword_scrambled_8bit micro_speech_quantized \
        mlperf_tiny_kws mlperf_tiny_resnet8 mnist_lstm_int8 person_detect torchaudio_conformer; do
        $python tests/formats/nested.py "$program" 0 "$dir" "$models/$name.tflite" > "$dir/log" 2>&1 &&
            grep -qx '1 models' "$dir/log"
        verdict "micro: what $name needs" $? "$dir/log"
    done
else
    skip "planned models in an interpreter (no Python has the package tflite_micro)" 39
fi
skip "deeplabv3_mnv2_dm05_pascal_quant_edgetpu, person_detect_vela (only devices run what a vendor compiled)" 2

finish
