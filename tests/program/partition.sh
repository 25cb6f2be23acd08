#!/bin/sh
# The command `partition`: every wrong input has its status, a sentence that names what is wrong, an exit
# status, and writes nothing; device files, what is saved is read again, drawings, parts.
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
here=$(pwd)/tests/program
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/check.sh

# Three nodes in a row, 16 bytes each; `big` has parameters; latencies of $1 (mem=...) at `two`.
graph() {
    echo 'graph():'
    echo '    %x : [num_users=1] = placeholder[target=x]  # f32[4]'
    echo '    %one : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] mem=1 compute=2'
    echo "    %two : [num_users=1] = call_function[target=f](args = (%one,), kwargs = {})  # f32[4] $1"
    echo '    %big : [num_users=1] = call_module[target=m](args = (%two,), kwargs = {})  # f32[4] module=Embedding params=100 mem=3'
    echo '    return big'
}

graph 'mem=2 compute=1' > "$dir/good.fx"
graph 'mem=-1' > "$dir/negative.fx"
graph 'compute=nan' > "$dir/nan.fx"
graph 'mem=inf' > "$dir/infinite.fx"
graph 'mem=1.7e308 compute=1.7e308' | sed 's/mem=1 compute=2/mem=1.7e308/' > "$dir/sum.fx"
graph 'bytes=18446744073709551615' > "$dir/bytes.fx"
printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]  # f32[4]\n    return x\n' > "$dir/empty.fx"
printf 'a 64\nb sixty\n' > "$dir/number.txt"
printf 'a 64 0 more\n' > "$dir/more.txt"
printf '# nothing\na\n' > "$dir/cut.txt"
printf 'a 64 4294967295\n' > "$dir/id.txt"
printf 'a 64 3\nb 64\nc 64 3\n' > "$dir/twice.txt"
printf 'a 64 1\n' > "$dir/twice0.txt"
printf 'one=0\ntwo=x\n' > "$dir/assigned"
printf 'a 1KiB\000\n' > "$dir/nul.txt"
printf 'plan 1\n[0] 0\none\ntwo\n' > "$dir/old.plan"
printf 'plan 1\n[-2] 0\none\ntwo\nbig\n' > "$dir/below.plan"
printf 'plan 1\n[_run_on_acc_0] acc\none\ntwo\nbig\n' > "$dir/split.plan"
printf 'plan 1\n[0] 9\none\ntwo\nbig\n' > "$dir/far.plan"
printf 'plan 2\n' > "$dir/wrong.plan"

# STATUS (exit 1, `-`: exit 2), words of the sentence, graph and options; FILE is in $dir.
refuses() {
    wanted_code=1
    wanted_out="error $1"
    if [ "$1" = - ]; then
        wanted_code=2
        wanted_out=
    fi
    name="$3: $2"
    words=$2
    # The options stand in one text, without blanks inside of them.
    # shellcheck disable=SC2086
    out=$(cd "$dir" && $program partition --porcelain --save saved --save-plan planned --svg drawn \
        --emit emitted $3 2> err)
    code=$?
    [ "$code" -eq "$wanted_code" ] && [ "$out" = "$wanted_out" ] && grep -q -e "$words" "$dir/err" &&
        [ ! -e "$dir/saved" ] && [ ! -e "$dir/planned" ] && [ ! -e "$dir/drawn" ] && [ ! -e "$dir/emitted" ]
    ok=$?
    verdict "$name: exit $code, '$out', $(cat "$dir/err")" $ok
}

