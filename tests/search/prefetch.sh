#!/bin/sh
# `memory --prefetch`: copies one at a time, each ended before its use, in memory that nothing else takes then;
# stalls that add up; tables in C that a program runs; bad input. tests/oracle/prefetch.c checks that stalls
# and peaks are least.
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
cc=${CC:-cc}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM
. tests/check.sh
model=examples/models/tflite_person_detect.fx
two="--memory sram:256K --memory psram:8M:slow"
shapes="--time-unit shapes --rates 1e8,1e9"

# valid PLAN: no overlaps, all below the capacity, the channel makes one copy at a time, and stalls add up.
valid() {
    awk '
        function value(i) { return substr($i, index($i, "=") + 1) }
        $1 == "arena" { capacity[value(6)] = value(7) }
        $1 ~ /^(tensor|scratch|state|parameter|copy)$/ {
            at[n] = value(3) + 0; bytes[n] = value(4) + 0; first[n] = value(5) + 0; last[n] = value(6) + 0; in_[n] = value(7)
            if (at[n] + bytes[n] > capacity[in_[n]] + 0) exit bad = 1
            for (i = 0; i < n; i++)
                if (in_[i] == in_[n] && first[i] <= last[n] && first[n] <= last[i] &&
                    at[i] < at[n] + bytes[n] && at[n] < at[i] + bytes[i]) exit bad = 1
            copies += $1 == "copy"
            n++
        }
        $1 == "prefetch" {
            if (value(8) + 0 < end + 0 || value(9) + 0 < value(8) + 0 || value(6) + 0 > value(7) + 0) exit bad = 1
            if (value(7) + 0 < use + 0) exit bad = 1
            end = value(9); use = value(7); listed++; serial += value(9) - value(8)
        }
        $1 == "stall" { stalls += value(4) }
        $1 == "copies" { told = value(2); stall = value(4); run = value(5); least = value(7) }
        $1 == "proof" { objective = value(2); bound = value(3); reference = value(5) }
        END {
            exit bad || told + 0 != copies + 0 || listed + 0 != copies + 0 || stalls + 0 != stall + 0 ||
                objective + 0 != stall + 0 || bound + 0 > objective + 0 || run + 0 < end + 0 ||
                reference + 0 != serial + 0 || least + 0 > stall + 0 || stall + 0 > serial + 0
        }' "$1"
}

# plan PATTERN OPTIONS... FILE
plan() {
    pattern=$1
    shift
    $program memory --prefetch --porcelain "$@" > "$out/plan" 2> "$out/err" && valid "$out/plan" &&
        grep -q -e "$pattern" "$out/plan"
    verdict "$*: a valid plan with '$pattern'" $? "$out/plan"
}

# shellcheck disable=SC2086
{
    plan '^proof objective=2080000 bound=2080000 proved=1 reference=4378560000$' $two $shapes "$model"
    plan '^copies n=57 .* chain=1 unknown=31 inside=0$' $two "$model"
    plan ' any_order=1040000 ' --memory sram:256K --memory psram:8M:slow --bandwidth 1e8 $shapes "$model"
    plan '^copies n=56 .*' $two --pin sram:name:read $shapes "$model"
    plan '^parameter read .* memory=sram$' $two --pin sram:name:read $shapes "$model"
    plan '^copies .* chain=0 ' --memory tcm:16M:fast --memory flash:64M:slow:ro $shapes examples/models/onnx_light_squeezenet.fx
    # In little memory stalls grow; where the plan with the least stall has no offsets, the bound stays.
    plan '^proof objective=1341120000 bound=1341120000 proved=1 ' --memory sram:71168 --memory psram:8M:slow $shapes "$model"
    plan '^proof objective=[0-9]* bound=1333280000 ' --memory sram:72000 --memory psram:8M:slow $shapes "$model"
}

