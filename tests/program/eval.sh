#!/bin/sh
# `eval`: every cause, every form of an assignment, what cannot be read; and the files of --part, which the
# command reads back. GRAPHSPLIT: the program.
set -u
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

# a -> b -> d, a -> c -> d; a has 100 bytes, b and c 20, d 4.
cat > diamond.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=2] = call_function[target=f](args = (%x,), kwargs = {})  # f32[25] compute=1.0
    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # f32[5] compute=2.0 group=g
    %c : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # f32[5] compute=4.0 group=g weight=3
    %d : [num_users=1] = call_function[target=f](args = (%b, %c), kwargs = {})  # f32[1] compute=1.0
    return d
END

# says STATUS LINES ARGUMENTS...: the porcelain and the exit status
says() {
    status=$1
    printf '%b' "$2" > expected
    shift 2
    $program eval --porcelain "$@" > out 2> err
    [ $? -eq "$status" ] && cmp -s out expected
    verdict "eval $*" $? out
}
# refuses STATUS WORDS ARGUMENTS...: one sentence, and no score
refuses() {
    status=$1
    words=$2
    shift 2
    $program eval --porcelain "$@" > out 2> err
    [ $? -eq "$status" ] && grep -q -e "$words" err && ! grep -q '^score' out
    verdict "eval $*: $words" $? err
}
file() {
    printf "$2" > "$1"
}

two='parts=2 cut_edges=2 cut_values=1'
file two.part '0\n1\n1\n1\n'
good="score valid=1 $two cut_bytes=100 largest=5 mean=3 imbalance=0.66666666666666674 path=6 serial=6\n"
says 0 "$good" diamond.fx two.part
file two.assign 'a=0, b=1\nc=1 # both\nd=1'
says 0 "$good" diamond.fx two.assign
says 0 "$good" diamond.fx a=0,b=1,c=1,d=1
file two.plan 'plan 1\n[first]\na\n[second]\n*\n'
says 0 "$good" diamond.fx two.plan
file crlf.part '0\r\n1\r\n1\r\n1\r\n\r\n'
says 0 "$good" diamond.fx crlf.part
says 0 "$good" diamond.fx two.part --parts 2 --imbalance 0.7
says 0 "score valid=1 $two cut_bytes=100 largest=5 mean=3 imbalance=0.66666666666666674 path=7 serial=7\n" \
    diamond.fx two.part --transfer-rate 100 --device a:1K --device b:1K
says 0 "$good" diamond.fx two.part --transfer-rate 100 --device a:1K

says 1 "invalid capacity 1 load=5 limit=3\nscore valid=0 ${good#*valid=1 }" diamond.fx two.part --imbalance 0
says 1 "invalid capacity b bytes=244 limit=100\nscore valid=0 ${good#*valid=1 }" diamond.fx two.part --device a:1K --device b:100
says 1 "invalid empty 2\nscore valid=0 parts=3 cut_edges=2 cut_values=1 cut_bytes=100 largest=5 mean=2 imbalance=1.5 path=6 serial=6\n" \
    diamond.fx two.part --parts 3
file more.part '0\n1\n11\n11\n'
says 1 "invalid empty 2\ninvalid group c\nscore valid=0 parts=12 cut_edges=3 cut_values=2 cut_bytes=220 largest=4 mean=0.5 imbalance=7 path=8 serial=8\n" \
    diamond.fx more.part
file cycle.part '0\n1\n0\n0\n'
says 1 'invalid cycle 1 0\ninvalid group c\nscore valid=0 parts=2 cut_edges=2 cut_values=2 cut_bytes=120 largest=5 mean=3 imbalance=0.66666666666666674 path=0 serial=0\n' \
    diamond.fx cycle.part
file fix '0\n-1\n-1\n0\n'
says 1 "invalid pin d\nscore valid=0 ${good#*valid=1 }" diamond.fx two.part --fix fix
file ends.assign 'a=1 b=3 c=3 d=3'
file ends.fix '1\n-1\n3\n3\n'
says 0 "$good" diamond.fx ends.assign --fix ends.fix
says 1 "invalid pin a\nscore valid=0 ${good#*valid=1 }" diamond.fx ends.assign --fix fix
file far.fix '0\n-1\n-1\n5\n'
says 1 "invalid empty 2\ninvalid pin d\nscore valid=0 parts=6 cut_edges=2 cut_values=1 cut_bytes=100 largest=5 mean=1 imbalance=4 path=6 serial=6\n" \
    diamond.fx two.part --parts 6 --fix far.fix
