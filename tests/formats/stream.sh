#!/bin/sh
# What emit-c --stream writes: compiles without warnings, and computes in rolling buffers what the same kernels compute
# layer by layer, to the bit, on the host and on a Cortex-M under QEMU; also what the reference kernels of LiteRT and
# TensorFlow Lite Micro make of the model.
# usage: sh tests/formats/stream.sh   COUNT: random networks (200)   PYTHON: interpreters of Python
cd "$(dirname "$0")/../.." || exit 1
program="${RUN:-} ${B:-build}/graphsplit"
. tests/check.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
flags="-std=c99 -O1 -Wall -Wextra -Wpedantic -Wconversion -Werror -I. -I$dir"
shared=${GRAPHSPLIT_SHARED:-../shared}/models/tflite
chosen=

# emitted MODEL [OPTION]: all forms and the bytes of the model as headers; 1 if no region streams
emitted() {
    # shellcheck disable=SC2086
    $program emit-c --stream --layers --name layers ${2:-} "$1" > "$dir/layers.h" 2> "$dir/log" || return 2
    # shellcheck disable=SC2086
    $program emit-c --stream --name streamed ${2:-} "$1" > "$dir/streamed.h" 2> "$dir/log" || return 1
    # shellcheck disable=SC2086
    $program emit-c --stream --max-recompute 400 --name fused ${2:-} "$1" > "$dir/fused.h" 2> "$dir/log" || return 2
    rows=-DBY_ROWS
    # shellcheck disable=SC2086
    $program emit-c --stream --stream-input ${fit:-} --name byrows ${2:-} "$1" > "$dir/byrows.h" 2> "$dir/unread" || rows=
    od -An -v -tu1 "$1" | awk 'BEGIN { print "static const unsigned char model[] __attribute__((aligned(16))) = {" }
        { gsub(/[0-9]+/, "&,"); print } END { print "};" }' > "$dir/model.h"
}

# choose: code for a region of the user, of those that $dir/regions has and that save something. 1 if one is refused for
# another reason, or others run row by row, too.
choose() {
    chosen=
    while [ -z "$chosen" ] && read -r region ops first; do
        if ! $program emit-c --stream --region "$region" --name chosen "$dir/net.tflite" > "$dir/chosen.h" 2> "$dir/log"; then
            grep -q 'rolling buffers save nothing' "$dir/log" || return 1
            continue
        fi
        chosen=-DCHOSEN
        [ "$(grep -c '^static void chosen_rows_' "$dir/chosen.h")" -eq "$ops" ] || return 1
        [ "$first$rows" = 1-DBY_ROWS ] || continue
        $program emit-c --stream --stream-input --region "$region" --name chosenrows "$dir/net.tflite" > "$dir/chosenrows.h" 2> "$dir/log" || return 1
        [ "$(grep -c '^static void chosenrows_rows_' "$dir/chosenrows.h")" -eq $((ops + 1)) ] || return 1
        chosen='-DCHOSEN -DCHOSEN_BY_ROWS'
    done < "$dir/regions"
}

# equal: compiled and run
equal() {
    # shellcheck disable=SC2086
    ${CC:-cc} $flags $rows $chosen -o "$dir/stream" tests/formats/stream.c > "$dir/log" 2>&1 && "$dir/stream" > "$dir/out" 2> "$dir/log"
}

# reference MODEL|SEED: inputs, and outputs of the interpreters
reference() {
    $python tests/formats/stream_litert.py "$1" "$dir" > "$dir/log" 2>&1 && { [ -f "$dir/micro" ] || [ -f "$dir/litert" ]; }
}

# agrees: the code that was run last with all of them, to the bit
agrees() {
    for engine in litert micro; do
        [ ! -f "$dir/$engine" ] || [ "$("$dir/stream" "$dir/in" "$dir/$engine" 2> "$dir/log")" = "0 0" ] || { echo "$engine: other outputs" >> "$dir/log"; return 1; }
    done
}

# whole MODEL NAME: the streamed model beside the interpreters
whole() {
    [ -n "$python" ] || return 0
    reference "$1" && agrees
    verdict "$2: the outputs of reference kernels" $? "$dir/log"
}

python=
for one in ${PYTHON:-python3 python}; do
    $one -c 'import flatbuffers, ai_edge_litert' 2> "$dir/log" && python=$one && break
