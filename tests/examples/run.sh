#!/bin/sh
# Runs every small example that has an expected output and compares.
# usage: B=build [RUN=emulator] sh tests/examples/run.sh
. tests/check.sh
for expected in examples/*.expected; do
    name=$(basename "$expected" .expected)
    if [ -f "examples/$name.cpp" ] && ! [ -x "$B/$name" ]; then
        skip "$name (no C++ compiler)"
    else
        $RUN "$B/$name" > "$B/$name.out" && cmp "$B/$name.out" "$expected"
        verdict "example $name: diff $B/$name.out $expected" $?
    fi
done
finish
