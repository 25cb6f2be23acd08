#!/bin/sh
# graphsplit-onnx against ONNX Runtime: models and the chains of their parts on the same inputs, bit
# for bit; texts; and files that are no models. Small models are made here; those of others
# (tests/models/get.sh) come on top where they are. ONNX_ENGINE: a folder with
# node_modules/onnxruntime-web; without it the package is fetched into build/ort once. ONNX_XNNPACK: the
# same with the last version that has the XNNPACK provider, else in build/ort-xnnpack.
cd "$(dirname "$0")/../.." || exit 1
b=${B:-build}
program=$b/graphsplit-onnx
engine=${ONNX_ENGINE:-$PWD/$b/ort}
with_xnnpack=${ONNX_XNNPACK:-$PWD/$b/ort-xnnpack}
out=$b/onnx-test
. tests/check.sh
models=$shared/models

if ! echo '#include <onnx/onnx_pb.h>' | ${CXX:-g++} -std=c++11 -DONNX_ML=1 -DONNX_NAMESPACE=onnx -fsyntax-only -x c++ - 2> /dev/null; then
    mkdir -p "$out"
    skip "graphsplit-onnx (Debian packages libonnx-dev and libprotobuf-dev are not installed)"
    finish
fi
rm -rf "$out"
mkdir -p "$out/small" || exit 1
works "make onnx" make -s onnx B="$b"
works "tests/onnx/make.cpp" ${CXX:-g++} -std=c++11 -DONNX_ML=1 -DONNX_NAMESPACE=onnx -o "$out/make" tests/onnx/make.cpp -lonnx_proto -lprotobuf
works "small models" "$out/make" "$out/small"
[ $failed -eq 0 ] || finish

# ---- 108 MB of weights stay in the file ----

# frugal KILOBYTES PASS...: on the model within so much memory, libraries included
frugal() {
    works "$2 within $1 KB" sh -c 'ulimit -v $1; shift; "$@"' sh "$1" $program "$2" "$out/weights.onnx" $3
}
works "a model of 108 MB" "$out/make" "$out" weights
frugal 90000 read
frugal 90000 split "--acc-ops onnx.MatMul"
works "read - within 90000 KB" sh -c "ulimit -v 90000; $program read - < $out/weights.onnx"
frugal 200000 split "--acc-ops onnx.MatMul,onnx.Add,onnx.Relu,onnx.Cast --no-sync --emit $out/emitted"
works "their bytes are in the piece" sh -c "[ \$(wc -c < $out/emitted/_run_on_acc_0.onnx) -gt 108000000 ]"
rm -rf "$out/emitted" "$out/weights.onnx"

# ---- stages handed to engines ----

# place ENGINE: with the first Python that has it
place() {
    for python in ${PYTHON:-} ${HOSTS:-} "$b/hosts-env/bin/python" "$b/python/bin/python" python3; do
        if "$python" -c "import numpy, $1" 2> /dev/null; then
            # shellcheck disable=SC2086
            works "stages as $1 takes them" "$python" tests/onnx/place.py "$1" "$out" $program
            return
        fi
    done
    skip "stages as $1 takes them (no Python has it)"
}
works "a model for stages" "$out/make" "$out" stages
place onnxruntime
place openvino

# ---- chains ----

# chain LABEL MODEL PASS OPTIONS...: writes parts and asks for their run
chain() {
    label=$1
    model=$2
    shift 2
    dir=$out/parts/$(basename "$model" .onnx)/$label
    mkdir -p "$(dirname "$dir")"
    if $program "$@" "$model" --emit "$dir" > "$out/log" 2> "$out/error"; then
        printf '%s\t%s\t%s\t%s\n' "$(basename "$model" .onnx) $label" "$model" "$dir" "n1=3,n2=2,sequence=512" >> "$out/jobs"
    else
        failed=$((failed + 1))
        echo "FAIL $(basename "$model" .onnx) $label: $(tail -n 1 "$out/error")"
    fi
    if [ -e "$dir/deduplicated.onnx" ]; then
        printf '%s\t%s\t%s\t%s\n' "$(basename "$model" .onnx) functions" "$model" "$dir/deduplicated.onnx" "n1=3,n2=2,sequence=512" >> "$out/jobs"
    fi
}