done
[ -n "$python" ] || skip "interpreters (Python's flatbuffers or ai-edge-litert is not installed)"
command -v "${CC:-cc}" > /dev/null || nothing_but "the code of emit-c --stream (no C compiler is installed)"
model=tests/formats/data/tiles.tflite
emitted $model && equal && [ "$(cat "$dir/out")" = "$(cat tests/formats/data/stream.expected)" ]
verdict "a small model: the same outputs, the bytes of both arenas" $? "$dir/out"
whole $model "a small model"
cp "$dir/streamed.h" "$dir/first.h"
$program emit-c --stream --name streamed $model | cmp -s - "$dir/first.h"
verdict "the same code twice" $?
if [ -f "$shared/person_detect.tflite" ]; then
    emitted "$shared/person_detect.tflite" && equal && [ "$(cat "$dir/out")" = "55296 22272 19872 14496" ]
    verdict "person_detect: 22272 bytes for 55296, 14496 with its input by rows, 19872 with values computed again" $? "$dir/out"
    whole "$shared/person_detect.tflite" person_detect
    if command -v arm-none-eabi-gcc > /dev/null && command -v qemu-system-arm > /dev/null; then
        arm-none-eabi-gcc -std=c99 -Os -ffreestanding -ffunction-sections -fdata-sections -nostdlib -nostartfiles \
            -mcpu=cortex-m7 -mthumb -DFIRMWARE -DBY_ROWS -I. -Iexamples/firmware -I"$dir" tests/formats/stream.c \
            examples/firmware/port_memory.c examples/firmware/port_cortex_m.c -T examples/firmware/cortex_m.ld \
            -Wl,--gc-sections,--defsym=FLASH0=0,--defsym=FLASH_SIZE=1M,--defsym=RAM0=0x20000000,--defsym=RAM_SIZE=64K \
            -o "$dir/stream.elf" -lgcc > "$dir/log" 2>&1 &&
            timeout 300 qemu-system-arm -nographic -monitor none -M mps2-an500 -serial none -chardev stdio,id=text \
                -semihosting-config enable=on,target=native,chardev=text -kernel "$dir/stream.elf" \
                < /dev/null > "$dir/out" 2> "$dir/log" && grep -q '^55296 22272 19872 14496' "$dir/out"
        verdict "person_detect on a Cortex-M7" $? "$dir/out"
    else
        skip "person_detect on a Cortex-M7 (arm-none-eabi-gcc or qemu-system-arm is not installed)"
    fi
else
    skip "person_detect (no $shared/person_detect.tflite; sh tests/models/get.sh gets it)"
fi

if [ -f "$shared/mlperf_tiny_resnet8.tflite" ]; then
    for case in 'mlperf_tiny_resnet8 49152 15680 15680 12896' 'mlperf_tiny_kws 16000 6256 5872 5872'; do
        emitted "$shared/${case%% *}.tflite" --dim=s0=1 && equal && [ "$(cat "$dir/out")" = "${case#* }" ]
        verdict "$case" $? "$dir/out"
        whole "$shared/${case%% *}.tflite" "${case%% *}"
    done
else
    skip "MLPerf Tiny (no $shared/mlperf_tiny_resnet8.tflite; sh tests/models/get.sh gets it)"
fi

if [ -n "$python" ] && $python tests/formats/tile_mobilenet.py "$dir/mobilenet.tflite" 2> "$dir/log"; then
    fit='--fit 16384'
    emitted "$dir/mobilenet.tflite" && equal && [ "$(cat "$dir/out")" = "311040 89856 74632 15648" ] &&
        grep -q '^ \* 2763264 multiplications (10.4 %) are of values that are computed again. \*/' "$dir/byrows.h"
    verdict "MobileNetV2 with its input by rows: 15648 bytes, 10.4 % more MACs" $? "$dir/out"
    whole "$dir/mobilenet.tflite" MobileNetV2
    fit=
fi

# ---- the figures of examples/README.md ----

