#!/bin/sh
# Schedules from and to CSV, and traces; then the optimal pipe policy on the instances of a placement benchmark,
# against its published figures: never above the least load of the file's own order.
# Loads are counted again here, from the stages that the command prints.
# usage: B=build sh tests/program/stages.sh [--table]
cd "$(dirname "$0")/../.." || exit 1
table=${1:-}
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT
trap 'exit 1' HUP INT TERM
. tests/check.sh

# chain N: N calls of 1 ms each, and the names of one need escapes.
chain() {
    awk -v n="$1" 'BEGIN {
        print "graph():"
        print "    %x : [num_users=1] = placeholder[target=x]  # f32[1024]"
        for (i = 0; i < n; i++) {
            printf "    %%n%d : [num_users=1] = call_module[target=n%d](args = (%%%s,), kwargs = {})", i, i, i ? "n" i - 1 : "x"
            print "  # f32[1024] compute=0.001 params=4000"
        }
        print "    return n" n - 1
    }'
}
chain 2 > "$temporary/2.fx"
chain 4 > "$temporary/4.fx"

# pipe N OPTIONS...: of the chain of N.
pipe() {
    stages=$1
    shift
    $program pipe --stages "$stages" "$@" "$temporary/$stages.fx"
}

# rows ROW...: as a CSV file.
rows() {
    printf '%s\r\n' "$@" > "$temporary/given.csv"
}

for schedule in gpipe 1f1b interleaved looped-bfs interleaved-zb zb-h1 zb-h2 zbv v-half v-min dualpipev; do
    pipe 4 --schedule $schedule --microbatches 6 --schedule-csv "$temporary/own.csv" --json > "$temporary/own"
    pipe 4 --schedule "@$temporary/own.csv" --json > "$temporary/again"
    for file in own again; do
        sed 's/"kind": "[^"]*", "microbatches"/"microbatches"/' "$temporary/$file" > "$temporary/$file.json"
    done
    cmp -s "$temporary/own.json" "$temporary/again.json"
    verdict "$schedule from its own file: the same times and bytes" $?
    pipe 4 --schedule "@$temporary/own.csv" --schedule-csv "$temporary/moved.csv" --transfers > "$temporary/report"
    [ $schedule = dualpipev ] && continue # the result of an overlap leaves when both tasks are over
    pipe 4 --schedule "@$temporary/moved.csv" --json | # which alone says how sends end
        sed 's/"kind": "[^"]*", "microbatches"/"microbatches"/; s/, "ends_if_sends_wait": [a-z]*//' |
        cmp -s - "$temporary/own.json"
    verdict "$schedule with transfers: the same times and bytes" $?
done

# said WORDS OPTIONS...: of the chain of 4.
said() {
    words=$1
    shift
    pipe 4 "$@" > "$temporary/report" 2>&1
    grep -q -- "$words" "$temporary/report"
    verdict "$words" $? "$temporary/report"
}
said '^ZB-H1, 8 microbatches on 4 devices: 27 s, bubble 11.11 %$' --schedule zb-h1 --microbatches 8 --task-times 1:1:1
said '^       0  24 s       88.9 %  0.0 %     7 ' --schedule zb-h2 --microbatches 8 --task-times 1:1:1
said '^V-Half, 4 microbatches on 2 devices: 50 s, bubble 4.00 %$' --schedule v-half --microbatches 4 --task-times 2:2:2
said '^GPipe, 1 microbatch on 4 devices: 100 s, ' --schedule gpipe --task-times 1:2:3,4:5:6,7:8:9,10:20:25
said '2 triples for 4 stages$' --schedule gpipe --task-times 1:2:3,4:5:6
said 'expects seconds F:I:W, .* got .1:-2:3.$' --schedule gpipe --task-times 1:-2:3
said 'expects seconds F:I:W, .* got .1:2.$' --schedule gpipe --task-times 1:2
said 'requires --schedule' --task-times 1:2:3
said 'dualpipev: 2 devices need at least 4 microbatches' --schedule dualpipev --microbatches 3
said 'cannot be divided among devices with 3 stages' --schedule looped-bfs --chunks 3
said 'chunks is the number of stages per device' --schedule zbv --chunks 3
said 'requires a schedule with stage I on device I modulo N, and zbv is not' --schedule zbv --policy optimal --memory 1G
said '^DualPipeV, 4 microbatches on 2 devices: 10 ms, ' --schedule dualpipev --microbatches 4 --inference

