#!/bin/sh
# The commands of README.md, as they stand there: each has to succeed. GRAPHSPLIT: the program.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Lines that begin with '$ ' below the headline, with those that a backslash joins to them.
awk '/^## The command line/ { on = 1 } /^## Memory/ { on = 0 }
    on && (/^\$ / || more) { sub(/^\$ /, ""); print; more = /\\$/ }' "$root/README.md" > "$dir/commands"
sed -e '/^export /d' -e "s|mktemp -d|mktemp -d -p $dir|" "$dir/commands" > "$dir/shown"
{
    echo 'passed=0 failed=0'
    echo 'graphsplit() {'
    echo '    if $program "$@" 2> "$dir/errors"; then passed=$((passed + 1)); return; fi'
    echo '    failed=$((failed + 1)); echo "FAIL: graphsplit $*" >&2; cat "$dir/errors" >&2'
    echo '}'
    cat "$dir/shown"
} > "$dir/script"
# A relative path, perhaps behind an emulator, as seen from another directory.
program=$(echo "$program" | sed -E "s,(^| )([^/ ][^ ]*graphsplit)\$,\\1$root/\\2,")
cd "$root/examples/models" || exit 1
. "$dir/script" > "$dir/out"
for pass in split preview partition module pipe memory dedup run diff read emit-c ops; do
    if ! grep -q "^graphsplit $pass " "$dir/shown"; then
        echo "FAIL: README.md shows no command of $pass"
        failed=$((failed + 1))
    fi
done
# What the first example shows is what it prints, but for the end of a long line.
cd "$root" || exit 1
awk '/^```/ { block++ } block == 1 && /^\$ build/ { sub(/^\$ build.graphsplit /, ""); print }' README.md > "$dir/first"
# shellcheck disable=SC2046
$program $(cat "$dir/first") > "$dir/out"
awk '/^```/ { block++ } block == 1 && /^(  |SUB)/ { sub(/, \.\.\.$/, ""); print }' README.md > "$dir/lines"
if [ "$(wc -l < "$dir/lines")" -ge 8 ] && awk 'FNR == NR { out = out "\n" $0; next }
    !index(out, "\n" $0) { print "FAIL: README.md shows: " $0; bad = 1 } END { exit bad }' "$dir/out" "$dir/lines"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 14 ]
