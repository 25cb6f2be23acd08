#!/bin/sh
# The commands of README.md, of examples/README.md and at the end of each --help, as they stand there: each has to
# succeed; and the links of both files. GRAPHSPLIT: the program.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Below the headline: lines that begin with '$ ', and what the table's last column has between backquotes.
awk '/^## / { on = /^## The command line/ }
    on && sub(/^\$ /, "") { print } on && /^\|.*`graphsplit / { split($0, cell, "`"); print cell[2] }' "$root/examples/README.md" > "$dir/commands"
sed -e '/^export /d' -e "s|mktemp -d|mktemp -d -p $dir|" "$dir/commands" > "$dir/shown"
# A relative path, perhaps behind an emulator, as seen from another directory.
program=$(echo "$program" | sed -E "s,(^| )([^/ ][^ ]*graphsplit)\$,\\1$root/\\2,")
graphsplit() {
    $program "$@" 2> "$dir/errors"
    ended=$?
    verdict "graphsplit $*: $(cat "$dir/errors")" $ended >&2
}
cd "$root" || exit 1
. tests/check.sh
cd examples/models || exit 1
. "$dir/shown" > "$dir/out"
grep -q '^No cut of this order has fewer parts' "$dir/out"
verdict "the budget of examples/README.md cuts something" $?
for pass in split preview partition module pipe memory fit dedup run diff eval convert read emit-c ops; do
    grep -q "^graphsplit $pass\( \|\$\)" "$dir/shown"
    verdict "examples/README.md shows a command of $pass" $?
done
# What the first example shows is what its commands print, but for the end of a long line.
cd "$root" || exit 1
awk '/^```/ { block++ } block == 1 && /^\$ build/ { sub(/^\$ build.graphsplit /, ""); print }' README.md > "$dir/first"
while read -r line; do
    # shellcheck disable=SC2086
    $program $line
done < "$dir/first" > "$dir/out"
awk '/^```/ { block++; next } block == 1 && !/^(\$ .*)?$/ { sub(/, \.\.\.$/, ""); print }' README.md > "$dir/lines"
[ "$(wc -l < "$dir/first")" -eq 2 ] && [ "$(wc -l < "$dir/lines")" -ge 8 ] && awk 'FNR == NR { out = out "\n" $0; next }
    !index(out, "\n" $0) { print "README.md shows: " $0; bad = 1 } END { exit bad }' "$dir/out" "$dir/lines"
verdict "the first example of README.md" $?
[ "$(awk '/^```/ { code = !code; next } !code && !/^(\||<)/' README.md | wc -w)" -le 600 ] && [ "$(wc -l < README.md)" -le 200 ]
verdict "README.md is read in five minutes: at most 600 words beside programs and tables" $?

# anchors FILE: the name of each of its headings, as pages show it
anchors() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:] ' '[:lower:]-' | sed 's/[^a-z0-9_-]//g'
}
# links FILE: those of its links inside the tree that lead to no file or no heading
links() {
    sed '/^```/,/^```/d' "$1" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:' | while read -r link; do
        to=$1
        [ -z "${link%%#*}" ] || to=$(dirname "$1")/${link%%#*}
        case $link in
        *#*) anchors "$to" 2> "$dir/err" | grep -q -x -- "${link#*#}" || echo "$1: $link" ;;
        *) [ -e "$to" ] || echo "$1: $link" ;;
        esac
    done
}
for file in README.md examples/README.md tests/README.md .github/*.md; do
    links "$file"
done > "$dir/lost"
! [ -s "$dir/lost" ]
verdict "links lead to a file and a heading" $? "$dir/lost"

# Without --more the answer stands on one screen.
for list in edgetpu ethos-u55 nnapi tensorrt xnnpack; do
    for model in examples/models/*.fx; do
        $program split --acc-ops $list "$model" 2> "$dir/err" | awk -v what="$list, $model" 'END { if (NR > 25) print NR, what }'
    done
done > "$dir/long"
! [ -s "$dir/long" ]
verdict "the first screen of split has at most 25 lines" $? "$dir/long"

# The path of examples/README.md, to the byte.
awk '/^## / { on = /five steps/ } on && /^```/ { inside = !inside; next } on && inside' examples/README.md > "$dir/path"
mkdir "$dir/bin" && printf '#!/bin/sh\nexec %s "$@"\n' "$program" > "$dir/bin/graphsplit" && chmod +x "$dir/bin/graphsplit"
(cd examples/models && unset -f graphsplit && PATH=$dir/bin:$PATH TMPDIR=$dir && export PATH TMPDIR &&
    sed -n 's/^\$ //p' "$dir/path" | while read -r line; do
    printf '$ %s\n' "$line"
    eval "$line" < /dev/null
done) > "$dir/out"
diff "$dir/path" "$dir/out" > "$dir/diff"
verdict "the path of examples/README.md" $? "$dir/diff"

# --help ends with two examples; what the one writes, others read.
mkdir "$dir/help" && cp examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx "$dir/help/net.fx" &&
    cp tests/formats/data/flow.tflite "$dir/help/model.tflite" && cd "$dir/help" || exit 1
$program split --acc-ops edgetpu --save-plan b.plan net.fx > "$dir/out"
for pass in ops split preview partition eval module pipe memory fit dedup run diff bisect convert read emit-c; do
    $program $pass --help > "$dir/out"
    tail -n 3 "$dir/out" | sed -n 's/^  //p' > "$dir/shown"
    [ "$(tail -n 3 "$dir/out" | head -n 1)" = Examples: ] && [ "$(grep -c "^[^ ]* $pass " "$dir/shown")" -eq 2 ]
    verdict "$pass --help ends with two examples" $? "$dir/out"
    . "$dir/shown" > "$dir/out"
done
finish
