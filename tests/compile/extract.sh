#!/bin/sh
# Extracts of the header (examples/integrate/extract.sh) compile without a warning or an unused function, and
# behave as the header does: the suites of a family run with its functions taken from the extract.
# usage: sh tests/compile/extract.sh [LIBRARY OBJECT...]     the object of the library, those of the tests
cd "$(dirname "$0")/../.." || exit 1
out=${B:-build}/extract
rm -rf "$out"
mkdir -p "$out" || exit 1
. tests/check.sh
extract() { sh examples/integrate/extract.sh "$@"; }
families="text split partition dedup pipeline memory"
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror -O1 -fsyntax-only"

# compiles NAME: as C99 where no function may be unused, and as C++11.
compiles() {
    extract "$1" > "$out/$1.h"
    verdict "extract $1" $?
    { echo '#define GRAPHSPLIT_IMPLEMENTATION'; sed '/^GSPI_\(BEGIN\|END\)$/d' "$out/$1.h"; } > "$out/all.c"
    # shellcheck disable=SC2086
    check "$1 as C" ${CC:-cc} -std=c99 $warnings "$out/all.c"
}
for name in $families $(sed -n '/>>family SPLIT /,/\*\//{/\*\//q;/>>family/d;s/^ \* *>>\([a-z_]*\) .*/\1/p;}' graphsplit.h); do
    [ "$name" = impl ] || [ -e "$out/$name.h" ] || compiles "$name"
done
for name in $families; do
    { echo '#define GRAPHSPLIT_IMPLEMENTATION'; cat "$out/$name.h"; } > "$out/all.cpp"
    # shellcheck disable=SC2086
    check "$name as C++" ${CXX:-c++} -std=c++11 $warnings "$out/all.cpp"
done

[ "$(wc -l < "$out/memory_pack.h")" -le 1800 ] && ! grep -q gsp_graph "$out/memory_pack.h"
verdict "memory_pack takes more than 1,800 lines, or knows graphs" $?
grep -q 'examples/integrate/extract.sh memory_pack' "$out/memory_pack.h" && grep -q 'MIT License' "$out/memory_pack.h" &&
    head -n 1 "$out/memory_pack.h" | grep -q 'v[0-9]*\.[0-9]*\.[0-9]* '
verdict "the line that made it, licence and version are in it" $?
cp "$out/memory_pack.h" "$out/gsp_memory_pack.h"
check "a program that plans" ${CC:-cc} -std=c99 -Wall -Wextra -Werror -I"$out" -o "$out/pack" examples/integrate/pack.c
[ -n "$RUN" ] || works "plans 1,000 tensors" "$out/pack"
mkdir -p "$out/alone/examples" && cp "$out/memory_pack.h" "$out/alone/graphsplit.h" && cp examples/intervals.c "$out/alone/examples"
check "graphsplit_intervals.h with the extract" ${CC:-cc} -std=c99 -Wall -Wextra -Werror -I"$out/alone" -I. -o "$out/intervals" \
    "$out/alone/examples/intervals.c"
[ -n "$RUN" ] || works "plans buffers" "$out/intervals"
extract memory_pakc > "$out/none" 2> "$out/log"
[ $? -eq 2 ] && [ ! -s "$out/none" ] && grep -q "'memory_pakc'.* memory_pack " "$out/log"
verdict "an unknown name lists those that exist" $? "$out/log"

# The object of the whole library with weak names gives what the extract has not.
weaken=${OBJCOPY:-objcopy}
[ $# -gt 1 ] && [ -z "$RUN" ] && command -v "$weaken" > "$out/log" ||
    nothing_but "suites of extracts (no objects, no objcopy, or an emulator runs the program)"
"$weaken" --weaken "$1" "$out/whole.o"
shift
others=$*

# agrees NAME SUITE...: with the functions of the extract.
agrees() {
    name=$1
    shift
    { echo '#define GRAPHSPLIT_IMPLEMENTATION'; cat "$out/$name.h"; } > "$out/part.c"
    # shellcheck disable=SC2086
    check "$name" ${CC:-cc} -std=c99 -O1 -c -o "$out/part.o" "$out/part.c" &&
        works "$name links" ${CC:-cc} -o "$out/tests" "$out/part.o" $others "$out/whole.o" &&
        works "suites of $name" "$out/tests" --fast "$@"
}
agrees text unit_text unit_annotation oracle_text hard_text
agrees split unit_split unit_acc_nodes unit_fuse unit_preview oracle_split oracle_demote
agrees partition unit_partition unit_score oracle_partition oracle_score
agrees dedup unit_dedup unit_node_classes oracle_dedup hard_dedup
agrees pipeline unit_pipeline unit_stages_even oracle_pipeline oracle_backward
agrees memory unit_memory unit_exec oracle_memory oracle_exec hard_exec
agrees memory_pack oracle_memory_pack
finish