# Bytes that three devices need, the largest node and its inputs included.
memory() {
    $program partition --mode size --device a:1T --porcelain "$1" 2> /dev/null |
        awk '/^partition 0/ { sub(/.*bytes=/, ""); print $1 + 0; exit }'
}

# ordered MODEL: in the order of the least peak; ONNX Runtime runs it beside the model
ordered() {
    name=$(basename "$1" .onnx)
    mkdir -p "$out/ordered/$name"
    new=$out/ordered/$name/$name.onnx
    if $program memory --order best --emit-model "$new" "$1" > "$out/log" 2> "$out/error"; then
        printf '%s\t%s\t%s\t%s\n' "$name ordered" "$1" "$new" "n1=3,n2=2,sequence=512" >> "$out/jobs"
    else
        failed=$((failed + 1))
        echo "FAIL $name ordered: $(tail -n 1 "$out/error")"
    fi
}

all_passes() {
    bytes=$(memory "$1")
    chain partition "$1" partition --mode size --device a:$((bytes / 3 + 1)) --device b:$((bytes / 2 + 1)) --device c:$((bytes + 1))
    chain pipe "$1" pipe --stages 4
    chain dedup "$1" dedup
    ordered "$1"
}

: > "$out/jobs"
for model in "$out"/small/*.onnx; do
    for op in $($program --to-fx "$model" 2> /dev/null | sed -n 's/.*call_function\[target=\(onnx[^]]*\).*/\1/p' | sort -u); do
        chain "$op" "$model" split --acc-ops "$op"
    done
    all_passes "$model"
