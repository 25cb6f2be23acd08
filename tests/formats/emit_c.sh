#!/bin/sh
# What emit-c --plan writes: C99 and C++11 without warnings, tensors that are live together lie apart, and
# offsets and sizes are those of `memory`.
cd "$(dirname "$0")/../.." || exit 1
program="${RUN:-} ${B:-build}/graphsplit"
. tests/check.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# clean COMPILER: the header in a file of its own
clean() {
    case $1 in
    *++) language="-x c++ -std=c++11" ;;
    *) language="-x c -std=c99 -Wc++-compat" ;;
    esac
    echo '#include "planned.h"' > "$dir/only.c"
    # shellcheck disable=SC2086
    "$1" $language -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wcast-align -Wundef -Werror \
        -fsyntax-only "$dir/only.c" > "$dir/out" 2>&1 &&
        # shellcheck disable=SC2086
        "$1" $language -Wall -Wextra -Werror -c -o "$dir/only.o" "$dir/planned.h" > "$dir/out" 2>&1
}

# planned COMPILER GRAPH ALIGN [--exact]
planned() {
    # shellcheck disable=SC2086
    $program emit-c --plan ${4:-} --align "$3" --name planned "$2" > "$dir/planned.h" 2> "$dir/out" && clean "$1" &&
        # shellcheck disable=SC2086
        "$1" $language -DGSP_NO_ALL_PASSES -DGSP_WITH_MEMORY -DPLANNED_ALIGN="$3u" -I. -I"$dir" \
            -o "$dir/plan" tests/formats/emit_c.c > "$dir/out" 2>&1 &&
        "$dir/plan" > "$dir/table" 2> "$dir/out" &&
        $program memory --porcelain ${4:-} --align "$3" "$2" > "$dir/memory" 2> "$dir/out" &&
        sed -n 's/^\(arena bytes=[0-9]*\).*/\1/p; s/^\(tensor\|scratch\) \(.*\) first=.*/\1 \2/p' "$dir/memory" |
        cmp "$dir/table" - > "$dir/out" 2>&1
    verdict "--align $3 ${4:-} $2 by $1" $? "$dir/out"
}

host=
for compiler in gcc clang g++ clang++; do
    if command -v $compiler > /dev/null; then
        host=${host:-$compiler}
        planned $compiler examples/models/tflite_person_detect.fx 16
    else
        skip "the plan by $compiler (it is not installed)"
    fi
done
[ -n "$host" ] || nothing_but "the plans of other graphs (no compiler is installed)"
planned "$host" examples/models/tflite_person_detect.fx 1
planned "$host" tests/cases/memory/vww96.fx 256
model=examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx # its greedy plan is not the smallest
planned "$host" "$model" 16 --exact
$program emit-c --plan --name planned "$model" > "$dir/greedy.h"
! cmp -s "$dir/greedy.h" "$dir/planned.h" && grep -q 'as graphsplit memory --align 16 --exact' "$dir/planned.h"
verdict "--exact makes the arena smaller" $?
planned "$host" tests/formats/data/flow.tflite 64

# A view, an aggregate, a graph that is called, and names that C would read otherwise.
cat > "$dir/views.fx" << 'END'
module main
graph():
    %inner : [num_users=1] = get_attr[target=inner]
    %x : [num_users=2] = placeholder[target=x]  # f32[100]
    %flat : [num_users=1] = call_function[target=torch.reshape](args = (%x,), kwargs = {})  # f32[10, 10] alias=0
    %two : [num_users=2] = call_function[target=torch.split](args = (%flat,), kwargs = {})  # tuple(f32[50], f32[50])
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%two, 0), kwargs = {})  # f32[50]
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%two, 1), kwargs = {})  # f32[50]
    %called : [num_users=1] = call_function[target=torch.call](args = (%inner, inner, %getitem, %getitem_1), kwargs = {})  # f32[50]
    %é : [num_users=1] = call_function[target=torch.add](args = (%called, %x), kwargs = {})  # f32[50]
    return é
module inner
graph():
    %p : [num_users=1] = placeholder[target=p]  # f32[50]
    %q : [num_users=1] = placeholder[target=q]  # f32[50]
    %r : [num_users=1] = call_function[target=torch.cat](args = (%p, %q), kwargs = {})  # f32[200]
    %s : [num_users=1] = call_function[target=torch.sum](args = (%r,), kwargs = {})  # f32[50]
    return s
END
planned "$host" "$dir/views.fx" 16
grep -q '^scratch called ' "$dir/table"
verdict "the called graph has its scratch in the table" $? "$dir/table"

