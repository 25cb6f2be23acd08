#!/bin/sh
# `dedup`: groups that fail give their nodes back, --start best, --lift-constants with strings, and repeats that
# called modules hide. GRAPHSPLIT: the program.
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

# layers LAYERS RESIDUALS FROM: equal layers; those of the list are followed by an addition of FROM, or of their input
layers() {
    awk -v n="$1" -v residuals=" $2 " -v from="$3" '
        function call(name, target, args) {
            print "    %" name " : [num_users=1] = call_function[target=torch." target "](args = (" args "), kwargs = {})  # f32[4]"
        }
        BEGIN {
            print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]"
            h = "x"
            for (i = 0; i < n; i++) {
                before = from != "" ? from : h
                call("l" i, "linear", "%" h ", 3")
                call("r" i, "relu", "%l" i ",")
                call("n" i, "norm", "%r" i ",")
                h = "n" i
                if (index(residuals, " " i " ") != 0) {
                    call("a" i, "add", "%" h ", %" before)
                    h = "a" i
                }
            }
            print "    return " h
        }'
}
# regions WANTED OPTIONS...: the number of regions of net.fx, and the nodes of each
regions() {
    wanted=$1
    shift
    $program dedup "$@" --porcelain net.fx 2> err | awk '/^region / { n[NF - 4]++ } END { for (k in n) print n[k] "x" k }' | sort -n | tr '\n' ' ' > out
    [ "$(cat out)" = "$wanted" ]
    verdict "dedup $*: '$(cat out)', expected '$wanted'" $? err
}
layers 8 "" "" > net.fx
regions '8x3 '
layers 8 "2 5" x > net.fx # the additions read x, which the first layer reads, too: their regions differ
regions '8x3 '
layers 8 "0 7" x > net.fx
regions '8x3 '
layers 8 "1 2" "" > net.fx # the additions end two regions of four nodes, as PyTorch has it
regions '2x4 '
regions '8x3 ' --start best
layers 8 "2 5" "" > net.fx
regions '2x10 '
regions '8x3 ' --start best

# Layers whose names are strings, or numbers.
named() {
    awk -v name="$1" 'BEGIN {
        print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]"
        h = "x"
        for (i = 0; i < 4; i++) {
            s = name; gsub(/#/, i, s)
            print "    %a" i " : [num_users=1] = call_function[target=mine.attention](args = (%" h ", " s "), kwargs = {kind: full})  # f32[4]"
            print "    %b" i " : [num_users=1] = call_function[target=torch.relu](args = (%a" i ",), kwargs = {})  # f32[4]"
            h = "b" i
        }
        print "    return " h
    }'
}
for name in "'model.layers.#.attn'" 'model.layers.#.attn' '#' '#.5' '"a#"'; do
    named "$name" > net.fx
    regions ''
    regions '4x2 ' --lift-constants
    first=$(echo "$name" | sed 's/#/0/')
    $program dedup --lift-constants --porcelain net.fx 2> err > out
    grep -qF "subgraph_0, %x, $first)" out && grep -q 'mine.attention.*kind: full' out
    verdict "$name becomes an argument, and what all agree on stays" $? out
done
for name in 'torch.float#' 'cuda:#' 'None'; do
    named "$name" > net.fx
    regions "$(echo "$name" | sed -n 's/None/4x2 /p')" --lift-constants
done
# Numbers that are lifted make slices of one layer equal, which was worse than not to lift them.
awk 'BEGIN {
    print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]"
    h = "x"
    for (i = 0; i < 6; i++) {
        print "    %w" i " : [num_users=3] = call_function[target=torch.linear](args = (%" h ",), kwargs = {})  # f32[12]"
        for (k = 0; k < 3; k++) {
            print "    %s" i k " : [num_users=1] = call_function[target=torch.slice](args = (%w" i ", " k ", \"" (k == 0 ? "layer" i : "") "\"), kwargs = {})  # f32[4]"
        }
        print "    %t" i " : [num_users=1] = call_function[target=torch.attention](args = (%s" i "0, %s" i "1, %s" i "2), kwargs = {})  # f32[4]"
        h = "t" i
    }
    print "    return " h
}' > net.fx
regions '6x5 ' --lift-constants

# Called modules have targets of their own: a line says so, if nothing else repeats.
modules() {
    awk -v module="$1" -v fixed="$2" 'BEGIN {
        print "graph():\n    %x : [num_users=1] = placeholder[target=x]"
        h = "x"
        for (i = 0; i < 4; i++) {
            print "    %m" i " : [num_users=1] = call_module[target=layers." i ".conv](args = (%" h ",), kwargs = {})" module
            h = "m" i
        }
        print "    return " h
    }'
}
for module in '' '  # f32[4] module=torch.nn.Linear params=16'; do
    modules "$module" > net.fx
    $program dedup net.fx > out 2> err
    grep -q 'none of 4 calls of modules, such as layers.0.conv, equals another, .* a graph of torch.export has their operators' err
    verdict "hidden repeats are told: '$module'" $? err
done
layers 4 "" "" > net.fx
$program dedup net.fx > out 2> err && ! [ -s err ]
verdict "nothing is told where regions repeat" $? err

# ^C: the best so far. The search takes all of its work where nodes of three operators read two of the last 30.
awk 'BEGIN {
    print "graph():\n    %n0 : [num_users=1] = placeholder[target=x]  # f32[4]"
    for (r = 7; i < 1499;) {
        args = ""
        for (k = 0; k < 2; k++) { r = r * 16807 % 2147483647; args = args " %n" i - r % (i < 30 ? i + 1 : 30) "," }
        r = r * 16807 % 2147483647
        print "    %n" ++i " : [num_users=1] = call_function[target=f" r % 3 "](args = (" substr(args, 2) "), kwargs = {})  # f32[4] acc=1"
    }
    print "    return n1499"
}' > net.fx
# interrupted WORD COMMAND...: an interrupt during the search; the first ones may come before it. $kill: the
# program has to end soon after it.
kill=
interrupted() {
    word=$1
    shift
    for after in 0.1 0.2 0.4 0.8 1.6 3.2; do
        timeout -s INT $kill $after $program "$@" --porcelain net.fx > out 2> err < /dev/null
        code=$?
        ! grep -q 'the user stopped the search' err || break
    done
    [ $code -eq 124 ] && grep -q "$word" out && [ "$(grep -c 'the user stopped the search: the regions save the most nodes so far$' err)" -eq 1 ]
    verdict "$*: keeps the best after an interrupt" $? err
}
if timeout --version > log 2>&1; then
    interrupted '^    return ' dedup --start best
    began=$(date +%s%N)
    $program dedup --lift-constants --porcelain net.fx > out 2> err
    verdict "searches for constants to lift" $? err
    kill="-k $(($(date +%s%N) / 2 - began / 2))e-9" # no other search after the interrupt
    interrupted '^    return ' dedup --lift-constants
    kill=
    interrupted '^subgraph ' split --blocks
else
    skip "^C (timeout is missing)" 4
fi
finish