done
if [ -d "$models/onnx" ]; then
    for model in "$models"/onnx/*.onnx; do
        name=$(basename "$model" .onnx)
        # The reference has the types of the ONNX library alone: a type may stand where it has none.
        works "$name: the text" sh -c "$program --to-fx '$model' | awk -v text='$models/fx/onnx_$name.fx' '
            function bare(line) { return substr(line, 1, index(line \"  # \", \"  # \") - 1) }
            (getline was < text) <= 0 || (\$0 != was && ((was != bare(was) && was !~ /unk__/) || bare(\$0) != bare(was))) { bad = 1; exit }
            END { exit bad || (getline was < text) > 0 }'"
        chain tensorrt "$model" split --acc-ops "@$models/ops/tensorrt.ops"
        chain armnn "$model" split --acc-ops "@$models/ops/armnn-onnx.ops"
        chain matrix "$model" split --acc-ops onnx.Conv,onnx.Gemm,onnx.MatMul
        all_passes "$model"
    done
else
    skip "real ONNX models (tests/models/get.sh gets them; looked for in $models/onnx)"
fi

# A tensor has one name, which a list holds once.
find "$out/parts" -name manifest.json -exec awk '
    {
        rest = $0
        while (match(rest, /"(inputs|outputs)": \[[^]]*\]/)) {
            list = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            gsub(/.*\[|\]/, "", list)
            n = split(list, names, ", ")
            split("", seen)
            for (i = 1; i <= n; i++) if (seen[names[i]]++) print FILENAME ": " names[i] " twice"
        }
    }' {} + > "$out/log"
[ -d "$out/parts" ] && [ ! -s "$out/log" ]
verdict "no manifest repeats a name" $? "$out/log"

# ---- files that are wrong ----

# refused LABEL STATUS SENTENCE OPTIONS...: the exit status, and one sentence on standard error
refused() {
    label=$1
    status=$2
    sentence=$3
    shift 3
    $program "$@" > "$out/log" 2> "$out/error"
    got=$?
    [ $got -eq "$status" ] && [ ! -s "$out/log" ] && grep -q "^graphsplit-onnx: .*$sentence" "$out/error"
    verdict "$label: exit $got" $? "$out/error"
}

# said LABEL SENTENCE OPTIONS...: works, and says what is missing
said() {
    label=$1
    sentence=$2
    shift 2
    $program "$@" > "$out/log" 2> "$out/error" && grep -q "$sentence" "$out/error"
    verdict "$label" $? "$out/error"
}

bad=$out/bad
layers=$out/small/layers.onnx
mkdir -p "$bad"
works "wrong models" "$out/make" "$bad" wrong
: > "$bad/empty.onnx"
head -c 300 "$layers" > "$bad/truncated.onnx"
{ cat "$layers"; printf '\377\377\377'; } > "$bad/longer.onnx"
printf 'graph():\n    return None\n' > "$bad/text.onnx"
truncate -s 3G "$bad/huge.onnx"
refused "no file" 2 "cannot read .*none.onnx: No such file" split "$bad/none.onnx"
mkdir "$bad/folder.onnx"
refused "a folder" 2 "it is no file" split "$bad/folder.onnx"
refused "empty" 1 "holds no graph" split "$bad/empty.onnx"
refused "truncated" 1 "this is no ONNX model, or its end is missing" split "$bad/truncated.onnx"
refused "longer" 1 "this is no ONNX model" split "$bad/longer.onnx"
refused "text" 1 "this is no ONNX model" split "$bad/text.onnx"
refused "3 GiB" 1 "cannot be 2 GiB or more; save it with its weights as external data" split "$bad/huge.onnx"
refused "a cycle" 1 "operator Neg 'second' waits for its own output" split "$bad/cycle.onnx"
refused "an input of nobody" 1 "operator Relu reads 'nothing', which nothing makes" split "$bad/undefined.onnx"
refused "an output of nobody" 1 "the list of outputs reads 'gone', which nothing makes" split "$bad/no_output.onnx"
refused "made twice" 1 "operator Neg makes 'y', which is there already" split "$bad/twice.onnx"
refused "inputs of one name" 1 "two inputs are called 'x'" split "$bad/inputs.onnx"
refused "weights elsewhere" 1 "no file in the folder of the model or below" split --emit "$bad/p" "$bad/escape.onnx"
refused "weights missing" 1 "lie in .*none.bin, at 0, but that file is missing or too short" split --emit "$bad/p" "$bad/no_weights.onnx"
echo "not for the model" > "$out/secret"
ln -s ../secret "$bad/linked.bin"
refused "weights behind a link" 1 "no file in the folder of the model or below" split --emit "$bad/p" "$bad/linked.onnx"
ln -sf more.bin "$bad/linked.bin"
printf '0123456789abcdef, and what is not of the tensor' > "$bad/more.bin"
works "a link within the folder" $program split --emit "$bad/p" "$bad/linked.onnx"
rm -rf "$bad/p"
mkfifo "$bad/fifo.bin"
for model in fifo shape; do
    refused "weights in a pipe: $model" 1 "lie in 'fifo.bin', which is no file" split --emit "$bad/p" "$bad/$model.onnx"
done
works "weights with more behind them" $program split --emit "$bad/p" "$bad/more.onnx"
works "a stage that nothing reads" $program module --assign neg=1,exp=1,abs=0 --emit "$bad/idle" "$out/small/idle.onnx"
works "is no piece" sh -c "[ ! -e $bad/idle/submod_1.onnx ] && [ -s $bad/idle/submod_0.onnx ] && ! grep -q submod_1 $bad/idle/manifest.json"
works "trips of a Loop" sh -c "$program read $out/small/loop.onnx 2> /dev/null | grep -q 'onnx.Loop.* trips=3 '"
works "trips of a Scan" sh -c "$program read $out/small/scan.onnx 2> /dev/null | grep -q 'onnx.Scan.* trips=5 '"
works "only their own bytes are copied" sh -c "tr -d '\\0' < '$bad/p/_run_on_cpu_0.onnx.data' | grep -qx 0123456789abcdef"
rm -rf "$bad/p"
refused "weights that are said to be too short" 1 "lie in .*more.bin, at 0, but that file is missing or too short" split --emit "$bad/p" "$bad/less.onnx"
refused "an unknown type" 1 "nothing tells the type of 'm'" split --acc-ops onnx.Relu --emit "$bad/p" "$bad/unknown.onnx"
refused "an unknown option" 2 "unknown option" split --emitt "$bad/p" "$layers"
works "nothing is left of what failed" test ! -e "$bad/p"
said "an unknown operator" "no operator of the ONNX standard, taken as it is: mine.Mystery" split "$bad/unknown.onnx"
said "a missing shape" "no shape is known, so it counts as 0 bytes: m, r, y" split "$bad/unknown.onnx"
# ---- dimensions and types of the command line ----

# shows LABEL SENTENCE OPTIONS...: works, and prints it
shows() {
    label=$1
    sentence=$2
    shift 2
    $program "$@" > "$out/log" 2>&1 && grep -q -- "$sentence" "$out/log"
    verdict "$label" $? "$out/log"
}

# 8 images: input and Reshape of 6 x 4 numbers, Conv and Relu of 2 x 4 x 2.
for dim in batch.0 batch_0 x:0; do
    shows "--dim $dim=8 before inference" '^tensor relu offset=512 bytes=512 ' memory --porcelain --dim $dim=8 "$bad/batch.onnx"
    shows "and its peak" '^  peak        1.5 KiB (1536 bytes) at step 2, while ' memory --dim $dim=8 "$bad/batch.onnx"
done
shows "the message asks for the input's dimension" \
    ': 4 values of unknown dimensions such as batch.0, often a batch, which count as 1, .*; --dim batch.0=1 or another number sets it$' \
    memory "$bad/batch.onnx"
shows "a peak that falls" '^range n1 first=1 peak=152000 last=13 peak=56000 largest=1 peak=152000 tried=13 monotone=1$' \
    memory --porcelain --dim n1=1..13 "$bad/turns.onnx"
shows "and rises again" '^              not monotone: at 14 it is more than before$' memory --dim n1=1..19 "$bad/turns.onnx"
refused "a dimension of 0" 2 "--dim batch.0=0: a tensor with a dimension of 0 has no elements; the least is batch.0=1$" \
    memory --dim batch.0=0 "$bad/batch.onnx"
refused "a dimension above those of ONNX" 1 "--dim batch.0=9223372036854775808: dimensions of ONNX are at most 2^63 - 1$" \
    memory --dim batch.0=9223372036854775808 "$bad/batch.onnx"
refused "a type with a negative dimension" 2 "--type expects NAME=TYPE .*, got 'r=f32\[-1\]'$" memory --type 'r=f32[-1]' "$bad/batch.onnx"
said "a model on which the library crashes" "the inference of the ONNX library stops, that of this program goes on: it crashes on this model$" \
    read "$bad/crash.onnx"
shows "and what the rules tell of it" 'onnx.Reshape.*# f32\[3, 64\]$' read "$bad/crash.onnx"
said "operators on which it crashes" "the inference of the ONNX library stops, that of this program goes on: it crashes on this model$" \
    read "$bad/crashes.onnx"
$program read "$bad/crashes.onnx" 2> "$out/error" | sed -n 's/.*target=onnx.\(com.microsoft.\)*\([A-Za-z]*\)\].*})*\( *# \)*/\2 /p' > "$out/log"
[ "$(tr '\n' ',' < "$out/log")" = "Conv ,Conv ,Add ,Concat f32[1, 6, 8, 8],Mystery f32[1, 6, 8, 8],Transpose f32[8, 8, 6, 1],Relu f32[8, 8, 6, 1]," ]
verdict "are left out, and the library tells of all others" $? "$out/log"
said "an operator of a preview" "this build does not know these operators of their domains of ONNX, taken as they are: ai.onnx.preview.FlexAttention$" \
    read "$bad/preview.onnx"
