#!/bin/sh
# Fuzzes every entry for some seconds, as many at a time as there are processors (or JOBS): libFuzzer with
# sanitizers where clang has it, else random mutation. FUZZER=fast: optimised code that traps at undefined
# behaviour, many times as fast; FUZZER=afl: AFL++, if it is installed. FUZZ_LOG=FILE: each entry adds a line
# to that table. FUZZ_KEEP=1: what was found joins the seeds, less what reaches no edge of its own.
# Where tests/fuzz/dict has a dictionary of the entry, the fuzzer uses it.
# FUZZ_OPTIONS: of libFuzzer; with -max_len=64 many times as many inputs, all short. CLANG_VERSION: 19, ...
# The seeds of an entry are a text file, tests/fuzz/seeds/ENTRY.txt (seeds.c), and files that other tests read, too.
# usage: [FUZZER=fast|afl] [FUZZ_LOG=tests/fuzz/LOG] [FUZZ_KEEP=1] sh tests/fuzz/run.sh [SECONDS] [ENTRY...]
#        sh tests/fuzz/run.sh --unpack DIRECTORY [ENTRY...]     seeds, a file each, into DIRECTORY/ENTRY
cd "$(dirname "$0")/../.." || exit 1
unpack=
if [ "$1" = --unpack ]; then
    unpack=${2:?--unpack expects a directory}
    shift
fi
seconds=${1:-10}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- text open csr table split plan names tflite net csv piper weights manifest options onnx
root=$PWD
case ${B:-build} in
/*) out=$B/fuzz ;;
*) out=$root/${B:-build}/fuzz ;;
esac
corpus=$out/corpus
mkdir -p "$corpus" "$out/fast" "$out/afl" || exit 1
. tests/check.sh

${CC:-cc} -std=c99 -O1 -o "$out/seeds" tests/fuzz/seeds.c || exit 1
tool=$out/seeds
# Seeds that are files of other tests.
files_of() {
    case $1 in
    text) echo tests/formats/data/plain.fx ;;
    tflite) echo tests/formats/data/*.tflite ;;
    esac
}

# unpack_seeds DIRECTORY ENTRY...
unpack_seeds() {
    to=$1
    shift
    for entry in "$@"; do
        mkdir -p "$to/$entry" || return 1
        [ ! -f "tests/fuzz/seeds/$entry.txt" ] || "$tool" unpack "$to/$entry" < "tests/fuzz/seeds/$entry.txt" || return 1
        # shellcheck disable=SC2046
        [ -z "$(files_of "$entry")" ] || cp $(files_of "$entry") "$to/$entry"
    done
}
if [ -n "$unpack" ]; then
    unpack_seeds "$unpack" "$@"
    exit
fi

processors=$(getconf _NPROCESSORS_ONLN || echo 1)
jobs=${JOBS:-$processors}
# An input may take 5 s of a processor; libFuzzer counts elapsed time.
timeout=$((5 * (jobs > processors ? jobs : processors) / processors))
fuzzer=${FUZZER:-asan}
sanitizers='-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -DGSP_GAP=64u'
if [ "$fuzzer" = fast ]; then
    out=$out/fast
    sanitizers='-g1 -O2 -ffunction-sections -fsanitize=undefined -fsanitize-trap=undefined -fno-sanitize-coverage=trace-cmp'
fi
flags="$sanitizers -fsanitize=fuzzer"
# After each input libFuzzer reads all counters: those of functions that the entry never calls are left out.
[ "$fuzzer" != fast ] || flags="$flags -Wl,--gc-sections,-z,start-stop-gc"
objects="$sanitizers -fsanitize=fuzzer-no-link"
clang=$(command -v "clang${CLANG_VERSION:+-$CLANG_VERSION}" || command -v clang-14)
clangxx=$(command -v "clang++${CLANG_VERSION:+-$CLANG_VERSION}" || command -v clang++-14)
if [ "$fuzzer" = afl ]; then
    command -v afl-fuzz > /dev/null && clang=$(command -v afl-clang-fast) && clangxx=$(command -v afl-clang-fast++) ||
        nothing_but "AFL++ (afl-fuzz or afl-clang-fast is not installed)"
    out=$out/afl
    objects=$sanitizers
    export AFL_QUIET=1 AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
elif [ -z "$clang" ] || ! printf '%s' 'int LLVMFuzzerTestOneInput(const char *, unsigned long); int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9 && d[0] > 99 ? 0 : 0; }' |
    "$clang" $flags -x c -o "$out/probe" - 2> /dev/null; then
    clang=
    fuzzer=random
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
api_only='-DGRAPHSPLIT_IMPLEMENTATION_ONCE -DGRAPHSPLIT_COMPARE_IMPLEMENTATION_ONCE -DGRAPHSPLIT_CSR_IMPLEMENTATION_ONCE -DGRAPHSPLIT_DEVICES_IMPLEMENTATION_ONCE -DGRAPHSPLIT_DOWNSETS_IMPLEMENTATION_ONCE -DGRAPHSPLIT_DRAW_IMPLEMENTATION_ONCE -DGRAPHSPLIT_FINGERPRINT_IMPLEMENTATION_ONCE -DGRAPHSPLIT_HEFT_IMPLEMENTATION_ONCE -DGRAPHSPLIT_INTERVALS_IMPLEMENTATION_ONCE -DGRAPHSPLIT_KWAY_IMPLEMENTATION_ONCE -DGRAPHSPLIT_LIMITS_IMPLEMENTATION_ONCE -DGRAPHSPLIT_MEMORIES_IMPLEMENTATION_ONCE -DGRAPHSPLIT_NUMBERS_IMPLEMENTATION_ONCE -DGRAPHSPLIT_OFFLOAD_IMPLEMENTATION_ONCE -DGRAPHSPLIT_OPERATORS_IMPLEMENTATION_ONCE -DGRAPHSPLIT_ORDER_IMPLEMENTATION_ONCE -DGRAPHSPLIT_ORIGIN_IMPLEMENTATION_ONCE -DGRAPHSPLIT_PREFETCH_IMPLEMENTATION_ONCE -DGRAPHSPLIT_REPEATS_IMPLEMENTATION_ONCE -DGRAPHSPLIT_SCHEDULE_IMPLEMENTATION_ONCE -DGRAPHSPLIT_STAGES_IMPLEMENTATION_ONCE -DGRAPHSPLIT_TILES_IMPLEMENTATION_ONCE -DGRAPHSPLIT_TRAFFIC_IMPLEMENTATION_ONCE -I. -Iexamples/program'
# What an entry needs beside the library, where that is little: else the whole program.
needs() {
    session=$(printf ' program/core/%s' buffer error json_string session sys)
    case $1 in
    csr | split | table | onnx) ;;
    open | text) echo program/algorithms/plan_file ;;
    plan) echo program/algorithms/plan_file ;;
    names) echo "$session program/core/markup" ;;
    net) echo "$session program/input/net program/input/net_dot program/input/net_module program/input/net_read" ;;
    tflite) echo program/algorithms/plan_file tflite/tflite ;;
    *) return 1 ;;
    esac
}

# targets ENTRY...: what make makes for them.
targets() {
    echo "$out/program/obj/examples/program/core/impl.o"
    for entry in "$@"; do
        needed=$(needs "$entry") || echo "$out/program/graphsplit"
        for name in $needed; do
            echo "$out/program/obj/examples/$name.o"
        done
    done
}

build_program() {
    # shellcheck disable=SC2046
    "${MAKE:-make}" --no-print-directory -s -j"$jobs" B="$out/program" CC="${clang:-${CC:-cc}}" CFLAGS="$objects" \
        LDFLAGS="${clang:+$sanitizers}" $(targets "$@") > "$out/log" 2>&1 &&
        rm -f "$program" &&
        find "$out/program/obj" -name '*.o' ! -path '*/program/main.o' -exec ar rcs "$program" {} +
}

