#!/bin/sh
# What --emit writes is enough: the files, joined again by the names in manifest.json, give what the
# graph gives. On the graphs of tests/cases, and on models of ../shared/models where they are.
cd "$(dirname "$0")/.." || exit 1
shared=${GRAPHSPLIT_SHARED:-../shared}
program="${RUN:-} ${B:-build}/graphsplit"
passed=0
failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM

verdict() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL pieces.sh: $1"
    fi
}

# pieces GRAPH PASS OPTIONS...
pieces() {
    graph=$1
    shift
    rm -rf "$dir/pieces"
    $program "$@" --emit "$dir/pieces" "$graph" > "$dir/out" 2>&1 &&
        awk -v dir="$dir/pieces" -v source="$graph" -f tests/pieces.awk "$dir/pieces/manifest.json" \
            > "$dir/joined.fx" &&
        $program run --equal "$graph" "$dir/joined.fx" > "$dir/out" 2>&1
    verdict "$* $graph" $?
}

for graph in tests/cases/c*.fx; do
    case $graph in
    */c29.fx) # returns aggregates that leave in elements: their names are new, and the file is whole
        $program dedup --emit "$dir/pieces" "$graph" > "$dir/out" 2>&1 &&
            $program run --equal "$graph" "$dir/pieces/deduplicated.fx" > "$dir/out" 2>&1
        verdict "dedup $graph" $?
        continue
        ;;
    esac
    pieces "$graph" dedup
    pieces "$graph" split --acc-ops 'operator.*' --allow-non-tensor --min-acc-module-size 1
    pieces "$graph" partition --device a:4000 --device b:100000
    pieces "$graph" pipe --stages 3
done
for graph in "$shared"/models/fx/*.fx; do
    # shorter ones, as PyTorch 2 prints them
    if [ -f "$graph" ] && [ "$(wc -l < "$graph")" -lt 400 ] && ! grep -q '\[#users=' "$graph"; then
        pieces "$graph" dedup
    fi
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