said "one of ONNX Runtime without a rule" "results are taken to be of the type of their first input: com.microsoft.Mystery$" read "$bad/preview.onnx"
refused "a dimension of no input" 1 "--dim n=8: no input has this dimension; those of the inputs are batch.0$" \
    split --dim n=8 "$bad/batch.onnx"
shows "two dimensions, one without a name" 'such as n1, x:2, .*; --dim n1=1 --dim x:2=1 or another number sets them$' \
    memory "$bad/chained.onnx"
$program read --dim n1=3 --dim x:2=5 "$bad/chained.onnx" 2> "$out/error" | sed -n 's/.*target=onnx.\([A-Za-z]*\)\].*# /\1 /p' > "$out/log"
[ "$(tr '\n' ',' < "$out/log")" = "Shape i64[3],Slice i64[1],Concat i64[3],Reshape f32[3, 2, 10],Gelu f32[3, 2, 10],ReduceMean f32[3, 2, 1],Split tuple(f32[3, 1, 1], f32[3, 1, 1]),Add f32[3, 1, 1]," ]
verdict "shapes through Shape, Slice, Concat, and operators of opset 21" $? "$out/log"
grep -q ': newer than opset 1[0-9], which this build knows, taken as it is: Gelu$' "$out/error"
verdict "Gelu is newer than the library" $? "$out/error"
shows "operators of ONNX Runtime" 'com.microsoft.QuickGelu.*# f32\[n1, 4\]' read "$bad/fused.onnx"
[ -z "$($program read "$bad/fused.onnx" 2>&1 > /dev/null)" ]
verdict "whose rules are known, so that nothing is told" $?
works "and their parts" $program split --acc-ops onnx.Relu --emit "$bad/fused" "$bad/fused.onnx"
said "a part without a type" '^graphsplit-onnx: _run_on_cpu_1 has no file: nothing tells the type of .m., which bounds it: --type m=TYPE states it' \
    split --acc-ops onnx.Relu --emit "$bad/own" "$bad/own.onnx"