# An entry that runs the program takes over the end of the process (program.h).
build() {
    if [ "$1" = onnx ]; then
        "$clangxx" $onnx $flags $api_only -o "$out/$1" tests/fuzz/fuzz_onnx.cpp examples/onnx/model.cpp \
            examples/onnx/given.cpp examples/onnx/infer.cpp examples/onnx/rules.cpp examples/onnx/contrib.cpp \
            examples/onnx/values.cpp examples/onnx/graph.cpp examples/onnx/parts.cpp \
            examples/onnx/weights.cpp "$program" -lonnx -lonnx_proto -lprotobuf
    else
        more=
        [ -n "$clang" ] || more=tests/fuzz/fuzz_main.c
        ! grep -q '"program.h"' "tests/fuzz/fuzz_$1.c" || more="$more -Wl,--wrap=exit"
        "${clang:-${CC:-cc}}" -std=c99 $flags $api_only -o "$out/$1" "tests/fuzz/fuzz_$1.c" $more "$program"
    fi
}

# The dictionary of an entry, if there is one.
dictionary() {
    dict=$root/tests/fuzz/dict/$1.dict
    [ -f "$dict" ] || dict=
}

# Each run leaves three numbers in ENTRY.sum: inputs, edges that they reach, findings.
run_afl() {
    seeds=$here/seeds/$1
    rm -rf "$out/found/$1"
    mkdir -p "$out/found"
    echo > "$seeds/empty"
    cp "$corpus/$1/"* "$seeds/" 2> /dev/null
    dictionary "$1"
    afl-fuzz ${dict:+-x "$dict"} -V "$seconds" -t 5000 -m none -i "$seeds" -o "$out/found/$1" "$out/$1" > "$out/$1.log" 2>&1 || return 1
    awk '/^execs_done/ { n = $3 } /^edges_found/ { edges = $3 } /^saved_crashes|^saved_hangs/ { bad += $3 }
        END { print n, edges, bad + 0; exit bad > 0 }' "$out/found/$1/default/fuzzer_stats" > "$out/$1.sum"
}

