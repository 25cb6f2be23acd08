#!/bin/sh
# Instructions, not seconds: exact counts of every pass. On this machine by callgrind, over the program's
# own run of a network of examples/models; on a Cortex-M4 by a counting plugin of QEMU, over the firmware.
# Equal wherever the compilers are: bench/instructions.csv holds them, and above 2 % growth fails.
# usage: sh bench/instructions.sh [--store]
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
out=$B/instructions
mkdir -p "$out" || exit 1
network=examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx
operators=examples/models/edgetpu-2019.ops
printf 'target,pass,instructions,per_node\n' > "$out/new.csv"

# host OPTIONS...: the functions gsp_*_run and the like that one run of the program calls, with all they call.
host() {
    valgrind -q --tool=callgrind --callgrind-out-file="$out/callgrind" "$B/instructions/graphsplit" "$@" --porcelain "$network" \
        > "$out/porcelain" 2> "$out/log" || { cat "$out/log"; exit 1; }
    callgrind_annotate --inclusive=yes --threshold=100 --tree=none "$out/callgrind" | awk -v nodes="$nodes" '
        match($0, /:gsp_[a-z_]+_(run|read|write|open|graph) /) {
            name = substr($0, RSTART + 1, RLENGTH - 2)
            gsub(",", "", $1)
            if ($1 > most[name]) most[name] = $1
        }
        END { for (name in most) printf "x86-64,%s,%d,%.1f\n", name, most[name], most[name] / nodes }' | sort >> "$out/found.csv"
}

count_host() {
    if ! command -v valgrind > /dev/null || [ "$(uname -m)" != x86_64 ]; then
        echo "skipped: x86-64 (valgrind is not installed, or this is another machine)"
        return
    fi
    # One way of compiling: without debug information it is the same everywhere.
    gcc -std=c99 -O2 -g -I. -o "$out/graphsplit" examples/cli/*.c examples/tflite/tflite.c -lm || exit 1
    nodes=$(grep -c '^    ' "$network")
    rm -f "$out/found.csv"
    host split --acc-ops "@$operators"
    host memory
    host dedup
    host pipe --stages 4
    host partition --mode size --device a:20000000 --device b:20000000
    assign=$(awk '/ = call_/ { sub(/^%/, "", $1); printf "%s%s=%d", n ? "," : "", $1, n / 18; n++ }' "$network")
    host module --assign "$assign"
    sort -t, -k2,2 -k3,3nr "$out/found.csv" | awk -F, '!seen[$2]++' >> "$out/new.csv"
}

# The firmware, once more for each step that it ends after; the difference is the step.
count_m4() {
    if ! command -v qemu-system-arm > /dev/null || ! command -v arm-none-eabi-gcc > /dev/null; then
        echo "skipped: cortex-m4 (arm-none-eabi-gcc or qemu-system-arm is not installed)"
        return
    fi
    gcc -shared -fPIC -O2 -o "$out/count.so" bench/count_plugin.c || exit 1
    before=0
    for step in 0 1 2 3; do
        PLUGIN="-plugin $PWD/$out/count.so" CPPFLAGS="-DSTOP_AFTER=$step" B=$B sh examples/firmware/run.sh cortex-m4 > "$out/m4" 2>&1 ||
            { cat "$out/m4"; exit 1; }
        now=$(awk '/^instructions / { print $2 }' "$out/m4")
        case $step in
        1) name=gsp_module_open ;;
        2) name=gsp_support_run ;;
        3) name=gsp_split_run ;;
        *) name= ;;
        esac
        [ -z "$name" ] || awk -v name=$name -v n=$((now - before)) 'BEGIN { printf "cortex-m4,%s,%d,%.1f\n", name, n, n / 90 }' >> "$out/new.csv"
        before=$now
    done
}

count_host
count_m4
if [ "$1" = --store ]; then
    exec cp "$out/new.csv" bench/instructions.csv
fi
awk -F, '
    FNR == 1 { next }
    FNR == NR { before[$1 " " $2] = $3; next }
    {
        key = $1 " " $2
        printf "%-36s %10d  %8.1f a node\n", key, $3, $4
        if (!(key in before)) { print "new: " key; next }
        if ($3 > before[key] * 1.02) {
            printf "FAILED: %s takes %d instructions, before %d; if it has to, sh bench/instructions.sh --store\n", key, $3, before[key]
            failed++
        } else passed++
    }
    END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }' bench/instructions.csv "$out/new.csv"