# After a split: one arena for the tensors of all subgraphs in the order in which they run, executed with values that are
# overwritten after their last reader. The offsets of graph order fail in that order.
# executed GRAPH OPTION...: with these options of split
executed() {
    graph=$1
    shift
    rm -f "$dir/plan"
    $program split "$@" --save-plan "$dir/split.plan" "$graph" > "$dir/out" 2>&1 &&
        $program emit-c --plan --exact --run-of "$dir/split.plan" --name planned "$graph" > "$dir/planned.h" 2> "$dir/out" &&
        $program emit-c --plan --name other "$graph" > "$dir/other.h" 2> "$dir/out" && clean "$host" &&
        # shellcheck disable=SC2086
        "$host" $language -Wall -Wextra -DGSP_NO_ALL_PASSES -I. -I"$dir" -o "$dir/plan" tests/formats/emit_c_split.c \
            > "$dir/out" 2>&1 && "$dir/plan" > "$dir/out" 2>&1
}
cat > "$dir/split.fx" << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[64]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[256]
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[16]
    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[16]
    %d : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[256]
    %e : [num_users=1] = call_function[target=f](args = (%c, %d), kwargs = {})  # f32[16]
    return e
END
executed "$dir/split.fx" --acc-ops f && [ "$(cat "$dir/out")" = "3 parts, 5 calls, 2304 bytes" ] &&
    $program memory --exact --run-of "$dir/split.plan" --porcelain "$dir/split.fx" | grep -q '^arena bytes=2304 '
verdict "--run-of: a split in one arena, executed" $? "$dir/out"
# shellcheck disable=SC2086
"$host" $language -DGSP_NO_ALL_PASSES -DOTHER_PLAN -I. -I"$dir" -o "$dir/plan" tests/formats/emit_c_split.c > "$dir/out" 2>&1 &&
    ! "$dir/plan" > "$dir/out" 2>&1 && grep -q '^other bytes: ' "$dir/out"
verdict "--run-of: the offsets of graph order are found wrong" $? "$dir/out"
executed "$dir/split.fx" --acc-ops f --order least-peak && [ "$(cat "$dir/out")" = "3 parts, 5 calls, 1344 bytes" ]
verdict "--run-of: the order of least peak, executed" $? "$dir/out"
if command -v python3 > /dev/null; then
    for seed in 1 2 3 4 5 6 7 8; do
        python3 tests/search/least_peak.py $seed "$dir/random.fx" > "$dir/out" && executed "$dir/random.fx"
        verdict "--run-of: random graph $seed, executed" $? "$dir/out"
    done
fi
$program emit-c --plan --run-of "$dir/split.plan" "$dir/views.fx" > "$dir/out" 2>&1
[ $? -eq 1 ]
verdict "--run-of: the plan of another graph" $? "$dir/out"

# refused STATUS PATTERN OPTIONS...
refused() {
    status=$1
    pattern=$2
    shift 2
    $program emit-c "$@" > "$dir/out" 2> "$dir/errors"
    [ $? -eq "$status" ] && [ ! -s "$dir/out" ] && grep -q -e "$pattern" "$dir/errors"
    verdict "$*: expected '$pattern'" $? "$dir/errors"
}
sed 's/  # .*//' tests/cases/chain.fx > "$dir/bare.fx"
refused 1 'the graph has no sizes' --plan "$dir/bare.fx"
# --arena is of the last pass: the plan's, or that of the search.
for exact in "" --exact; do
    # shellcheck disable=SC2086
    $program emit-c --plan $exact tests/cases/chain.fx > "$dir/whole" 2> "$dir/errors" &&
        $program emit-c --plan $exact --arena 1M tests/cases/chain.fx 2> "$dir/errors" | cmp -s - "$dir/whole"
    verdict "emit-c --plan $exact --arena 1M" $? "$dir/errors"
    refused 1 'arena' --plan $exact --arena 8 tests/cases/chain.fx
done
refused 2 '^graphsplit: --arena requires --plan, whose pass has this memory$' --arena 1M tests/cases/chain.fx
for plan in "" --plan; do
    refused 2 '^graphsplit: --time: emit-c measures no pass; memory --time measures a plan$' $plan --time 3 tests/cases/chain.fx
done
# What a header may not define: words and library names of C and C++, and the prefix of this library.
for name in class and _Bool __net; do
    refused 2 "$name is a reserved word of C or C++" --name $name tests/cases/chain.fx
done
for name in main std printf sinf cosl NULL errno int8_t UINT32_MAX SIGINT; do
    refused 2 "$name is a name of the standard library of C" --name $name tests/cases/chain.fx
done
for name in gsp_net GSP_NET gspi_net; do
    refused 2 "$name has the prefix of this library" --name $name tests/cases/chain.fx
done
for name in net mains Main total integer self; do
    $program emit-c --name $name tests/cases/chain.fx > "$dir/out" 2>&1
    verdict "--name $name" $? "$dir/out"
done
refused 2 '--align expects a power of two, got 24' --plan --align 24 tests/cases/chain.fx
refused 2 '--run-of requires --plan' --run-of "$dir/split.plan" tests/cases/chain.fx
refused 2 '--align requires --plan' --align 16 tests/cases/chain.fx
refused 2 '--exact requires --plan' --exact tests/cases/chain.fx
refused 2 '--exact=WORK expects a number' --plan --exact=much tests/cases/chain.fx
finish
