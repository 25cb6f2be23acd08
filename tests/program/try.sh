#!/bin/sh
# `split --try`: fake compilers that refuse an operator, a set, a size; the pieces that are left all pass, culprits are the
# planted ones, and runs are counted. What goes wrong is one sentence, and the log keeps the answers.
# usage: B=build [COUNT=N] sh tests/program/try.sh     N graphs of each kind; default 15
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1
mkdir tmp
TMPDIR=$dir/tmp
export TMPDIR

# graph SEED [CHAIN]: 1 to 40 nodes with a number of their own; op4 is not supported. CHAIN: each reads the one before it.
graph() {
    awk -v seed="$1" -v chain="${2:-0}" '
        function node(name, how, bytes) {
            print "    %" name " : [num_users=1] = " how "  # u8[" bytes "]"
            value[++n] = name
        }
        BEGIN {
            srand(seed)
            print "graph():"
            node("x", "placeholder[target=x]", 9)
            node("w", "get_attr[target=w]", 7)
            nodes = 1 + int(rand() * 40)
            for (i = 1; i <= nodes; i++) {
                args = ""
                for (k = chain ? 1 : 1 + int(rand() * 3); k > 0; k--) {
                    from = chain ? value[i == 1 ? 1 : n] : value[n - int(rand() * (rand() < 0.7 && n > 5 ? 5 : n))]
                    used[from] = 1
                    args = args "%" from ", "
                }
                if (!chain && rand() < 0.1) {
                    node("n" i, "call_function[target=split](args = (" args 1000 + i "), kwargs = {})", 4)
                    node("n" i "_0", "call_function[target=operator.getitem](args = (%n" i ", 0), kwargs = {})", 2)
                    used["n" i] = 1
                } else {
                    node("n" i, "call_function[target=op" int(rand() * (chain ? 4 : 4.3)) "](args = (" args 1000 + i "), kwargs = {})", 1 + int(rand() * 50))
                }
            }
            for (i = 3; i <= n; i++) if (!(value[i] in used)) left = left (left == "" ? "" : ", ") value[i]
            print "    return (" left ",)"
        }' | awk '
        # A split yields a tuple.
        /target=split/ { sub(/u8\[4\]/, "tuple(u8[2], u8[2])") }
        /target=op4/ { $0 = $0 " acc=0" }
        { print }'
}

# pick SEED COUNT: so many nodes of net.fx that can be on the accelerator
pick() {
    $program split --acc-ops '*' --porcelain net.fx 2> error | sed -n 's/^acc //p' | tr ' ' '\n' | grep -v _ | awk -v seed="$1" -v n="$2" '
        { name[NR] = $1 }
        END {
            srand(seed * 7 + 1)
            if (NR < n) exit
            while (picked < n) { i = 1 + int(rand() * NR); if (!(i in is)) { is[i] = 1; picked++ } }
            for (i = 1; i <= NR; i++) if (i in is) print name[i]
        }' | tr '\n' ' '
}

