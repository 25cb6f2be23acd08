#!/bin/sh
# Sends of `pipe`: a schedule of a file that ends with buffered sends alone, and values that skip stages, for which a
# schedule with --transfers has no sends. GRAPHSPLIT: the program.
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

# chain LAYERS [SKIPS]: layers one after the other; "0>3 1>2": layer 3 also reads layer 0, and layer 2 layer 1
chain() {
    awk -v n="$1" -v skips=" $2 " 'BEGIN {
        print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[8, 64]"
        h = "x"
        for (i = 0; i < n; i++) {
            more = ""
            for (k = 0; k < i; k++) {
                more = more (index(skips, " " k ">" i " ") != 0 ? ", %l" k : "")
            }
            print "    %l" i " : [num_users=1] = call_function[target=f](args = (%" h more (more == "" ? "," : "") "), kwargs = {})  # f32[8, 64] compute=0.001"
            h = "l" i
        }
        print "    return " h
    }'
}

chain 8 > net.fx
# Two devices send to each other at once: device 0 its second microbatch, device 1 its first.
cat > order.csv << 'END'
0F0,0SEND_F0,0F1,0SEND_F1,2RECV_F0,2F0,2SEND_F0,2RECV_F1,2F1,2SEND_F1,0F2,0SEND_F2,2RECV_B0,2B0,2SEND_B0,2RECV_F2,2F2,2SEND_F2,2RECV_B1,2B1,2SEND_B1,2RECV_B2,2B2,2SEND_B2,0RECV_B0,0B0,0RECV_B1,0B1,0RECV_B2,0B2
1RECV_F0,1F0,1SEND_F0,1RECV_F1,1F1,1SEND_F1,3RECV_F0,3F0,3B0,3RECV_F1,3SEND_B0,3F1,3B1,1RECV_F2,1F2,1SEND_F2,3SEND_B1,3RECV_F2,3F2,3B2,3SEND_B2,1RECV_B0,1B0,1SEND_B0,1RECV_B1,1B1,1SEND_B1,1RECV_B2,1B2,1SEND_B2
END
$program pipe --stages 4 --schedule @order.csv --microbatches 3 net.fx > out 2> err
[ $? -eq 0 ] && grep -q '^graphsplit: order.csv: deadlock, if a send waits for its receive: device 0 stops at 0SEND_F1 (line 1, column 18), and device 1 stops at 1SEND_F0 (line 2, column 14); sends are taken as buffered$' err &&
    grep -q '^the schedule ends only if no send waits for its receive$' out && grep -q 'bubble 18.18 %' out
verdict "a schedule that needs buffered sends" $? err
$program pipe --stages 4 --schedule @order.csv --microbatches 3 --porcelain net.fx > out 2> err
grep -q 'deadlock, if a send waits' err && ! grep -q 'waits' out
verdict "its porcelain is as before" $? out
$program pipe --stages 4 --schedule @order.csv --microbatches 3 --json net.fx 2> err | grep -q '"ends_if_sends_wait": false, '
verdict "its JSON says so" $? err

# What graphsplit writes ends either way.
for kind in gpipe 1f1b interleaved looped-bfs zb-h1 zbv interleaved-zb; do
    stages=4
    case $kind in interleaved* | looped-bfs | zbv) stages=8 ;; esac
    $program pipe --stages $stages --schedule $kind --microbatches 8 --transfers --schedule-csv made.csv net.fx > out 2> err
    $program pipe --stages $stages --schedule @made.csv net.fx > out 2> err
    [ $? -eq 0 ] && ! [ -s err ] && grep -q '^the schedule ends, whether a send waits for its receive or not$' out
    verdict "$kind with transfers ends with sends that wait" $? err
    $program pipe --stages $stages --schedule @made.csv --json net.fx 2> err | grep -q '"ends_if_sends_wait": true, '
    verdict "and so says its JSON" $? err
done
printf '0F0,0B0\n1F0,1B0\n' > tasks.csv
$program pipe --stages 2 --schedule @tasks.csv net.fx > out 2> err && ! [ -s err ] && ! grep -q 'waits for its receive' out
verdict "a schedule without sends says nothing about them" $? out

# skips WORDS OPTIONS...: what is told about net.fx in four stages
skips() {
    wanted=$1
    shift
    $program pipe --stages 4 --schedule 1f1b --microbatches 8 --schedule-csv out.csv "$@" net.fx > out 2> err
    [ $? -eq 0 ] && if [ -n "$wanted" ]; then
        grep -qF "graphsplit: values skip stages ($wanted), and PyTorch's schedules send between neighbours alone" err && grep -q -- '--carried passes them on' err
    else
        ! grep -q 'skip stages' err
    fi
    verdict "values that skip stages: '$wanted' $*" $? err
}
chain 8 "1>7 0>6 3>5 0>5" > net.fx
skips '0 -> 2, 0 -> 3' --transfers
skips '' --transfers --carried --policy optimal
skips ''
chain 8 "1>3 3>5 5>7" > net.fx
skips '' --transfers
chain 8 "1>4 3>6" > net.fx
skips '0 -> 2, 1 -> 3' --transfers
finish
