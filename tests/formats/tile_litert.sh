#!/bin/sh
# Models in tiles (`memory --tile --emit-model`) in the interpreters that run the whole ones: outputs of int8 are
# equal to the bit, also those of random networks with every kind of border; TensorFlow Lite Micro needs the arena
# that is promised. Runs in LiteRT and in TensorFlow Lite Micro, where a Python has them (ai-edge-litert,
# tflite-micro), and is skipped by name without.
# usage: sh tests/formats/tile_litert.sh   COUNT: random networks (20)   PYTHON: interpreters of Python
cd "$(dirname "$0")/../.." || exit 1
program="${RUN:-} ${GRAPHSPLIT:-${B:-build}/graphsplit}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
. tests/check.sh
count=${COUNT:-20}

python=
for found in ${PYTHON:-python3} build/python/bin/python; do
    $found -c 'import ai_edge_litert, numpy' 2> /dev/null && python="$found -W ignore -B"
done
[ -n "$python" ] || nothing_but "models in tiles (no Python here has ai-edge-litert: PYTHON=...)"
engines="litert micro"
if ! $python -c 'import tflite_micro' 2> /dev/null; then
    skip "models in tiles in TensorFlow Lite Micro (this Python lacks tflite-micro: PYTHON=...)"
    engines=litert
fi

for engine in $engines; do
    for kind in int8 float; do
        $python tests/formats/tile_litert.py "$program" "$engine" $kind 1 "$count" "$dir" > "$dir/log" 2>&1
        [ "$(wc -l < "$dir/log")" -eq 1 ] && grep -q "^$count networks, [1-9]" "$dir/log"
        verdict "$engine: $count random networks of $kind" $? "$dir/log"
        tail -n 1 "$dir/log" | sed "s/^/$engine, $kind: /"
    done
done

# MobileNetV2 of width 0.35, whose input takes 62,208 bytes: RAM with a tile of it.
$python tests/formats/tile_mobilenet.py "$dir/mobilenet.tflite" 2> "$dir/log" &&
    $program memory --tile --stream-input --porcelain "$dir/mobilenet.tflite" > "$dir/out" 2> "$dir/log"
verdict "MobileNetV2 in tiles of its input" $? "$dir/log"
ram=$(sed -n 's/^stream total=\([0-9]*\) .*/\1/p' "$dir/out")
[ "$ram" -le 39600 ] && [ "$(sed -n 's/^tile .* macs=+\([0-9]*\).*/\1/p' "$dir/out" | awk '{ n += $1 } END { print n }')" -le 1700000 ]
verdict "MobileNetV2: $ram bytes with a tile of its input, at most 39,600 with 6.4 % more MACs" $? "$dir/out"

# ---- real models ----

models=$shared/models/tflite
[ -d "$models" ] || nothing_but "real TFLite models (tests/models/get.sh gets them; looked for in $models)"

# same ENGINE NAME OPTION...: the tiled model yields what the whole one does
same() {
    engine=$1
    name=$2
    shift 2
    case $engines in *$engine*) ;; *) return ;; esac
    $program memory --tile --porcelain "$@" --emit-model "$dir/tiled.tflite" "$models/$name.tflite" > "$dir/out" 2> "$dir/log" &&
        grep -q '^tile ' "$dir/out" &&
        $python tests/formats/chain.py "$engine" "$models/$name.tflite" "$dir/tiled.tflite" > "$dir/log" 2>&1 &&
        grep -q ': equal, 1 model$' "$dir/log"
    verdict "$engine: $name $*" $? "$dir/log"
}
same micro person_detect --max-recompute 15
same micro person_detect --fit 40000
for engine in litert micro; do
    same $engine mlperf_tiny_resnet8 --dim s0=1
    same $engine mlperf_tiny_resnet8 --dim s0=1 --max-recompute 15
done

# The arena of TensorFlow Lite Micro with the plan in the model, before and after.
case $engines in *micro*) ;; *) finish ;; esac
for name in person_detect mlperf_tiny_resnet8; do
    dim=$($program read "$models/$name.tflite" 2> /dev/null | grep -q 's0' && echo "--dim s0=1")
    # shellcheck disable=SC2086
    $program memory --tile --porcelain $dim --emit-model "$dir/tiled.tflite" "$models/$name.tflite" > "$dir/tiles" 2> "$dir/log"
    heads=
    for model in "$models/$name.tflite" "$dir/tiled.tflite"; do
        # shellcheck disable=SC2086
        $program memory --porcelain $dim --exact --save-tflite "$dir/planned.tflite" "$model" > "$dir/out" 2> "$dir/log" &&
            $python tests/formats/offline.py "$models/$name.tflite" "$dir/planned.tflite" > "$dir/log" 2>&1 &&
            grep -q '^equal$' "$dir/log"
        verdict "micro: $name with its plan" $? "$dir/log"
        bytes=$(sed -n 's/^arena bytes=\([0-9]*\) .*/\1/p' "$dir/out")
        head=$(sed -n 's/.*Arena allocation head \([0-9]*\) bytes.*/\1/p' "$dir/log")
        [ -n "$head" ] && [ "$head" -ge "$bytes" ] && [ "$head" -le $((bytes + 1024)) ]
        verdict "micro: $name, $head bytes where $bytes are planned" $? "$dir/log"
        heads="$heads $head"
    done
    echo "micro: activations of $name before and after:$heads"
done
finish
