#!/bin/sh
# Models of ONNX in tiles (`memory --tile --emit-model` of graphsplit-onnx) in ONNX Runtime: outputs are those of the
# whole models, of random networks with every kind of border and of real ones. Skipped by name without the program or
# without a Python that has onnxruntime and onnx.
# usage: sh tests/formats/tile_onnx.sh   COUNT: random networks (20)   PYTHON: interpreters of Python
cd "$(dirname "$0")/../.." || exit 1
program=${B:-build}/graphsplit-onnx
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
. tests/check.sh
[ -x "$program" ] || nothing_but "models of ONNX in tiles (no graphsplit-onnx here: make onnx)"
python=
for found in ${PYTHON:-python3} build/python/bin/python; do
    $found -c 'import onnxruntime, onnx, numpy' 2> /dev/null && python="$found -W ignore -B"
done
[ -n "$python" ] || nothing_but "models of ONNX in tiles (no Python here has onnxruntime and onnx: PYTHON=...)"

# runs COUNT MODEL...
runs() {
    count=$1
    shift
    $python tests/formats/tile_onnx.py "$program" 1 "$count" "$dir" "$@" > "$dir/log" 2>&1
    [ "$(wc -l < "$dir/log")" -eq 1 ] && grep -q ' networks, [1-9]' "$dir/log"
    verdict "ONNX Runtime: $count random networks $*" $? "$dir/log"
    tail -n 1 "$dir/log"
}
runs "${COUNT:-20}"
models=$shared/models/onnx
[ -d "$models" ] || nothing_but "real ONNX models (tests/models/get.sh gets them; looked for in $models)"
for name in light_squeezenet mnist ultraface_slim_320_simplified yunet_n_320 light_inception_v1; do
    runs 0 "$models/$name.onnx"
done
# gives NAME BYTES: the least memory
gives() {
    $program memory --tile --porcelain "$models/$1.onnx" > "$dir/log" 2> "$dir/errors"
    [ "$(sed -n 's/^arena bytes=\([0-9]*\) .*/\1/p' "$dir/log")" -le "$2" ]
    verdict "$1: at most $2 bytes" $? "$dir/log"
}
gives light_squeezenet 1425408
gives mnist 23232
gives ultraface_slim_320_simplified 1751040
gives yunet_n_320 1925120
! $program memory --tile "$models/silero_vad_16k.onnx" > "$dir/out" 2> "$dir/log" && grep -q 'give --dim AddstateN_dim_0=N$' "$dir/log"
verdict "symbolic sizes" $? "$dir/log"
finish
