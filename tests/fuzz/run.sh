#!/bin/sh
# Fuzzes every entry for some seconds: libFuzzer with sanitizers where clang has it, else random mutation;
# with FUZZER=afl AFL++, if it is installed.
# usage: [FUZZER=afl] sh tests/fuzz/run.sh [SECONDS] [ENTRY...]
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:-10}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- text open table split plan names tflite net csv piper manifest options onnx
root=$PWD
case ${B:-build} in
/*) out=$B/fuzz ;;
*) out=$root/${B:-build}/fuzz ;;
esac
mkdir -p "$out/corpus" || exit 1
. tests/check.sh

sanitizers='-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all'
flags="$sanitizers -fsanitize=fuzzer"
objects="$sanitizers -fsanitize=fuzzer-no-link"
clang=$(command -v clang || command -v clang-14)
clangxx=$(command -v clang++ || command -v clang++-14)
if [ "${FUZZER:-}" = afl ]; then
    command -v afl-fuzz > /dev/null && clang=$(command -v afl-clang-fast) && clangxx=$(command -v afl-clang-fast++) ||
        nothing_but "AFL++ (afl-fuzz or afl-clang-fast is not installed)"
    out=$out/afl
    mkdir -p "$out" || exit 1
    objects=$sanitizers
    export AFL_QUIET=1 AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
elif [ -z "$clang" ] || ! printf '%s' 'int LLVMFuzzerTestOneInput(const char *, unsigned long); int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9 && d[0] > 99 ? 0 : 0; }' |
    "$clang" $flags -x c -o "$out/probe" - 2> /dev/null; then
    clang=
    objects='-g -O1'
    flags=$objects
    echo "no libFuzzer: random mutation"
fi

# The importer of ONNX is C++ and needs libraries.
onnx='-std=c++11 -DONNX_ML=1 -DONNX_NAMESPACE=onnx'
has_onnx() {
    [ -n "$clang" ] && [ -n "$clangxx" ] && echo '#include <onnx/onnx_pb.h>' | "$clangxx" $onnx -fsyntax-only -x c++ - 2> /dev/null
}

# The entries share the objects of the program and of the library; each of them sees the API alone.
program=$out/program.a
api_only='-DGRAPHSPLIT_IMPLEMENTATION_ONCE -I. -Iexamples/program'
build_program() {
    "${MAKE:-make}" --no-print-directory -s -j2 B="$out/program" CC="${clang:-${CC:-cc}}" CFLAGS="$objects" \
        LDFLAGS="${clang:+$sanitizers}" "$out/program/graphsplit" > "$out/log" 2>&1 &&
        rm -f "$program" &&
        find "$out/program/obj" -name '*.o' ! -path '*/program/main.o' -exec ar rcs "$program" {} +
}

# An entry that runs the program takes over the end of the process (program.h).
build() {
    if [ "$1" = onnx ]; then
        "$clangxx" $onnx $flags $api_only -o "$out/$1" tests/fuzz/fuzz_onnx.cpp examples/onnx/model.cpp \
            examples/onnx/graph.cpp examples/onnx/parts.cpp "$program" -lonnx -lonnx_proto -lprotobuf
    else
        more=
        [ -n "$clang" ] || more=tests/fuzz/fuzz_main.c
        ! grep -q '"program.h"' "tests/fuzz/fuzz_$1.c" || more="$more -Wl,--wrap=exit"
        "${clang:-${CC:-cc}}" -std=c99 $flags $api_only -o "$out/$1" "tests/fuzz/fuzz_$1.c" $more "$program"
    fi
}

# In a directory of its own, for entries that write files.
run_afl() {
    seeds=$out/seeds
    rm -rf "$seeds" "$out/found/$1"
    mkdir -p "$seeds" "$out/found"
    echo > "$seeds/empty"
    cp "$root/tests/fuzz/seeds/$1/"* "$out/../corpus/$1/"* "$seeds/" 2> /dev/null
    afl-fuzz -V "$seconds" -t 5000 -m none -i "$seeds" -o "$out/found/$1" "$out/$1" > "$out/$1.log" 2>&1 || return 1
    awk -v entry="$1" '/^execs_done/ { print entry ": " $3 " inputs" }
        /^saved_crashes|^saved_hangs/ { bad += $3 } END { exit bad > 0 }' "$out/found/$1/default/fuzzer_stats"
}

run_libfuzzer() {
    seeds=
    [ ! -d "$root/tests/fuzz/seeds/$1" ] || seeds=$root/tests/fuzz/seeds/$1
    mkdir -p "$out/corpus/$1"
    "$out/$1" "-max_total_time=$seconds" -timeout=5 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
        "-artifact_prefix=$out/$1-" "$out/corpus/$1" $seeds > "$out/$1.log" 2>&1
    rc=$?
    awk -v entry="$1" '/number_of_executed_units/ { print entry ": " $2 " inputs" }' "$out/$1.log"
    return $rc
}

fuzz() (
    entry=$1
    build "$entry" > "$out/$entry.log" 2>&1 && cd "$here" || return 1
    if [ "${FUZZER:-}" = afl ]; then
        run_afl "$entry"
    elif [ -n "$clang" ]; then
        run_libfuzzer "$entry"
    else
        "$out/$entry" "-seconds=$seconds" "$root"/tests/fuzz/seeds/*/*
    fi
)

here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
trap 'exit 1' HUP INT TERM
build_program
rc=$?
verdict "the program compiles" $rc "$out/log"
[ $rc -eq 0 ] || finish
inputs=0
for entry in "$@"; do
    if [ "$entry" = onnx ] && ! has_onnx; then
        skip "fuzz onnx (clang++, libonnx-dev or libprotobuf-dev is not installed)"
    else
        fuzz "$entry" < /dev/null > "$out/said"
        rc=$?
        cat "$out/said"
        inputs=$((inputs + $(awk '/ inputs$/ { n = $2 } END { print n + 0 }' "$out/said")))
        [ $rc -eq 0 ] || tail -n 40 "$out/$entry.log"
        verdict "fuzz $entry" $rc
    fi
done
echo "$inputs inputs in all"
finish
