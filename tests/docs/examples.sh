#!/bin/sh
# Runs every small example that has an expected output and compares.
# usage: B=build [RUN=emulator] sh tests/docs/examples.sh
. tests/check.sh
for expected in examples/*.expected; do
    name=$(basename "$expected" .expected)
    if [ -f "examples/$name.cpp" ] && ! [ -x "$B/$name" ]; then
        skip "$name (no C++ compiler is installed)"
    else
        $RUN "$B/$name" > "$B/$name.out" && cmp "$B/$name.out" "$expected"
        verdict "example $name: diff $B/$name.out $expected" $?
    fi
done

# An arena that is too small is no node that is too large.
objects="$B/obj/examples/program/algorithms/plan_file.o $B/obj/examples/program/core/impl.o"
sed 's/SPLIT_BY_MEMORY_BOUND(NODES, EDGES) + 1024/SPLIT_BY_MEMORY_BOUND(NODES, EDGES) \/ 4/' examples/memory_plan.c > "$B/memory_short.c"
# shellcheck disable=SC2086
${CC:-cc} -std=c99 $CFLAGS -I. -Iexamples/program -DGRAPHSPLIT_IMPLEMENTATION_ONCE -o "$B/memory_short" "$B/memory_short.c" $objects $LDFLAGS &&
    { $RUN "$B/memory_short" > "$B/memory_short.out"; [ $? -eq 1 ]; } && tail -n 1 "$B/memory_short.out" | grep -q 'arena'
verdict "memory_plan with a small arena" $? "$B/memory_short.out"
finish