case $program in
    /*) ;;
    *) program=$(pwd)/${program#* } ;;
esac

refuses ARG 'no devices' 'good.fx'
refuses EMPTY 'calls nothing' '--device a:64 empty.fx'
refuses ARG 'node two: .*mem=-1' '--mode cost --device a:64 --device b:200 negative.fx'
refuses ARG 'node two: .*compute=nan' '--mode kl --device a:64 --device b:200 nan.fx'
refuses ARG 'node two: .*mem=inf' '--mode cost --device a:64 --device b:200 infinite.fx'
refuses OVERFLOW 'not a finite number' '--mode cost --device a:64 --device b:200 sum.fx'
refuses ARG 'rate -1 is negative' '--mode cost --transfer-rate -1 --device a:64 --device b:200 good.fx'
refuses ARG 'rate inf is' '--mode cost --transfer-rate inf --device a:64 --device b:200 good.fx'
refuses ARG 'rate nan is' '--mode cost --transfer-rate nan --device a:64 --device b:200 good.fx'
refuses ARG 'rate 0, .* bytes to move' '--mode cost --transfer-rate 0 --device a:64 --device b:140 good.fx'
refuses ARG 'rate 0, .* bytes to move' '--mode kl --transfer-rate 0 --device a:64 --device b:140 good.fx'
refuses OVERFLOW 'up to .*b:18446744073709551615' '--device a:1 --device b:18446744073709551615 good.fx'
refuses OVERFLOW 'node two' '--device a:1 bytes.fx'
refuses ARG 'no node %three' '--mode aot --assign one=0,three=1 --device a:64 good.fx'
refuses ARG 'x is not a call' '--mode aot --assign x=0 --device a:64 good.fx'
refuses ARG 'one is assigned twice' '--mode aot --assign one=0,one=1 --device a:64 good.fx'
refuses ARG 'node big belongs to no partition' '--mode aot --assign one=0,two=0 --partition-devices 0=0 --device a:64 good.fx'
refuses ARG 'partition 5, to which node big' '--mode aot --assign one=0,two=0,big=5 --partition-devices 0=0 --device a:64 good.fx'
refuses ARG 'names device 9' '--mode aot --assign one=0,two=0,big=0 --partition-devices 0=9 --device a:64 good.fx'
refuses ARG 'device 0, .* twice' '--mode aot --assign one=0,two=0,big=0 --partition-devices 0=0,0 --device a:64 good.fx'
refuses ARG 'already has devices' '--mode aot --assign one=0 --partition-devices 0=0 --partition-devices 0=0 --device a:64 good.fx'
refuses ARG 'partition -2' '--mode aot --assign one=-2 --device a:64 good.fx'
refuses CYCLE 'depend on each other' '--mode aot --assign one=0,two=1,big=0 --partition-devices 0=0 --partition-devices 1=0 --device a:64 good.fx'
refuses NO_FIT 'node big needs 132 bytes.*b, has 100' '--device a:64 --device b:100 good.fx'
refuses NO_FIT 'need 164 bytes.*have 128' '--device a:64 --device b:64 good.fx'
refuses NO_FIT 'at once the graph needs 132 bytes (parameters 100, live values 32), for which --count peak is enough; .* need 164 bytes.*have 140$' '--device a:70 --device b:70 good.fx'
refuses NO_FIT '(parameters 100, live values 32); .* need 164 bytes, and the device has 120$' '--device a:120 good.fx'
refuses NO_FIT 'node big needs 132 bytes at once' '--count peak --device a:32 --device b:131 good.fx'
refuses - '--count peak requires' '--count peak --mode kl --device a:64 good.fx'
refuses NO_FIT 'device a need 48 bytes, and it has 40' '--count sum --mode aot --assign one=0,two=0,big=1 --partition-devices 0=0 --partition-devices 1=1 --device a:40 --device b:140 good.fx'
refuses NO_FIT 'device b need 132 bytes at once, and it has 131' '--count peak --mode aot --assign one=0,two=0,big=1 --partition-devices 0=0 --partition-devices 1=1 --device a:40 --device b:131 good.fx'
refuses ARG 'one size: a has 64 bytes, b 140' '--mode sparse-nn --device a:64 --device b:140 good.fx'
refuses NO_FIT 'node big' '--mode sparse-nn --device a:100 --device b:100 good.fx'
refuses NO_FIT 'begin with node big, .* 180 bytes .* 140' '--mode sparse-nn --device a:140 --device b:140 good.fx'
refuses ARG 'twice.txt:1 and twice.txt:3 have the same logical id, 3' '--devices twice.txt good.fx'
refuses ARG 'same logical id, 1' '--devices twice0.txt --device b:64 good.fx'
refuses PARSE 'number.txt:2:3: .*got .sixty' '--devices number.txt good.fx'
refuses PARSE 'more.txt:1:8: expected the end' '--devices more.txt good.fx'
refuses PARSE 'cut.txt:2:2: expected the bytes' '--devices cut.txt good.fx'
refuses PARSE 'id.txt:1:6: expected a logical id' '--devices id.txt good.fx'
refuses PARSE 'nul.txt is not a device file' '--devices nul.txt good.fx'
refuses NOMEM 'are needed' '--arena 100 --device a:200 good.fx'
refuses ARG 'cannot write' '--device a:200 --svg no/where good.fx'
refuses ARG 'cannot write' '--device a:200 --save no/where good.fx'
refuses - 'cannot read nothing.txt' '--devices nothing.txt good.fx'
refuses - 'cannot read nothing.fx' '--device a:64 nothing.fx'
refuses - 'NAME:BYTES' '--device a good.fx'
refuses - 'NAME:BYTES' '--device a:18446744073709551616 good.fx'
refuses - 'NAME:BYTES' '--device a:1XiB good.fx'
refuses - 'NAME:BYTES' '--device a:5iB good.fx'
refuses - 'NAME:BYTES' '--device a:16E good.fx'
refuses - 'NAME:BYTES' '--device a:1.5 good.fx'
refuses PARSE 'assigned:2: expected NODE=K' '--mode aot --assign @assigned --device a:64 good.fx'
refuses - '--transfer-rate expects' '--transfer-rate fast --device a:64 good.fx'
refuses - 'size|sparse-nn' '--mode best --device a:64 good.fx'
refuses - 'require --mode aot' '--assign one=0 --device a:64 good.fx'
refuses - 'K=ID,ID' '--mode aot --assign one=0 --partition-devices 0 --device a:64 good.fx'
refuses - '--work expects' '--work 0 --device a:64 good.fx'
refuses - '--work expects' '--work many --device a:64 good.fx'
refuses - 'standard output' '--svg - --device a:64 good.fx'
refuses ARG 'cannot write' '--device a:200 --save-plan no/where good.fx'
refuses - 'cannot read no.plan' '--plan no.plan --device a:64 good.fx'
refuses PARSE 'wrong.plan:1:' '--plan wrong.plan --device a:64 good.fx'
refuses - '--plan cannot be combined with --assign' '--plan old.plan --assign one=0 --device a:64 good.fx'
refuses - 'cannot be combined with --mode kl' '--plan old.plan --mode kl --device a:64 good.fx'
refuses ARG 'big belongs to no partition: a line big' '--plan old.plan --device a:64 good.fx'
refuses ARG 'below.plan: one belongs to partition -2' '--plan below.plan --device a:64 good.fx'
refuses ARG 'partition 0, .* has no devices' '--plan split.plan --device a:64 good.fx'
refuses ARG 'far.plan: partition 0 names device 9, which' '--plan far.plan --device a:64 good.fx'
refuses - '0 to 4294967294' '--mode aot --assign one=0 --partition-devices -2=0 --device a:64 good.fx'

# What is right.
same() {
    cmp -s "$dir/$2" "$dir/$3"
    verdict "$1" $?
}

printf '# boards\n a 64 7\t# the first\r\n\nb 1KiB\n' > "$dir/devices.txt"
cd "$dir" || exit 1
$program partition --porcelain --devices devices.txt --save plan --svg run.svg --emit parts good.fx > one
verdict "a device file" $?
printf 'partition 0 devices=1 bytes=164 : one two big\n' > wanted
head -n 1 one > first
same "logical ids of a device file" first wanted
$program partition --mode cost --transfer-rate 4 --device a:140 --device b:140 --save plan --porcelain good.fx > found
# shellcheck disable=SC2046
$program partition --mode aot --assign @plan $(sed -n 's/.*\(--partition-devices\)/\1/p' plan) \
    --device a:140 --device b:140 --porcelain good.fx | grep '^partition\|^dag' > again
grep '^partition\|^dag' found > before
same "a plan that was saved gives the same partitions" before again
$program partition --mode cost --transfer-rate 4 --device a:140 --device b:140 --save-plan file --porcelain good.fx > /dev/null
grep -q '^\[0\] [01]$' file
verdict "a plan file says devices" $?
$program partition --plan file --save-plan twice --device a:140 --device b:140 --porcelain good.fx > replayed
grep '^partition\|^dag' replayed > again
same "a plan file gives the same partitions" before again
same "a plan file that is saved again" file twice
$program partition --plan file --partition-devices 0=1 --device a:140 --device b:140 --porcelain good.fx 2> err | grep -q '^partition 0 devices=1 '
verdict "--partition-devices wins over a plan file" $?
$program partition --plan split.plan --partition-devices 0=0 --device a:200 --porcelain good.fx | head -n 1 > again
printf 'partition 0 devices=0 bytes=164 : one two big\n' > wanted
same "the plan file of another command" wanted again
printf 'gone\n' >> file
$program partition --plan file --device a:140 --device b:140 --porcelain good.fx 2> err | grep '^partition\|^dag' > again
same "a plan file that names what is gone" before again
grep -q 'with no such node: gone' err
verdict "what no longer matches is told" $?
[ "$(grep -c '<rect' run.svg)" -ge 2 ] && tail -n 1 run.svg | grep -q '^</svg>$'
verdict "the drawing" $?
[ -s parts/manifest.json ] && [ -s parts/submod_0.fx ]
verdict "the parts" $?
$program partition --mode cost --work 1 --device a:140 --device b:140 --json good.fx 2> err > json
grep -q '"stopped": true' json && grep -q 'stopped by --work after .* trials: the best valid result' err
verdict "a result that was stopped says so" $?
$program partition --device a:200 good.fx > people
grep -q 'CRITICAL PATH' people && grep -q 'of capacity' people
verdict "the report for people" $?
$program partition --device a:200 --svg - good.fx | head -n 1 | grep -q '^<svg '
verdict "the drawing on standard output" $?

# What the devices hold, and what they hold at once.
aot() {
    ids=$1
    shift
    $program partition --mode aot --assign one=0,two=0,big=1 --partition-devices 0="$ids" --partition-devices 1=1 \
        --device a:40 --device b:140 good.fx "$@" 2> err
}
aot 0 --count peak > people && ! [ -s err ]
verdict "an assignment that fits by parameters and peak" $? err
aot 0 --json > json && grep -q 'device a add up to 48 bytes, and it has 40' err
verdict "an assignment that does not fit is told" $? err
grep -q '^"sum": 164, "params": 100, "peak": 32,$' json &&
    grep -q '"name": "a", .*"used": 48, "params": 0, "peak": 32}' json &&
    grep -q '"name": "b", .*"used": 132, "params": 100, "peak": 32}' json
verdict "the bytes of the devices at once" $? json
aot 0,1 --json > json
grep -q '"name": "a", .*"used": 48, "params": 0, "peak": 32}' json &&
    grep -q '"name": "b", .*"used": 164, "params": 100, "peak": 32}' json
verdict "the bytes of a device with copies" $? json
sed 's/module=Embedding/alias=7 &/' good.fx > alias.fx
! $program partition --device a:200 alias.fx > people 2> err && grep -q "alias=7: there is no argument '7'" err
verdict "an alias of no argument is refused" $? err
! $program partition --count peak --device a:200 --porcelain alias.fx > people 2> err && grep -q 'alias=' err
verdict "--count peak of such a graph" $? err
$program partition --count peak --device a:40 --device b:132 --porcelain good.fx | grep -q '^partition 0 devices=1 bytes=164 : one two big$'
verdict "--count peak takes one device where all fits at once" $?

# A search for less than a latency of 0 ends at once.
graph '' | sed 's/ mem=[0-9]*//; s/ compute=[0-9]*//' > still.fx
$program partition --mode kl --device a:70 --device b:140 --json still.fx 2> err > json
grep -q '"trials": 0,' json && grep -q 'kl has nothing to gain: the latency is 0' err
verdict "kl without times says that there is nothing to gain" $? err
$program partition --mode kl --device a:70 --device b:140 good.fx 2> err > people
! grep -q 'nothing to gain' err
verdict "kl with times" $? err