# tasks_of STAGE ROW...: what `pipe` says of the tasks of a stage, in ms.
tasks_of() {
    stage=$1
    shift
    rows "$@"
    pipe 2 --schedule "@$temporary/given.csv" --json | sed -n "s/.*\"kind\": \"\([a-z_]*\)\", \"stage\": $stage, \
.*\"begin_ns\": \([0-9]*\)000000, \"end_ns\": \([0-9]*\)000000.*/\1 \2-\3/p; \
s/.*\"kind\": \"\([a-z_]*\)\", \"stage\": $stage, .*\"begin_ns\": 0, \"end_ns\": \([0-9]*\)000000.*/\1 0-\2/p" |
        tr '\n' ' '
}

# ---- without times: memory, and no proof about nothing ----

sed 's/  # .*//' "$temporary/4.fx" > "$temporary/bare.fx"
sed 's/compute=0.001//; s/  # f32.1024.$//' "$temporary/4.fx" > "$temporary/part.fx"
# bare STATUS WORDS OPTION...
bare() {
    status=$1 words=$2 file=$3
    shift 3
    $program pipe --stages 2 "$@" "$temporary/$file.fx" > "$temporary/report" 2>&1
    [ $? -eq "$status" ] && grep -q -- "$words" "$temporary/report"
    verdict "$file $*: exit $status, '$words'" $? "$temporary/report"
}
bare 1 'no size of what stages hold is known, and no time, .*--policy nodes and --time-unit nodes' bare --policy optimal
bare 1 'no size of what stages hold is known, so there is nothing' bare --policy optimal --balance bytes --porcelain
bare 0 'slowest stage    2 nodes; proved to be the minimum' bare --policy optimal --time-unit nodes
bare 0 'largest stage    15.8 KiB (16192 bytes); by what is known: [0-9]* of [0-9]* sizes \(is\|are\) unknown$' \
    part --policy optimal
bare 0 'no node has compute=, so stages are balanced by memory$' part --policy optimal

# ---- inference: parameters and live peak ----

# memory_of: the figures `memory` of the loads of the report, one per line.
memory_of() {
    sed -n 's/^  {"stage": .*"memory": \([0-9]*\).*/\1/p'
}
# Each stage needs what `memory` finds in its piece, and none exceeds the limit.
for model in tflite_person_detect tflite_mlperf_tiny_kws tflite_micro_speech_quantized; do
    file=examples/models/$model.fx
    [ -e "$file" ] || file=$shared/models/fx/$model.fx
    [ -e "$file" ] || continue
    for stages in 1 2 4; do
        rm -rf "$temporary/pieces"
        $program pipe --stages $stages --policy optimal --emit "$temporary/pieces" --json "$file" 2> "$temporary/log" |
            memory_of > "$temporary/said"
        for piece in "$temporary"/pieces/submod_*.fx; do
            $program memory --json "$piece" |
                sed -n 's/^  {"name": "main", "bytes": \([0-9]*\), .*"parameters": \([0-9]*\).*/\1 \2/p'
        done | awk '{ print $1 + $2 }' > "$temporary/found"
        cmp -s "$temporary/said" "$temporary/found"
        verdict "$model in $stages stages: memory is that of the pieces, $(tr '\n' ' ' < "$temporary/said")" $? "$temporary/found"
        most=$(sort -n "$temporary/said" | tail -n 1)
        $program pipe --stages $stages --policy optimal --memory "$most" "$file" > "$temporary/report" 2>&1 &&
            ! $program pipe --stages $stages --policy optimal --memory $((most - 1)) "$file" > "$temporary/report" 2>&1 &&
            grep -q "^graphsplit: --memory $((most - 1)): .*; \($most bytes are the minimum\|the minimum is at least $most bytes\)$" \
                "$temporary/report" &&
            $program pipe --stages $stages --policy optimal --time-unit shapes --memory "$most" --json "$file" |
            memory_of | awk -v most="$most" '$1 > most { bad = 1 } END { exit bad }'
        verdict "$model in $stages stages: $most bytes suffice, one less does not" $? "$temporary/report"
    done
