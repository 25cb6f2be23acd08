#!/bin/sh
# Runs every small example that has an expected output and compares.
# usage: B=build [RUN=emulator] sh tests/examples.sh
passed=0
failed=0
skipped=0
for expected in examples/*.expected; do
    name=$(basename "$expected" .expected)
    if [ -f "examples/$name.cpp" ] && ! [ -x "$B/$name" ]; then
        echo "skipped: $name (no C++ compiler)"
        skipped=$((skipped + 1))
    elif $RUN "$B/$name" > "$B/$name.out" && cmp "$B/$name.out" "$expected"; then
        passed=$((passed + 1))
    else
        echo "FAILED: example $name: diff $B/$name.out $expected"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
