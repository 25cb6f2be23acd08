#!/bin/sh
# Plan files of `pipe` and `module`: what is saved gives the same module again; what is wrong with a plan has
# its status and a sentence, and writes nothing. `diff`: what a node has left is never what it went to.
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
case $program in
    /*) ;;
    *) program=$(pwd)/${program#* } ;;
esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/check.sh

same() {
    cmp -s "$dir/$2" "$dir/$3"
    verdict "$1" $?
}

# EXIT, words of the sentence, options
refuses() {
    words=$2
    wanted=$1
    shift 2
    out=$($program "$@" --save-plan planned --emit emitted chain.fx 2> err)
    code=$?
    [ "$code" -eq "$wanted" ] && case $out in 'error '* | '') true ;; *) false ;; esac && grep -q -e "$words" err &&
        [ ! -e planned ] && [ ! -e emitted ]
    ok=$?
    verdict "$*: exit $code, '$out', $(cat err)" $ok
}

cd "$dir" || exit 1
{
    echo 'graph():'
    echo '    %x : [num_users=1] = placeholder[target=x]  # f32[4]'
    echo '    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4]'
    echo '    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # f32[4]'
    echo '    %_pipe_split : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})'
    echo '    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[4]'
    echo '    %d : [num_users=1] = call_function[target=f](args = (%c,), kwargs = {})  # f32[4]'
    echo '    return d'
} > chain.fx
printf 'plan 1\n[first] cpu\na\n[second] acc\n[third] acc\nb\nc\nd\n_pipe_split\n' > names.plan
printf 'plan 1\n[9000000000]\nc\nd\n[5]\n[-3]\na\nb\n' > numbers.plan
printf 'plan 1\n[0]\na\nc\n[1]\nb\nd\n' > back.plan
printf 'plan 1\n[0]\na\nb\nd\n' > new.plan
printf 'plan 2\n' > wrong.plan

# pipe
$program pipe --porcelain --save-plan marks.plan chain.fx > marks
verdict "pipe by markers" $?
printf 'plan 1\n[0]\na\nb\n_pipe_split\n[1]\nc\nd\n' > wanted
sed '/^#/d;/^$/d' marks.plan > lines
same "its plan" wanted lines
$program pipe --porcelain --plan marks.plan --save-plan again.plan chain.fx > again 2> err
same "pipe by its plan" marks again
[ ! -s err ]
verdict "of which nothing is new" $?
same "which is saved alike" marks.plan again.plan
$program pipe --porcelain --plan numbers.plan chain.fx > again 2> err
same "stages by their numbers, holes closed" marks again
$program pipe --porcelain --stages 3 --save-plan stages.plan chain.fx > stages
$program pipe --porcelain --plan stages.plan chain.fx > again
same "pipe by the plan of a policy" stages again
$program pipe --porcelain --plan names.plan chain.fx | grep -c '^module submod_' > count
echo 2 > wanted
same "stages by their place, empty ones left out" wanted count
$program pipe --plan marks.plan --schedule gpipe --microbatches 2 --svg chart chain.fx > people &&
    [ -s chart ]
verdict "a schedule of stages of a plan" $?

refuses 1 'node c: a node reads one of a later stage' pipe --porcelain --plan back.plan
refuses 1 'c belongs to no stage; a line c' pipe --porcelain --plan new.plan
refuses 1 'wrong.plan:1:' pipe --porcelain --plan wrong.plan
refuses 2 'cannot read no.plan' pipe --porcelain --plan no.plan
refuses 2 '--plan cannot be combined with --stages' pipe --porcelain --plan marks.plan --stages 2
refuses 2 '--plan cannot be combined with --split-spec' pipe --porcelain --plan marks.plan --split-spec l=end
mkdir here
! $program pipe --porcelain --save-plan planned --emit here/no/dir chain.fx > /dev/null 2>&1 &&
    [ ! -e planned ]
verdict "a failure takes back the plan" $?

# module
$program module --porcelain --assign a=-1,b=-1,_pipe_split=-1,c=5,d=5 --save-plan module.plan chain.fx > made
$program module --porcelain --plan module.plan chain.fx > again
same "module by its plan" made again

# diff
printf 'plan 1\n[A]\na\nb\nc\nd\n[B]\ne\n' > first.plan
printf 'plan 1\n[A]\nd\ne\n[B]\na\nb\nc\n' > second.plan
$program diff --porcelain first.plan second.plan | grep '^moved' > moved
echo 'moved d : A (now B) -> A' > wanted
same "a node that is in a part of the same name, which is another one" wanted moved
printf 'plan 1\n[A]\na\n[B]\nb\nc\n' > first.plan
printf 'plan 1\n[B]\na\nb\nc\n' > second.plan
$program diff --porcelain first.plan second.plan | grep '^moved' > moved
echo 'moved a : A -> B' > wanted
same "a node that is in a part of another name" wanted moved

# Three nodes on one accelerator, of which the middle one goes to the CPU: it alone changes device.
printf 'plan 1\n[A] acc\na\nb\nc\n[B] cpu\nd\n' > first.plan
printf 'plan 1\n[A] acc\na\n[B] cpu\nb\n[C] acc\nc\n[D] cpu\nd\n' > second.plan
grep -v _pipe_split chain.fx > four.fx
$program diff first.plan second.plan four.fx > report 2> err
for words in '3 of 4 nodes in both stay on their device (75.0 %), 1 of them in another part;$' '^  1 changed device$' \
    'nodes on accelerators  *3 of 4 (75.0 %)  *2 of 4 (50.0 %)' 'parts  *2, 1 on accelerators  *4, 2 on accelerators' \
    'values across their boundary  *1, 16 B  *3, 48 B' 'values between parts  *1, 16 B  *3, 48 B' \
    '^  A  *3  *split  *A  *1  *1$' '^  from A  *3  *split  *B  *1  *1$' \
    '^  b  *acc, A  *cpu, B$' '^  c  *A  *C$'; do
    grep -q "$words" report
    verdict "diff: '$words'" $? report
done
$program diff --json first.plan second.plan four.fx > report 2> err
for words in '"changed_device": 1,' '{"placed": 4, "parts": 4, "on_accelerators": 2, "parts_on_accelerators": 2, "crossing_values": 3, "crossing_bytes": 48, "boundary_values": 3, "boundary_bytes": 48}' \
    '{"node": "b", "first": "A", "second": "B", "devices": \["acc", "cpu"\]}'; do
    grep -q "$words" report
    verdict "diff --json: $words" $? report
done
sed 's/acc$/npu/' first.plan > second.plan
$program diff first.plan second.plan > report
grep -q '1 of 4 lines in both stay on their device (25.0 %), 0 of them' report && grep -q '^  3 changed device$' report
verdict "parts that stay as they are, on another device" $? report
sed 's/ acc$//; s/ cpu$//' first.plan > second.plan
$program diff second.plan second.plan > report
grep -q '4 of 4 lines in both agree (100 %), 0 moved' report && ! grep -q device report
verdict "plans without devices" $? report

finish
