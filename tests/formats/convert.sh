#!/bin/sh
# `convert`: every format there and back, what each reader understands and refuses, and that other commands
# read the formats too. GRAPHSPLIT: the program.
set -u
. "$(dirname "$0")/../elsewhere.sh"
data=$root/tests/formats/data
cd "$dir" || exit 1

# ---- there and back ----

# around FILE OWN: through every format, and evaluated
around() {
    $program convert "$1" "canon.$2" 2> err
    verdict "convert $1" $? err
    for to in fx graph hgr mtx dot hdag edges; do
        [ "$2 $to" != 'hdag edges' ] || continue # has no weights
        $program convert "$1" "there.$to" 2> err && $program convert "there.$to" "back.$2" 2>> err && cmp "back.$2" "canon.$2" 2>> err
        verdict "$1 by $to" $? err
    done
    n=$($program convert --to edges "$1" - 2> err | head -n 1 | cut -d ' ' -f 1)
    awk -v n="$n" 'BEGIN { for (i = 0; i < n; i++) print int(i * 3 / n) }' > even.part
    $program eval --porcelain "$1" even.part > out 2> err
    [ $? -eq 0 ] && grep -q '^score valid=1 parts=3 ' out
    verdict "eval $1" $? err
}
printf '7 8\n0 1\n0 2\n1 3\n2 3\n3 4\n3 5\n4 6\n5 6\n' > small.edges
around small.edges edges
for file in "$data"/*.txt; do
    around "$file" hdag
done
for file in "$root"/tests/public/dag/*.edges; do
    around "$file" edges
done
for file in "$root"/tests/public/hyperdag/*.txt; do
    around "$file" hdag
done

# ---- without an ending ----

# same FILE: its content alone tells what it is, in a file and on standard input
same() {
    cp "$1" unnamed
    for pass in read split; do
        $program $pass --porcelain "$1" > named.out 2> err
        $program $pass --porcelain unnamed > file.out 2> err
        $program $pass --porcelain - < unnamed > stdin.out 2> err
        [ -s named.out ] && cmp -s named.out file.out && cmp -s named.out stdin.out
        verdict "$pass: a file without an ending, of the content of $1" $? err
    done
}
printf '3 2\n2\n1 3\n2\n' > path.graph
printf '2 3\n1 2\n2 3\n' > path.hgr
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n' > path.mtx
printf 'digraph { a -> b }\n' > path.dot
printf '1 2 2\n0\n0\n1\n0 0\n0 1\n' > path.hdag
printf '3 2\n0 1\n1 2\n' > path.edges
for name in graph hgr mtx dot hdag edges; do
    same path.$name
done
printf '3 3\n2 3\n1 3\n1 2\n' > unnamed
$program read unnamed > out 2> err
[ $? -eq 1 ] && grep -q 'unnamed holds numbers that several formats allow' err
verdict "numbers that are a METIS or an hMETIS graph are refused" $? err

# ---- what the readers understand ----

# becomes NAME OUT: the file NAME, made of standard input, converts to this text
becomes() {
    cat > "$1"
    $program convert "$1" --to hyperdag - > out 2> err
    [ $? -eq 0 ] && [ "$(tr '\n' ';' < out)" = "$2" ]
    verdict "$1 becomes $2" $? out
}
diamond='3 4 7;0 5;1 2;2 1;0 1;1 3;2 1;3 1;0 0;0 1;0 2;1 1;1 3;2 2;2 3;'
becomes sized.graph "$diamond" << 'END'
% sizes, weights of nodes, weights of edges
4 4 111
5 1 2 5 3 5
2 3 1 5 4 2
1 1 1 5 4 1
1 1 2 2 3 1
END
becomes weights.graph "$diamond" << 'END'
4 4 011
1 2 5 3 5
3 1 5 4 2
1 1 5 4 1
1 2 2 3 1
END
grep -q 'undirected' err
verdict "it says that edges have no directions" $? err
becomes alone.graph '1 3 2;0 1;0 1;1 1;2 1;0 0;0 2;' << 'END'
3 1
3

1
END
becomes diamond.hgr "$diamond" << 'END'
3 4 11
5 2 1 3
2 2 4
1 3 4
1
3
1
1
END
becomes overlap.hgr '1 3 3;0 4;0 1;1 1;2 1;0 0;0 1;0 2;' << 'END'
2 3 1
4 1 2 3
4 1 2
END
grep -q 'several nets' err
verdict "it says that nets are merged" $? err
becomes weighted.mtx '1 3 3;0 7;0 1;1 1;2 1;0 0;0 1;0 2;' << 'END'
%%MatrixMarket matrix coordinate integer general
% rows are sources
3 3 2
1 2 7
1 3 6
END
grep -q 'different weights' err
verdict "it says that weights of edges differ" $? err
echo 'digraph { 1 -> 2 }' > digits.dot
$program convert digits.dot - --to fx > out 2> err && grep -q 'n0' out && grep -q 'digits.dot has names that are no identifiers: nodes are n0, n1, ...$' err
verdict "it says that names of nodes are others" $? err
becomes real.mtx '2 3 4;0 1;1 1;0 1;1 1;2 1;0 0;0 1;1 1;1 2;' << 'END'
%%MatrixMarket matrix coordinate real symmetric
3 3 2
2 1 0.5
3 2 1e-3
END
becomes weighted.dot "$diamond" << 'END'
// nodes and edges with weights
strict digraph "a \"name\"" {
    graph [rankdir=LR]; node [shape=box];
    size = "1,1"
    a; b [weight=3, label="x -> y"]
    subgraph cluster { c d [color=red] }
    a -> b [weight=5]; a -> c [weight="5"] /* two
    lines */
    b:out -> d:in:n [weight=2]
    c -> d
}
END
becomes chain.gv '2 3 4;0 1;1 1;0 1;1 1;2 1;0 0;0 1;1 1;1 2;' << 'END'
graph { x -- y -- "z z" }
END
becomes bare.hdag '1 2 2;0 9;0 4;1 1;0 0;0 1;' << 'END'
% comment
1 2 2 % nets, nodes, pins
0 9
0 4 17 % more columns are no weights
1
0 0
0 1
END
becomes down.edges '2 3 4;0 1;1 1;0 1;1 1;2 1;0 1;0 0;1 2;1 1;' << 'END'
3 2
2 1
1 0
END
becomes none.edges '0 0 0;' << 'END'
0 0
END