# What --time calls the bound is enough for --arena, also where one pass searches and another one makes the parts.
for mode in 'kway --parts 3' 'heft --device a:400 --device b:400' 'cost --device a:400 --device b:400'; do
    # shellcheck disable=SC2086
    bound=$($program partition --mode $mode --time 1 good.fx 2>&1 > /dev/null | sed -n 's/.* bound=\([0-9]*\) .*/\1/p')
    # shellcheck disable=SC2086
    $program partition --mode $mode --arena "${bound:-0}" good.fx > plain 2>&1
    verdict "$mode: the bound is enough" $? plain
done

# A long search says first how many trials it makes; --work allows it.
awk 'BEGIN { print "graph():\n    %n0 : [num_users=1] = placeholder[target=x]  # f32[4]"
    for (i = 1; i <= 48000; i++) {
        print "    %n" i " : [num_users=1] = call_function[target=f](args = (%n" i - 1 ",), kwargs = {})  # f32[4] compute=1"
    }
    print "    return n48000" }' > huge.fx
refuses LIMIT 'cost makes up to 1151976000 trials per merge on 48000 nodes and 2 devices: --work N' \
    '--mode cost --device a:500000 --device b:500000 huge.fx'
refuses LIMIT 'kl makes up to 2304000000 trials per sweep on 48000 nodes and 2 devices: --work N' \
    '--mode kl --device a:500000 --device b:500000 huge.fx'
