#!/bin/sh
# Builds the firmware for every core whose compiler and emulator are installed, and runs it there.
# usage: [APP=examples/firmware/app.c] [RAM_SIZE=16K] sh examples/firmware/run.sh [CORE...]
cd "$(dirname "$0")/../.." || exit 1
here=examples/firmware
app=${APP:-$here/app.c}
out=${B:-build}/firmware
mkdir -p "$out" || exit 1
"${B:-build}/graphsplit" emit-c --byte-order little --name person_detect \
    examples/models/tflite_person_detect.fx > "$out/person_detect.h" || exit 1
. tests/check.sh
flags="-std=c99 -Os -Wall -Wextra -ffreestanding -ffunction-sections -fdata-sections -nostdlib -nostartfiles
    -DGSP_NO_ALL_PASSES -DGSP_WITH_SPLIT -DGSP_WITH_MEMORY
    -DGSP_NO_MESSAGES -DGSP_NO_COST -I. -I$here -I$out -Wl,--gc-sections"

# core NAME COMPILER EMULATOR... -- builds with $build and runs; 0 is success.
core() {
    name=$1 compiler=$2 emulator=$3
    shift 3
    if ! command -v "$compiler" > /dev/null || ! command -v "$emulator" > /dev/null; then
        skip "$name ($compiler or $emulator is not installed)"
        return
    fi
    echo "== $name"
    # $flags and $build are lists of words.
    # shellcheck disable=SC2086
    "$compiler" $flags $CPPFLAGS $build -o "$out/$name.elf" -lgcc &&
        timeout 30 "$emulator" -nographic -monitor none "$@" -kernel "$out/$name.elf" < /dev/null
    verdict "$name" $?
}

# cortex NAME CPU MACHINE FLASH RAM [FLAG]: on a board that QEMU knows
cortex() {
    build="-mcpu=$2 -mthumb $app $here/port_memory.c $here/port_cortex_m.c -T $here/cortex_m.ld
        -Wl,--defsym=FLASH0=$4,--defsym=RAM0=$5,--defsym=RAM_SIZE=${RAM_SIZE:-16K} $6"
    core "$1" arm-none-eabi-gcc qemu-system-arm -M "$3" -serial none \
        -chardev stdio,id=text -semihosting-config enable=on,target=native,chardev=text
}

riscv() {
    build="-march=$2 -mabi=ilp32 -mcmodel=medany $here/start_riscv.S $app $here/port_memory.c $here/port_riscv.c
        -T $here/riscv.ld -Wl,--no-warn-rwx-segments"
    core "$1" riscv64-unknown-elf-gcc qemu-system-riscv32 -M virt -bios none -serial stdio
}

all='cortex-m0+ cortex-m3 cortex-m4 cortex-m7 cortex-m33 cortex-m55 rv32imac'
for wanted in ${*:-$all}; do
    case $wanted in
    cortex-m0+) cortex "$wanted" cortex-m0plus microbit 0x0 0x20000000 ;;
    cortex-m3) cortex "$wanted" cortex-m3 mps2-an385 0x0 0x20000000 -DPORT_TRAP_UNALIGNED ;;
    cortex-m4) cortex "$wanted" cortex-m4 mps2-an386 0x0 0x20000000 -DPORT_TRAP_UNALIGNED ;;
    cortex-m7) cortex "$wanted" cortex-m7 mps2-an500 0x0 0x20000000 -DPORT_TRAP_UNALIGNED ;;
    cortex-m33) cortex "$wanted" cortex-m33 mps2-an505 0x10000000 0x38000000 ;;
    cortex-m55) cortex "$wanted" cortex-m55 mps3-an547 0x10000000 0x30000000 ;;
    rv32imac) riscv "$wanted" rv32imac ;;
    *) echo "unknown core $wanted; there are: $all" >&2; exit 2 ;;
    esac
done
finish
