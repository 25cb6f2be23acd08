#!/bin/sh
# What emit-c --stream of graphsplit-onnx writes: compiles without warnings, and computes in rolling buffers what the same
# kernels compute layer by layer, to the bit, and what ONNX Runtime computes, within the rounding of floats; of 8 bits what
# it does where that is told, and else within one unit of the last quantised value.
# usage: sh tests/formats/stream_onnx.sh   COUNT: random networks (40)   PYTHON: interpreters of Python
cd "$(dirname "$0")/../.." || exit 1
program=${B:-build}/graphsplit-onnx
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
. tests/check.sh
[ -x "$program" ] || nothing_but "streams of ONNX (no graphsplit-onnx here: make onnx)"
python=
for found in ${PYTHON:-python3} build/python/bin/python; do
    $found -c 'import onnxruntime, onnx, numpy' 2> /dev/null && python="$found -W ignore -B"
done
[ -n "$python" ] || nothing_but "streams of ONNX (no Python here has onnxruntime and onnx: PYTHON=...)"
command -v "${CC:-cc}" > /dev/null || nothing_but "streams of ONNX (no C compiler is installed)"
flags="-std=c99 -O1 -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Werror -DONNX -I. -I$dir"

# emit NAME OPTION...: $dir/NAME.h
emit() {
    made=$1
    shift
    "$program" emit-c --stream --name "$made" "$@" > "$dir/$made.h" 2> "$dir/log"
}

# emitted MODEL: all forms; 1 if no region streams
emitted() {
    emit layers --layers "$1" || return 2
    emit streamed "$1" || return 1
    emit fused --max-recompute 400 "$1" || return 2
    rows=-DBY_ROWS
    emit byrows --stream-input "$1" || rows=
    cp "$dir/log" "$dir/unread"
}

# choose: code for the first region of the user that saves something. 1 if one is refused for another reason, or others
# run row by row, too.
choose() {
    chosen=
    while [ -z "$chosen" ] && read -r region ops first; do
        if ! emit chosen --region "$region" "$net/net.onnx"; then
            grep -q 'rolling buffers save nothing\|cannot run row by row since it' "$dir/log" || return 1
            continue
        fi
        chosen=-DCHOSEN
        [ "$(grep -c '^static void chosen_rows_' "$dir/chosen.h")" -eq "$ops" ] || return 1
        [ "$first$rows" = 1-DBY_ROWS ] || continue
        emit chosenrows --stream-input --region "$region" "$net/net.onnx" || return 1
        chosen='-DCHOSEN -DCHOSEN_BY_ROWS'
    done < "$net/regions"
}

# runs: compiled; equal in all forms, and to ONNX Runtime
runs() {
    unit=
    [ ! -f "$net/unit" ] || unit=-DUNIT=$(cat "$net/unit")f
    # shellcheck disable=SC2086
    ${CC:-cc} $flags $unit $rows $chosen -o "$dir/stream" tests/formats/stream.c -lm > "$dir/log" 2>&1 &&
        "$dir/stream" > "$dir/out" 2> "$dir/log" || return 1
    [ "$("$dir/stream" "$net/in" "$net/runtime" 2> "$dir/log")" = "0 0" ] || { echo "other outputs than ONNX Runtime" > "$dir/log"; return 1; }
}