bound=$($program partition --mode cost --work 1 --device a:500000 --device b:500000 --json --time 1 huge.fx 2>&1 > json |
    sed -n 's/.* bound=\([0-9]*\) .*/\1/p')
[ "${bound:-0}" -gt 0 ] && [ "$bound" -lt $((48000 * 4096)) ]
verdict "cost of a long graph takes memory linear in it" $? json
grep -q '"stopped": true' json
verdict "--work allows cost on a long graph" $? json
$program partition --mode kl --work 1 --device a:500000 --device b:500000 --json huge.fx 2> err > json
grep -q 'stopped by --work after 1 trials' err
verdict "--work allows a long search" $? err
for mode in kl cost; do
    $program partition --mode $mode --device a:1MiB --json huge.fx 2> err > json
    verdict "$mode of a graph that fits one device" $? err
done
sed 's/ compute=1//' huge.fx > still.fx
$program partition --mode kl --device a:500000 --device b:500000 --json still.fx 2> err > json
grep -q 'nothing to gain' err
verdict "kl of a long graph without times" $? err

# Progress: a clock that runs fast.
awk 'BEGIN { print "graph():\n    %n0 : [num_users=1] = placeholder[target=x]  # f32[4]"
    for (i = 1; i <= 200; i++) {
        print "    %n" i " : [num_users=1] = call_function[target=f](args = (%n" i - 1 ",), kwargs = {})  # f32[4] compute=1"
    }
    print "    return n200" }' > long.fx
