#!/bin/sh
# The compile matrix. Every line of a section is one case; a compiler that is missing skips its cases.
# usage: sh tests/compile/run.sh [warn|cxx|switches|link|freestanding|odd|programs|quick]...
# `quick` is what of warn, cxx and programs finds most per second; the others together are the matrix.
cd "$(dirname "$0")/../.." || exit 1
here=tests/compile
out=${B:-build}/compile
if [ $# -ne 1 ]; then
    [ $# -gt 0 ] || set -- warn cxx switches link freestanding odd programs
    mkdir -p "$out"
    # Two sections at a time; all the results at the end.
    printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -I % sh -c "sh $here/run.sh % > '$out/%.txt' 2>&1"
    for section; do
        shift
        set -- "$@" "cat '$out/$section.txt'"
    done
    exec sh tests/sum.sh "$@"
fi
case $1 in
warn | cxx | switches | link | freestanding | odd | programs | quick) out=$out/$1 ;;
*) echo "no such section: $1" >&2; exit 2 ;;
esac
mkdir -p "$out" || exit 1
. tests/check.sh

common='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wcast-align -Wundef
    -Wdouble-promotion -Wfloat-equal -Wformat=2 -Wpointer-arith -Wwrite-strings -Wredundant-decls
    -Wswitch-enum -Wvla -Wnull-dereference -Wimplicit-fallthrough'
c_only='-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wc++-compat -Wbad-function-cast
    -Wnested-externs'
gcc_only='-Wlogical-op -Wduplicated-cond -Wduplicated-branches'
gcc_c='-Wjump-misses-init -Warith-conversion -Wstack-usage=512'
clang_only='-Weverything -Wno-padded -Wno-declaration-after-statement'
programs='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef
    -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wdouble-promotion -Wformat=2 -Wvla'
switches="GSP_NO_ALL_PASSES $(sed -n 's/^#if.*\(GSP_NO_[A-Z_]*\).*/\1/p' graphsplit.h | sort -u | grep -v GSP_NO_ALL_PASSES)"
passes=$(sed -n 's/^#ifndef GSP_WITH_\([A-Z_]*\)$/\1/p' graphsplit.h | sort -u)

has() {
    if command -v "$1" > /dev/null 2>&1; then
        return 0
    fi
    case " $missing " in
    *" $1 "*) ;;
    *) missing="$missing $1"; skip "everything with $1 (it is not installed)" ;;
    esac
    return 1
}

# try_run LABEL PROGRAM COMMAND...: the command makes the program, which has to exit with 0.
try_run() {
    name=$1
    program=$2
    shift 2
    rm -f "$program"
    check "$name" "$@" -o "$program"
    [ ! -f "$program" ] || check "$name: runs" "$program"
}

# The option of a compiler for a standard that it may not know yet under its final name.
c_standard() {
    if [ "$2" = c23 ] && ! "$1" -std=c23 -fsyntax-only -x c /dev/null 2> /dev/null; then
        echo -std=c2x
    else
        echo "-std=$2"
    fi
}

# What clang's -Weverything says about dialects on purpose: C++11 is also C++98, C99 also C90, and so on.
clang_dialect() {
    echo '-Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-old-style-cast -Wno-zero-as-null-pointer-constant'
    if ! "$1" -Werror -Wno-unsafe-buffer-usage -fsyntax-only -x c /dev/null 2> /dev/null; then
        return
    fi
    echo '-Wno-unsafe-buffer-usage'
}

flags_of() {
    case $1 in
    gcc*) echo "$common $c_only $gcc_only $gcc_c" ;;
    g++*) echo "$common $gcc_only" ;;
    clang++*) echo "$clang_only $(clang_dialect clang++)" ;;
    clang*) echo "$clang_only $(clang_dialect clang | sed 's/-Wno-[^ ]*cast//; s/-Wno-zero[^ ]*//')" ;;
    esac
}

