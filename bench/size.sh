#!/bin/sh
# Code and data of the library on small machines, and what each switch saves. clang compiles for all of
# them without a C library; a cross gcc is used where one is installed.
# usage: sh bench/size.sh
out=${B:-build}/size
mkdir -p "$out" || exit 1
printf '#define GRAPHSPLIT_IMPLEMENTATION\n#include "graphsplit.h"\n' > "$out/impl.c"
size_tool=$(command -v llvm-size || command -v llvm-size-14 || command -v size)
sets='all:
without|messages:-DGSP_NO_MESSAGES
without|costs:-DGSP_NO_COST
without|text:-DGSP_NO_TEXT
without|support:-DGSP_NO_SUPPORT
without|modules:-DGSP_NO_MODULE
text|alone:-DGSP_NO_ALL_PASSES|-DGSP_WITH_TEXT
support|alone:-DGSP_NO_ALL_PASSES|-DGSP_WITH_SUPPORT
split|alone:-DGSP_NO_ALL_PASSES|-DGSP_WITH_SPLIT
modules|alone:-DGSP_NO_ALL_PASSES|-DGSP_WITH_MODULE
foundation|alone:-DGSP_NO_ALL_PASSES
split|alone,|silent:-DGSP_NO_ALL_PASSES|-DGSP_WITH_SPLIT|-DGSP_NO_MESSAGES|-DGSP_NO_COST|-DGSP_NO_ASSERT'

table() {
    label=$1
    shift
    if ! "$@" -c -o "$out/impl.o" "$out/impl.c" 2> "$out/log"; then
        echo "skipped: $label"
        return
    fi
    echo "$label"
    printf '  %-24s %8s %8s %8s\n' '' text data bss
    echo "$sets" | while IFS=: read -r name flags; do
        "$@" $(echo "$flags" | tr '|' ' ') -c -o "$out/impl.o" "$out/impl.c" || exit 1
        "$size_tool" "$out/impl.o" | awk -v name="$(echo "$name" | tr '|' ' ')" \
            'NR == 2 { printf "  %-24s %8d %8d %8d\n", name, $1, $2, $3 }'
    done
}

flags='-std=c99 -Os -ffreestanding -I.'
if command -v clang > /dev/null; then
    table "Cortex-M0 (thumbv6m), clang -Os" clang --target=thumbv6m-none-eabi $flags
    table "Cortex-M4 (thumbv7em), clang -Os" clang --target=thumbv7em-none-eabi $flags
    table "RISC-V 32 (rv32imc), clang -Os" clang --target=riscv32-none-elf -march=rv32imc $flags
    table "WebAssembly, clang -Os" clang --target=wasm32 $flags
else
    echo "skipped: everything with clang (not installed)"
fi
command -v arm-none-eabi-gcc > /dev/null && table "Cortex-M4, gcc -Os" arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb $flags
table "this machine, ${CC:-cc} -Os" ${CC:-cc} $flags