if [ -n "$RUN" ] || ! ${CC:-cc} -shared -fPIC -o clock.so "$here/clock.c" 2> /dev/null ||
    ! LD_PRELOAD=./clock.so $program partition --time 1 --device a:1MiB long.fx 2>&1 > people | grep -q 'ns=[0-9]000000000 '; then
    skip "progress of a search (no C compiler here makes a library to preload, or an emulator runs the program)" 2
    finish
fi
search='partition --mode kl --work 12800 --device a:1000 --device b:3000 --json long.fx'
# shellcheck disable=SC2086
LD_PRELOAD=./clock.so $program $search 2> err > json
[ "$(grep -c '^graphsplit: [0-9]* of at most 200 nodes, [0-9]* trials, latency [0-9a-z. ]*, at most [0-9.]* [a-z]* left$' err)" -eq 3 ]
verdict "progress is told once a minute" $? err
if script -qec true /dev/null > out 2>&1 < /dev/null && stty --help > out 2>&1; then
    script -qec "stty cols 40; LD_PRELOAD=./clock.so $program $search > json" /dev/null < /dev/null > out
    tr '\r' '\n' < out | sed 's/.*\[K//' | grep ' of at most 200 nodes' > lines
    [ -s lines ] && ! grep -q '.\{40\}' lines
    verdict "progress fits the terminal's width" $? out
else
    skip "progress on a terminal (no script or stty here)"
fi

finish