# No data that is written or starts as zero.
no_data() {
    size -A "$1" | awk '$1 ~ /^\.(data|bss|tdata|tbss|sdata|sbss)(\.|$)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 { print $1 ": " $2 " bytes" }'
}

warn() {
    for cc in gcc clang; do
        has $cc || continue
        flags=$(flags_of $cc)
        for std in c99 c11 c17 c23; do
            levels=-fsyntax-only # code and frames differ by level, not by standard; other levels: freestanding
            [ $std != c99 ] || levels=-O2
            std=$(c_standard $cc $std)
            for level in $levels; do
                check "header, $cc $std $level" $cc $std $level $flags -Werror -I. -c -o "$out/impl.o" $here/impl.c
                [ $level = -fsyntax-only ] || check "header, $cc $std $level: data" no_data "$out/impl.o"
            done
            check "API alone, $cc $std" $cc $std $flags -Werror -I. -fsyntax-only $here/api.c
        done
    done
}

cxx() {
    for cc in g++ clang++; do
        has $cc || continue
        flags=$(flags_of $cc)
        for std in c++11 c++14 c++17 c++20; do
            levels=-fsyntax-only
            [ $std != c++11 ] || levels='-O0 -O1'
            for level in $levels; do
                check "header, $cc $std $level" $cc -x c++ -std=$std $level $flags -Werror -I. -c -o "$out/impl.o" $here/impl.c
            done
            check "API alone, $cc $std" $cc -x c++ -std=$std $flags -Werror -I. -fsyntax-only $here/api.c
        done
        try_run "extern C around, $cc" "$out/extern_c" $cc -std=c++11 -I. -Wall -Wextra -Werror $here/extern_c.cpp
        try_run "two files, $cc" "$out/two" $cc -x c++ -std=c++11 -I. -Wall -Wextra -Werror $here/two_a.c $here/two_b.c
    done
}

# The switches remove code only: the API with a switch is accepted with and without the implementation.
# clang reports unused functions; gcc does not with -fsyntax-only.
with_switches() {
    cc=$1
    object='-O0 -c'
    [ $cc = clang ] || object=-fsyntax-only
    shift
    check "$cc $*" $cc -std=c99 $object $(flags_of $cc) -Werror "$@" -I. -o "$out/impl.o" $here/impl.c
    check "$cc $* static" $cc -std=c99 -O1 $(flags_of $cc) -Werror "$@" -DGRAPHSPLIT_STATIC -I. -fsyntax-only $here/impl.c
}

# The capital words of the header that bear no prefix, without those of stdint.h and of compilers.
capitals() {
    gcc -fpreprocessed -dD -E -P -x c graphsplit.h 2> /dev/null | sed 's/"[^"]*"//g' | grep -o '\b[A-Z][A-Z0-9_]*\b' | sort -u |
        grep -v '^GSPI\?_\|^GRAPHSPLIT_\|^U\?INT[0-9]\|^NULL$\|^SIZE_MAX$'
}

