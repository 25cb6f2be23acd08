#!/bin/sh
# Models whose operators are above the limit of an accelerator (`split --tile --max-acc-bytes --emit`): the pieces in
# LiteRT and ONNX Runtime yield what the whole models do (of int8 to the bit), and no piece of the accelerator is above
# the limit; so do pieces that get tiles of the input (`--stream-input`). Skipped by name without a Python that has the engines.
# usage: sh tests/formats/split_tiles.sh   COUNT: random networks (10)   PYTHON: interpreters of Python
cd "$(dirname "$0")/../.." || exit 1
program="${RUN:-} ${GRAPHSPLIT:-${B:-build}/graphsplit}"
onnx=${B:-build}/graphsplit-onnx
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
. tests/check.sh

# with MODULES: a Python that has them
with() {
    for found in ${PYTHON:-python3} build/python/bin/python; do
        $found -c "import numpy, $1" 2> /dev/null && echo "$found -W ignore -B" && return
    done
}

# runs ENGINE PROGRAM
runs() {
    $python tests/formats/split_tiles.py "$2" "$1" 1 "${COUNT:-10}" "$dir" > "$dir/log" 2>&1
    [ "$(wc -l < "$dir/log")" -eq 1 ] && grep -q ' networks, [1-9][0-9]* splits in tiles, [1-9].* accelerator, [1-9]' "$dir/log"
    verdict "$1: ${COUNT:-10} random networks in tiles" $? "$dir/log"
    tail -n 1 "$dir/log" | sed "s/^/$1: /"
}

python=$(with onnxruntime,onnx)
if [ -x "$onnx" ] && [ -n "$python" ]; then
    runs ort "$onnx"
else
    skip "pieces of tiles in ONNX Runtime (no graphsplit-onnx, or no Python with onnxruntime and onnx: PYTHON=...)"
fi
python=$(with ai_edge_litert)
[ -n "$python" ] || nothing_but "pieces of tiles in LiteRT (no Python here has ai-edge-litert: PYTHON=...)"
runs litert "$program"

# The program itself: the output of the model in tiles has another name.
tiles=tests/formats/data/tiles.tflite
rm -rf "$dir/parts"
$program split --tile --acc-ops 'tflite.*' --max-acc-bytes 2000 --emit "$dir/parts" $tiles > "$dir/log" 2>&1 &&
    PYTHON=${python%% *} $program run-pieces --equal $tiles --porcelain "$dir/parts" > "$dir/log" 2>&1 && grep -qx 'verdict equal' "$dir/log"
verdict "run-pieces --equal of tiles in LiteRT" $? "$dir/log"

models=$shared/models/tflite
[ -d "$models" ] || nothing_but "real TFLite models (tests/models/get.sh gets them; looked for in $models)"

# same ENGINE NAME LIMIT OPTION...: pieces on an accelerator with so many bytes yield what the whole model does
same() {
    engine=$1
    name=$2
    limit=$3
    shift 3
    rm -rf "$dir/parts"
    $program split --tile --acc-ops 'tflite.*' --max-acc-bytes "$limit" "$@" --porcelain --emit "$dir/parts" "$models/$name.tflite" > "$dir/out" 2> "$dir/log" &&
        grep -q '^tile ' "$dir/out" && $python tests/formats/chain.py "$engine" "$models/$name.tflite" "$dir/parts" > "$dir/log" 2>&1 &&
        grep -q ': equal, [1-9][0-9]* pieces$' "$dir/log"
    verdict "$name within $limit bytes" $? "$dir/log"
    for piece in "$dir"/parts/*acc*.tflite; do
        $python -c "import sys; sys.path.insert(0, 'tests/formats'); import split_tiles; print(split_tiles.Lite.measure('$piece'))"
    done > "$dir/sizes"
    [ "$(sort -n "$dir/sizes" | tail -n 1)" -le "$limit" ]
    verdict "$name: no piece takes more than $limit bytes" $? "$dir/sizes"
}
same litert mlperf_tiny_resnet8 45000 --dim s0=1
$python -c 'import tflite_micro' 2> /dev/null || nothing_but "pieces of person_detect (this Python lacks tflite-micro, LiteRT refuses the model)"
same micro person_detect 40000 --cpu-nodes conv_2d_12
finish