file short.part '0\n1\n1\n'
says 1 'invalid length lines=3 nodes=4\nscore valid=0 parts=2 cut_edges=2 cut_values=1 cut_bytes=100 largest=4 mean=2.5 imbalance=0.60000000000000009 path=5 serial=5\n' \
    diamond.fx short.part
file long.part '0\n1\n1\n1\n1\n'
says 1 "invalid length lines=5 nodes=4\nscore valid=0 ${good#*valid=1 }" diamond.fx long.part
grep -q 'long.part has 5 lines for 4 nodes; it expects one line per called node$' err
verdict "one sentence for a wrong number of lines" $? err
file some.assign 'a=7'
says 1 'invalid length b\nscore valid=0 parts=1 cut_edges=0 cut_values=0 cut_bytes=0 largest=1 mean=1 imbalance=0 path=1 serial=1\n' \
    diamond.fx some.assign

file word.part '0\n1\none\n1\n'
refuses 2 "word.part:3: expected the number of a part, got 'one'" diamond.fx word.part
file minus.part '0\n-1\n1\n1\n'
refuses 2 'minus.part:2: there is no part -1' diamond.fx minus.part
file huge.part '0\n1\n99999999999999999999\n1\n'
refuses 2 'huge.part:3' diamond.fx huge.part
file far.part '0\n1\n4000000000\n1\n'
refuses 2 'far.part:3: there is no part 4000000000' diamond.fx far.part
refuses 2 'two.part:2: there is no part 1' diamond.fx two.part --parts 1
refuses 2 'there is no part 1' diamond.fx two.assign --parts 1
refuses 2 'has 2 parts' diamond.fx two.plan --parts 1
refuses 2 'far.fix:4: there is no part 5: parts are 0 to 4' diamond.fx two.part --parts 5 --fix far.fix
file none.assign 'a=0,z=1'
refuses 2 'no node %z' diamond.fx none.assign
refuses 2 "PARTS:1: expected NODE=K" diamond.fx a=0,b=one
refuses 2 'cannot read' diamond.fx nothing
refuses 2 'cannot read' nothing two.part
refuses 2 'two.part' two.part two.part
refuses 2 'GRAPH PARTS' diamond.fx
refuses 2 'imbalance' diamond.fx two.part --imbalance nan
refuses 2 'device' diamond.fx two.part --device 17
refuses 2 'has 3 lines for 4 nodes' diamond.fx two.part --fix short.part

$program eval diamond.fx cycle.part > out 2> err
[ $? -eq 1 ] && grep -q 'not valid' out && grep -q '1 -> 0 -> 1' out
verdict "what people see" $? out
! grep -q 'resident\|critical path' out
verdict "parts in a circle have no order, and no time" $? out
sed 's/compute=[0-9.]*//' diamond.fx > timeless.fx
$program eval timeless.fx two.part > out 2> err && grep -q ' 100 B resident' out && ! grep -q 'critical path' out
verdict "a graph without times has no critical path" $? out
$program eval --json diamond.fx two.part > out 2> err && grep -q '"valid": true' out && grep -q '"resident": 100' out
verdict "what JSON says" $? out

# ---- --part ----

sed 's/ group=g//' diamond.fx > free.fx
for pass in "partition --device a:200 --device b:500" "module --assign a=3,b=8,c=8,d=9" "pipe --stages 2"; do
    # shellcheck disable=SC2086
    $program $pass --part made.part --porcelain free.fx > out 2> err
    verdict "$pass --part" $? err
    $program eval --porcelain free.fx made.part > out 2> err
    [ $? -le 1 ] && [ "$(wc -l < made.part)" -eq 4 ] && ! grep -q 'length\|empty\|cycle' out
    verdict "$pass --part reads back" $? out
    rm made.part
done
printf '0\n1\n1\n2\n' > expected
$program module --assign a=3,b=8,c=8,d=9 --part made.part diamond.fx > out 2>&1 && cmp -s made.part expected
verdict "the numbers of --part" $? made.part
finish