# Numbers that are no topological order: parts by the numbers of the file, and new numbers said.
printf '3 2\n2 1\n1 0\n' > down.edges
printf '1\n1\n0\n' > down.part
$program eval --porcelain down.edges down.part > out 2> err && grep -q 'cut_edges=1' out
verdict "parts by the numbers of the file" $? out
$program module --assign n2=0,n1=1,n0=1 --part down.part --porcelain down.edges > out 2> err && [ "$(tr '\n' ' ' < down.part)" = '1 1 0 ' ]
verdict "--part by the numbers of the file" $? down.part
$program convert down.edges down.fx && $program convert down.fx again.edges && [ "$(sort again.edges)" = "$(sort down.edges)" ]
verdict "numbers are kept in graph text" $? down.fx
$program convert down.edges down.graph 2> err && grep -q 'numbered anew' err
verdict "it says that nodes are numbered anew" $? err
$program convert --to edges "$data/synthetic.random.ER_N10_e18.txt" - 2>&1 > /dev/null | grep -q 'left out'
verdict "it says that weights are left out" $?
printf 'graph():\n    return ()\n' > text.txt
$program read --porcelain text.txt > out 2> err && grep -q 'return' out
verdict "a .txt file that is graph text" $? err
$program convert --from hyperdag --to dot "$data/fine-grained.random.spmv_N4_nzP0d5.txt" - < /dev/null > out 2> err && grep -q -e '->' out
verdict "--from and --to" $? err
cp small.edges no_ending
$program convert --from edges no_ending again.edges 2> err && [ "$(sort again.edges)" = "$(sort small.edges)" ]
verdict "--from says what the name does not" $? err
for command in "partition --device a:8 --device b:8" "pipe --stages 2" memory dedup read; do
    # shellcheck disable=SC2086
    $program $command --porcelain small.edges > out 2> err
    verdict "$command of an edge list" $? err
