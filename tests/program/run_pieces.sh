#!/bin/sh
# `graphsplit run-pieces`: what --emit wrote yields what the whole graph yields, by every engine; what is missing or
# wrong is one sentence, and no file is left.
# usage: B=build [COUNT=N] sh tests/program/run_pieces.sh     N random graphs; default 20
. "$(dirname "$0")/../elsewhere.sh"
cases=$root/tests/cases
cd "$dir" || exit 1
mkdir tmp
TMPDIR=$dir/tmp
export TMPDIR

# inputs GRAPH: a hash for each placeholder that is read, in in/
inputs() {
    rm -rf in
    mkdir in
    sed -n 's/^ *%\([^ ]*\) .* = placeholder.*/\1/p' "$1" | while read -r name; do
        { printf '\223NUMPY\1\0v\0'; printf "%-117s\n" "{'descr': '<u8', 'fortran_order': False, 'shape': (), }"; printf '%-8.8s' "$name$name$name"; } > "in/$name.npy"
    done
}
# same GRAPH PASS OPTION...: the pieces yield the hashes of the whole
same() {
    graph=$1
    shift
    rm -rf parts a b
    $program "$@" --no-sync --emit parts "$graph" > log 2>&1 &&
        $program run --inputs in --outputs a "$graph" > log 2>&1 &&
        $program run-pieces --inputs in --outputs b --equal "$graph" parts > log 2>&1 && diff -r a b > log && [ -n "$(ls a)" ] && [ -z "$(ls tmp)" ]
    verdict "$* $graph" $? log
}
# graph SEED: layers that repeat, with what reads across them
graph() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        print "graph():"
        print "    %x : [num_users=1] = placeholder[target=x]  # f32[4]"
        print "    %w : [num_users=1] = get_attr[target=w]  # f32[4]"
        last = "x"
        for (i = 0; i < 8; i++) {
            print "    %a" i " : [num_users=1] = call_function[target=f](args = (%" last ", %w), kwargs = {})  # f32[4]"
            print "    %b" i " : [num_users=1] = call_function[target=g](args = (%a" i ", " int(rand() * 2) "), kwargs = {})  # f32[4]"
            print "    %c" i " : [num_users=1] = call_function[target=torch.add](args = (%b" i ", %" (rand() < 0.5 ? last : "a" i) "), kwargs = {})  # f32[4]"
            last = "c" i
        }
        print "    return (" last ", b3, w)"
    }' > net.fx
    inputs net.fx
}
seed=0
while [ $seed -lt "${COUNT:-20}" ]; do
    seed=$((seed + 1))
    graph $seed
    same net.fx split --acc-ops f,g
    same net.fx pipe --stages 3
    same net.fx dedup
    same net.fx partition --device a:300 --device b:300
    same net.fx memory --budget-pieces 64
done
for graph in "$cases"/dedup/c16.fx "$cases"/chain.fx; do
    inputs "$graph"
    same "$graph" split --acc-ops 'operator.*' --allow-non-tensor --min-acc-module-size 1
    same "$graph" pipe --stages 2
done

# Commands per kind and per piece; values that are no hashes.
graph 1
$program split --acc-ops f,g --no-sync --emit parts net.fx > log 2>&1
run="$program run --inputs {inputs} --outputs {outputs} {model}"
rm -rf a b used
$program run-pieces --inputs in --outputs a parts > log 2>&1
$program run-pieces --run "$run" --run "acc=echo {model} >> used; $run" --run _run_on_acc_2=run --inputs in --outputs b --json parts > json 2> log &&
    diff -r a b && [ "$(sed 's/.*run_on_//; s/\.fx$//' used | tr '\n' ' ')" = "$(ls parts | sed -n 's/^_run_on_\(acc_[0-9]*\)\.fx$/\1/p' | grep -v '^acc_2$' | sort -t_ -k2n | tr '\n' ' ')" ] &&
    grep -q '"name": "_run_on_acc_2", "engine": "run"' json
verdict "a command for all, for a kind and for a piece" $? log
$program run-pieces --inputs in --porcelain parts/manifest.json > found 2> log && grep -q '^ran _run_on_acc_0$' found && grep -q '^value c7 u8\[\]$' found
verdict "the manifest by its name" $? log

# The model as a whole, and another.
sed 's/target=g\](args = (%a7/target=h](args = (%a7/' net.fx > other.fx
$program run-pieces --inputs in --equal net.fx --json parts | grep -q '"verdict": "equal"}$' &&
    $program run-pieces --equal net.fx parts | grep -qx 'net.fx yields the same bits' && ! cmp -s net.fx other.fx
verdict "--equal: the same bits" $? log
$program run-pieces --equal other.fx --porcelain parts > found 2> log
[ $? -eq 1 ] && grep -qx 'verdict different' found && [ ! -s log ] && [ -z "$(ls tmp)" ] &&
    $program run-pieces --equal other.fx parts | grep -qx 'other.fx yields another c7'
verdict "--equal: another model" $? found

