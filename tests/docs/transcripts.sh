#!/bin/sh
# What a user sees, to the byte: each line `$ graphsplit ...` of a transcript is run, and below it stand
# standard output, standard error and an exit status that is not 0. Every transcript has a new directory
# with the inputs that lie here.
# usage: B=build sh tests/docs/transcripts.sh [--write]     --write: the transcripts anew, to be read in the diff
write=${1:-}
. "$(dirname "$0")/../elsewhere.sh"
graphsplit() {
    $program "$@"
}
for transcript in "$root"/tests/docs/transcripts/*.txt; do
    name=${transcript##*/}
    rm -rf "$dir/here"
    mkdir "$dir/here"
    cp "$root"/tests/docs/transcripts/*.fx "$root"/tests/docs/transcripts/*.csv "$root"/tests/cases/chain.fx "$root"/tests/cases/dedup/c02.fx "$dir/here"
    grep '^\$ ' "$transcript" | while read -r _ line; do
        printf '$ %s\n' "$line"
        (cd "$dir/here" && eval "$line" < /dev/null) 2> "$dir/err"
        code=$?
        cat "$dir/err"
        [ $code -eq 0 ] || echo "[$code]"
    done > "$dir/found"
    [ "$write" != --write ] || cp "$dir/found" "$transcript"
    diff "$transcript" "$dir/found" > "$dir/diff"
    verdict "transcript $name" $? "$dir/diff"
done
finish
