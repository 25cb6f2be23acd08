#!/bin/sh
# graphsplit-onnx against ONNX Runtime: models and the chains of their pieces on the same inputs, bit
# for bit; texts; and files that are no models. Small models are made here; those of ../shared/models
# (or $GRAPHSPLIT_SHARED) come on top where they are. ONNX_ENGINE: a folder with
# node_modules/onnxruntime-web; without it the package is fetched into build/ort once.
cd "$(dirname "$0")/../.." || exit 1
b=${B:-build}
program=$b/graphsplit-onnx
shared=${GRAPHSPLIT_SHARED:-../shared}/models
engine=${ONNX_ENGINE:-$PWD/$b/ort}
version=1.30.0
out=$b/onnx-test
passed=0
failed=0
skipped=0

skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1"
}

# ok LABEL COMMAND...: the command succeeds.
ok() {
    label=$1
    shift
    if "$@" > "$out/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $label"
        head -n 5 "$out/log"
    fi
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

if ! echo '#include <onnx/onnx_pb.h>' | ${CXX:-g++} -std=c++11 -DONNX_ML=1 -DONNX_NAMESPACE=onnx -fsyntax-only -x c++ - 2> /dev/null; then
    mkdir -p "$out"
    skip "all of it (libonnx-dev and libprotobuf-dev are not there)"
    finish
fi
rm -rf "$out"
mkdir -p "$out/small" || exit 1
ok "make onnx" make -s onnx B="$b"
ok "tests/onnx/make.cpp" ${CXX:-g++} -std=c++11 -DONNX_ML=1 -DONNX_NAMESPACE=onnx -o "$out/make" tests/onnx/make.cpp -lonnx_proto -lprotobuf
ok "small models" "$out/make" "$out/small"
[ $failed -eq 0 ] || finish

# ---- chains ----

# chain LABEL MODEL PASS OPTIONS...: writes pieces and asks for their run
chain() {
    label=$1
    model=$2
    shift 2
    dir=$out/pieces/$(basename "$model" .onnx)/$label
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
    $program --to-fx "$1" 2> /dev/null | $b/graphsplit-onnx partition --mode size --device a:1T --porcelain - 2> /dev/null |
        awk '/^partition 0/ { sub(/.*bytes=/, ""); print $1 + 0; exit }'
}

all_passes() {
    bytes=$(memory "$1")
    chain partition "$1" partition --mode size --device a:$((bytes / 3 + 1)) --device b:$((bytes / 2 + 1)) --device c:$((bytes + 1))
    chain pipe "$1" pipe --stages 4
    chain dedup "$1" dedup
}

: > "$out/jobs"
for model in "$out"/small/*.onnx; do
    for op in $($program --to-fx "$model" 2> /dev/null | sed -n 's/.*call_function\[target=\(onnx[^]]*\).*/\1/p' | sort -u); do
        chain "$op" "$model" split --acc-ops "$op"
    done
    all_passes "$model"
done
if [ -d "$shared/onnx" ]; then
    for model in "$shared"/onnx/*.onnx; do
        name=$(basename "$model" .onnx)
        ok "$name: the text" sh -c "$program --to-fx '$model' | cmp - '$shared/fx/onnx_$name.fx'"
        chain tensorrt "$model" split --acc-ops "@$shared/ops/tensorrt.ops"
        chain armnn "$model" split --acc-ops "@$shared/ops/armnn-onnx.ops"
        chain matrix "$model" split --acc-ops onnx.Conv,onnx.Gemm,onnx.MatMul
        all_passes "$model"
    done
else
    skip "models of others ($shared/onnx is not there)"
fi

if [ ! -d "$engine/node_modules/onnxruntime-web" ] && command -v npm > /dev/null; then
    mkdir -p "$engine"
    (cd "$engine" && npm install --no-audit --no-fund --ignore-scripts --silent "onnxruntime-web@$version") > "$out/log" 2>&1
fi
if ! command -v node > /dev/null || [ ! -d "$engine/node_modules/onnxruntime-web" ]; then
    skip "ONNX Runtime (no node, or onnxruntime-web cannot be fetched)"
else
    node tests/onnx/chain.mjs "$engine" "$out/jobs" > "$out/chains" 2> "$out/engine"
    cut -c 1-400 "$out/chains" | grep -v '^[0-9]* passed'
    tail -n 1 "$out/chains" | sed 's/[a-z,]//g' > "$out/sum"
    if read -r p f s < "$out/sum" && [ -n "$s" ]; then
        passed=$((passed + p))
        failed=$((failed + f))
        skipped=$((skipped + s))
    else
        failed=$((failed + 1))
        echo "FAIL: the engine stopped"
        tail -n 5 "$out/engine"
    fi
fi

finish