# says STATUS SENTENCE OPTION...
says() {
    status=$1
    sentence=$2
    shift 2
    $program run-pieces --porcelain "$@" > found 2> error
    code=$?
    [ $code -eq "$status" ] && grep -q -- "$sentence" error && [ -z "$(ls tmp)" ] && { [ "$status" -eq 2 ] || [ "$(wc -l < error)" -eq 1 ]; }
    verdict "$*: exit $code" $? error
}
says 1 'parts/root.fx, the piece root: the command ended with status 3: no way$' --run 'echo no way; exit 3; {model} {outputs}' parts
says 1 'parts/root.fx, the piece root: the command has not ended within 1 s' --timeout 1 --run 'sleep 60; : {model} {outputs}' parts
says 1 'has not written .*\.npy of root$' --run ': {model} {outputs}' parts
says 1 'parts/root.fx, the piece root: the command was ended by signal 9 (SIGKILL, as when memory runs out)$' --run 'kill -9 $$; {model} {outputs}' parts
says 2 "'nonsense' is no engine" --run nonsense parts
says 2 '--run zz: no piece has this name, kind or device; there are root, acc, cpu, _run_on_acc_0, .*, \.\.\.$' --run zz=run parts
says 2 '--run cpu is given twice$' --run cpu=run --run acc=run --run cpu=run parts
says 2 '--run for all pieces is given twice$' --run run --run acc=run --run run parts
says 1 'parts/root.fx, the piece root: the command ended with status 1$' --run 'env A=1 false {model} {outputs}' parts
says 2 '--time measures a pass, and run-pieces is none' --time 3 parts
says 2 '--seed is for random inputs, and --inputs gives them$' --seed 3 --inputs in parts
says 1 'cannot copy none/x.npy' --inputs none parts
says 2 'cannot read none.fx' --equal none.fx parts
says 2 'cannot read missing/manifest.json' missing
mkdir bad
wrong() {
    printf '%s' "$1" > bad/manifest.json
    says "$3" "$2" bad
}
wrong '' 'bad/manifest.json:1:1: expected a manifest of --emit' 1
wrong '{"inputs": [}' 'manifest.json:1:13: expected a string' 1
wrong '{"model": "x"}' 'a manifest of --emit has pieces' 1
wrong '{"pieces": [{"name": "a"}]}' 'a piece requires name, file, inputs and outputs' 1
wrong '{"inputs": [], "outputs": ["y"], "pieces": []}' 'bad: no piece yields y, an output$' 1
wrong '{"inputs": [], "outputs": [], "pieces": [{"name": "a", "file": "", "refused": "it shares state", "inputs": [], "outputs": []}]}' 'the piece a has no file: it shares state$' 1
wrong '{"inputs": [], "outputs": [], "pieces": [{"name": "a", "file": "a.fx", "inputs": ["q"], "outputs": []}]}' 'no piece before a yields q, which it reads$' 1
wrong '{"inputs": [], "outputs": [], "pieces": [{"name": "a", "file": "a.fx", "inputs": [], "outputs": []}]}' 'there is no file bad/a.fx$' 1
wrong '{"inputs": ["q"], "outputs": [], "values": {"q": {"type": "int"}}, "pieces": [{"name": "a", "file": "a.onnx", "inputs": ["q"], "outputs": []}]}' "no random values of the type 'int'" 1
wrong '{"pieces": [' 'expected' 1
piece='{"name": "a", "file": "a.fx", "inputs": ["x"], "outputs": ["y"]}'
wrong '{"pieces": ['"$piece, $piece"']}' 'the piece is listed twice' 1
wrong '{"values": {"x": {"dtype": "f32", "shape": [4611686018427387904, 4611686018427387904]}}, "pieces": []}' 'the shape has more bytes than 64 bits can count' 1
wrong '{"values": {"x": {"dtype": "f32", "shape": [-1]}}, "pieces": []}' 'expected a dimension, a number from 0 on or a name' 1
cat > bad/a.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %z : [num_users=1] = placeholder[target=z]  # f32[4]
    %y : [num_users=1] = call_function[target=f](args = (%x, %z), kwargs = {})  # f32[4]
    return y
END
wrong '{"inputs": ["x"], "outputs": ["y"], "values": {"x": {"dtype": "f32", "shape": [4]}}, "pieces": ['"$piece"']}' \
    '^graphsplit: bad/a.fx, the piece a: placeholder z: ' 1
wrong '{"inputs": ["x"], "outputs": ["y"], "values": {"x": {"dtype": "i8", "shape": [4]}}, "pieces": ['"$piece"']}' \
    '^graphsplit: bad/a.fx, the piece a: the input x is f32, and bad says i8$' 1
rm bad/a.fx

# A model that a file of the manifest names is read by no shell.
mv parts/root.fx "parts/r\$(touch made).fx"
sed 's/"root.fx"/"r$(touch made).fx"/' parts/manifest.json > parts/other.json
says 1 'parts/r$(touch made).fx, the piece root: {model} is in quotes of the command, where a shell would read the path' --run 'cat "{model}" {inputs} {outputs}' parts/other.json
[ ! -e made ]
verdict "nothing in a path runs" $?
rm -rf b
$program run-pieces --run "$run" --inputs in --outputs b parts/other.json > found 2> log && diff -r a b && [ ! -e made ]
verdict "a path that a shell would read" $? log
wrong "$(printf '{"pieces": [], "a\\u00e9\\ud83d\\ude00": %s1' "$(head -c 3000 /dev/zero | tr '\0' '[')")" 'expected' 1
finish