[ "$(cd "$bad/own" && echo *)" = "_run_on_acc_0.onnx manifest.json" ]
verdict "is refused alone" $? "$out/error"
works "--type states it" $program split --acc-ops onnx.Relu --type 'm=f32[2,8]' --emit "$bad/own" "$bad/own.onnx"
[ "$(cd "$bad/own" && echo *)" = "_run_on_acc_0.onnx _run_on_acc_2.onnx _run_on_cpu_1.onnx manifest.json" ]
verdict "and all parts are there" $?
refused "--type against the operator" 1 "--type contradicts the model: 'b' is f32\[2, 8\]" split --type 'b=f32[2,9]' "$bad/own.onnx"
refused "--type against the file" 1 "--type contradicts the model: 'x' is f32\[2, 8\]" split --type 'x=i8[2,8]' "$bad/own.onnx"
refused "--type of nothing" 1 "--type none: no value has this name" split --type 'none=f32[2]' "$bad/own.onnx"

$program memory "$bad/unknown.onnx" > "$out/log" 2>&1
[ "$(grep -c 'shape' "$out/log")" -eq 1 ]
verdict "memory tells a missing shape once" $? "$out/log"
for model in control controls; do
    $program split --emit "$bad/p" "$bad/$model.onnx" > "$out/log" 2> "$out/error"
    cat "$out/error" "$out/log" > "$out/both"
    [ -s "$out/error" ] && [ -z "$(LC_ALL=C tr -d '\n\040-\176\200-\377' < "$out/both")" ] && ! LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$out/both"
    verdict "$model characters of names reach no terminal" $? "$out/both"
    rm -rf "$bad/p"