done

# Eight calls with a value that skips some of them, in three stages: no other cuts need less memory or,
# within a memory, less time.
awk 'BEGIN {
    print "graph():"
    print "    %x : [num_users=1] = placeholder[target=x]  # f32[100]"
    split("40 300 20 500 10 80 60 90", width)
    for (i = 0; i < 8; i++) {
        printf "    %%n%d : [num_users=1] = call_module[target=n%d](args = (%%%s%s), kwargs = {})", i, i,
            i ? "n" i - 1 : "x", i == 6 ? ", %n1" : ""
        printf "  # f32[%d] compute=0.00%d params=%d\n", width[i + 1], i * 5 % 7 + 1, (i * 3 % 5) * 200
    }
    print "    return n7"
}' > "$temporary/skip.fx"
for first in 1 2 3 4 5 6; do
    second=$((first + 1))
    while [ $second -lt 8 ]; do
        awk -v a=$first -v b=$second 'BEGIN {
            print "plan 1"
            for (i = 0; i < 8; i++) {
                if (i == 0 || i == a || i == b) printf "[%d] %d\n", s, s++
                print "n" i
            }
        }' > "$temporary/plan"
        $program pipe --plan "$temporary/plan" --schedule gpipe --inference --json "$temporary/skip.fx" > "$temporary/json"
        memory_of < "$temporary/json" | sort -n | tail -n 1 > "$temporary/most"
        sed -n 's/^  {"stage": .*"ns": \([0-9]*\), "compute_ns.*/\1/p' "$temporary/json" | sort -n | tail -n 1 |
            paste -d ' ' - "$temporary/most"
        second=$((second + 1))
    done
done > "$temporary/all"
least=$(cut -d ' ' -f 2 "$temporary/all" | sort -n | head -n 1)
[ "$(wc -l < "$temporary/all")" -eq 21 ] &&
    $program pipe --stages 3 --policy optimal --balance bytes --porcelain "$temporary/skip.fx" |
    grep -q "^proof objective=$least bound=$least proved=1 "
verdict "no cuts need less than $least bytes" $? "$temporary/all"
for room in "$least" $((least + 300)) $((least * 2)) 1000000; do
    fastest=$(awk -v room="$room" '$2 <= room { print $1 }' "$temporary/all" | sort -n | head -n 1)
    $program pipe --stages 3 --policy optimal --memory "$room" --porcelain "$temporary/skip.fx" |
        grep -q "^proof objective=$fastest bound=$fastest proved=1 "
    verdict "within $room bytes, no cuts take less than $fastest ns" $? "$temporary/all"
done

# On graphs of more nodes: the stages of the least memory fit it, and no stages fit a byte less, by a search from
# the start each time.
for seed in 1 2 3 4 5 6 7 8; do
    awk -v r=$seed 'function random(n) { r = r * 16807 % 2147483647; return r % n }
        BEGIN {
            print "graph():\n    %a : [num_users=1] = placeholder[target=a]  # f32[9]"
            for (i = 0; i < 90; i++) {
                args = "%a"
                for (k = random(3); i > 0 && k >= 0; k--) args = args ", %n" (k == 0 ? i - 1 : i - 1 - random(i < 30 ? i : 30))
                printf "    %%n%d : [num_users=1] = call_function[target=f](args = (%s,), kwargs = {})", i, args
                printf "  # f32[%d] compute=0.00%d params=%d\n", random(900) + 1, random(9) + 1, random(3) * 400
            }
            print "    return n89"
        }' > "$temporary/many.fx"
    least=$($program pipe --stages 5 --policy optimal --balance bytes --porcelain "$temporary/many.fx" |
        sed -n 's/^proof objective=\([0-9]*\) bound=\1 proved=1 .*/\1/p')
    $program pipe --stages 5 --policy optimal --memory "$least" --porcelain "$temporary/many.fx" > "$temporary/report" 2>&1 &&
        ! $program pipe --stages 5 --policy optimal --memory $((least - 1)) --porcelain "$temporary/many.fx" > "$temporary/report" 2>&1 &&
        grep -q '^error NO_FIT' "$temporary/report"
    verdict "of 90 nodes ($seed), no cuts need less than $least bytes" $? "$temporary/report"
