#!/bin/sh
# Instructions, not seconds: exact counts of every pass over a network of examples/models, by the program
# bench/count.c. On this machine callgrind counts; on a Cortex-M4 a plugin of QEMU does. Equal wherever the
# compilers are: bench/instructions.csv holds the counts, and above 2 % growth fails.
# usage: sh bench/instructions.sh [--store]
cd "$(dirname "$0")/.." || exit 1
out=${B:-build}/instructions
port=examples/firmware
mkdir -p "$out" || exit 1
network=examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx
nodes=$(grep -c '^    ' "$network")
: > "$out/x86-64" > "$out/cortex-m4"

# compile COMPILER FLAG...: the program; only its own memcpy, since a C library takes another one on every machine.
compile() {
    compiler=$1
    shift
    "$compiler" -std=c99 -Wall -Wextra -ffreestanding -fno-tree-loop-distribute-patterns -DGSP_NO_MESSAGES -I. "-DNETWORK=\"$network\"" \
        -DOPERATORS='"examples/models/edgetpu-2019.ops"' bench/count.c bench/count_data.S $port/port_memory.c "$@" || exit 1
}

# Inclusive counts of the functions count_NAME.
count_host() {
    if ! command -v valgrind > /dev/null || [ "$(uname -m)" != x86_64 ]; then
        echo "skipped: x86-64 (valgrind is not installed, or this is another machine)"
        return
    fi
    compile gcc -O2 -g -o "$out/host" bench/count_host.c
    valgrind -q --tool=callgrind --callgrind-out-file="$out/callgrind" "$out/host" > "$out/log" 2>&1 || { cat "$out/log"; exit 1; }
    callgrind_annotate --inclusive=yes --threshold=100 --tree=none "$out/callgrind" | awk '
        match($0, /:count_[a-z_]+/) {
            name = "gsp_" substr($0, RSTART + 7, RLENGTH - 7)
            gsub(",", "", $1)
            if ($1 > most[name]) most[name] = $1 + 0
        }
        END { for (name in most) print name, most[name] }' > "$out/found"
    awk 'FNR == NR { count[$1] = $2; next } { print $1, count[$1] }' "$out/found" "$out/log" > "$out/x86-64"
}

# What ran between two marks, in the order of the names.
count_m4() {
    if ! command -v qemu-system-arm > /dev/null || ! command -v arm-none-eabi-gcc > /dev/null; then
        echo "skipped: cortex-m4 (arm-none-eabi-gcc or qemu-system-arm is not installed)"
        return
    fi
    gcc -shared -fPIC -O2 -o "$out/count.so" bench/count_plugin.c || exit 1
    compile arm-none-eabi-gcc -Os -mcpu=cortex-m4 -mthumb -nostdlib -nostartfiles -ffunction-sections -fdata-sections -Wl,--gc-sections \
        $port/port_cortex_m.c -T $port/cortex_m.ld -Wl,--defsym=FLASH0=0x0,--defsym=FLASH_SIZE=4M -Wl,--defsym=RAM0=0x20000000,--defsym=RAM_SIZE=4M \
        -o "$out/m4.elf" -lgcc
    timeout 100 qemu-system-arm -nographic -monitor none -serial none -plugin "$PWD/$out/count.so" -M mps2-an386 -chardev stdio,id=text \
        -semihosting-config enable=on,target=native,chardev=text -kernel "$out/m4.elf" < /dev/null > "$out/names" 2> "$out/counts" ||
        { cat "$out/names" "$out/counts"; exit 1; }
    paste -d ' ' "$out/names" "$out/counts" > "$out/cortex-m4"
}

count_host
count_m4
awk -v nodes="$nodes" '
    FILENAME ~ /x86-64$/ { x86[$1] = $2 } FILENAME ~ /cortex-m4$/ { m4[$1] = $2 }
    !($1 in seen) { seen[$1] = 1; name[++n] = $1 }
    function pair(count) { return count == "" ? "-,-" : sprintf("%d,%.1f", count, count / nodes) }
    END {
        print "pass,x86-64,a node,cortex-m4,a node"
        for (i = 1; i <= n; i++) print name[i] "," pair(x86[name[i]]) "," pair(m4[name[i]])
    }' "$out/x86-64" "$out/cortex-m4" > "$out/new.csv"
if [ "$1" = --store ]; then
    exec cp "$out/new.csv" bench/instructions.csv
fi
awk -F, -v list="$out/new.csv" '
    function check(target, old, now) {
        if (now == "-") return
        if (old + 0 == 0) { print "new: " $1 " on " target; return }
        if (now > old * 1.02) {
            printf "FAILED: %s on %s takes %d instructions, before %d; if it has to, sh bench/instructions.sh --store\n", $1, target, now, old
            failed++
        } else passed++
    }
    FNR == 1 { if (FILENAME == list) printf "%-24s %12s %9s %12s %9s\n", "network of " nodes " nodes", "x86-64", "a node", "cortex-m4", "a node"; next }
    FILENAME != list { x86[$1] = $2; m4[$1] = $4; next }
    { printf "%-24s %12s %9s %12s %9s\n", $1, $2, $3, $4, $5; check("x86-64", x86[$1], $2); check("cortex-m4", m4[$1], $4) }
    END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }' nodes="$nodes" bench/instructions.csv "$out/new.csv"
