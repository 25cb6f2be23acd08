#!/bin/sh
# Fuzzes every entry for some seconds: libFuzzer with sanitizers where clang has it, else random mutation.
# usage: sh tests/fuzz/run.sh [SECONDS] [ENTRY...]
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:-10}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- text open table split plan names tflite net onnx
out=${B:-build}/fuzz
mkdir -p "$out/corpus" || exit 1
. tests/check.sh

flags='-g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all'
clang=$(command -v clang || command -v clang-14)
if [ -z "$clang" ] || ! printf '%s' 'int LLVMFuzzerTestOneInput(const char *, unsigned long); int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9 && d[0] > 99 ? 0 : 0; }' |
    "$clang" $flags -x c -o "$out/probe" - 2> /dev/null; then
    clang=
    echo "no libFuzzer: random mutation"
fi

# What lies in the program and is fuzzed beside the library.
program=
for name in buffer compare json_string markup plan_file session sys; do
    program="$program examples/program/core/$name.c"
done

net=
for name in core/error input/net input/net_dot input/net_read; do
    net="$net examples/program/$name.c"
done

# of ENTRY: the program files that it needs
of() {
    [ "$1" != net ] || echo "$net"
    echo "$program"
}

# The importer of ONNX is C++ and needs libraries.
onnx='-std=c++11 -DONNX_ML=1 -DONNX_NAMESPACE=onnx'
clangxx=$(command -v clang++ || command -v clang++-14)
has_onnx() {
    [ -n "$clang" ] && [ -n "$clangxx" ] && echo '#include <onnx/onnx_pb.h>' | "$clangxx" $onnx -fsyntax-only -x c++ - 2> /dev/null
}

# The entries share one object of the library; each of them sees the API alone.
library=$out/library.o
api_only=-DGRAPHSPLIT_IMPLEMENTATION_ONCE
build() {
    if [ "$1" = onnx ]; then
        "$clangxx" $onnx $flags $api_only -I. -Iexamples/program -o "$out/$1" tests/fuzz/fuzz_onnx.cpp examples/onnx/model.cpp \
            examples/onnx/graph.cpp examples/onnx/parts.cpp "$library" -lonnx -lonnx_proto -lprotobuf
    else
        "$clang" -std=c99 $flags $api_only -I. -Iexamples/program -o "$out/$1" "tests/fuzz/fuzz_$1.c" $(of "$1") "$library"
    fi
}

fuzz() {
    entry=$1
    if [ -z "$clang" ]; then
        ${CC:-cc} -std=c99 -g -O1 $api_only -I. -Iexamples/program -o "$out/$entry" "tests/fuzz/fuzz_$entry.c" tests/fuzz/fuzz_main.c $(of "$entry") "$library" &&
            "$out/$entry" "-seconds=$seconds" tests/fuzz/seeds/*/*
        return
    fi
    seeds=
    [ ! -d "tests/fuzz/seeds/$entry" ] || seeds=tests/fuzz/seeds/$entry
    mkdir -p "$out/corpus/$entry"
    build "$entry" &&
        "$out/$entry" "-max_total_time=$seconds" -timeout=5 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
            "-artifact_prefix=$out/$entry-" "$out/corpus/$entry" $seeds > "$out/$entry.log" 2>&1
    rc=$?
    awk -v entry="$entry" '/number_of_executed_units/ { print entry ": " $2 " inputs" }' "$out/$entry.log"
    [ $rc -eq 0 ] || tail -n 40 "$out/$entry.log"
    return $rc
}

if [ -n "$clang" ]; then
    "$clang" -std=c99 $flags -I. -c -o "$library" tests/compile/impl.c
else
    ${CC:-cc} -std=c99 -g -O1 -I. -c -o "$library" tests/compile/impl.c
fi || verdict "the library compiles" 1
for entry in "$@"; do
    if [ "$entry" = onnx ] && ! has_onnx; then
        skip "fuzz onnx (clang++, libonnx-dev or libprotobuf-dev is not installed)"
    else
        fuzz "$entry"
        verdict "fuzz $entry" $?
    fi
done
finish