done

# Stage 1 takes three times as long, so that two of four microbatches wait for it, of 4,096 bytes each.
sed 's/compute=0.001/compute=0.003/' "$temporary/2.fx" | awk '/%n0 :/ { sub(/0.003/, "0.001") } { print }' > "$temporary/slow.fx"
$program pipe --stages 2 --schedule gpipe --inference --microbatches 4 "$temporary/slow.fx" > "$temporary/report"
grep -q '^  submod_1 .* 3.9 KiB  *8.0 KiB  *8.0 KiB  *20.0 KiB$' "$temporary/report" &&
    grep -q '^ *1 .* 20.0 KiB$' "$temporary/report"
verdict "inputs that wait" $? "$temporary/report"
$program pipe --stages 2 --policy optimal --schedule gpipe --inference --microbatches 4 --memory 15K "$temporary/slow.fx" \
    > "$temporary/report" 2>&1
[ $? -eq 1 ] && grep -q '15360: device 1 needs 20384 bytes with the inputs that wait, which the search does not count: other stages may fit$' "$temporary/report"
verdict "inputs that wait and have no room" $? "$temporary/report"

# By hand: forward takes 1 ms, backward 2 ms, of which 1 ms for the parameters.
takes() {
    [ "$2" = "$3 " ]
    verdict "$1: $2" $?
}
set -- ,0F0,0F1,,0F2,0B0,0B1,0B2 '1F0, 1B0,1F1,1I1,1F2,1W1,1B2'
takes "parts of backward" "$(tasks_of 0 "$@")" \
    'forward 0-1 forward 1-2 forward 2-3 backward 4-6 backward 6-8 backward 10-12'
takes "parts of backward, the last stage" "$(tasks_of 1 "$@")" 'forward 1-2 backward 2-4 forward 4-5 backward_input 5-6 '\
'forward 6-7 backward_weight 7-8 backward 8-10'
set -- 0F0,0F1,0F2,0B0,0B1,0B2 '1F0,(1F2;1B0)OVERLAP_F_B,1F1,1B1,1B2'
takes "an overlap waits for both inputs" "$(tasks_of 1 "$@")" \
    'forward 1-2 forward 3-4 backward 4-6 forward 6-7 backward 7-9 backward 9-11'
set -- 0F0,0F1,0SEND_F1,0SEND_F0,0RECV_B1,0B1,0RECV_B0,0B0 \
    1RECV_F1,1RECV_F0,1F0,1F1,1B0,1SEND_B0,1B1,1SEND_B1,1UNSHARD,1RESHARD,1REDUCE_GRAD
takes "a value leaves with its send" "$(tasks_of 1 "$@")" 'forward 2-3 forward 3-4 backward 4-6 backward 6-8'

