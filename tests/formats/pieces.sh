#!/bin/sh
# manifest.json of every pass is as examples/manifest.schema.json has it, and examples/run_pieces.py runs the pieces: they
# yield the bytes that the whole model yields as one piece.
# usage: B=build sh tests/formats/pieces.sh     PYTHON: interpreters that may have jsonschema, LiteRT, ONNX Runtime
. "$(dirname "$0")/../elsewhere.sh"
models=$shared/models
onnx=$root/${B:-build}/graphsplit-onnx
[ ! -x "${B:-build}/graphsplit-onnx" ] || onnx=$(cd "$(dirname "${B:-build}/graphsplit-onnx")" && pwd)/graphsplit-onnx
out=$dir

# python MODULE: an interpreter that has it
python() {
    for path in ${PYTHON:-} "${TOOLS:-$root/${B:-build}/tools/bin}/python" "$root/${B:-build}/hosts-env/bin/python" "$root/${B:-build}/python/bin/python" python3; do
        "$path" -c "import numpy, $1" 2> /dev/null && echo "$path" && return
    done
}
judge=$(python jsonschema)

# valid DIR: its manifest
valid() {
    if [ -n "$judge" ]; then
        works "$1/manifest.json is as the schema says" "$judge" -c "import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), jsonschema.Draft202012Validator)" \
            "$dir/$1/manifest.json" "$root/examples/manifest.schema.json"
    fi
}
[ -n "$judge" ] || skip "manifests beside their schema (no Python has jsonschema and numpy)" 17

# emit DIR COMMAND...: the pieces of a pass
emit() {
    to=$1
    shift
    # shellcheck disable=SC2068
    works "$*" $@ --no-sync --emit "$dir/$to"
    valid "$to"
}
graph=tests/formats/data/plain.fx
# files DIR [PIECES]: each piece has a file, so many have offsets
files() {
    awk '/^ *{"name": / && !/"file": "[^"]/ { bad = 1 } /^ *{"name": / && /"tensors": / { n++ } END { exit bad || (wanted != "" && n != wanted) }' wanted="$2" "$dir/$1/manifest.json"
    verdict "$1: each piece has its file${2:+, $2 pieces have offsets}" $? "$dir/$1/manifest.json"
}
emit fx-split $program split --acc-ops torch.relu $graph
emit fx-none $program split $graph
emit fx-pipe $program pipe --stages 2 $graph
emit fx-dedup $program dedup $graph
emit fx-blocks $program split --blocks --acc-ops torch.relu tests/cases/chain.fx
emit fx-partition $program partition --device a:1000000 --device b:1000000 $graph
emit lite-split $program split --acc-ops tflite.CONV_2D,tflite.ADD tests/formats/data/small.tflite
emit lite-pipe $program pipe --stages 2 tests/formats/data/small.tflite
emit lite-dedup $program dedup tests/formats/data/small.tflite
emit lite-devices $program partition --device a:1000000 --device b:1000000 tests/formats/data/small.tflite
emit lite-memory $program memory --budget-pieces 1000000 tests/formats/data/small.tflite
emit fx-memory $program memory --budget-pieces 4096 $graph
files fx-memory 1
files lite-memory 1
files lite-split 2
files lite-devices
files lite-dedup
! grep -q '\.fx", "kind"' "$dir/lite-dedup/manifest.json" || grep -q '"file": "[^"]*\.tflite", "graph"' "$dir/lite-dedup/manifest.json"
verdict "dedup: the file of each piece is the model" $? "$dir/lite-dedup/manifest.json"
# The interpreter of hashes takes the graph of a model: its file has other names, and no shared weights.
mkdir "$dir/hash"
{ printf '\223NUMPY\1\0v\0'; printf "%-117s\n" "{'descr': '<u8', 'fortran_order': False, 'shape': (), }"; printf 12345678; } > "$dir/hash/in.npy"
works "the whole on a hash" $program run --inputs "$dir/hash" --outputs "$dir/whole" tests/formats/data/small.tflite
for pieces in lite-split lite-pipe; do
    rm -rf "$dir/b"
    $program run-pieces --run run --inputs "$dir/hash" --outputs "$dir/b" "$dir/$pieces" > "$dir/log" 2>&1 && diff -r "$dir/whole" "$dir/b" >> "$dir/log"
    verdict "$pieces: --run run yields the hashes of the whole" $? "$dir/log"
done
for pieces in lite-dedup lite-devices lite-memory; do
    rm -rf "$dir/b"
    ! $program run-pieces --run run --inputs "$dir/hash" --outputs "$dir/b" "$dir/$pieces" > "$dir/log" 2>&1 && [ ! -e "$dir/b" ] &&
        grep -q 'the graph has the weight w as an input, which only the model .*\.tflite has inside; give --run an engine of models$' "$dir/log"
    verdict "$pieces: --run run refuses weights that only a model has" $? "$dir/log"
done
grep -q '"conv1": {"dtype": "f32", "shape": \[1, 8, 8, 8\]}' "$dir/fx-pipe/manifest.json" &&
    grep -q '"size": {"type": "int"}' "$dir/fx-pipe/manifest.json"
