#!/bin/sh
# Runs the tests built for other machines, under qemu where they are foreign: 32 and 64 bit, both byte
# orders, signed and unsigned char, 64-bit numbers aligned to 2, 4 and 8; and the golden files on more
# machines, systems and compilers. What is not installed is skipped. Two targets run at a time, those that
# take longest first.
# usage: sh tests/cross/run.sh [TARGET...]     [TARGET_TEST=test] [JOBS=2]

settings() {
    run=
    flags=-O2
    link=-static
    goal=${TARGET_TEST:-test-core}
    case $1 in
    m32 | s390x | arm) ;;
    *) flags=-O1 goal=test-golden ;; # builds take longest here, and -O1 half as long
    esac
    case $1 in
    m32) cc='gcc -m32' flags='-O2 -I/usr/include/x86_64-linux-gnu' ;;
    s390x) cc=s390x-linux-gnu-gcc run=qemu-s390x ;;
    mips) cc=mips-linux-gnu-gcc run=qemu-mips ;;
    powerpc) cc=powerpc-linux-gnu-gcc run=qemu-ppc ;;
    arm) cc=arm-linux-gnueabihf-gcc run=qemu-arm ;;
    m68k) cc=m68k-linux-gnu-gcc run=qemu-m68k ;;
    aarch64) cc=aarch64-linux-gnu-gcc run=qemu-aarch64 ;;
    riscv64) cc=riscv64-linux-gnu-gcc run=qemu-riscv64 ;;
    powerpc64) cc=powerpc64-linux-gnu-gcc run=qemu-ppc64 ;;
    win64)
        cc=x86_64-w64-mingw32-gcc flags='-O1 -D__USE_MINGW_ANSI_STDIO=1'
        run='sh tests/cross/wine.sh'
        ;;
    wasm32)
        cc='clang --target=wasm32-wasi'
        flags='-O1 -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_SIGNAL'
        link='-lwasi-emulated-process-clocks -lwasi-emulated-signal' run='node --no-warnings tests/cross/wasi.mjs'
        ;;
    riscv32) # no system: picolibc, which asks QEMU for files
        cc='riscv64-unknown-elf-gcc --specs=picolibc.specs --oslib=semihost --crt0=semihost -march=rv32imac -mabi=ilp32 -mcmodel=medany'
        link='tests/cross/system.c -Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=16M,--defsym=__ram=0x81000000'
        link=$link,--defsym=__ram_size=96M,--no-warn-rwx-segments
        run='sh tests/cross/bare.sh'
        ;;
    tcc) cc=tcc link= ;;
    O0 | O3 | Os) cc=gcc flags=-$1 ;;
    clang) cc=clang flags=-O3 ;;
    *) echo "unknown target $1" >&2; exit 2 ;;
    esac
}

# Builds and tests one target; leaves what it says in build/TARGET/cross.log.
one() {
    target=$1
    settings "$target"
    dir=build/$target
    mkdir -p "$dir"
    echo 'int main(void) { return 0; }' > "$dir/probe.c"
    # Windows wants the name to end so, and nobody else minds.
    if $cc $flags -o "$dir/probe.exe" "$dir/probe.c" $link 2> "$dir/probe.log" &&
        $run "$dir/probe.exe" < /dev/null >> "$dir/probe.log" 2>&1; then
        sh tests/sum.sh "${MAKE:-make} --no-print-directory B=$dir CC='$cc' CXX=none CFLAGS='$flags' LDFLAGS='$link' RUN='$run' $goal < /dev/null"
    else
        echo "skipped: $target ($cc or ${run:-its C library} is not installed)"
        echo '0 passed, 0 failed, 1 skipped'
    fi > "$dir/cross.log" 2>&1
}

if [ "$1" = --one ]; then
    one "$2"
    exit
fi
[ $# -gt 0 ] || set -- win64 s390x arm riscv32 m32 wasm32 mips powerpc m68k aarch64 riscv64 powerpc64 tcc O0 O3 Os clang
for target; do
    settings "$target"
    rm -f "build/$target/cross.log"
done
printf '%s\n' "$@" | xargs -n 1 -P "${JOBS:-2}" sh tests/cross/run.sh --one
for target; do
    set -- "$@" "cat build/$target/cross.log"
    shift
done
exec sh tests/sum.sh "$@"
