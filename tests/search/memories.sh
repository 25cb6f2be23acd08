#!/bin/sh
# `memory --memory`: every tensor in one memory, apart from all that are live with it, at the cost that is
# told; pins, weights, CSV files; bad input. tests/oracle/memories.c checks that costs are least.
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM
. tests/check.sh
model=examples/models/tflite_person_detect.fx

# valid PLAN: no overlaps, all below the capacity, and the parts of the cost add up to the objective.
valid() {
    awk '
        function value(i) { return substr($i, index($i, "=") + 1) }
        BEGIN { n = 0 }
        $1 == "arena" { capacity[value(6)] = value(7); cost += value(8); left[value(6)] = value(5) }
        $1 ~ /^(tensor|scratch|state|parameter)$/ {
            at[n] = value(3) + 0; bytes[n] = value(4) + 0; first[n] = value(5) + 0; last[n] = value(6) + 0; in_[n] = value(7)
            left[value(7)]--
            if (at[n] + bytes[n] > capacity[in_[n]] + 0) exit bad = 1
            for (i = 0; i < n; i++)
                if (in_[i] == in_[n] && first[i] <= last[n] && first[n] <= last[i] &&
                    at[i] < at[n] + bytes[n] && at[n] < at[i] + bytes[i]) exit bad = 1
            n++
        }
        $1 == "spill" && value(4) + 0 < value(5) + 0 { exit bad = 1 }
        { final = $1; objective = value(2); bound = value(3) }
        END {
            for (m in left) bad = bad || left[m] != 0
            exit bad || n == 0 || final != "proof" || objective + 0 != cost + 0 || bound + 0 > objective + 0
        }' "$1"
}

# plan PATTERN OPTIONS... FILE
plan() {
    pattern=$1
    shift
    $program memory --porcelain "$@" > "$out/plan" 2> "$out/err" && valid "$out/plan" &&
        grep -q -e "$pattern" "$out/plan"
    verdict "$*: a valid plan with '$pattern'" $? "$out/plan"
    $program memory --json "$@" > "$out/json" 2> "$out/err" &&
        [ "$(sed -n 's/.*"proof": {"objective": \([0-9]*\),.*/\1/p' "$out/json")" = \
            "$(sed -n 's/^proof objective=\([0-9]*\) .*/\1/p' "$out/plan")" ]
    verdict "$*: JSON tells the same cost" $? "$out/err"
}

three="--memory tcm:16K:1ns --memory sram:64K --memory psram:8M:slow"
# shellcheck disable=SC2086
{
    plan '^proof .* proved=1 ' $three "$model"
    plan '^spill conv_2d .* home=tcm$' $three "$model"
    plan '^tensor conv_2d .* memory=psram$' $three --pin psram:name:conv_2d "$model"
    plan '^tensor conv_2d .* memory=sram$' $three --pin 'psram:target:tflite.*' --pin sram:name:conv_2d "$model"
    plan '^parameter [^ ]* .* memory=flash$' $three --memory flash:2M:4ns:1:ro --weights \
        --pin flash:kind:parameter "$model"
    plan '^arena .* align=64 .* memory=tcm ' --memory tcm:16K:0.5ns:64 --memory sram:64K "$model"
}
$program memory --porcelain --memory tcm:16K:1ns --memory flash:2M:fast:1:ro --memory sram:256K --weights "$model" > "$out/plan"
! grep -q '^tensor .*memory=flash' "$out/plan" && grep -q '^parameter .*memory=flash' "$out/plan"
verdict "what nothing writes may lie in flash, and nothing else" $?

# One memory is an arena; more room never costs more.
least=$($program memory --porcelain --exact "$model" | sed -n 's/^arena bytes=\([0-9]*\) .*/\1/p')
plan "^arena bytes=$least least=$least " --memory "sram:$least" "$model"
last=
for k in 8K 16K 24K 36K 54K 64K; do
    cost=$($program memory --porcelain --memory tcm:$k:1 --memory sram:64K:3 "$model" | sed -n 's/^proof objective=\([0-9]*\) .*/\1/p')
    [ -z "$last" ] || [ "$cost" -le "$last" ]
    verdict "tcm:$k costs $cost" $?
    last=$cost
done

# State lies in a memory, too. A plan that is written reads back.
cat > "$out/state.fx" << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %s : [num_users=1] = get_attr[target=s]  # f32[4]
    %w : [num_users=1] = get_attr[target=w]  # f32[4]
    %add_ : [num_users=1] = call_method[target=add_](args = (%s, %x), kwargs = {})  # f32[4] alias=0 mutates=0
    %mul : [num_users=1] = call_function[target=torch.mul](args = (%add_, %w), kwargs = {})  # f32[4]
    return mul
