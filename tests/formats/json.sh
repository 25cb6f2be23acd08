#!/bin/sh
# Output that other programs read: every drawing is a graph to Graphviz, and JSON is JSON to Python.
# usage: sh tests/formats/json.sh
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
model=tests/formats/data/plain.fx
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/check.sh

if command -v dot > /dev/null; then
    $program split --dot "$dir/plain" --dot-support "$dir/support" --dot-module "$dir/module" $model > "$dir/text"
    verdict "split draws" $?
    for name in plain support module; do
        dot -Tsvg -o "$dir/$name.svg" "$dir/$name"
        verdict "Graphviz reads the drawing '$name'" $?
    done
else
    skip "Graphviz reads the drawings (its program dot is not installed)" 4
fi
if command -v python3 > /dev/null; then
    for options in "split --json" "preview --json" "split --model-explorer -"; do
        # shellcheck disable=SC2086
        $program $options $model > "$dir/json" && python3 -m json.tool "$dir/json" > "$dir/read"
        verdict "$options is JSON" $?
    done
else
    skip "JSON is JSON (python3, which parses it, is not installed)" 3
fi
finish