# The schedule by entropy costs more than the passes, and names of functions a process each.
run_libfuzzer() {
    seeds=$here/seeds/$1
    mkdir -p "$corpus/$1"
    dictionary "$1"
    "$out/$1" $FUZZ_OPTIONS ${dict:+"-dict=$dict"} "-max_total_time=$seconds" "-timeout=$timeout" -rss_limit_mb=2048 -print_final_stats=1 -print_funcs=0 -entropic=0 \
        "-artifact_prefix=$out/$1-" "$corpus/$1" "$seeds" > "$out/$1.log" 2>&1
    rc=$?
    awk -v bad=$((rc != 0)) '/number_of_executed_units/ { n = $2 } $3 == "cov:" { edges = $4 }
        END { print n + 0, edges + 0, bad }' "$out/$1.log" > "$out/$1.sum"
    return $rc
}

run_random() {
    "$out/$1" "-seconds=$seconds" "$here"/seeds/*/* > "$out/$1.log" 2>&1
    rc=$?
    awk -v bad=$((rc != 0)) '/ mutations$/ { n = $1 + $3 } END { print n + 0, "-", bad }' "$out/$1.log" > "$out/$1.sum"
    return $rc
}

# Seeds that have a name of their own stay; the others, named by their hash, are chosen anew.
keep() {
    seeds=$here/seeds/$1
    mkdir -p "$here/old/$1" "$corpus/$1"
    find "$seeds" -type f -name "$(printf '%040d' 0 | tr 0 '?')" -exec mv {} "$here/old/$1" \;
    "$out/$1" -merge=1 -use_counters=0 "$seeds" "$corpus/$1" "$here/old/$1" > "$out/$1.merge" 2>&1 || return 1
    for file in $(cd "$root" && files_of "$1"); do
        rm "$seeds/${file##*/}"
    done
    LC_ALL=C && export LC_ALL # the order of names
    "$tool" pack "$seeds"/* > "$root/tests/fuzz/seeds/$1.txt"
}

# In a directory of its own, for entries that write files.
fuzz() (
    echo "0 - 1" > "$out/$1.sum"
    build "$1" > "$out/$1.log" 2>&1 && mkdir "$here/$1" && cd "$here/$1" || return 1
    case $fuzzer in
    afl | random) "run_$fuzzer" "$1" ;;
    *) run_libfuzzer "$1" && { [ -z "${FUZZ_KEEP:-}" ] || keep "$1"; } ;;
    esac
)

# worker K ENTRY...: the entries K, K + jobs, ...; they take the same time each.
worker() {
    next=$1
    shift
    while [ "$next" -le $# ]; do
        eval "entry=\${$next}"
        if [ "$entry" != onnx ] || has_onnx; then
            fuzz "$entry" < /dev/null
            echo $? > "$here/$entry.rc"
        fi
        next=$((next + jobs))
    done
}

# log_line FILE ENTRY INPUTS EDGES FINDINGS: the last column sums up the inputs of all lines.
log_line() {
    [ -f "$1" ] || echo "date       entry     fuzzer        inputs   edges findings           sum" > "$1"
    sum=$(awk -v n="$3" '$4 ~ /^[0-9]+$/ { n += $4 } END { printf "%.0f\n", n }' "$1")
    printf '%s %-9s %-7s %12s %7s %8s %13s\n' "$(date -u +%Y-%m-%d)" "$2" "$fuzzer" "$3" "$4" "$5" "$sum" >> "$1"
}

# Where memory serves as a disk, files that live for one input cost little.
here=$(TMPDIR=/dev/shm mktemp -d 2> /dev/null || mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
trap 'exit 1' HUP INT TERM
# Random mutation mixes the seeds of all entries.
[ "$fuzzer" = random ] && all=$(cd tests/fuzz/seeds && ls | sed 's/\.txt$//') || all=$*
# shellcheck disable=SC2086
unpack_seeds "$here/seeds" $all
verdict "the seeds" $?
build_program "$@"
rc=$?
verdict "the program compiles" $rc "$out/log"
[ $rc -eq 0 ] || finish
k=1
while [ "$k" -le "$jobs" ]; do
    worker "$k" "$@" &
    k=$((k + 1))
done
wait
all=0
for entry in "$@"; do
    if [ ! -f "$here/$entry.rc" ]; then
        skip "fuzz $entry (clang++, libonnx-dev or libprotobuf-dev is not installed)"
        continue
    fi
    read -r rc < "$here/$entry.rc"
    read -r inputs edges findings < "$out/$entry.sum"
    echo "$entry: $inputs inputs"
    all=$((all + inputs))
    [ "$rc" -eq 0 ] || tail -n 40 "$out/$entry.log"
    verdict "fuzz $entry" "$rc"
    [ -z "${FUZZ_LOG:-}" ] || log_line "$FUZZ_LOG" "$entry" "$inputs" "$edges" "$findings"
done
echo "$all inputs in all"
finish