# refused SENTENCE ROW...: nothing is written.
refused() {
    sentence=$1
    shift
    rows "$@"
    pipe 2 --schedule "@$temporary/given.csv" --svg "$temporary/no.svg" --trace "$temporary/no.json" \
        --schedule-csv "$temporary/no.csv" $options > "$temporary/report" 2>&1
    [ $? -ne 0 ] && [ "$(head -n 1 "$temporary/report")" = "graphsplit: $temporary/given.csv:$sentence" ] &&
        [ "$(echo "$temporary"/no.*)" = "$temporary/no.*" ]
    verdict "refused: $sentence" $? "$temporary/report"
}
options=
refused "1:9: 0F0 is given twice, first in column 1" 0F0,0B0,0F0 1F0,1B0
refused "2:1: 1F0 is there without 1B0" 0F0,0B0 1F0
refused "2:2: 1B0 comes before 1F0" 0F0,0B0 ,1B0,1F0
refused "1:5: deadlock: 0B0 waits for 1B0, which comes after 1F1 of line 2, column 1, and that waits in turn for \
what comes after 0B0" 0F0,0B0,0F1,0B1 1F1,1B1,1F0,1B0
refused "1:5: deadlock: 0B0 waits for 1B0, which comes after it" 0F0,0B0,1F0,1B0
refused "1:14: deadlock: 0B0 waits for 1SEND_B0, which comes after 1F0 of line 2, column 10, and that waits in turn \
for what comes after 0B0" 0F0,0RECV_B0,0B0,0SEND_F0 1RECV_F0,1F0,1B0,1SEND_B0
refused "1:1: deadlock: 1F0 waits for 0F0, which comes after it" 1F0,0F0,1B0,0B0
refused "1:9: 7F0 is there, and no device runs 2F0" 0F0,0B0,7F0 1F0,1B0
refused "3:1: there is no stage 2: the pipeline has 2, counted from 0" 0F0,0B0 1F0,1B0 2F0,2B0
refused "1:1: no task is of a stage after 0: the pipeline has 2, counted from 0" 0F0,0B0
refused "2:9: 0B0 is of a stage that is also on line 1" 0F0 1F0,1B0,0B0
refused "2:5: expected an action such as 0F3 (stage, kind, microbatch), got '1Q0'" 0F0,0B0 1F0,1Q0
refused "1:9: expected an action such as 0F3 (stage, kind, microbatch), got '-1F0'" 0F0,0B0,-1F0 1F0,1B0
refused "2:1: a device without actions" 0F0,0B0 '' 1F0,1B0
refused "1:1: a device without actions" ''
refused "1:9: stages, microbatches and actions are less than 2^24, got '4000000000F3'" 0F0,0B0,4000000000F3 1F0,1B0
refused "1:1: 0F0 is there, and its stage lacks 0F1" 0F0,0B0,0F9999999,0B9999999 1F0,1B0
refused "1:5: 0SEND_F0 is there without 1RECV_F0" 0F0,0SEND_F0,0B0 1F0,1B0
refused "1:1: 1RECV_F0 is there without 0SEND_F0" 1RECV_F0,1F0,1B0 0F0,0B0
refused "1:5: 0SEND_B0 has no stage of another device to transfer to or from" \
    0F0,0SEND_B0,0SEND_F0,0RECV_B0,0B0 1RECV_F0,1F0,1B0,1SEND_B0