verdict "types of values" $? "$dir/fx-pipe/manifest.json"
sed 's/"offset": [0-9]*/"offset": -1/; s/"pass"/"way"/' "$dir/lite-split/manifest.json" > "$dir/wrong"
if [ -n "$judge" ]; then
    ! "$judge" -c "import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))" "$dir/wrong" examples/manifest.schema.json 2> "$dir/log"
    verdict "a wrong manifest is told" $? "$dir/log"
fi

# An engine of run_pieces.py as a command: it has neither delegates nor fusions.
cat > "$dir/engine.py" << 'END'
import os, sys
sys.path.insert(0, "examples")
import numpy, run_pieces
model, inputs, outputs = sys.argv[1:]
engine = run_pieces.ENGINES[os.path.splitext(model)[1]](model, {})
for name, value in engine.run({name: numpy.load(run_pieces.file_of(inputs, name)) for name in engine.inputs}).items():
    numpy.save(run_pieces.file_of(outputs, name), value)
END

# program LABEL PYTHON PIECES: run-pieces yields what run_pieces.py yields; its own engines run, too
program() {
    rm -rf "$dir/a" "$dir/b" "$dir/in"
    "$2" -c "import sys
sys.path.insert(0, 'examples')
import numpy, os, run_pieces
os.mkdir(sys.argv[2])
rng = numpy.random.default_rng(5)
for name, at in run_pieces.Pieces(sys.argv[1]).inputs().items():
    numpy.save(run_pieces.file_of(sys.argv[2], name), run_pieces.random_value(rng, *at))" "$dir/$3" "$dir/in" > "$dir/log" 2>&1 &&
        "$2" examples/run_pieces.py "$dir/$3" --inputs "$dir/in" --outputs "$dir/a" >> "$dir/log" 2>&1 &&
        $program run-pieces --run "$2 $dir/engine.py {model} {inputs} {outputs}" --inputs "$dir/in" --outputs "$dir/b" "$dir/$3" >> "$dir/log" 2>&1 &&
        diff -r "$dir/a" "$dir/b" >> "$dir/log" && [ -n "$(ls "$dir/a")" ] &&
        PYTHON=$2 $program run-pieces --porcelain "$dir/$3" > "$dir/random" 2>> "$dir/log" && grep -q '^value ' "$dir/random"
    verdict "$1: run-pieces" $? "$dir/log"
}

# same LABEL PYTHON PIECES WHOLE [OPTION...]: both yield the same bytes
same() {
    label=$1 interpreter=$2 pieces=$3 whole=$4
    shift 4
    rm -rf "$dir/a" "$dir/b"
    "$interpreter" examples/run_pieces.py "$dir/$pieces" --outputs "$dir/a" "$@" > "$dir/log" 2>&1 &&
        "$interpreter" examples/run_pieces.py "$dir/$whole" --outputs "$dir/b" "$@" >> "$dir/log" 2>&1 && diff -r "$dir/a" "$dir/b" >> "$dir/log" &&
        [ -n "$(ls "$dir/a")" ]
    verdict "$label: pieces yield what the whole yields" $? "$dir/log"
}
lite=$(python ai_edge_litert.interpreter)
if [ -n "$lite" ] && [ -d "$models/tflite" ]; then
    for model in mlperf_tiny_kws micro_speech_quantized mlperf_tiny_resnet8; do
        emit lite-whole $program split "$models/tflite/$model.tflite"
        emit lite-parts $program split --acc-ops tflite.CONV_2D,tflite.ADD "$models/tflite/$model.tflite"
        emit lite-stages $program pipe --stages 3 "$models/tflite/$model.tflite"
        emit lite-dedup $program dedup "$models/tflite/$model.tflite"
        same "$model, dedup" "$lite" lite-dedup lite-whole --seed 3
        program "$model, split" "$lite" lite-parts
        program "$model, dedup" "$lite" lite-dedup
        same "$model, split" "$lite" lite-parts lite-whole
        same "$model, three stages" "$lite" lite-stages lite-whole --seed 2
    done
else
    skip "pieces in LiteRT (no Python has ai-edge-litert, or there are no models in $models)" 39
fi
ort=$(python onnxruntime)
if [ -n "$ort" ] && [ -x "$onnx" ] && [ -d "$models/onnx" ]; then
    for model in mnist ultraface_slim_320_simplified; do
        emit onnx-whole "$onnx" split "$models/onnx/$model.onnx"
        emit onnx-parts "$onnx" split --acc-ops onnx.Conv "$models/onnx/$model.onnx"
        same "$model, split" "$ort" onnx-parts onnx-whole
    done
    emit onnx-dedup "$onnx" dedup "$models/onnx/yunet_n_320.onnx"
    emit onnx-one "$onnx" split "$models/onnx/yunet_n_320.onnx"
    program "yunet_n_320, calls of shared files" "$ort" onnx-dedup
    same "yunet_n_320, calls of shared files" "$ort" onnx-dedup onnx-one
else
    skip "pieces in ONNX Runtime (no Python has onnxruntime, make onnx has not run, or there are no models in $models)" 16
fi
finish
