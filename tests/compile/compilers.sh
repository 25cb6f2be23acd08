#!/bin/sh
# The same bytes from gcc and from clang, which order the arguments of a call differently, and from -O0 and -O3:
# all that every command prints and writes about the graphs of tests/cases and tests/golden. The first is compared
# with the second, and the others with the first.
# usage: sh tests/compile/compilers.sh     [GCC=PROGRAM CLANG=PROGRAM: built already]
cd "$(dirname "$0")/../.." || exit 1
. tests/check.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM

# build COMPILER [-O1]
build() {
    made=$dir/build-$1$2
    "${MAKE:-make}" -s CC="$1" CFLAGS="${2:--O1} -g0" B="$made" "$made/graphsplit" > "$dir/log" 2>&1
    verdict "build with $1 ${2:--O1}" $? "$dir/log"
}
for compiler in ${GCC:-gcc} ${CLANG:-clang}; do
    command -v "$compiler" > /dev/null || nothing_but "the same bytes from two compilers ($compiler is not installed)"
done
[ -n "$GCC" ] || build gcc
[ -n "$CLANG" ] || build clang
build gcc -O0
build gcc -O3
build clang -O0
build clang -O3
gcc=${GCC:-$dir/build-gcc/graphsplit}
clang=${CLANG:-$dir/build-clang/graphsplit}

# made PROGRAM OPTIONS... > BYTES: what it prints and what it writes into $dir/made
made() {
    rm -rf "$dir/made"
    mkdir "$dir/made"
    "$@" 2>&1 < /dev/null
    echo "exit $?"
    find "$dir/made" -type f | sort | while read -r file; do
        echo "$file"
        cat "$file"
    done
}

# same OPTIONS...
same() {
    made "$gcc" "$@" > "$dir/gcc"
    for other in "$clang" "$dir"/build-*-O?/graphsplit; do
        made "$other" "$@" > "$dir/other"
        cmp "$dir/gcc" "$dir/other" > "$dir/log" 2>&1 || echo "$other" >> "$dir/log"
        grep -q . "$dir/log" && break
    done
    ! grep -q . "$dir/log"
    verdict "$*" $? "$dir/log"
}

# What the commands write beside what they print.
files() {
    case $1 in
    split) echo "--emit $dir/made/parts --save-plan $dir/made/plan --dot $dir/made/dot --html $dir/made/html" ;;
    partition | pipe) echo "--emit $dir/made/parts --save-plan $dir/made/plan --svg $dir/made/svg" ;;
    memory) echo "--emit $dir/made/parts --svg $dir/made/svg" ;;
    module) echo "--emit $dir/made/parts --save-plan $dir/made/plan" ;;
    dedup) echo "--emit $dir/made/parts --dot $dir/made/dot" ;;
    esac
}

awk -v to="$dir" -f tests/unpack.awk tests/cases/*/*.case tests/golden/*/*.case > "$dir/list"
while read -r case graph _ options; do
    # The options stand in a file, one word each.
    # shellcheck disable=SC2086
    same $options --porcelain $(files $options) "$graph"
    case $case in
    tests/cases/*)
        # shellcheck disable=SC2086
        same $options --json "$graph"
        # shellcheck disable=SC2086
        same $options "$graph"
        ;;
    esac
done < "$dir/list"
for graph in tests/cases/*.fx tests/cases/*/*.fx "$dir"/tests/cases/*/*.fx; do
    same emit-c "$graph"
    same emit-c --plan "$graph"
    same read "$graph"
    same preview "$graph"
    same run "$graph"
    same ops "$graph"
    same diff "$graph" tests/cases/chain.fx
    same fit --ram 4KiB "$graph"
    same partition --mode kway --parts 2 "$graph"
    "$gcc" partition --mode kway --parts 2 --part "$dir/part" "$graph" > "$dir/log" 2>&1
    same eval "$graph" "$dir/part"
    same convert "$graph" --to metis -
done
finish
