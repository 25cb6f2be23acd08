#!/bin/sh
# What `split` proves about subgraphs, nodes and bytes, judged by mixed-integer programs on 200 graphs of 20 to
# 60 nodes: the bound is none above the optimum, what is proved is the optimum.
# usage: sh tests/search/mip.sh     TOOLS: bin/ of a Python environment with highspy
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
. tests/check.sh
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT INT TERM

for python in "${TOOLS:-${B:-build}/tools/bin}/python" ${PYTHON:-python3}; do
    if "$python" -c 'import highspy, numpy' 2> /dev/null; then
        # An emulator and its program are two words.
        # shellcheck disable=SC2086
        "$python" tests/search/mip.py "$out" 200 $program > "$out/log" 2>&1
        verdict "optima of mixed-integer programs" $? "$out/log"
        grep '^# ' "$out/log"
        finish
    fi
done
nothing_but "optima of mixed-integer programs (they take Python with highspy: pip install highspy)"