done
works "external data" $program dedup --emit "$bad/again" "$out/small/external.onnx"
works "and where it is, in the manifest" grep -q '"data": "root_0.onnx.data"' "$bad/again/manifest.json"
works "and it is there" test -s "$bad/again/deduplicated.onnx.data"
said "parts of an earlier run" "again: removed what an earlier run wrote: deduplicated.onnx, deduplicated.onnx.data, root_0.onnx and 1 more$" \
    split --emit "$bad/again" "$layers"
works "are gone, with their data" test "$(cd "$bad/again" && echo *)" = "_run_on_cpu_0.onnx manifest.json"
mkdir "$bad/ext" && cp "$out/small/external.onnx" "$out/small/weights.bin" "$bad/ext" &&
    ln "$bad/ext/weights.bin" "$bad/ext/root_0.onnx.data"
refused "weights as an output" 1 "root_0.onnx.data is an input; give --emit another directory" \
    dedup --emit "$bad/ext" "$bad/ext/external.onnx"
echo '{"pass": "split", "pieces": [{"file": "a.onnx", "data": "weights.bin"}]}' > "$bad/ext/manifest.json"
refused "weights of an earlier run" 1 "weights.bin is an input and was written by an earlier run" \
    split --emit "$bad/ext" "$bad/ext/external.onnx"
refused "a plan onto weights" 1 "weights.bin is an input; give another name" \
    split --save-plan "$bad/ext/weights.bin" "$bad/ext/external.onnx"
works "the weights are as they were" cmp "$out/small/weights.bin" "$bad/ext/weights.bin"
for size in $(seq 0 7 "$(wc -c < "$layers")"); do
    head -c "$size" "$layers" > "$bad/cut.onnx"
    $program split "$bad/cut.onnx" > "$out/log" 2> "$out/error"
    got=$?
    [ $got -eq 0 ] || { [ $got -eq 1 ] && grep -q '^graphsplit-onnx: ' "$out/error"; }
    verdict "$size bytes of it: exit $got" $?
done

# What dedup made, deduplicated again, and once more: each time functions of a domain of their own.
works "dedup of a dedup" $program dedup --emit "$bad/d2" "$out/small/deduplicated.onnx"
$program --to-fx "$bad/d2/deduplicated.onnx" 2> "$out/error" | grep -o 'target=onnx.graphsplit[^]]*' | sort | uniq -c | tr -s ' \n' ' ' > "$out/log"
[ "$(cat "$out/log")" = " 3 target=onnx.graphsplit.2.subgraph_0 1 target=onnx.graphsplit.subgraph_0 " ]
verdict "its functions" $? "$out/log"
works "and the model is whole" $program dedup --emit "$bad/d3" "$bad/d2/deduplicated.onnx"

# Weights of 2.8 GB in a file of holes: never read for a split, copied for parts (ONNX_ALL=1).
truncate -s 2800000000 "$bad/big.bin"
works "external data above 2 GiB" $program split --acc-ops onnx.MatMul "$bad/big.onnx"
if [ -n "$ONNX_ALL" ]; then
    works "parts of it" $program split --acc-ops onnx.MatMul --emit "$bad/parts" "$bad/big.onnx"
    works "its bytes" test "$(wc -c < "$bad/parts/_run_on_acc_0.onnx.data")" -ge 2800000000