refused "1:5: 0I0 repeats 0B0" 0F0,0I0,0W0,0B0 1F0,1B0
refused "1:5: 0W0 comes before 0I0" 0F0,0W0,0I0 1F0,1B0
refused "2:9: expected an overlap such as (0F1;3B0)OVERLAP_F_B, got '(0F1;0B1'" 0F0,0B0 '1F0,1B0,(0F1;0B1'
refused "2:1: only forward and backward tasks overlap, got '(1SEND_F0;1B0)OVERLAP_F_B'" 0F0 '(1SEND_F0;1B0)OVERLAP_F_B'
refused "2:9: 0UNSHARD is of a stage that is also on line 1" 0F0,0B0 1F0,1B0,0UNSHARD
refused "2:5: expected one action per cell, got '1B0 1F1'" 0F0,0B0 '1F0,1B0 1F1'
options=--inference
refused "1:5: --inference has no backward, got '0B0'" 0F0,0B0 1F0,1B0
options='--microbatches 2'
refused "1:1: 0F0 is there, and its stage lacks 0F1" 0F0,0B0 1F0,1B0
options='--microbatches 1'
refused "1:9: --microbatches names fewer than this cell, got '0F1'" 0F0,0B0,0F1 1F0,1B0
options=
: > "$temporary/given.csv"
pipe 2 --schedule "@$temporary/given.csv" 2>&1 | grep -q 'given.csv:1:1: a schedule without actions$'
verdict "an empty file" $?
printf '0F0,0B0\n1F0,' > "$temporary/given.csv"
pipe 2 --schedule "@$temporary/given.csv" 2>&1 | grep -q 'given.csv:2:1: 1F0 is there without 1B0$'
verdict "a file that ends behind a comma" $?
printf '0F0,0B0\n1F0,1B0,' > "$temporary/given.csv"
pipe 2 --schedule "@$temporary/given.csv" > "$temporary/report" 2>&1
verdict "a file that ends with an empty cell" $? "$temporary/report"
rows 0F0,0F1 1F0,1F1
pipe 2 --schedule "@$temporary/given.csv" --inference | grep -q 'schedule of a file, 2 microbatches on 2 devices: 3 ms, '
verdict "forward alone" $?

# A V: stages 0 and 3 on one device. Of its memory the optimal policy knows nothing.
rows 0F0,3F0,3I0,3W0,0B0 1F0,2F0,2B0,1B0
pipe 4 --schedule "@$temporary/given.csv" --policy optimal --svg "$temporary/v.svg" |
    grep -q '1 microbatch on 2 devices: 11 ms, bubble 45.45 %'
