#!/bin/sh
# Runs the tests built for other machines, under qemu where they are foreign: 32 and 64 bit, both byte
# orders, signed and unsigned char, 64-bit numbers aligned to 2, 4 and 8. What is not installed is skipped.
# usage: sh tests/cross.sh [TARGET...]     [TARGET_TEST=test]
targets=${*:-m32 s390x mips powerpc arm m68k}
goal=${TARGET_TEST:-test-fast}

settings() {
    run=
    flags=-O2
    case $1 in
    m32) cc='gcc -m32' flags='-O2 -I/usr/include/x86_64-linux-gnu' ;;
    s390x) cc=s390x-linux-gnu-gcc run=qemu-s390x ;;
    mips) cc=mips-linux-gnu-gcc run=qemu-mips ;;
    powerpc) cc=powerpc-linux-gnu-gcc run=qemu-ppc ;;
    arm) cc=arm-linux-gnueabihf-gcc run=qemu-arm ;;
    m68k) cc=m68k-linux-gnu-gcc run=qemu-m68k ;;
    *) echo "unknown target $1" >&2; exit 2 ;;
    esac
}

set --
for target in $targets; do
    settings "$target"
    dir=build/$target
    mkdir -p "$dir"
    echo 'int main(void) { return 0; }' > "$dir/probe.c"
    if $cc $flags -static -o "$dir/probe" "$dir/probe.c" 2> "$dir/probe.log" && $run "$dir/probe" 2>> "$dir/probe.log"; then
        set -- "$@" "${MAKE:-make} --no-print-directory B=$dir CC='$cc' CXX=none CFLAGS='$flags' LDFLAGS=-static RUN='$run' $goal"
    else
        echo "skipped: $target ($cc or ${run:-its C library} is not installed)"
        set -- "$@" "echo '0 passed, 0 failed, 1 skipped'"
    fi
done
exec sh tests/sum.sh "$@"
