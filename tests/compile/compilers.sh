#!/bin/sh
# The same bytes from gcc and from clang, which order the arguments of a call differently: all that every
# command prints and writes about the graphs of tests/cases and tests/golden.
# usage: sh tests/compile/compilers.sh     [GCC=PROGRAM CLANG=PROGRAM: built already]
cd "$(dirname "$0")/../.." || exit 1
. tests/check.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM

# build COMPILER
build() {
    "${MAKE:-make}" -s CC="$1" CFLAGS='-O1 -g0' B="$dir/build-$1" "$dir/build-$1/graphsplit" > "$dir/log" 2>&1
    verdict "build with $1" $? "$dir/log"
}
for compiler in ${GCC:-gcc} ${CLANG:-clang}; do
    command -v "$compiler" > /dev/null || nothing_but "the same bytes from two compilers ($compiler is not installed)"
done
[ -n "$GCC" ] || build gcc
[ -n "$CLANG" ] || build clang
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
    made "$clang" "$@" > "$dir/clang"
    cmp "$dir/gcc" "$dir/clang" > "$dir/log" 2>&1
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
done
finish