verdict "a schedule in the shape of a V" $?
grep -q 'backward_weight of microbatch 0, stage 3: 5 ms to 6 ms' "$temporary/v.svg"
verdict "the parts of backward in the chart" $?
pipe 4 --schedule zb-h1 --microbatches 20 --svg "$temporary/zb.svg" > "$temporary/report"
[ "$(grep -c '>19</text>' "$temporary/zb.svg")-$(grep -c 'fill="url(#idle)" x=' "$temporary/zb.svg")" = 12-4 ]
verdict "numbers to the end of the row, and idle time" $?
[ "$(grep -c 'at most .*KiB</title><path .*Z"/></g>$' "$temporary/zb.svg")" = 4 ] && grep -q '>bytes</text>' "$temporary/zb.svg" &&
    grep -q '>parameters</text>' "$temporary/zb.svg"
verdict "bytes over time in the chart" $?
pipe 4 --schedule gpipe --microbatches 200 --svg "$temporary/many.svg" > "$temporary/report"
! grep -q 'text-anchor="middle"[^>]*>199</text>' "$temporary/many.svg"
verdict "no number in tasks that are too narrow" $?
pipe 4 --schedule "@$temporary/given.csv" --policy optimal --memory 1G 2>&1 |
    grep -q 'requires a schedule with stage I on device I modulo N'
verdict "a V refuses --memory" $?

# The trace: a slice per task, a flow per transfer, in microseconds.
pipe 4 --schedule interleaved --microbatches 6 --trace "$temporary/trace.json" > "$temporary/report"
count() {
    grep -c "\"ph\": \"$1\"" "$temporary/trace.json"
}
[ "$(count X)-$(count s)-$(count f)-$(count M)-$(count C)" = 48-36-36-5-50 ]
verdict "events of a trace: $(count X) slices, $(count s) flows" $?
grep -q '^{"ph": "X", "pid": 0, "tid": 1, "name": "1F0", "cat": "forward", "ts": 1000.000, "dur": 1000.000, '\
'"args": {"stage": "submod_1", "microbatch": 0}},$' "$temporary/trace.json"
verdict "a task in a trace" $?
if command -v python3 > /dev/null; then
    python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
slices = {(e["tid"], e["ts"]): e for e in events if e["ph"] == "X"}
flows = {e["id"]: [e] for e in events if e["ph"] == "s"}
for e in events:
    if e["ph"] == "f":
        flows[e["id"]].append(e)
def owner(e):
    found = [t for t in slices.values() if t["tid"] == e["tid"] and t["ts"] <= e["ts"] < t["ts"] + t["dur"]]
    assert len(found) == 1, e
    return found[0]
for begin, end in flows.values():
    a, b = owner(begin), owner(end)
    assert a["cat"] == b["cat"] and a["args"]["microbatch"] == b["args"]["microbatch"] and a["tid"] != b["tid"]
    assert abs(int(a["name"][0]) - int(b["name"][0])) == 1 and a["ts"] + a["dur"] <= b["ts"]
' "$temporary/trace.json" > "$temporary/report" 2>&1
    verdict "every flow of a trace joins two tasks" $? "$temporary/report"
else
    skip "flows of a trace (there is no python3)"
fi
sed 's/compute=0.001//' "$temporary/4.fx" > "$temporary/3.fx"
pipe 3 --schedule gpipe --trace "$temporary/no.json" 2>&1 | grep -q 'no node has compute=, so times are unknown' &&
    [ ! -e "$temporary/no.json" ]
verdict "a trace without times" $?
for wrong in '--trace -' '--schedule-csv -' '--svg -' '--schedule gpipe --svg - --trace -' \
    '--schedule gpipe --schedule-csv - --json' '--schedule gpipe --transfers' '--schedule @'; do
    pipe 4 $wrong > "$temporary/report" 2>&1
    [ $? -eq 2 ]
    verdict "usage: $wrong" $? "$temporary/report"
done

# Stages for other trainers: three layers of two modules with a function between them.
{
    echo 'graph():'
    echo '    %x : [num_users=1] = placeholder[target=x]'
    before=x
    for module in embed layers.0.a - layers.0.b layers.1.a - layers.1.b layers.2.a layers.2.b head.norm head.lin; do
        name=$(echo "$module" | tr . _)
        call="call_module[target=$module]"
        [ $module = - ] && name=f_$before call='call_function[target=torch.relu]'
        echo "    %$name : [num_users=1] = $call(args = (%$before,), kwargs = {})"
        before=$name
    done
    echo '    return head_lin'
} > "$temporary/layers.fx"
# hands FORM STAGES TEXT
hands() {
    $program pipe --stages-for "$1" $2 "$temporary/layers.fx" > "$temporary/report" 2>&1
    grep -qxF -- "$3" "$temporary/report"
    verdict "$1: $3" $? "$temporary/report"
}
whole='--split-spec layers.1.a=beginning,layers.2=beginning'
hands torch "$whole" '{"layers.1.a": SplitPoint.BEGINNING, "layers.2": SplitPoint.BEGINNING}'
hands torch '--split-spec layers.2.a=end' '{"layers.2.b": SplitPoint.BEGINNING}'
hands torch '--split-spec layers.0.a=end' '{"layers.0.a": SplitPoint.END}'
hands torch '--stages 1' '{}'
hands megatron "$whole" 'Et|t|tL'
hands megatron '--split-spec head=beginning' 'Et*3|L'
hands deepspeed "$whole" '[0, 2, 3, 5]'
hands deepspeed '--stages 1' '[0, 5]'
hands deepspeed '--split-spec layers.0.a=end' \
    'graphsplit: --stages-for: the layer layers.0 is in stages 0 and 1, and layers are whole there'
hands megatron '--split-spec layers.0=beginning,layers.0.a=end' \
    'graphsplit: --stages-for: the layer layers.0 is in stages 1 and 3, and layers are whole there'
hands torch '--stages 2 --json' \
    'graphsplit: only one of --porcelain, --json and --stages-for can write to standard output'
sed 's/target=layers.2.a/target=embed/' "$temporary/layers.fx" > "$temporary/again"
mv "$temporary/again" "$temporary/layers.fx"
hands deepspeed '--stages 1' 'graphsplit: --stages-for: the layer embed is called again after others'
sed 's/call_module\[target=[^]]*\]/call_function[target=f]/' "$temporary/layers.fx" > "$temporary/again"
mv "$temporary/again" "$temporary/layers.fx"
hands torch '--stages 2' \
    'graphsplit: --stages-for torch: stage 1 begins at %layers_1_b, where no module that is called once begins or ends'
hands deepspeed '--stages 2' \
    'graphsplit: --stages-for: stage 0 has no layer (paths of modules come from call_module and scope=)'

if [ ! -d "$shared/models/cost" ]; then
    nothing_but "stages beside published optima (looked for in $shared/models/cost)"
fi

figure() {
    awk -v key="$1" '$1 == key { print $2 }' "$figures"
}

# stage_of FILE: what `pipe --porcelain` printed, as a line `NODE STAGE` a node.
stage_of() {
    awk '/^module submod_/ { stage = substr($2, 8); inside = 1 }
        /^module main/ { inside = 0 }
        inside && / = call_module\[/ { print substr($1, 2), stage }' "$1"
}

# load STAGES GRAPH: the greatest load: compute= of its nodes, comm= once of every value that enters and
# of every one that leaves, to six digits.
load() {
    awk 'FNR == NR { stage[$1] = $2; next }
        / = call_module\[/ {
            name = substr($1, 2)
            for (i = 2; i <= NF; i++) {
                if ($i ~ /^compute=/) sum[stage[name]] += substr($i, 9)
                if ($i ~ /^comm=/) comm[name] = substr($i, 6)
            }
            args = $0
            sub(/.*\(args = \(/, "", args)
            sub(/\), kwargs.*/, "", args)
            n = split(args, input, /[%, ]+/)
            for (i = 1; i <= n; i++) {
                if (input[i] != "" && stage[input[i]] != stage[name]) {
                    pays[stage[name] " " input[i]] = 1
                    pays[stage[input[i]] " " input[i]] = 1
                }
            }
        }
        END {
            for (pair in pays) {
                split(pair, part, " ")
                sum[part[1]] += comm[part[2]]
            }
            for (s in sum) if (sum[s] > most) most = sum[s]
            printf "%.6g\n", most
        }' "$1" "$2"
}

plan() {
    $program pipe --stages "$devices" --policy optimal --orders "$1" --memory "$bytes" --porcelain \
        "$graph" > "$temporary/plan" || return 1
    stage_of "$temporary/plan" > "$temporary/stages"
    load "$temporary/stages" "$graph"
}

at_most() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'
}

[ "$table" = --table ] && printf '%-24s %9s %9s | %9s %10s %9s %9s\n' 'load of the slowest of' 'file' \
    '14 orders' 'file' 'contiguous' 'expert' 'pipedream'
for figures in "$shared"/models/cost/throughput_*.figures; do
    graph=${figures%.figures}.fx
    name=$(basename "$graph" .fx)
    sed 's/ group=[^ ]*//' "$graph" > "$temporary/without_groups.fx" # which stages of the orders would tear
    graph=$temporary/without_groups.fx
    devices=$(figure accelerators)
    bytes=$(figure bytes_each)
    one=$(plan 1)
    verdict "$name: a plan in the order of the file" $?
    said=$(awk '$1 == "proof" { sub(/objective=/, "", $2); printf "%.6g\n", $2 / 1e9 }' \
        "$temporary/plan")
    [ "$said" = "$one" ]
    verdict "$name: says $said, the stages have $one" $?
    all=$(plan 14)
    verdict "$name: a plan in one of 14 orders" $?
    at_most "$all" "$one"
    verdict "$name: 14 orders give $all, one gives $one" $?
    least=$(figure order_optimum_comm)
    if [ -n "$least" ]; then
        at_most "$one" "$least"
        verdict "$name: $one is above $least" $?
    fi
    [ "$table" = --table ] && printf '%-24s %9s %9s | %9s %10s %9s %9s\n' "${name#throughput_}" "$one" \
        "$all" "${least:--}" "$(figure contiguous_optimum)" "$(figure expert | grep . || echo -)" \
        "$(figure pipedream)"
done
finish