switches() {
    for cc in gcc clang; do
        has $cc || continue
        for switch in $switches; do
            case $switch in
            GSP_NO_SPLIT) with_switches $cc -D$switch -DGSP_NO_PARTITION ;;
            *) with_switches $cc -D$switch ;;
            esac
        done
        for unmet in GSP_NO_SPLIT GRAPHSPLIT_STATIC; do
            check "$cc -D$unmet alone says what is missing" sh -c "! $cc -std=c99 -D$unmet -I. -fsyntax-only $here/api.c 2> '$out/unmet' &&
                grep -q 'error.*graphsplit: .*; define .* beside $unmet' '$out/unmet'"
        done
        for pass in $passes; do
            with_switches $cc -DGSP_NO_ALL_PASSES -DGSP_WITH_$pass
        done
        with_switches $cc -DGSP_NO_MESSAGES -DGSP_NO_ASSERT -DGSP_NO_COST -DGSP_NO_BUILTINS
        with_switches $cc '-DGSP_CONFIG_HEADER="tests/compile/config.h"'
    done
    has gcc || return
    try_run "own leaf operations" "$out/leaf" gcc -std=c99 -O1 -Wall -Wextra -Werror -I. -I$here -fno-builtin $here/leaf.c
    for switch in GSP_NO_MESSAGES GSP_NO_ASSERT GSP_NO_BUILTINS GSP_NO_COST; do
        try_run "$switch" "$out/two" gcc -std=c99 -D$switch -I. $here/two_a.c $here/two_b.c
    done
    try_run "without fusion and moving" "$out/without" gcc -std=c99 -Wall -Wextra -Werror -I. $here/without.c
    # A user's own macros, e.g. OVERFLOW of math.h, may have the names that ours end in.
    check "macros of a user" gcc -std=c99 $(capitals | sed 's/.*/-D&=64/') -I. -fsyntax-only $here/impl.c
    check "GSP_API exports" gcc -shared -fPIC -fvisibility=hidden '-DGSP_API=__attribute__((visibility("default"))) extern' \
        -std=c99 -I. -o "$out/libgraphsplit.so" $here/impl.c
    check "GSP_API exports: names" sh -c "nm -D --defined-only $out/libgraphsplit.so | grep -q ' T gsp_split_run'"
    check "nothing exported when hidden" gcc -shared -fPIC -fvisibility=hidden -std=c99 -I. -o "$out/hidden.so" $here/impl.c
    check "nothing exported when hidden: names" sh -c "! nm -D --defined-only $out/hidden.so | grep ' gsp_'"
}