# of FILE COMMAND...: bytes, a tile of the input included, and percent of MACs that are computed again
of() {
    file=$1
    shift
    case $1 in
    emit-c) $program "$@" "$file" > "$dir/out" 2> "$dir/log"
        sed -n 's/.*_arena_bytes = \([0-9]*\),.*/\1/p' "$dir/out" | tr '\n' ' '
        sed -n 's/^ \* .* (\([0-9.]* %\)) are of values .*/\1/p' "$dir/out" | tr '\n' ' ' ;;
    *) $program "$@" --porcelain "$file" 2> "$dir/log" | sed -n 's/^stream total=\([0-9]*\) .*/\1/p; s/^arena bytes=\([0-9]*\) .*/\1/p' | head -n 1 | tr '\n' ' '
        $program "$@" "$file" 2> "$dir/log" | sed -n 's/.* MACs more (\([0-9.]* %\)), .*/\1/p' | tr '\n' ' ' ;;
    esac
}
if [ -n "$python" ] && [ -f "$shared/mlperf_tiny_resnet8.tflite" ]; then
    for name in v2 vww ad; do
        $python tests/formats/tile_mobilenet.py "$dir/$name.tflite" $name
    done
    awk -F' *[|] *' '/^[|] network [|] command /, /^$/ { if ($3 ~ /^`/) { gsub(/`/, "", $3); gsub(/,/, "", $4); print $2 "|" $3 "|" $4 "|" $5 "|" $6 } }' \
        examples/README.md > "$dir/rows"
    while IFS='|' read -r name command bytes below more; do
        file=$shared/$name.tflite dim=
        [ -f "$file" ] || file=$dir/$name.tflite
        case $name in mlperf_*) dim='--dim s0=1' ;; esac
        [ "$command" != memory ] || layers=$bytes
        # shellcheck disable=SC2086
        [ "$(of "$file" $command $dim)" = "$bytes $(echo "${more:-0 %} " | sed 's/^0 % $//')" ] &&
            [ "${below:-0.0 %}" = "$(awk "BEGIN { printf \"%.1f\", 100 - 100 * $bytes / $layers }") %" ]
        verdict "$name: $command: $bytes bytes, $below less, $more MACs more" $? "$dir/log"
    done < "$dir/rows"
    [ "$(wc -l < "$dir/rows")" -ge 29 ]
    verdict "all figures of examples/README.md" $? "$dir/rows"
else
    skip "the figures of examples/README.md (no models, or no Python with flatbuffers and ai-edge-litert)"
fi

# ---- random networks ----

if [ -n "$python" ]; then
    n=0 streamed=0 summed=0 by_rows=0 named=0 named_by_rows=0 bad=
    while [ $n -lt "${COUNT:-200}" ]; do
        n=$((n + 1))
        reference $n || bad="$bad $n"
        emitted "$dir/net.tflite"
        case $? in
        0) streamed=$((streamed + 1)); summed=$((summed + $(grep -c '^graphsplit_sum_kernel ' "$dir/streamed.h"))); by_rows=$((by_rows + (${#rows} > 0))); choose && equal && agrees || bad="$bad $n"
            case $chosen in *BY_ROWS) named_by_rows=$((named_by_rows + 1)) ;; esac
            named=$((named + (${#chosen} > 0)))
            [ -n "$rows" ] || grep -q 'no region of operators reads\|cannot run in tiles since' "$dir/unread" || bad="$bad $n" ;;
        1) grep -q 'rolling buffers save nothing' "$dir/log" || bad="$bad $n" ;;
        *) bad="$bad $n" ;;
        esac
    done
    echo "$n random networks, $streamed with rolling buffers, $summed with sums of rows, $by_rows with their input by rows," \
        "$named with a region of the user, $named_by_rows of these with their input by rows;${bad:- none} differ"
    [ -z "$bad" ] && [ $streamed -gt $((n / 4)) ] && [ $summed -gt $((n / 10)) ] && [ $by_rows -gt $((n / 4)) ] && [ $named -gt $((n / 4)) ] && [ $named_by_rows -gt $((n / 20)) ]
    verdict "random networks" $? "$dir/log"
    chosen=
else
    skip "random networks (no Python with flatbuffers and ai-edge-litert)"
fi

# ---- what is refused ----

# refused SENTENCE OPTION...: one sentence, and nothing on standard output
refused() {
    sentence=$1
    shift
    $program emit-c "$@" > "$dir/out" 2> "$dir/log"
    code=$?
    [ $code -ne 0 ] && [ ! -s "$dir/out" ] && grep -q -e "$sentence" "$dir/log"
    verdict "$sentence" $? "$dir/log"
}
refused '--stream requires a .tflite or .onnx model, which has the weights' --stream examples/models/tflite_person_detect.fx
for option in '--byte-order big' '--arena 65536' '--time 3' '--time 3 --time-json none.json'; do
    # shellcheck disable=SC2086
    refused '--stream cannot be combined with --[abt]' --stream $option $model
done
refused '--layers requires --stream' --layers $model
refused '--stream cannot be combined with --plan' --stream --plan $model
refused '--fit 8: the least that is found by rows is [0-9]* bytes' --stream --fit 8 $model
refused '--fit requires --stream' --fit 8 $model
refused '--max-recompute cannot be combined with --stream --layers' --stream --layers --max-recompute 8 $model
refused '--max-recompute cannot be combined with --fit' --stream --fit 8 --max-recompute 8 $model
refused '--max-recompute expects percent' --stream --max-recompute -1 $model
refused '--stream-input requires --stream' --stream-input $model
refused '--stream-input cannot be combined with --layers' --stream --layers --stream-input $model
if [ -f "$shared/mlperf_tiny_resnet8.tflite" ]; then
    refused 'give --dim s0=N' --stream "$shared/mlperf_tiny_resnet8.tflite"
    refused 'cannot run row by row since it' --stream "$shared/deeplabv3_mnv2_dm05_pascal_quant.tflite"
fi
finish
