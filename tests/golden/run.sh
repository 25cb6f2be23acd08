#!/bin/sh
# Runs every case of a directory (default: the golden files) through the command line program: the exact
# bytes of standard output, and exit 1 where the expectation is a line `error NAME`. What a case is says
# tests/unpack.awk. A file that no case uses fails.
# usage: sh tests/golden/run.sh [DIRECTORY]...
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
# Here, not in a directory of the system: an emulator may see no other files.
dir=${B:-build}/cases.$$ && mkdir -p "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
. tests/check.sh

# run_case NAME GRAPH STATUS OPTION...
run_case() {
    name=$1
    input=$2
    wanted=$3
    shift 3
    if [ "$input" = - ]; then
        verdict "$name: no graph or no expectation" 1
        return
    fi
    $program "$@" --porcelain "$input" > "$dir/found" 2> /dev/null < /dev/null
    status=$?
    if ! cmp -s "$dir/found" "$dir/$name.expected"; then
        verdict "$name: output differs" 1
        diff "$dir/found" "$dir/$name.expected" | head -n 10
    else
        [ $status -eq "$wanted" ]
        verdict "$name: exit $status, expected $wanted" $?
    fi
}

[ $# -gt 0 ] || set -- tests/golden/*/
for directory; do
    directory=${directory%/}
    awk -v to="$dir" -f tests/unpack.awk "$directory"/*.case >> "$dir/list"
    printf '%s\n' "$directory"/* "${directory%/*}"/*.* >> "$dir/files"
done
while read -r line; do
    # The options stand in a file, one word each.
    # shellcheck disable=SC2086
    run_case $line
done < "$dir/list"
# Options name files, too: an operator list as @FILE, a plan, what a run has to equal.
sed 's/ /.case /' "$dir/list" | tr ' @' '\n\n' | sort -u > "$dir/names"
grep -v '/run\.sh$' "$dir/files" | sort -u | comm -23 - "$dir/names" > "$dir/unused"
while read -r file; do
    [ -d "$file" ] || verdict "$file: no case uses it" 1
done < "$dir/unused"
finish
