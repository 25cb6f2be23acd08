#!/bin/sh
# Counts steps of all passes on twelve shapes and slow inputs (tests/bench/steps.c): the same figures on every run.
# usage: sh tests/bench/steps.sh [NODES...]     needs gcc; 1000000 nodes take four minutes and 2 GB
cd "$(dirname "$0")/../.." || exit 1
out=${B:-build}/steps
mkdir -p "$out" || exit 1
. tests/check.sh
gcc=${STEPS_CC:-gcc}
command -v "$gcc" > /dev/null || nothing_but "counted steps ($gcc is not installed)"
[ $# -gt 0 ] || set -- 1000 10000 100000
works "the counter compiles" "$gcc" -std=c99 -O2 -Wall -Wextra -I. -c -o "$out/count.o" tests/bench/count.c
works "the passes compile" "$gcc" -std=c99 -O2 -Wall -Wextra -I. -fsanitize-coverage=trace-pc -c -o "$out/steps.o" tests/bench/steps.c
works "they link" "$gcc" -o "$out/steps" "$out/steps.o" "$out/count.o"
[ $failed -eq 0 ] || finish
exec "$out/steps" "$@"