END
plan '^state s offset=[0-9]* bytes=16 first=0 last=5 memory=ram$' --memory ram:48:1:16 --weights --memory rom:32:1:16:ro "$out/state.fx"
plan '^parameter w .* memory=rom$' --memory ram:48:1:16 --weights --memory rom:32:0.5:16:ro "$out/state.fx"
printf 'id,lower,upper,size,memory\na,0,3,8,\nb,2,4,8,x\nc,3,5,8,\n' > "$out/in.csv"
plan '^tensor a .* memory=y$' --csv --memory x:8:1 --memory y:20:3 "$out/in.csv"
$program memory --csv --memory x:8:1 --memory y:20:3 --porcelain --save-csv "$out/saved.csv" "$out/in.csv" > "$out/first" &&
    $program memory --csv --memory x:8:1 --memory y:20:3 --porcelain "$out/saved.csv" > "$out/second" &&
    sed '/^spill /d; s/ reference=.*//' "$out/first" > "$out/a" && sed 's/ reference=.*//' "$out/second" | cmp -s - "$out/a"
verdict "a saved plan reads back" $? "$out/second"

printf 'id,lower,upper,size\n' > "$out/empty.csv"
$program memory --csv --memory x:8 --porcelain "$out/empty.csv" 2> "$out/err" | grep -q '^proof objective=0 bound=0 proved=1 '
verdict "a file without tensors" $? "$out/err"

# ---- the interrupt of a search of seconds: the best so far, as a result ----

if timeout --version > /dev/null 2>&1; then
    awk 'BEGIN {
        print "id,lower,upper,size"
        for (s = 3; n < 120; n++) {
            begin = (s = s * 16807 % 2147483647) % 60
            end = begin + 1 + (s = s * 16807 % 2147483647) % 30
            printf "t%d,%d,%d,%d\n", n, begin, end, 16 * (1 + (s = s * 16807 % 2147483647) % 200)
        }
    }' > "$out/hard.csv"
    for after in 0.3 0.6 1.2 2.4 4.8; do # the first may come before the search
        # shellcheck disable=SC2086
        timeout -s INT $after $program memory --csv --memory a:4K:1 --memory b:8K:2 --memory c:8K:3 --memory d:16K:4 \
            --memory e:16K:5 --memory f:16K:6 --memory g:16K:7 --memory h:1M:9 --exact=1000000000000 --porcelain \
            "$out/hard.csv" > "$out/plan" 2> "$out/err" < /dev/null
        ! grep -q 'the user stopped the search' "$out/err" || break
    done
    valid "$out/plan" && grep -q ' proved=0 ' "$out/plan" &&
        grep -q 'the user stopped the search: the cost is the least so far$' "$out/err"
    verdict "an interrupt keeps the best" $? "$out/err"
fi

# ---- the picture ----

# apart FILE: names beside boxes cover neither each other nor a box.
apart() {
    awk '
        function attribute(name) { match($0, " " name "=\"[^\"]*\""); return substr($0, RSTART + length(name) + 3) + 0 }
        /^<rect class="box/ { x[n] = attribute("x"); y[n] = attribute("y"); w[n] = attribute("width"); h[n] = attribute("height"); n++ }
        /^<text class="halo/ {
            match($0, /translate\([^)]*/); split(substr($0, RSTART + 10, RLENGTH - 10), at, " ")
            text = $0; sub(/<\/text>.*/, "", text); sub(/.*>/, "", text)
            w[n] = 6 * length(text); x[n] = at[1] - w[n] / 2; y[n] = at[2] - 9; h[n] = 11
            for (i = 0; i < n; i++)
                if (x[i] < x[n] + w[n] && x[n] < x[i] + w[i] && y[i] < y[n] + h[n] && y[n] < y[i] + h[i]) bad = 1
            n++; names++
        }
        BEGIN { n = 0 }
        END { exit bad || names < 3 }' "$1"
}

# drawn PATTERN COUNT: so many lines of the picture match.
drawn() {
    found=$(grep -c -e "$1" "$out/arena.svg")
    [ "$found" -eq "$2" ]
    verdict "$found lines with $1, expected $2" $? "$out/err"
}
$program memory --svg "$out/arena.svg" "$model" > "$out/log" 2> "$out/err" && apart "$out/arena.svg"
verdict "names of one arena lie apart" $? "$out/err"
drawn '^<path class="at"' 1
drawn '^<text class="told"' 90
drawn 'class="box misfit"' 0
grep -q '>step 9, conv_2d: 54.0 KiB live<' "$out/arena.svg"
verdict "the step under the pointer is told" $?
# shellcheck disable=SC2086
$program memory $three --svg "$out/arena.svg" "$model" > "$out/log" 2> "$out/err" && apart "$out/arena.svg"
verdict "names of several memories lie apart" $? "$out/err"
drawn '^<path class="at"' 3
drawn '^<path class="live"' 3
grep -q '>step 9, conv_2d: 0 B in tcm, 54.0 KiB in sram, 0 B in psram<' "$out/arena.svg" &&
    grep -q '>tcm: 13.5 KiB of 16.0 KiB<' "$out/arena.svg"