fi
rm -f "$bad/huge.onnx" "$bad/big.bin" "$bad"/parts/*.data

# runtime FOLDER VERSION: is onnxruntime-web there, and node to run it? Fetched where npm can
runtime() {
    if [ ! -d "$1/node_modules/onnxruntime-web" ] && command -v npm > /dev/null; then
        mkdir -p "$1"
        (cd "$1" && npm install --no-audit --no-fund --ignore-scripts --silent "onnxruntime-web@$2") > "$out/log" 2>&1
    fi
    command -v node > /dev/null && [ -d "$1/node_modules/onnxruntime-web" ]
}
# engine LABEL COMMAND...: an engine runs all jobs, and its last line counts
engine() {
    label=$1
    shift
    "$@" > "$out/chains" 2> "$out/engine"
    cut -c 1-400 "$out/chains" | grep -v '^[0-9]* passed'
    tail -n 1 "$out/chains" | sed 's/[a-z,]//g' > "$out/sum"
    if read -r p f s < "$out/sum" && [ -n "$f" ]; then
        passed=$((passed + p))
        failed=$((failed + f))
        skipped=$((skipped + ${s:-0}))
    else
        verdict "$label runs to its end" 1
        tail -n 5 "$out/engine"
    fi
}

engine "a run that ends at a write" sh tests/program/stop.sh "$program" "$out/small/external.onnx" onnx.Relu onnx.MatMul,onnx.Relu onnx.MatMul

if runtime "$engine" 1.30.0; then
    engine "the engine" node tests/onnx/chain.mjs "$engine" "$out/jobs"
else
    skip "parts run in ONNX Runtime (node is not installed, or npm could not fetch onnxruntime-web)"
fi
native=
for python in "${TOOLS:-$b/tools/bin}/python" ${PYTHON:-python3}; do
    [ -n "$native" ] || ! "$python" -c 'import onnxruntime' 2> /dev/null || native=$python
done
if [ -n "$native" ]; then
    engine "the native engine" "$native" tests/onnx/native.py "$out/jobs"
else
    skip "parts run in the native ONNX Runtime (no Python here has onnxruntime)"
fi

planter=
for python in "${TOOLS:-$b/tools/bin}/python" "$b/hosts-env/bin/python" ${PYTHON:-python3}; do
    [ -n "$planter" ] || ! "$python" -c 'import onnx, onnxruntime_extensions' 2> /dev/null || planter=$python
done
if [ -n "$planter" ]; then
    engine "bisect of planted faults" "$planter" tests/onnx/planted.py "$program" "$out/planted"
else
    skip "bisect of faults planted in ONNX Runtime (no Python here has onnx and onnxruntime-extensions)"
fi

# ---- types of the models of the onnx package ----

types=
for python in "${TOOLS:-$b/tools/bin}/python" ${PYTHON:-python3}; do
    [ -n "$types" ] || ! "$python" -c 'import onnx.backend.test.case.node' 2> /dev/null || types=$python
done
if [ -n "$types" ]; then
    mkdir -p "$out/types"
    engine "types of node models" "$types" tests/onnx/node_types.py "$program" "$out/types"
else
    skip "types of the onnx package's node models (no Python here has onnx)"
fi

# ---- between XNNPACK and CPU ----

if runtime "$with_xnnpack" 1.16.3; then
    set --
    for name in light_squeezenet light_shufflenet light_densenet121 light_inception_v1 mnist ultraface_slim_320_simplified \
        yunet_n_320; do
        [ ! -e "$models/onnx/$name.onnx" ] || set -- "$@" "$models/onnx/$name.onnx"
    done
    mkdir -p "$out/xnnpack"
    works "ONNX Runtime's grouping" ${CC:-cc} -std=c99 -O1 -o "$out/splitters" bench/splitters.c
    works "models for XNNPACK" "$out/make" "$out/xnnpack" xnnpack "$@"
    engine "ONNX Runtime's own partitioning" node tests/onnx/xnnpack.mjs "$with_xnnpack" "$program" "$out/splitters" \
        "$out/xnnpack/parts" "$out/xnnpack"/*.onnx
else
    skip "ONNX Runtime's own partitioning between XNNPACK and CPU (node is not installed, or npm could not fetch onnxruntime-web)"
fi

finish