# The fake compiler. refuse.sh HOW FILE: HOW is NODE+NODE (the piece has all of them), op=OPERATOR, nodes=MOST or
# bytes=MOST (of results), several with commas. It counts its runs and keeps the pieces that it has seen.
cat > refuse.sh << 'END'
echo "$$" >> runs
status=0
for how in $(echo "$1" | tr , ' '); do
    case $how in
    op=*) grep -q "target=${how#op=}]" "$2" && status=1 ;;
    nodes=*) [ "$(grep -c ' = call_' "$2")" -le "${how#nodes=}" ] || status=1 ;;
    bytes=*) [ "$(sed -n 's/.* = call_.*u8\[\([0-9]*\)\].*/\1/p' "$2" | awk '{ n += $1 } END { print n + 0 }')" -le "${how#bytes=}" ] || status=1 ;;
    *)
        all=1
        for node in $(echo "$how" | tr + ' '); do
            grep -q "[ (]1$(printf %03d "${node#n}")[,)]" "$2" || all=0
        done
        [ $all = 0 ] || status=1
        ;;
    esac
done
exit $status
END

# splits HOW OPTION...: splits net.fx for the compiler: found, runs, and the pieces in out/
splits() {
    how=$1
    shift
    rm -rf runs out
    : > runs
    $program split --acc-ops '*' --try "sh refuse.sh $how" --no-sync --emit out --json "$@" net.fx > json 2> error
}

# refused: the nodes with that reason; takes_all HOW: each piece passes
refused() {
    sed -n 's/.*"name": "\([^"]*\)".*"reason": "REFUSED".*/\1/p' json | tr '\n' ' '
}
takes_all() {
    cp runs kept
    for file in out/_run_on_acc_*.fx; do
        [ ! -e "$file" ] || sh refuse.sh "$1" "$file" || return 1
    done
    mv kept runs
}
n_pieces() {
    ls out | grep -c '^_run_on_acc_.*fx$'
}
# few CULPRITS: at most two runs per piece that is left, and 3 log2 n per culprit
few() {
    awk -v runs="$(wc -l < runs)" -v pieces="$(n_pieces)" -v n="$(grep -c ' = call_' net.fx)" -v culprits="$1" '
        BEGIN { most = 2 * pieces + culprits * 3 * (n > 1 ? log(n) / log(2) : 1); exit runs > most + 1e-9 }'
}
# found LABEL HOW WANTED [CULPRITS]: these nodes are refused, and nothing else is; within so many runs
found() {
    splits "$2"
    [ "$(refused)" = "$3" ] && [ ! -s error ] && takes_all "$2" && grep -q "\"tried\": $(wc -l < runs)," json &&
        { [ -z "${4:-}" ] || few "$4"; }
    verdict "$1: $2 refused: $(refused)in $(wc -l < runs) runs, $(n_pieces) pieces" $? error
}

seed=0
while [ $seed -lt "${COUNT:-15}" ]; do
    seed=$((seed + 1))
    graph $seed > net.fx
    fault=$(pick $seed 1)
    [ -n "$fault" ] || continue
    wanted=$fault
    ! grep -q "%${fault% }_0 " net.fx || wanted="$fault${fault% }_0 "
    found "one node, graph $seed" "${fault% }" "$wanted" 1
    set -- $(pick $seed 2)
    if [ $# -eq 2 ] && [ $((seed % 3)) -eq 0 ]; then
        splits "$1,$2"
        [ ! -s error ] && takes_all "$1,$2" && refused | grep -q "$1 .*$2 " && few 2
        verdict "two nodes, graph $seed: $1, $2: $(refused)in $(wc -l < runs) runs, $(n_pieces) pieces" $? error
    fi
    if [ $# -eq 2 ] && [ $((seed % 3)) -eq 1 ]; then
        splits "$1+$2"
        [ ! -s error ] && takes_all "$1+$2" && refused | tr ' ' '\n' | grep -vx "\($1\|$2\|$1_0\|$2_0\|\)" > others
        [ ! -s others ] && [ ! -s error ] && few 2
        verdict "a pair, graph $seed: $1 with $2: $(refused)in $(wc -l < runs) runs, $(n_pieces) pieces" $? error
    fi
    op=op$((seed % 4))
    sed -n "s/^ *%\(n[0-9]*\) .*target=$op].*/\1/p" net.fx > names
    splits "op=$op"
    $program split --acc-ops '*' --porcelain net.fx 2> error2 | awk '
        NR == FNR { is[$1] = 1; next }
        $1 == "fusion" { for (i = 2; i <= NF; i++) if ($i in is) for (k = 2; k <= NF; k++) print $k }
        $1 == "acc" { for (i = 2; i <= NF; i++) if ($i in is) print $i }' names - > may
    refused | tr ' ' '\n' | sed '/^$/d' > are
    [ ! -s error ] && takes_all "op=$op" && few "$(grep -cxFf are names)" && ! grep -qvxFf may are
    verdict "an operator, graph $seed: $op: $(wc -l < runs) runs, $(n_pieces) pieces" $? error
    most=$((2 + seed % 7))
    splits "nodes=$most"
    [ ! -s error ] && takes_all "nodes=$most" && [ -z "$(refused)" ]
    verdict "a size, graph $seed: $most nodes: $(refused)$(wc -l < runs) runs, $(n_pieces) pieces" $? error
done

# Sizes of chains: as few pieces as can be; of two, the cut with the fewest bytes.
seed=0
while [ $seed -lt "${COUNT:-15}" ]; do
    seed=$((seed + 1))
    graph $seed chain > net.fx
    n=$(grep -c ' = call_' net.fx)
    most=$((n / 2 + 1 + seed % 5))
    [ "$n" -gt "$most" ] || continue
    splits "nodes=$most"
    cut=$(sed -n 's/.*"_run_on_acc_1".*"nodes": \["n\([0-9]*\)".*/\1/p' json | head -n 1)
    least=$(sed -n 's/.* = call_.*u8\[\([0-9]*\)\].*/\1/p' net.fx | awk -v n="$n" -v most="$most" -v cut="$cut" '
        { bytes[NR] = $1 }
        END {
            for (i = n - most; i <= most; i++) if (least == "" || bytes[i] < least) least = bytes[i]
            print bytes[cut - 1] == least ? "yes" : "no: " bytes[cut - 1] " for " least
        }')
    [ ! -s error ] && takes_all "nodes=$most" && [ "$(n_pieces)" -eq 2 ] && [ "$least" = yes ]
    verdict "a chain of $n nodes, at most $most: cut before $cut, least: $least" $? error
    splits "bytes=60"
    takes_all "bytes=60" && [ -z "$(refused)" ] && [ "$(n_pieces)" -eq "$(sed -n 's/.* = call_.*u8\[\([0-9]*\)\].*/\1/p' net.fx |
        awk '{ if (sum + $1 > 60) { sum = 0; k++ } sum += $1 } END { print k + 1 }')" ]
    verdict "a chain of $n nodes, at most 60 bytes: $(n_pieces) pieces" $? error
    splits "nodes=3,n$((1 + seed % n))"
    [ ! -s error ] && takes_all "nodes=3,n$((1 + seed % n))" && [ "$(refused)" = "n$((1 + seed % n)) " ]
    verdict "a chain of $n nodes: a size and a node: $(refused)" $? error
done

# ---- what is printed, and what is written ----

cat > net.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # u8[9]
    %a1 : [num_users=1] = call_function[target=op0](args = (%x,), kwargs = {})  # u8[9]
    %b1 : [num_users=1] = call_function[target=op1](args = (%a1,), kwargs = {})  # u8[9]
    %c1 : [num_users=1] = call_function[target=op2](args = (%b1,), kwargs = {})  # u8[9]
    %h1 : [num_users=1] = call_function[target=host](args = (%c1,), kwargs = {})  # u8[9]
    %a2 : [num_users=1] = call_function[target=op0](args = (%h1,), kwargs = {})  # u8[9]
    %b2 : [num_users=1] = call_function[target=op1](args = (%a2,), kwargs = {})  # u8[9]
    %c2 : [num_users=1] = call_function[target=op2](args = (%b2,), kwargs = {})  # u8[9]
    %h2 : [num_users=1] = call_function[target=host](args = (%c2,), kwargs = {})  # u8[9]
    %a3 : [num_users=1] = call_function[target=op0](args = (%h2,), kwargs = {})  # u8[9]
    %b3 : [num_users=1] = call_function[target=op1](args = (%a3,), kwargs = {})  # u8[9]
    %c3 : [num_users=1] = call_function[target=op2](args = (%b3,), kwargs = {})  # u8[9]
    return c3
END
rm -f runs
try() {
    # shellcheck disable=SC2086
    $program split --acc-ops 'op*' --porcelain "$@" net.fx > found 2> error
}
try --try 'sh refuse.sh op=none' --try-log log
[ "$(sed -n '/^tried/p' found)" = "tried 2 refused 0" ] && [ "$(wc -l < runs)" -eq 2 ]
verdict "three equal pieces: one run, and one that confirms it" $? error
try --try 'sh refuse.sh op=none' --try-log log
[ "$(sed -n '/^tried/p' found)" = "tried 0 refused 0" ]
verdict "what the log has is not run again" $? error
[ "$(sed 's/ [0-9.]* [0-9a-f]\{32\} / /' log)" = 'command "sh refuse.sh op=none"
passed a1 b1 c1
passed a1 b1 c1' ]
verdict "the log has every run" $? log
try --try 'sh refuse.sh op=op1' --try-log log --save-plan saved.plan
[ "$(sed -n '/^tried/p; /^subgraph/p' found)" = "tried 8 refused 4
subgraph _run_on_acc_0 acc a1
subgraph _run_on_cpu_1 cpu b1
subgraph _run_on_acc_2 acc c1
subgraph _run_on_cpu_3 cpu h1
subgraph _run_on_acc_4 acc a2
subgraph _run_on_cpu_5 cpu b2
subgraph _run_on_acc_6 acc c2
subgraph _run_on_cpu_7 cpu h2
subgraph _run_on_acc_8 acc a3
subgraph _run_on_cpu_9 cpu b3
subgraph _run_on_acc_10 acc c3" ] && grep -q '^command "sh refuse.sh op=op1"$' log
verdict "equal culprits are found once" $? found
sed '/^acc\|^raw\|^tried/d' found > wanted
$program split --plan saved.plan --porcelain net.fx 2> error | sed '/^acc\|^raw/d' | cmp -s - wanted
verdict "the plan gives the same without trying" $? error
try --try 'sh refuse.sh op=op1' --jobs 3
[ "$(sed '/^acc\|^raw\|^tried/d' found | cmp - wanted)" = "" ]
verdict "--jobs 3: the same" $? found
$program split --acc-ops 'op*' --try 'sh refuse.sh op=op1' --why=b2 net.fx > found 2> error
grep -q 'b2 (op1) runs on the CPU, in _run_on_cpu_5, because the command of --try refuses it\.$' found
verdict "--why" $? found
$program split --acc-ops 'op*' --try 'sh refuse.sh op=op1' net.fx > found 2> error
grep -q '^  The command of --try ran 8 times and refused 4; 3 nodes that it refuses are on the CPU$' found
verdict "people" $? found
$program split --acc-ops 'op*' --try 'sh refuse.sh nodes=2' net.fx > found 2> error
grep -q '^  The command of --try ran .*; 3 cuts made pieces small enough$' found
verdict "people: cuts" $? found
cat > paired.sh << 'END'
! { grep -q target=op0 "$1" && grep -q target=op2 "$1"; } || [ "$(grep -c ' = call_' "$1")" -eq 0 ]
END
sed 's/target=host/target=op5/' net.fx > long.fx
$program split --acc-ops 'op*' --try 'sh paired.sh' --try-log pairs --why=a1 long.fx > found 2> error
grep -q 'a1 (op0) runs on the CPU, .*because the command of --try refuses it together with c1 (op2)\.$\|a1 (op0) runs on acc' found && [ ! -s error ]
verdict "--why of a pair" $? found
# Several at a time: the first waits for the second.
cat > wait.sh << 'END'
: > "here.$$"
i=0
while [ "$(ls here.* | wc -l)" -lt 2 ] && [ $i -lt 400 ]; do sleep 0.05; i=$((i + 1)); done
[ "$(ls here.* | wc -l)" -ge 2 ]
END
sed 's/%a2 : \(.*\)op0/%a2 : \1op3/' net.fx > other.fx
$program split --acc-ops 'op*' --jobs 2 --try 'sh wait.sh' --porcelain other.fx > found 2> error
grep -q '^tried 4 refused 0$' found
verdict "--jobs 2 runs two at a time" $? found
[ -z "$(ls tmp)" ]
verdict "no file of a try is left" $?

# ---- what goes wrong: one sentence, and the log has what is known ----

# says STATUS SENTENCE OPTION...
says() {
    status=$1
    sentence=$2
    shift 2
    rm -f bad.log
    $program split --acc-ops 'op*' --porcelain "$@" net.fx > found 2> error
    code=$?
    [ $code -eq "$status" ] && grep -q -- "$sentence" error && [ "$(grep -vc '^Try ' error)" -eq 1 ] && [ -z "$(ls tmp)" ]
    verdict "$*: exit $code" $? error
}
says 1 'net.fx: the command cannot start: status 127' --try /none/such
says 1 'net.fx: the command ended with status 0 and has written nothing into {out}$' --try ': {} {out}'
says 1 'net.fx: the command has not ended within 1 s; --timeout gives it more$' --try 'sleep 60; :' --timeout 1 --try-log bad.log
grep -q '^late 1.000 .* a1 b1 c1$' bad.log
verdict "the log has what was late" $? bad.log
says 1 'net.fx: the command was ended by signal 9 (SIGKILL, as when memory runs out)$' --try 'kill -9 $$; :'
says 1 'net.fx: the command was ended by signal 11 (SIGSEGV)' --try 'sh -c "kill -11 \$\$" || exit; :'
says 1 'net.fx: the command was ended by signal 1$' --try 'kill -1 $$; :'
try --try 'exit 255; :'
grep -q '^subgraph _run_on_cpu_0 cpu a1 b1 c1 h1 a2' found && ! grep -q ' acc ' found
verdict "status 255 is a refusal" $? found

# A path is read by no shell: in quotes of the command it is refused, unless it is plain.
for quoted in '"{}"' "'{}'" '$(ls {})' "it\\'s {}" '"${HOME:-x}" {}'; do
    try --try ": $quoted; [ -e {} ]"
    grep -q '^tried 2 refused 0$' found
    verdict "a plain path: $quoted" $? error
done
plain=$TMPDIR
TMPDIR="$plain/t m\$(touch made)'\`touch made\`"
mkdir "$TMPDIR"
for quoted in '"{}"' "'{}'" '`ls {}`' '"$(ls "{}")"' '"${x:-"{}"}"' "# it's
ls '{}'" "\$'a\\'b{}'" 'cat << E
{}
E' '$((x[{}]))' '# {}'; do
    rm -f made
    $program split --acc-ops 'op*' --porcelain --try "ls {}; $quoted" net.fx > found 2> error
    [ $? -eq 1 ] && [ ! -e made ] && grep -q "net.fx: {} is in quotes of the command, where a shell would read the path" error
    verdict "a path with \$(...): $quoted" $? error
done
for open in '{}' '$(echo {})' "it\\'s {}" '"${HOME:-x}" {}' "'a' \"b\" {}" '# it is
{}' 'a#b {}'; do
    rm -f made
    $program split --acc-ops 'op*' --porcelain --try ": $open; [ -e {} ]" net.fx > found 2> error
    grep -q '^tried 2 refused 0$' found && [ ! -e made ]
    verdict "a path with \$(...): $open" $? error
done
rmdir "$TMPDIR"
TMPDIR=$plain
says 1 'net.fx: the command cannot start: status 127: last$' --try "yes | head -c 100000000; printf '\nlast\n'; exit 127; :"
try --try 'yes | head -c 50000000; cat; :'
grep -q '^tried 2 refused 0$' found
verdict "a command that prints 50 MB and reads its input, which is empty" $? found
try --try '(sleep 1; : > alive) & : >> left; :'
sleep 1.5
[ -e left ] && [ ! -e alive ] && grep -q '^tried 2 refused 0$' found
verdict "what a command has left running ends with it" $? found
cat > flaky.sh << 'END'
# usage: flaky.sh FIRST SECOND FILE: the status on the first run of a piece, and after that
sum=seen.$(cksum < "$3" | tr ' ' _)
if [ -e "$sum" ]; then exit "$2"; fi
: > "$sum"
exit "$1"
END
says 1 'net.fx: the command is flaky: a piece of 3 nodes that it took at first it refuses the second time$' --try 'sh flaky.sh 0 1' --try-log bad.log
[ "$(sed -n 's/ .* a1 b1 c1$//p' bad.log | tr '\n' ' ')" = "passed refused " ]
verdict "the log has both answers" $? bad.log
rm -f seen.*
says 1 'net.fx: the command is flaky: a piece of 1 node that it refused at first it takes the second time$' --try 'sh flaky.sh 1 0'
rm -f seen.*
says 2 '--jobs requires --try$' --jobs 2
says 2 '--timeout requires --try$' --timeout 2
says 2 '--try-log requires --try$' --try-log bad.log
says 2 '--try cannot be combined with --plan$' --try true --plan saved.plan
says 2 '--try cannot be combined with --blocks$' --try true --blocks
says 2 '--try cannot be combined with --order$' --try true --order least-peak
says 2 '--try cannot be combined with --minimise time$' --try true --minimise time
says 1 'net.fx is the input; give another name to write to$' --try true --try-log net.fx
says 1 'cannot write none/log: No such file or directory$' --try true --try-log none/log

# ^C: what has passed stays, the rest is on the CPU. Only a new process group has a SIGINT that is not ignored.
cat > slow.sh << 'END'
! grep -q target=op3 "$1" || sleep 60
END
cat > interrupt.py << 'END'
import signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
run = subprocess.Popen(sys.argv[2:], stdout=open("found", "w"), stderr=open("error", "w"))
for _ in range(400):
    time.sleep(0.05)
    if open("late.log").read().count("passed") >= int(sys.argv[1]):
        break
time.sleep(0.2)
run.send_signal(signal.SIGINT)
sys.exit(run.wait(30))
END
if [ -n "${RUN:-}" ] || ! command -v python3 > /dev/null; then
    skip "^C (python3 is missing, or an emulator runs the program)"
else
    : > late.log
    python3 interrupt.py 1 $program split --acc-ops 'op*' --try 'sh slow.sh' --try-log late.log --porcelain other.fx
    code=$?
    [ $code -eq 0 ] && [ "$(sed -n '/^subgraph/p' found)" = "subgraph _run_on_acc_0 acc a1 b1 c1
subgraph _run_on_cpu_1 cpu h1 a2 b2 c2 h2
subgraph _run_on_acc_2 acc a3 b3 c3" ] && [ -z "$(ls tmp)" ]
    verdict "^C keeps what has passed: exit $code" $? found
fi
finish