verdict "memories stand side by side" $? "$out/err"
$program memory --capacity 53K --svg "$out/arena.svg" "$model" > "$out/log" 2> "$out/err"
[ $? -eq 1 ] && grep -q 'conv_2d, depthwise_conv_2d_1' "$out/err" && grep -q 'do not fit below the line together' "$out/arena.svg"
verdict "a set that does not fit is drawn" $? "$out/err"
drawn '^<rect class="box misfit"' 2
drawn '^<path class="limit"' 1
rm "$out/arena.svg"

# ---- bad input ----

# refuses STATUS WORDS OPTIONS...: one sentence, nothing written
refuses() {
    status=$1
    words=$2
    shift 2
    $program memory --porcelain --save-csv "$out/none.csv" "$@" > "$out/found" 2> "$out/err"
    [ $? -eq "$status" ] && grep -q -e "$words" "$out/err" && ! [ -e "$out/none.csv" ] && ! grep -qv '^error ' "$out/found" &&
        [ "$(grep -vc '^Try ' "$out/err")" -eq 1 ]
    verdict "$*: expected '$words'" $? "$out/err"
}
refuses 2 "--memory a:0: a memory has from 1 byte" --memory a:0 "$model"
refuses 2 "--memory expects NAME:BYTES" --memory a "$model"
refuses 2 "--memory expects NAME:BYTES" --memory a:1K:quick "$model"
refuses 2 "--memory expects NAME:BYTES" --memory a:1K:1:3 "$model"
refuses 2 "--memory expects NAME:BYTES" --memory a:1K:0.0001ns "$model"
refuses 2 "there is a memory of this name" --memory a:1K --memory a:2K "$model"
refuses 2 "no --memory is called 'c'; there are a, b" --memory a:1K --memory b:2K --pin c:name:conv_2d "$model"
refuses 2 "--pin expects MEMORY:WHAT:LIST" --memory a:1K --pin a:scope:conv_2d "$model"
refuses 2 "--pin requires --memory" --pin a:name:x "$model"
refuses 2 "--weights requires --memory" --weights "$model"
refuses 2 "cannot be combined with --budget" --memory a:1K --budget 1K "$model"
refuses 1 "no tensor has the name nobody" --memory a:1K --pin a:name:nobody "$model"
refuses 1 "fits into no memory" --memory a:1K --memory b:2K "$model"
refuses 1 "55296 bytes are live at once, and the memories have 55295" --memory a:55295 "$model"
refuses 1 "no assignment of the 3 tensors" --csv --memory x:8 --memory y:9 --pin 'x:name:a' --pin 'x:name:b' "$out/in.csv"
refuses 1 "55295: 2 do not fit together: conv_2d, depthwise_conv_2d_1 (55296 bytes at step 9; any one less and they fit)" \
    --memory a:55295 "$model"
refuses 1 "fits: 2 do not fit together: b, a (.*; any one less and they fit)" \
    --csv --memory x:8 --memory y:9 --pin 'x:name:a' --pin 'x:name:b' "$out/in.csv"

# fits FILE: whether its tensors fit into the two memories.
fits() {
    $program memory --csv --memory x:20:1:4 --memory y:12 --porcelain "$1" > /dev/null 2> "$out/err"
}
# The named tensors do not fit, and fit if any one of them is missing.
sets=0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    awk -v seed=$seed 'BEGIN { srand(seed); print "id,lower,upper,size"
        for (i = 0; i < 14; i++) { begin = int(rand() * 12); print "t" i "," begin "," begin + 1 + int(rand() * 4) "," 1 + int(rand() * 9) } }' > "$out/some.csv"
    if ! fits "$out/some.csv"; then
        names=$(sed -n 's/.*do not fit together: \([^(]*\) (.*any one less and they fit)/\1/p' "$out/err" | tr -d ' ')
        bad=${names:+0}
        awk -F, -v names=",$names," 'FNR == 1 || index(names, "," $1 ",")' "$out/some.csv" > "$out/set.csv"
        fits "$out/set.csv" && bad=1
        for name in $(echo "$names" | tr , ' '); do
            grep -v "^$name," "$out/set.csv" > "$out/less.csv"
            fits "$out/less.csv" || bad=1
        done
        [ "${bad:-1}" -eq 0 ]
        verdict "seed $seed: a minimal set, $names" $? "$out/err"
        sets=$((sets + 1))
    fi
done
[ $sets -ge 3 ]
verdict "sets that do not fit: $sets" $?
printf 'id,lower,upper,size,alignment,offset,memory\na,0,3,8,1,0,x\nb,2,4,8,1,4,x\n' > "$out/fixed.csv"
refuses 1 "the fixed offsets of a and b make them overlap" --csv --memory x:80 "$out/fixed.csv"
refuses 1 "the columns traffic and memory require --memory" --csv "$out/fixed.csv"
refuses 2 "no --memory is called 'x'; there is z" --csv --memory z:80 "$out/fixed.csv"
printf 'id,lower,upper,size,alignment,offset\na,0,3,8,1,0\n' > "$out/fixed.csv"
refuses 1 "a has an offset, and no memory for it" --csv --memory x:80 "$out/fixed.csv"
finish
