#!/bin/sh
# What --emit writes is enough: the files, joined again by the names in manifest.json, give what the
# graph gives. On the graphs of tests/cases, and on real networks.
cd "$(dirname "$0")/../.." || exit 1
program="${RUN:-} ${B:-build}/graphsplit"
. tests/check.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM

# joined GRAPH PASS OPTIONS...
joined() {
    graph=$1
    shift
    status=2
    rm -rf "$dir/parts"
    $program "$@" --emit "$dir/parts" "$graph" > "$dir/out" 2>&1 &&
        awk -v dir="$dir/parts" -v source="$graph" -f tests/formats/join.awk "$dir/parts/manifest.json" \
            > "$dir/joined.fx" 2> "$dir/out" && {
        $program run --equal "$graph" "$dir/joined.fx" > "$dir/out" 2>&1
        status=$?
    }
    case "$*" in
    *--ignore-writes*) [ $status -eq 1 ] && grep -q 'has not the same operations' "$dir/out" ;; # on purpose
    *) [ $status -eq 0 ] ;;
    esac
    verdict "$* $graph" $? "$dir/out"
}

# through PASS OPTIONS...: the pass on the deduplicated module, which is a file of its own
through() {
    $program "$@" --porcelain "$dir/whole.fx" > "$dir/made" 2> "$dir/out" &&
        $program run --equal "$dir/made" "$whole" > "$dir/out" 2>&1
    verdict "$* of the deduplicated $whole" $?
}

# Every pass sees through the calls of a deduplicated module.
see_through() {
    whole=$1
    $program dedup --emit "$dir/deduplicated" "$whole" > "$dir/out" 2>&1 &&
        cp "$dir/deduplicated/deduplicated.fx" "$dir/whole.fx" &&
        $program run --equal "$whole" "$dir/whole.fx" > "$dir/out" 2>&1
    verdict "the whole of $whole" $?
    rm -rf "$dir/deduplicated"
    through read
    through dedup
    through split --acc-ops 'operator.*,torch.ops.*' --allow-non-tensor --min-acc-module-size 1
    through split --acc-ops 'torch.ops.higher_order.*'
    through partition --device a:4000 --device b:100000
    through partition --mode cost --device a:100000 --device b:100000 --transfer-rate 1
    through pipe --stages 3
    through pipe --stages 2 --policy params
    nodes=$($program memory --json "$dir/whole.fx" | grep -c '"peak')
    [ "$nodes" -gt 0 ]
    verdict "memory of the deduplicated $whole" $?
    $program preview --acc-ops 'torch.ops.*' "$dir/whole.fx" > "$dir/out" 2>&1 &&
        grep -q 'torch.ops.higher_order.invoke_subgraph' "$dir/out"
    verdict "preview of the deduplicated $whole" $?
    $program dedup --dot - "$whole" > "$dir/out" 2>&1 && grep -q '^digraph' "$dir/out"
    verdict "drawing of $whole" $?
    $program split --dot - --acc-ops 'torch.ops.*' "$dir/whole.fx" > "$dir/out" 2>&1 &&
        grep -q invoke_subgraph "$dir/out"
    verdict "drawing of the deduplicated $whole" $?
    $program emit-c "$dir/whole.fx" > "$dir/out" 2>&1 && [ -s "$dir/out" ]
    verdict "emit-c of the deduplicated $whole" $?
}

for graph in tests/cases/dedup/c*.fx tests/cases/chain.fx tests/cases/complex.fx tests/cases/whole.fx; do
    # Some are there to be refused.
    ! grep -qs '^error ' "${graph%.fx}.case" || continue
    joined "$graph" dedup
    case $graph in
    */c14.fx | */c16.fx | */c17.fx | */c20.fx | */c29.fx | */whole.fx) see_through "$graph" ;;
    esac
    joined "$graph" split --acc-ops 'operator.*' --allow-non-tensor --min-acc-module-size 1
    joined "$graph" partition --device a:4000 --device b:100000
    joined "$graph" pipe --stages 3
done
for graph in "$shared"/models/fx/*.fx; do
    # shorter ones, as PyTorch 2 prints them
    if [ -f "$graph" ] && [ "$(wc -l < "$graph")" -lt 400 ] && ! grep -q '\[#users=' "$graph"; then
        joined "$graph" dedup
    fi
done

# Every case of every command that writes parts. Parts on other devices compute something else, and
# d06 indexes by a word, which `run` refuses.
awk -v to="$dir" -f tests/unpack.awk tests/cases/*/*.case | sed 's/--stage-device [^ ]*//g' > "$dir/list"
while read -r case graph status options; do
    case "$case $options" in
    */preview/* | */run/* | */d06\ *) continue ;;
    */memory/*--budget*) ;;
    */memory/*) continue ;; # no parts
    esac
    # The options stand in a file, one word each.
    # shellcheck disable=SC2086
    [ "$status" -ne 0 ] || joined "$graph" $options < /dev/null
done < "$dir/list"

# Parameters that several parts read come from the part of the root, by every command.
cat > "$dir/shared.fx" << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %w : [num_users=2] = get_attr[target=w]  # f32[4] params=16
    %a : [num_users=1] = call_function[target=torch.add](args = (%x, %w), kwargs = {})  # f32[4]
    %b : [num_users=1] = call_function[target=torch.mul](args = (%a, %w), kwargs = {})  # f32[4]
    return b
END
joined "$dir/shared.fx" dedup
joined "$dir/shared.fx" split --acc-ops torch.add --min-acc-module-size 1
joined "$dir/shared.fx" partition --device a:64 --device b:64
joined "$dir/shared.fx" pipe --stages 2
joined "$dir/shared.fx" memory --budget-pieces 48
joined "$dir/shared.fx" module --assign a=0,b=1
joined "$dir/shared.fx" module --assign a=0,b=1 --number-inputs

# What all of this stands on: names that differ in a dot are different operations and constants.
differ() {
    printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]  # f32[4]\n' > "$dir/$1.fx"
    printf '    %%a : [num_users=1] = call_function[target=%s](args = (%%x, %s), kwargs = {})  # f32[4]\n    return a\n' \
        "$2" "$3" >> "$dir/$1.fx"
}
differ one torch.relu "'1.5'"
differ two torch_relu "'1.5'"
differ three torch.relu "'1_5'"
for other in two three; do
    ! $program run --equal "$dir/one.fx" "$dir/$other.fx" > "$dir/differ.txt" 2>&1
    verdict "one and $other are not the same" $?
done

# An aggregate is its elements, all of them and in their order, whichever module has the TYPEs.
$program dedup --porcelain tests/cases/whole.fx | sed -n '/^module main/,$p' > "$dir/whole.fx"
$program run --equal tests/cases/whole.fx "$dir/whole.fx" > "$dir/out" 2>&1
verdict "the aggregates of whole.fx" $?
for wrong in '(getitem_4, getitem_3)' '(getitem_3,)' '(getitem_3, getitem_4, getitem_4)' '[getitem_3, getitem_4]' \
    getitem_3; do
    sed "s/(getitem_3, getitem_4)/$wrong/" "$dir/whole.fx" > "$dir/wrong.fx"
    ! $program run --equal tests/cases/whole.fx "$dir/wrong.fx" > "$dir/out" 2>&1 &&
        ! $program run --equal "$dir/wrong.fx" tests/cases/whole.fx > "$dir/out" 2>&1 &&
        ! cmp -s "$dir/whole.fx" "$dir/wrong.fx"
    verdict "$wrong is no whole aggregate" $?
done

finish
