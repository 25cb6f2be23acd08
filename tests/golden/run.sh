#!/bin/sh
# Runs every case of a directory (default: the golden files) through the command line program: the exact
# bytes of standard output, and exit 1 where the expectation is a line `error NAME`.
# usage: sh tests/golden/run.sh [DIRECTORY]...
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
found=$(mktemp) || exit 1
trap 'rm -f "$found"' EXIT
. tests/check.sh

run_case() {
    expected=$1
    name=${expected%.expected}
    input=$name.fx
    # Cases that share a graph: NAME-WHAT.args runs on NAME.fx, here or, for cases of more commands, one above.
    [ -f "$input" ] || input=${name%-*}.fx
    [ -f "$input" ] || input=$directory/../${input##*/}
    # The options stand in a file, one word each.
    # shellcheck disable=SC2046
    $program $(cat "$name.args") --porcelain "$input" > "$found" 2> /dev/null
    status=$?
    wanted=0
    if grep -q '^error ' "$expected"; then
        wanted=1
    fi
    if ! cmp -s "$found" "$expected"; then
        verdict "$name: output differs" 1
        diff "$found" "$expected" | head -n 10
    else
        [ $status -eq $wanted ]
        verdict "$name: exit $status, expected $wanted" $?
    fi
}

[ $# -gt 0 ] || set -- tests/golden/split tests/golden/module tests/golden/pipe tests/golden/dedup tests/golden/partition
for directory; do
    directory=${directory%/}
    for file in "$directory"/*.expected; do
        run_case "$file"
    done
done
finish
