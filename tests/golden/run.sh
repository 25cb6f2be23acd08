#!/bin/sh
# Runs every case of a directory (default: the golden files) through the command line program: the exact
# bytes of standard output, and exit 1 where the expectation is a line `error NAME`. A case is NAME.args,
# NAME.expected and a graph: NAME.fx; for cases NAME-WHAT that share one, NAME.fx here or, where cases of
# several commands do, in the directory above. A file that no case uses fails.
# usage: sh tests/golden/run.sh [DIRECTORY]...
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/check.sh

run_case() {
    name=$1
    input=$name.fx
    [ -f "$input" ] || input=${name%-*}.fx
    [ -f "$input" ] || input=${directory%/*}/${input##*/}
    options=$(cat "$name.args")
    echo "$name.args $name.expected $input $options" >> "$dir/used"
    if ! [ -f "$input" ] || ! [ -f "$name.expected" ]; then
        verdict "$name: no graph or no expectation" 1
        return
    fi
    # The options stand in a file, one word each.
    # shellcheck disable=SC2086
    $program $options --porcelain "$input" > "$dir/found" 2> /dev/null
    status=$?
    wanted=0
    if grep -q '^error ' "$name.expected"; then
        wanted=1
    fi
    if ! cmp -s "$dir/found" "$name.expected"; then
        verdict "$name: output differs" 1
        diff "$dir/found" "$name.expected" | head -n 10
    else
        [ $status -eq $wanted ]
        verdict "$name: exit $status, expected $wanted" $?
    fi
}

[ $# -gt 0 ] || set -- tests/golden/*/
for directory; do
    directory=${directory%/}
    for file in "$directory"/*.args; do
        run_case "${file%.args}"
    done
    printf '%s\n' "$directory"/* "${directory%/*}"/*.* >> "$dir/files"
done
# Options name files, too: an operator list as @FILE, a plan, what a run has to equal.
tr ' @' '\n\n' < "$dir/used" | sort -u > "$dir/names"
grep -v '/run\.sh$' "$dir/files" | sort -u | comm -23 - "$dir/names" > "$dir/unused"
while read -r file; do
    [ -d "$file" ] || verdict "$file: no case uses it" 1
done < "$dir/unused"
finish