all=$dir/all
$python tests/formats/stream_onnx.py 1 "${COUNT:-40}" "$all" > "$dir/log" 2>&1
verdict "networks and what ONNX Runtime makes of them" $? "$dir/log"
n=0 streamed=0 summed=0 of_bytes=0 equal=0 by_rows=0 fused=0 named=0 bad=
while [ $n -lt "${COUNT:-40}" ]; do
    n=$((n + 1)) chosen=
    net=$all/$n
    emitted "$net/net.onnx"
    case $? in
    0) streamed=$((streamed + 1)) summed=$((summed + $(grep -c '^graphsplit_sum_kernel ' "$dir/streamed.h"))) by_rows=$((by_rows + (${#rows} > 0)))
        [ ! -f "$net/unit" ] || { of_bytes=$((of_bytes + 1)); equal=$((equal + $(grep -c '^0\.0*e' "$net/unit"))); }
        grep -q '_part_' "$dir/fused.h" && fused=$((fused + 1))
        choose && runs || bad="$bad $n"
        named=$((named + (${#chosen} > 0)))
        [ -n "$rows" ] || grep -q 'no region of operators reads\|cannot run in tiles since' "$dir/unread" || bad="$bad $n" ;;
    1) grep -q 'rolling buffers save nothing' "$dir/log" || bad="$bad $n" ;;
    *) bad="$bad $n" ;;
    esac
done
echo "$n random networks, $streamed with rolling buffers, $summed with sums of rows, $of_bytes of 8 bits, of which $equal to the bit, $fused of them with groups, $by_rows with their input by rows," \
    "$named with a region of the user;${bad:- none} differ"
[ -z "$bad" ] && [ $streamed -gt $((n / 4)) ] && [ $by_rows -gt $((n / 4)) ] && [ $summed -gt $((n / 10)) ] && [ $of_bytes -gt $((n / 5)) ] && [ $equal -gt $((n / 20)) ] && [ $fused -gt $((n / 10)) ] && [ $named -gt $((n / 4)) ]
verdict "random networks" $? "$dir/log"

$python tests/formats/tile_onnx.py "$program" 1 0 "$dir" "$all/3/net.onnx" "$all/4/net.onnx" > "$dir/log" 2>&1
[ "$(wc -l < "$dir/log")" -eq 1 ] && grep -q '^2 networks, [1-9][0-9]* models in tiles, 0 of them with another bit' "$dir/log"
verdict "networks of 8 bits in tiles" $? "$dir/log"

# ---- what is refused ----

# refused SENTENCE MODEL OPTION...: one sentence, and nothing on standard output
refused() {
    sentence=$1 model=$2
    shift 2
    "$program" emit-c --stream "$@" "$model" > "$dir/out" 2> "$dir/log"
    code=$?
    [ $code -ne 0 ] && [ ! -s "$dir/out" ] && [ "$(wc -l < "$dir/log")" -eq 1 ] && grep -q -e "$sentence" "$dir/log"
    verdict "$sentence" $? "$dir/log"
}
for case in parameters:'%w (onnx.Neg) is computed from parameters alone' filled:"the file has no elements of 'w', which is filled or sparse" \
    infinite:'%w has an element that is no finite number' short:'%w has 4 bytes in the file, not those of its shape' \
    several:'has several results' missing:'none.bin: the file is missing or too short' deep:'has more than four dimensions'; do
    refused "${case#*:}" "$all/${case%%:*}.onnx" --layers
done
refused '--fit 8: the least that is found by rows is [0-9]* bytes' "$all/4/net.onnx" --fit 8
refused 'requires a .tflite or .onnx model' examples/models/onnx_mnist.fx

# ---- what no network has ----

"$program" emit-c --stream --layers "$all/dilated.onnx" > "$dir/out" 2> "$dir/log"
verdict "a dilation of 0 counts as 1" $? "$dir/log"
(ulimit -t 5; "$program" emit-c --stream --max-recompute 50 "$all/tall.onnx" > "$dir/out" 2> "$dir/log"; [ $? -le 3 ])
verdict "2^30 rows take no more time than 8" $? "$dir/log"

# ---- real models ----

# takes NAME BYTES LAYERS OPTION...: the arena
takes() {
    file=$shared/models/onnx/$1.onnx what="$*"
    bytes="graph_arena_bytes = $2, graph_layers_bytes = $3 "
    shift 3
    [ -f "$file" ] || { skip "$what (no $file; sh tests/models/get.sh gets it)"; return; }
    "$program" emit-c --stream "$@" "$file" 2> "$dir/log" | grep -q "$bytes"
    verdict "$what" $? "$dir/log"
}
takes ultraface_slim_320_simplified 1341440 4915200
takes ultraface_slim_320_simplified 614400 4915200 --stream-input
takes yunet_n_320 1720320 3276800
takes yunet_n_320 1356800 3276800 --stream-input
finish
