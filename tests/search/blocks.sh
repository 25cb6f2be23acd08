#!/bin/sh
# `split --blocks`: what it prints. On random layered graphs, modules and parts on disk (join.awk) compute what the graph
# does, a part of a block has one file, and no more nodes are compiled than before.
# GRAPHSPLIT: the program.
. "$(dirname "$0")/../elsewhere.sh"
${CC:-cc} -O1 -o "$dir/repeats" tests/search/repeats.c 2> "$dir/log" ||
    nothing_but "random graphs (no C compiler here)"
cd "$dir" || exit 1

# layers COUNT: layers with parameters of their own, between two other nodes; the third is followed by a CPU node
layers() {
    awk -v n="$1" '
        function call(name, target, args) {
            print "    %" name " : [num_users=1] = call_function[target=" target "](args = (" args "), kwargs = {})  # f32[4]"
        }
        BEGIN {
            print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]"
            call("first", "embed", "%x,")
            h = "first"
            for (i = 0; i < n; i++) {
                print "    %w" i " : [num_users=1] = get_attr[target=w" i "]  # f32[4]"
                call("l" i, "linear", "%" h ", %w" i)
                call("r" i, "relu", "%l" i ",")
                call("n" i, "norm", "%r" i ", %" h)
                h = "n" i
                if (i == 2) { call("host", "host", "%" h ","); h = "host" }
            }
            call("last", "head", "%" h ",")
            print "    return last"
        }'
}
# same GRAPH OPTIONS...: the printed module, and the parts of --emit, compute what the graph does
same() {
    graph=$1
    shift
    $program split --blocks "$@" --porcelain "$graph" > out 2> err && sed -n '/^module /,$p' out > made.fx &&
        $program run --equal "$graph" made.fx > log 2>&1 && rm -rf parts &&
        $program split --blocks "$@" --emit parts "$graph" > log 2>&1 &&
        awk -v dir=parts -v source="$graph" -f "$root/tests/formats/join.awk" parts/manifest.json > joined.fx 2> log &&
        $program run --equal "$graph" joined.fx > log 2>&1
}

layers 22 > net.fx
same net.fx --acc-ops embed,linear,relu,norm,head
verdict "22 layers compute the same" $? log
[ "$(grep '^block' out | wc -w)" -eq 24 ]
verdict "22 subgraphs call one graph" $? out
grep -qx 'programs before=2 after=3 nodes=68,5' out
verdict "two graphs of 68 nodes, then three of 5" $? out
[ "$(find parts -name '_run_on_acc_*.fx' | wc -l)" -eq 3 ] && [ "$(grep -c '"kind": "acc"' parts/manifest.json)" -eq 24 ]
verdict "24 parts on the accelerator have 3 files" $? parts/manifest.json
$program split --blocks --acc-ops embed,linear,relu,norm,head --json net.fx > out 2> err &&
    grep -qx '"compiled": {"before": {"graphs": 2, "programs": 2, "nodes": 68}, "after": {"graphs": 24, "programs": 3, "nodes": 5}},' out
verdict "JSON has both" $? out
$program split --blocks --acc-ops embed,linear,relu,norm,head --fingerprints net.fx > out 2> err &&
    grep -qx '  before  2 graphs on accelerators, 2 to compile, of 68 nodes' out &&
    grep -qx '  after   24 graphs on accelerators, 3 to compile, of 5 nodes' out && grep -q ' 22 graphs: _run_on_acc_1 ' out
verdict "so does the report" $? out
$program split --acc-ops embed,linear,relu,norm,head --porcelain net.fx > plain 2> err
$program split --blocks --acc-ops embed --porcelain net.fx > out 2> err && ! grep -q '^block' out &&
    grep -qx 'programs before=1 after=1 nodes=1,1' out
verdict "without repeats the subgraphs stay" $? out
$program split --blocks --acc-ops embed,linear,relu,norm,head --emit parts net.fx > out 2> err
[ "$(grep -c '"arena": 48, "tensors": \[{"name"' parts/manifest.json)" -eq 25 ] &&
    grep -q '"inputs": \["n0", "w1"\].*{"name": "n0", "offset": 0, .*{"name": "l1", "offset": 16, .*{"name": "r1", "offset": 32, .*{"name": "n1", "offset": 16, ' parts/manifest.json
verdict "each part has the offsets of its tensors in one arena" $? parts/manifest.json
# limit STATUS TEXT OPTIONS...
limit() {
    code=$1
    text=$2
    shift 2
    $program split --blocks --acc-ops embed,linear,relu,norm,head "$@" --porcelain net.fx > out 2> err
    [ $? -eq "$code" ] && grep -qx -- "$text" "$([ "$code" -eq 0 ] && echo out || echo err)"
    verdict "--blocks with $*" $? err
}
limit 1 'graphsplit: --blocks makes 25 subgraphs, and --max-acc-splits allows 20' --max-acc-splits 20
limit 0 'programs before=2 after=3 nodes=68,5' --max-acc-splits 25
limit 1 'graphsplit: --blocks makes 24 accelerator subgraphs, and --max-acc allows 23' --max-acc 23
limit 0 'programs before=2 after=3 nodes=68,5' --max-acc 24
limit 1 'graphsplit: --blocks makes an accelerator subgraph of 1 node, and --min-acc-module-size asks for 2' --min-acc-module-size 2
limit 0 'programs before=2 after=3 nodes=68,5' --min-acc-module-size 1
limit 1 'graphsplit: the run needs 48 bytes at its peak, and --peak allows 40; .*' --peak 40
limit 0 'run peak=48 given=48' --peak 48 --run-memory
$program split --blocks --start best --acc-ops embed,linear,relu,norm,head --porcelain net.fx > out 2> err && ! grep -q '^proof' out
verdict "the proof of fewest subgraphs is not of the subgraphs of blocks" $? out
$program split --blocks --plan net.fx net.fx > out 2> err
[ $? -eq 2 ]
verdict "--blocks and --plan are refused together" $? err

seed=1
while [ $seed -le 150 ]; do
    [ $((seed % 5)) -eq 0 ] && size=$((seed + 20)) || size=$((seed % 40 + 4))
    ./repeats $seed net.fx $size
    operators=op0,op3,op4
    [ $((seed % 3)) -eq 0 ] && operators='op*'
    [ $((seed % 3)) -eq 1 ] && operators=op0,op1,op3
    same net.fx --acc-ops "$operators" --min-acc-module-size 1 || { echo "seed $seed"; cat log; }
    [ "$(grep -o '"file": "[^"]*"' parts/manifest.json | sort -u | wc -l)" -eq "$(find parts -name '*.fx' ! -name deduplicated.fx | wc -l)" ] ||
        echo "seed $seed: files"
    sed -n 's/^programs before=[0-9]* after=[0-9]* nodes=\([0-9]*\),\([0-9]*\)$/\1 \2/p' out >> nodes
    grep -q '^block' out && echo >> blocks
    seed=$((seed + 1))
done > wrong
[ ! -s wrong ] && [ "$(wc -l < blocks)" -gt 30 ]
verdict "150 random graphs compute the same, as modules and as parts" $? wrong
awk '$2 > $1 || NF != 2 { print } END { if (NR != 150) print NR " graphs" }' nodes > wrong
[ ! -s wrong ]
verdict "no more nodes are compiled than before" $? wrong
finish