# Random chains: parameters of several sizes, some read twice, nodes of several times, memory that is scarce.
seed=1
bad=0
while [ $seed -le 60 ]; do
    awk -v seed=$seed 'BEGIN {
        srand(seed); n = 2 + int(rand() * 8); print "graph():"
        print "    %x : [num_users=1] = placeholder[target=x]  # i8[" 16 * (1 + int(rand() * 4)) "]"
        before = "x"
        for (i = 0; i < n; i++) {
            args = "%" before
            if (rand() < 0.8) {
                print "    %w" i " : [num_users=1] = get_attr[target=w" i "]  # i8[" 1 + int(rand() * 200) "]"
                args = args ", %w" i
            }
            if (i > 0 && rand() < 0.2 && args ~ /w/) { sub(/%w[0-9]+/, "&, &", args) }
            print "    %c" i " : [num_users=1] = call_function[target=f](args = (" args ",), kwargs = {})  # i8[" \
                16 * (1 + int(rand() * 6)) "] compute=" rand() / 1e6
            before = "c" i
        }
        print "    return " before }' > "$out/chain.fx"
    room=$((320 + seed * 7 % 200))
    if ! $program memory --prefetch --porcelain --memory sram:$room --memory psram:8M:3ns --align 1 "$out/chain.fx" \
        > "$out/plan" 2> "$out/err" || ! valid "$out/plan" || ! grep -q 'chain=1' "$out/plan"; then
        grep -q 'does not fit into sram' "$out/err" || bad=$((bad + 1))
    fi
    seed=$((seed + 1))
done
[ $bad -eq 0 ]
verdict "60 random chains: $bad without a valid plan" $? "$out/err"

# The other outputs tell the same.
# shellcheck disable=SC2086
{
    $program memory --prefetch $two $shapes --json "$model" > "$out/json" 2> "$out/err"
    grep -q '"prefetch": {"stall": 2080000, ' "$out/json" && grep -q '"proof": {"objective": 2080000, ' "$out/json" &&
        [ "$(grep -c '"parameter": ' "$out/json")" = 57 ]
    verdict "--json: the copies" $? "$out/json"
    $program memory --prefetch $two $shapes "$model" > "$out/text" 2> "$out/err"
    grep -q '^  stalls      2.08 us of a run of ' "$out/text" && grep -q 'no order of the copies stalls less' "$out/text" &&
        grep -q '^  \.\.\. and 37 more' "$out/text"
    verdict "text: the stalls" $? "$out/text"
    $program memory --prefetch $two "$model" > "$out/text" 2> "$out/err"
    grep -q 'at most: 31 nodes have no time' "$out/text"
    verdict "text: nodes without times" $? "$out/text"
    $program memory --prefetch $two $shapes --save-csv "$out/csv" --svg "$out/svg" "$model" > "$out/log" 2>&1 &&
        $program memory --csv $two --porcelain "$out/csv" > "$out/plan" 2> "$out/err" &&
        [ "$(grep -c '^tensor .*@' "$out/plan")" = 57 ] && grep -q '^<svg\|<svg ' "$out/svg"
    verdict "--save-csv: memory --csv reads it" $? "$out/err"
}

# The tables in C: a program that copies, and overwrites what is live, finds all parameters at their uses.
cat > "$out/run.c" << 'END'
#include "tables.h"
#include <string.h>
static unsigned char slow[PREFETCH_SLOW_BYTES + 1], fast[PREFETCH_FAST_BYTES + 1];
int main(void)
{
    size_t const n_tensors = sizeof prefetch_tensors / sizeof *prefetch_tensors;
    uint32_t next = 0, i, step;
    size_t k;
    for (k = 0; k < PREFETCH_SLOW_BYTES; k++) {
        slow[k] = (unsigned char)(k * 2654435761u >> 13);
    }
    for (step = 0; step < PREFETCH_STEPS; step++) {
        for (; next < PREFETCH_COPIES && prefetch_copies[next].step == step; next++) {
            memcpy(fast + prefetch_copies[next].to, slow + prefetch_copies[next].from, prefetch_copies[next].bytes);
        }
        for (k = 0; k < n_tensors; k++) {
            if (prefetch_tensors[k].first <= step && step <= prefetch_tensors[k].last) {
                memset(fast + prefetch_tensors[k].offset, (int)step, prefetch_tensors[k].bytes);
            }
        }
        for (i = 0; i < PREFETCH_COPIES; i++) {
            if (prefetch_copies[i].use == step && (i >= next || memcmp(fast + prefetch_copies[i].to,
                slow + prefetch_copies[i].from, prefetch_copies[i].bytes) != 0)) {
                return 1;
            }
        }
    }
    return next == PREFETCH_COPIES ? 0 : 2;
}
END
for room in 71168 76800 256K; do
    # shellcheck disable=SC2086
    $program memory --prefetch --memory sram:$room --memory psram:8M:slow $shapes --emit-c "$out/tables.h" "$model" \
        > "$out/log" 2>&1 && $cc -std=c99 -Wall -Wextra -Werror -o "$out/run" "$out/run.c" >> "$out/log" 2>&1 && "$out/run"
    verdict "--emit-c in $room: a program finds every parameter" $? "$out/log"
