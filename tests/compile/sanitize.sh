#!/bin/sh
# Builds everything with a sanitizer, or with two that one build can hold, and runs the tests. The sanitizer for
# addresses guards gaps between the arrays of an arena. ORIGINS=1: msan also says where the memory was taken,
# which takes half as long again.
# usage: sh tests/compile/sanitize.sh asan|ubsan|asan-ubsan|msan     [TARGET_TEST=test-fast] [ORIGINS=1]
case $1 in
asan) cc=${CC:-cc} flags='-fsanitize=address -DGSP_GAP=64u' ;;
ubsan) cc=${CC:-cc} flags='-fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all' ;;
asan-ubsan) cc=${CC:-cc} flags='-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -DGSP_GAP=64u' ;;
msan) cc=clang flags="-fsanitize=memory${ORIGINS:+ -fsanitize-memory-track-origins}" ;;
*) echo "usage: sh tests/compile/sanitize.sh asan|ubsan|asan-ubsan|msan" >&2; exit 2 ;;
esac
dir=build/$1
mkdir -p "$dir"
echo 'int main(void) { return 0; }' > "$dir/probe.c"
if ! $cc $flags -o "$dir/probe" "$dir/probe.c" 2> "$dir/probe.log" || ! "$dir/probe"; then
    echo "skipped: the tests under $1 ($cc does not have this sanitizer)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
exec "${MAKE:-make}" --no-print-directory B="$dir" CC="$cc" CXX=none CFLAGS="-g1 -O1 $flags" LDFLAGS="$flags" "${TARGET_TEST:-test}"