link() {
    for cc in gcc clang tcc musl-gcc; do
        has $cc || continue
        try_run "two files, $cc" "$out/two" $cc -std=c99 -I. $here/two_a.c $here/two_b.c
        try_run "static twice, $cc" "$out/static" $cc -std=c99 -Wall -Werror -I. $here/static_a.c $here/static_b.c
        check "static, nothing unused, $cc" $cc -std=c99 -Wall -Wextra -Werror -DGRAPHSPLIT_STATIC -I. -c -o "$out/static.o" $here/impl.c
    done
    has gcc || return
    check "implementation included after the API" \
        gcc -std=c99 -Wall -Wextra -Werror -I. -include graphsplit.h -c -o "$out/impl.o" $here/impl.c
    for cc in gcc clang; do
        has $cc && echo 'int main(void) { return 0; }' | $cc -x c -fsanitize=thread -o "$out/probe" - 2> /dev/null && "$out/probe" ||
            { skip "two threads on one module, $cc (its ThreadSanitizer does not work here)"; continue; }
        check "two threads on one module, $cc" $cc -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -O1 -g1 \
            -fsanitize=thread -pthread -I. -o "$out/threads" $here/threads.c
        for net in examples/models/*.fx; do
            check "two threads on one module, $cc: $net" "$out/threads" "$net"
        done
    done
    for gap in 0u 64u; do
        check "GSP_GAP=$gap" gcc -std=c99 -DGSP_GAP=$gap -I. -c -o "$out/library_$gap.o" $here/two_a.c
        check "GSP_GAP=$gap, API" gcc -std=c99 -DGSP_GAP=$gap -I. -c -o "$out/user_$gap.o" $here/two_b.c
    done
    try_run "one value of GSP_GAP" "$out/two" gcc "$out/library_64u.o" "$out/user_64u.o"
    for gaps in '0u 64u' '64u 0u'; do
        check "two values of GSP_GAP do not link: $gaps" sh -c "! gcc -o '$out/two' '$out/library_${gaps% *}.o' '$out/user_${gaps#* }.o' 2> '$out/gaps' &&
            grep -q 'undefined.*gsp_arena_init' '$out/gaps'"
    done
    for addon in $(ls examples/extra/graphsplit_*.h | sed 's/.*graphsplit_//; s/\.h$//' | grep -v numbers); do
        upper=$(echo "$addon" | tr a-z A-Z)
        check "GSP_GAP: $addon" gcc -std=c99 -DGSP_GAP=64u -DGRAPHSPLIT_${upper}_IMPLEMENTATION -I. -x c -c -o "$out/addon.o" examples/extra/graphsplit_$addon.h
        check "GSP_GAP: $addon does not link to another" sh -c "! gcc -o '$out/two' '$out/addon.o' '$out/library_0u.o' '$out/user_0u.o' 2> '$out/gaps' &&
            grep -q 'undefined.*_with_gap_64' '$out/gaps'"
    done
    # Other flags of a compiler either keep the layout of all structs, or are refused by name.
    for flags in -fshort-enums -funsigned-char -fwrapv -O3 -std=c11; do
        check "API $flags" gcc -std=c99 $flags -I. -c -o "$out/user.o" $here/two_b.c
        try_run "library without $flags" "$out/two" gcc "$out/library_0u.o" "$out/user.o"
    done
    for flags in -fpack-struct -fpack-struct=4 '-include tests/compile/packed.h'; do
        check "$flags is refused" refused gspi_structs_must_not_be_packed gcc -std=c99 $flags -I. -fsyntax-only $here/two_b.c
    done
}

# No libc header and nothing of libc but four functions.
undefined_only_mem() {
    nm -u "$1" | awk '$2 !~ /^(memcpy|memmove|memset|memcmp|__aeabi_.*|__u?(div|mod)di3|_GLOBAL_OFFSET_TABLE_)$/ { print "undefined: " $2 }'
}

freestanding() {
    for cc in gcc clang; do
        has $cc || continue
        include=$(gcc -print-file-name=include)
        [ $cc = gcc ] || include=$(clang -print-resource-dir)/include
        for level in -O0 -O2 -O3 -Os; do
            check "freestanding, $cc $level" $cc -std=c99 $level $(flags_of $cc) -Werror -ffreestanding -nostdinc \
                -isystem "$include" -I. -DGSP_NO_ASSERT -c -o "$out/free.o" $here/impl.c
            check "freestanding, $cc $level: undefined" undefined_only_mem "$out/free.o"
            check "freestanding, $cc $level: data" no_data "$out/free.o"
        done
    done
    has clang || return
    for target in thumbv6m-none-eabi thumbv7em-none-eabi riscv32-none-elf riscv64-none-elf wasm32 powerpc-none-elf \
        mips-none-elf sparc-none-elf aarch64-none-elf s390x-none-elf; do
        if ! clang --target=$target -c -x c -o "$out/probe.o" /dev/null 2> /dev/null; then
            skip "$target (this clang does not compile for it)"
            continue
        fi
        check "$target" clang --target=$target -std=c99 -O0 -ffreestanding $(flags_of clang) -Werror -I. \
            -c -o "$out/target.o" $here/impl.c
    done
}

# refused NAME COMPILER...: it fails, and the first error names the assertion.
refused() {
    name=$1
    shift
    ! "$@" > "$out/refused" 2>&1 && grep -m 1 'error:' "$out/refused" | grep -v "$name"
    grep -q "error:.*$name" "$out/refused" || echo "accepted, or refused for another reason"
}

# Compilers and settings that lay things out in another way.
odd() {
    for flags in -fshort-enums -funsigned-char -fsigned-char -fno-strict-aliasing -fwrapv -std=gnu99; do
        has gcc && check "gcc $flags" gcc -std=c99 $flags -Wall -Werror -I. -fsyntax-only $here/impl.c
    done
    for cc in gcc clang; do
        has $cc || continue
        if ! $cc -m32 -fsyntax-only -include stdint.h -x c /dev/null 2> /dev/null; then
            skip "$cc -m32 (no 32-bit headers are installed; Debian: gcc-multilib)"
            continue
        fi
        check "$cc -m32" $cc -m32 -std=c99 -O2 $(flags_of $cc) -Werror -I. -c -o "$out/m32.o" $here/impl.c
    done
    for cc in gcc clang; do
        has $cc && check "hostile macros, $cc" $cc -std=c99 -Wall -Wextra -Werror -I. -c -o "$out/hostile.o" $here/hostile.c
    done
    # One hash of all latencies, whatever is done to floating-point code.
    seconds="-std=c99 -w -I. -DGSP_NO_ALL_PASSES -DGSP_WITH_TEXT -DGSP_WITH_PARTITION -DGSP_NO_FLOW
        -DEXPECTED=0x215979F4DEB79ECBu $here/seconds.c"
    for cc in gcc clang; do
        has $cc || continue
        native=
        ! grep -q ' fma ' /proc/cpuinfo 2> /dev/null || native=-mfma
        for flags in -O0 "-O3 -ffp-contract=fast $native" "-O2 -ffast-math $native"; do
            try_run "seconds: $cc $flags" "$out/seconds" $cc $flags $seconds
        done
    done
    x87='-m32 -mfpmath=387 -I/usr/include/x86_64-linux-gnu'
    if has gcc && echo 'int main(void) { return 0; }' | gcc $x87 -x c -o "$out/x87" - 2> /dev/null; then
        for flags in -O0 -O2; do
            try_run "seconds: gcc $x87 $flags" "$out/seconds" gcc $x87 $flags $seconds
        done
    fi
    # Where size_t has 16 bits the assertion says so by name.
    for target in msp430 avr; do
        has clang || continue
        check "$target is refused" refused graphsplit_needs_a_size_t_of_32_bits \
            clang --target=$target -std=c99 -ffreestanding -fsyntax-only -w -I. $here/impl.c
    done
    for flags in -fshort-enums -funsigned-char; do
        has gcc || continue
        try_run "gcc $flags" "$out/two" gcc -std=c99 $flags -I. $here/two_a.c $here/two_b.c
    done
}

# c_programs COMPILER...: every C program of the tree under the project's own warnings.
c_programs() {
    for cc; do
        has $cc || continue
        for file in examples/*.c $(find examples/program -name "*.c") examples/tflite/*.c bench/*.c tests/*.c tests/unit/*.c tests/contract/*.c tests/oracle/*.c \
            tests/hard/*.c tests/fuzz/*.c; do
            [ -f "$file" ] || continue
            mpi=
            if [ "$file" = examples/mpi_pipeline.c ]; then
                mpi=$(mpicc --showme:compile 2> /dev/null | sed 's/-I/-isystem /g')
                [ -n "$mpi" ] || continue # no MPI here
            fi
            check "$file, $cc" $cc -std=c99 -fsyntax-only $programs -Werror $mpi -I. -Iexamples/program "$file"
        done
    done
}

programs() {
    c_programs gcc clang
    # The library in C++ is what the section cxx compiles.
    for cc in g++ clang++; do
        has $cc || continue
        for file in examples/*.cpp examples/tflite/*.c; do
            std=11
            case $file in *17.cpp) std=17 ;; esac
            check "$file, $cc" $cc -x c++ -std=c++$std -O2 -Wall -Wextra -Wpedantic -Wshadow -Werror \
                -DGRAPHSPLIT_IMPLEMENTATION_ONCE -I. -c -o "$out/program.o" "$file"
        done
    done
}

quick() {
    for cc in gcc clang; do
        has $cc || continue
        check "header, $cc" $cc -std=c99 -O1 $(flags_of $cc) -Werror -I. -c -o "$out/impl.o" $here/impl.c
        check "header, $cc: data" no_data "$out/impl.o"
        check "API alone, $cc" $cc -std=c99 $(flags_of $cc) -Werror -I. -fsyntax-only $here/api.c
        check "hostile macros, $cc" $cc -std=c99 -Wall -Wextra -Werror -I. -fsyntax-only $here/hostile.c
    done
    for cc in g++ clang++; do
        has $cc || continue
        check "header, $cc" $cc -x c++ -std=c++11 -O0 $(flags_of $cc) -Werror -I. -c -o "$out/impl.o" $here/impl.c
    done
    c_programs gcc
}

$1
finish