done

# A parameter that a view and its reader share is one copy; a module that is called twice is two.
cat > "$out/shared.fx" << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # i8[64]
    %w : [num_users=2] = get_attr[target=w]  # i8[100]
    %v : [num_users=1] = call_function[target=view](args = (%w, 3), kwargs = {})  # i8[100] alias=0
    %c : [num_users=1] = call_function[target=f](args = (%x, %v, %w), kwargs = {})  # i8[64] compute=1e-7
    %m : [num_users=1] = call_module[target=conv1](args = (%c,), kwargs = {})  # i8[64] params=896 compute=1e-6
    %m1 : [num_users=1] = call_module[target=conv1](args = (%m,), kwargs = {})  # i8[64] params=896 compute=1e-6
    return m1
END
plan '^copies n=3 bytes=1892 ' --memory sram:4K --memory psram:8K:slow "$out/shared.fx"
cat > "$out/wide.fx" << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # i8[4096, 4096]
    %w : [num_users=1] = get_attr[target=w]  # i8[100]
    %c : [num_users=1] = call_function[target=f](args = (%x, %w), kwargs = {})  # i8[64]
    return c
END

# refuses STATUS PATTERN OPTIONS... FILE: one sentence.
refuses() {
    want=$1
    pattern=$2
    shift 2
    $program memory "$@" > "$out/log" 2> "$out/err"
    [ $? -eq "$want" ] && grep -q -e "$pattern" "$out/err" && [ "$(grep -cv '^Try ' "$out/err")" -eq 1 ]
    verdict "$*: '$pattern'" $? "$out/err"
}
refuses 2 'requires two memories.* there are 0$' --prefetch "$model"
refuses 2 'requires two memories.* there is 1$' --prefetch --memory sram:256K "$model"
refuses 2 'no memory is slow: sram and psram cost the same' --prefetch --memory sram:256K --memory psram:8M "$model"
refuses 2 'the bandwidth of psram is unknown' --prefetch --memory sram:256K:fast --memory psram:8M "$model"
refuses 2 'read-only' --prefetch --memory sram:256K:fast:1:ro --memory psram:8M:slow "$model"
refuses 1 'the parameter read_26 of 65536 bytes does not fit into sram beside what conv_2d_12 needs: 71168 bytes in all, and it has 65536' \
    --prefetch --memory sram:64K --memory psram:8M:slow "$model"
refuses 1 'while .* runs, [0-9]* bytes are live in sram without the parameters, and it has 16777216' \
    --prefetch --memory sram:16M --memory psram:1G:slow "$out/wide.fx"
refuses 1 'the parameters need 218952 bytes of psram, which has 102400' --prefetch --memory sram:256K --memory psram:100K:slow "$model"
refuses 2 'requires --prefetch' --bandwidth 1M "$model"
refuses 2 'requires --prefetch' --emit-c "$out/tables.h" "$model"
refuses 2 '--csv' --prefetch --memory sram:256K --memory psram:8M:slow --csv "$out/csv"
# shellcheck disable=SC2086
{
    refuses 1 'input is no parameter' --prefetch $two --pin psram:name:input "$model"
    refuses 2 'requires --time-unit shapes' --prefetch $two --rates 1,1 "$model"
    refuses 2 '--order' --prefetch $two --order best "$model"
}
finish