done

# ---- what they refuse: one sentence, with the line, and nothing written ----

# line NAME WORDS TEXT: the text as a file of this name
line() {
    printf '%b' "$3" > "$1"
    rm -f no.fx
    $program convert "$1" no.fx > out 2> err
    [ $? -eq 1 ] && [ "$(wc -l < err)" -eq 1 ] && grep -q -e "$1:$2" err && ! [ -e no.fx ]
    verdict "$1:$2" $? err
}
line loop.edges '3: the edge from 1 to 1 is a loop' '3 2\n0 1\n1 1\n'
line twice.edges '4: the edge from 0 to 1 is given twice' '3 3\n0 1\n1 2\n0 1\n'
line cycle.edges '[345]: the edge from [012] to [012] is on a cycle' '4 4\n3 0\n0 1\n1 2\n2 0\n'
line far.edges "2: expected a node, got '3'" '3 1\n0 3\n'
line few.edges '3: expected a node' '3 2\n0 1\n'
line more.edges "3: expected the end of the file, got '1 2'" '3 1\n0 1\n1 2\n'
line word.edges "2: expected a node, got 'x'" '3 1\n0 x\n'
line minus.edges "2: expected a node, got '-1'" '3 1\n0 -1\n'
line third.edges "2: expected the end of the line, got '5'" '3 1\n0 1 5\n'
line big.edges '1: 4000000000 nodes, and at most 336 are read' '4000000000 1\n0 1\n'
line huge.edges "1: '99999999999999999999' does not fit" '3 99999999999999999999\n'
line short.graph '1: this line says 100000000 nodes, and there are lines for 0' '100000000 0\n'
line shorter.graph '2: this line says 3 nodes, and there are lines for 2' '%% three\n3 1\n2\n1\n'
line many.edges '1: 257 nodes, and at most 256' '000000257 0\n'
line many.hgr '1: 100000000 nodes, and at most 256' '0 100000000\n'
line many.mtx '2: 100000000 nodes, and at most' '%%%%MatrixMarket matrix coordinate pattern general\n100000000 100000000 0\n'
line many.hdag '1: 100000000 nodes, and at most' '0 100000000 0\n'
line none.edges '1: expected' ''
line empty.edges '2: ' '0 1\n0 0\n'
line half.graph '2: node 1 names node 2, which does not name it back' '2 1\n2\n\n'
line back.graph '1: this line says 1 edges' '3 1\n2\n1\n1\n'
line count.graph '1: this line says 2 edges' '2 2\n2\n1\n'
line loop.graph '2: the edge from 1 to 1 is a loop' '2 1\n1\n\n'
line twice.graph '2: the edge from 1 to 2 is given twice' '2 2\n2 2\n1 1\n'
line far.graph "2: expected a node, got '3'" '2 1\n3\n1\n'
line format.graph "1: " '2 1 7\n2\n1\n'
line many.graph "1: expected one weight per node, got '2'" '2 1 10 2\n1 1 2\n1 1 1\n'
line weight.graph "2: '18446744073709551616' does not fit" '2 1 1\n2 18446744073709551616\n1 1\n'
line more.graph '4: expected the end of the file' '2 1\n2\n1\n7\n'
line loop.hgr '2: node 1 is twice' '1 2\n1 1\n'
line far.hgr "2: expected a node, got '3'" '1 2\n1 3\n'
line zero.hgr "2: expected a node, got '0'" '1 2\n0 1\n'
line few.hgr '3: expected' '2 2\n1 2\n'
line head.mtx '1: expected' '3 3 1\n1 2\n'
line dense.mtx '1: expected' '%%MatrixMarket matrix array real general\n1 1\n0\n'
line oblong.mtx '2: a graph is a square matrix' '%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n'
line loop.mtx '3: the edge from 1 to 1 is a loop' '%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n'
line cycle.mtx '[34]: the edge from [12] to [12] is on a cycle' '%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n'
line twice.mtx '4: the edge from 1 to 2 is given twice' '%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 2\n'
line weight.mtx "3: '18446744073709551616' does not fit" '%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 18446744073709551616\n'
line node.mtx "2: expected a node, got '9'" '%%MatrixMarket matrix coordinate pattern general\n%node 9 1 1\n2 2 1\n1 2\n'
line loop.dot '2: the edge from a to a is a loop' 'digraph {\na -> a\n}\n'
line twice.dot '3: the edge from a to b is given twice' 'digraph {\na -> b -> c\na -> b }\n'
line cycle.dot '[23]: the edge from [ab] to [ab] is on a cycle' 'digraph {\na -> b\nb -> a }\n'
line open.dot "3: expected '}'" 'digraph {\na -> b\n'
line wrong.dot "2: expected '->' in a digraph, got '--'" 'digraph {\na -- b\n}\n'
line weight.dot "1: '18446744073709551616' does not fit" 'digraph { a -> b [weight=18446744073709551616] }\n'
line half.dot "1: expected a weight, got '0.5'" 'digraph { a -> b [weight=0.5] }\n'
line text.dot "1: expected 'digraph' or 'graph'" 'no graph\n'
line quote.dot "2: expected '}'" 'digraph { "a\n'
line loop.hdag '7: the edge from 0 to 0 is a loop' '1 2 2\n0\n0\n1\n\n0 0\n0 0\n'
line source.hdag '7: node 0 is the source of two nets' '2 2 2\n0\n1\n0\n1\n0 0\n1 0\n'
line cycle.hdag '[0-9]*: the edge from [01] to [01] is on a cycle' '2 2 4\n0\n1\n0\n1\n0 0\n0 1\n1 1\n1 0\n'
line twice.hdag '3: number 0 is given twice' '0 2 0\n0\n0\n'
line nets.hdag '1: more nets than nodes' '3 2 0\n'
line huge.txt "2: '18446744073709551616' does not fit" '1 2 2\n0 18446744073709551616\n0\n1\n0 0\n0 1\n'

