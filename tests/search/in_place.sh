#!/bin/sh
# Results in place (`memory --in-place`): plans of random graphs run in their arena with poison, and the arenas of real
# models (python3).
# usage: sh tests/search/in_place.sh [--table]   (GRAPHS=N: so many random graphs, 300; --table: arenas of all models)
cd "$(dirname "$0")/../.." || exit 1
program="${RUN:-} ${B:-build}/graphsplit"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
. tests/check.sh
export LC_ALL=C

if command -v python3 > /dev/null; then
    python3 tests/search/in_place.py "$program" "$dir" "${SEED:-1}" "${GRAPHS:-300}" > "$dir/log"
    verdict "random graphs in their arenas, with poison: $(tail -n 1 "$dir/log")" $? "$dir/log"
else
    skip "random graphs in their arenas (python3 is not installed)" 1
fi

# arena FILE OPTION...: bytes, bytes that are live at once, tensors in place, and the bound
arena() {
    $program memory --porcelain "$@" 2> "$dir/err" | awk '
        $1 == "arena" { bytes = substr($2, 7); least = substr($3, 7) }
        $1 == "inplace" { n++ }
        $1 == "proof" { bound = substr($3, 7) }
        END { print bytes, least, n + 0, bound }'
}
# at MODEL BYTES: the arena with results in place
at() {
    found=$(arena --in-place=all "$shared/models/fx/$1.fx")
    [ "${found%% *}" = "$2" ]
    verdict "$1 --in-place=all: ${found%% *}, expected $2" $? "$dir/err"
}
if [ ! -d "$shared/models/fx" ]; then
    nothing_but "arenas of real models (looked for in $shared/models/fx)"
fi
at onnx_light_squeezenet 3928576
at ncnn_efficientnet_b0 6021120
at onnx_light_inception_v1 4646400
at onnx_mnist 41600
at ncnn_squeezenet_ssd 8165312
at ncnn_yolov4_tiny 9691136
at ncnn_vision_transformer 2211840
at tflite_torchaudio_conformer 22257400
[ "${1:-}" = --table ] || finish

printf '%-44s %14s %14s %6s %14s %7s\n' model separate in-place of bound above
for model in "$shared"/models/fx/*.fx; do
    name=$(basename "$model" .fx)
    separate=$(arena "$model")
    found=$(arena --in-place=all "$model")
    echo "$name ${separate%% *} $found" |
        awk '{ printf "%-44s %14.0f %14.0f %6d %14.0f %6.3f%%\n", $1, $2, $3, $5, $6, 100 * ($3 - $6) / $6 }'
done
finish