for format in graph hgr mtx dot hdag edges; do
    line empty.$format "1: expected" ''
    line blank.$format "[123]: expected" '\n\n'
done

rm -f out.xyz
$program convert small.edges out.xyz > out 2> err
[ $? -eq 2 ] && grep -q -e '--to' err && ! [ -e out.xyz ]
verdict "an ending that says nothing" $? err
$program convert small.edges > out 2> err
[ $? -eq 2 ]
verdict "one file" $? err
rm -f out.mtx
$program convert --json small.edges out.mtx > out 2> err
[ $? -eq 2 ] && grep -q 'read --json' err && ! [ -e out.mtx ]
verdict "no JSON" $? err
cp small.edges same.edges
$program convert same.edges same.edges > out 2> err
[ $? -ne 0 ] && cmp -s small.edges same.edges
verdict "the input is not written" $? err

# ---- METIS itself ----

if command -v gpmetis > /dev/null; then
    for k in 2 3 4 8; do
        for file in small.edges "$data"/*.txt "$root"/tests/public/dag/*.edges "$root"/tests/public/hyperdag/*.txt; do
            [ -f "$file" ] || continue
            $program convert "$file" metis.graph 2> err &&
                gpmetis metis.graph $k > out 2>&1 &&
                cut=$(sed -n 's/.*Edgecut: \([0-9]*\),.*/\1/p' out) &&
                $program eval --porcelain metis.graph metis.graph.part.$k > score 2> err
            grep -q " cut_edges=$cut " score
            verdict "gpmetis' cut of $file, $k parts: $cut" $? score
        done
    done
else
    skip "gpmetis' own cuts (gpmetis is not installed; Debian: metis)"
fi
finish
