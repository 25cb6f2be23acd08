#!/bin/sh
# Inputs below 1 MB that were made to be slow: every command ends in time and memory, with a result or an
# error of its own. SLOW_SECONDS (of processor time, default 2) and SLOW_KILOBYTES (default 300000) are the
# limits of one command.
cd "$(dirname "$0")/../.." || exit 1
root=$(pwd)
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
program=$(echo "$program" | sed -E "s,(^| )([^/ ][^ ]*graphsplit)\$,\\1$root/\\2,")
seconds=${SLOW_SECONDS:-2}
kilobytes=${SLOW_KILOBYTES:-300000}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/check.sh
cd "$dir" || exit 1

# ---- the inputs ----

# make FILE AWK: what the program prints with these functions.
make() {
    awk 'function head() { print "graph():\n    %a : [num_users=1] = placeholder[target=a]  # f32[4]" }
        function node(name, args, target) {
            print "    %" name " : [num_users=1] = call_function[target=" target "](args = (" args \
                "), kwargs = {})  # f32[4]"
        }
        function call(name, argument, graph) {
            print "    %" name " : [num_users=1] = call_module[target=" graph "](args = (%" argument \
                ",), kwargs = {})  # f32[4]"
        }
        function module(name) { print "module " name; head() }
        function times(n, text,   all, i) { for (i = 0; i < n; i++) all = all text; return all }
        function long(p, i) { return substr(p i times(60, "x"), 1, 60) }
        function written(args, positions, last) {
            print "    %t : [num_users=1] = call_function[target=f](args = (" times(40000, args) \
                "), kwargs = {})  # f32[4] mutates=" times(20000, positions) last
        }
        BEGIN { '"$2"' }' > "$1"
}

# Words behind `return` that are no nodes, each with a near name.
make words.fx 'head(); for (i = 0; i < 4000; i++) node(long("n", i), "%a,", "f")
    printf "    return ("; for (i = 0; i < 8000; i++) printf "%s, ", long("q", i); print "a)"'
# Calls that double, and returned tuples that do.
make calls.fx 'module("main"); call("c", "a", "s1"); print "    return c"
    for (i = 1; i < 40; i++) {
        module("s" i); call("b", "a", "s" i + 1); call("c", "b", "s" i + 1); print "    return c"
    }
    module("s40"); node("c", "%a,", "f"); print "    return c"'
make tuples.fx 'module("main"); call("c", "a", "s1"); print "    return c"
    for (i = 1; i < 30; i++) { module("s" i); call("b", "a", "s" i + 1); print "    return (b, b)" }
    module("s30"); node("c", "%a,", "f"); print "    return c"'
# Child graphs that are empty, and a chain of calls, each graph before the one that it calls.
make graphs.fx 'module("main"); print "    return a"
    for (i = 0; i < 28000; i++) print "module s" i "\ngraph():\n    return 1"'
make chain.fx 'module("main"); call("c", "a", "s0"); print "    return c"
    for (i = 0; i < 4500; i++) { module("s" i); call("b", "a", "s" i + 1); print "    return b" }
    module("s4500"); node("c", "%a,", "f"); print "    return c"'
# The same with a parameter in every graph.
make params.fx 'module("main"); call("c", "a", "s0"); print "    return c"
    for (i = 0; i < 2900; i++) {
        module("s" i); print "    %w : [num_users=1] = get_attr[target=w" i "]  # f32[4]"
        call("b", "a", "s" i + 1); node("d", "%b, %w", "f"); print "    return d"
    }
    module("s2900"); node("c", "%a,", "f"); print "    return c"'
# Positions of mutates= to and fro, of a value and of a parameter of two stages, and beyond the end.
make mutates.fx 'head(); written("%a, ", "39999,0,", 1); print "    return t"'
make written.fx 'head(); print "    %w : [num_users=1] = get_attr[target=w]  # f32[4]"
    written("%a, ", "39999,0,", 1); node("u", "%t, %w", "f"); print "    return u"'
make beyond.fx 'head(); print "    %w : [num_users=1] = get_attr[target=w]  # f32[4]"
    written("%w, ", "999999,", 999999); node("u", "%t, %w, %a", "f"); print "    return u"'
# Elements whose numbers are multiples of the number of nodes.
make elements.fx 'head()
    print "    %t : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # tuple(f32[4])"
    for (i = 0; i < 7000; i++) node("g" i, "%t, " i * 7003, "operator.getitem")
    printf "    return ("; for (i = 0; i < 7000; i++) printf "g%d, ", i; print "a)"'
# Parameters that all stages copy.
make copies.fx 'head(); for (i = 0; i < 50; i++) print "    %w" i " : [num_users=1] = get_attr[target=w" i "]  # f32[4]"
    for (i = 0; i < 50; i++) all = all ", %w" i
    p = "a"; for (i = 0; i < 2000; i++) { node("n" i, "%" p all, "f"); p = "n" i } print "    return " p'
# A chain, and operators that none of its nodes has, each with a near name.
make ops.fx 'head(); p = "a"; for (i = 0; i < 4000; i++) { node("n" i, "%" p ",", "t" i); p = "n" i } print "    return " p'
make few.fx 'head(); p = "a"; for (i = 0; i < 100; i++) { node("n" i, "%" p ",", "f"); p = "n" i } print "    return " p'
make names.ops 'for (i = 0; i < 80000; i++) print "u" i'
make globs.ops 'for (i = 0; i < 80000; i++) print "u" i "*"'
make stars.ops 'for (i = 0; i < 500; i++) print times(100, "*n") "z"'
# Lines of one operator that refuse its dtype, and operators of one length that are not those of the graph.
make refused.ops 'for (i = 0; i < 200000; i++) print "f i8"'
make targets.fx 'head(); p = "a"
    for (i = 0; i < 11000; i++) { node("n" i, "%" p ",", "f" 10000 + i); p = "n" i } print "    return " p'
make types.fx 'head(); p = "a"
    for (i = 0; i < 11000; i++) {
        print "    %n" i " : [num_users=1] = call_function[target=f](args = (%" p ",), kwargs = {})  # z" i "[4]"
        p = "n" i
    }
    print "    return " p'
make types.ops 'printf "f f32"; for (i = 0; i < 150000; i++) printf ",y%d", i; print ""'
make constraints.ops 'printf "f"; for (i = 0; i < 150000; i++) printf " a?<=3"; print ""'
make lines.ops 'for (i = 0; i < 25000; i++) print "f f32", times(4, "a?<=3 "), "rank(0)==9"'
make targets.ops 'for (i = 0; i < 140000; i++) print "f" 100000 + i'
# Paths of many names, and one of them as a pin.
make paths.fx 'head(); for (i = 0; i < 2; i++)
        print "    %n" i " : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # f32[4] scope=a" \
            times(200000, ".a")
    print "    return n0"'
make paths.ops 'print "a" times(200000, ".a")'
# For searches: units of which half are ready at once, with times; intervals that all live together.
make wide 'print "graph():"; n = 6000; h = n / 2; r = 1
    for (i = 0; i < 300; i++) print "    %x" i " : [num_users=1] = placeholder[target=x" i "]  # f32[8]"
    for (i = 0; i < n; i++) {
        r = r * 16807 % 2147483647
        p = i < h ? "x" i % 300 "," : "v" i - h ", %v" i - 1 - r % h
        print "    %v" i " : [num_users=1] = call_function[target=" substr("abcdef", r % 6 + 1, 1) "](args = (%" p \
            "), kwargs = {})  # f32[" r % 1000 + 1 "] compute=0." r % 997 " cpu=" r % 3 "." r % 991
    }
    print "    return v" n - 1'
make alive.csv 'print "id,lower,upper,size"; r = 1
    for (i = 0; i < 40000; i++) {
        r = r * 16807 % 2147483647; print i "," r % 40000 "," 40001 + r % 39989 "," 16 + r % 1000
    }'
make devices 'for (i = 0; i < 20000; i++) print "d" i, 4000'
make full 'for (i = 0; i < 20000; i++) print "d" i, 40 + i % 7'

# Graph formats: a number of nodes that the file does not have, and as many as 1 MB can have.
echo '100000000 0' > told.graph
echo '100000000 0' > told.edges
echo '0 100000000' > told.hgr
printf '%%%%MatrixMarket matrix coordinate pattern general\n100000000 100000000 0\n' > told.mtx
echo '0 100000000 0' > told.hdag
make rows.graph 'print 900000, 0; for (i = 0; i < 900000; i++) print ""'
make rows.edges 'n = 80000; print n, n - 1; for (i = 1; i < n; i++) print i - 1, i'
make rows.hgr 'n = 80000; print n - 1, n; for (i = 1; i < n; i++) print i, i + 1'
make rows.mtx 'n = 80000; print "%%MatrixMarket matrix coordinate pattern general"; print n, n, n - 1
    for (i = 1; i < n; i++) print i, i + 1'
make rows.hdag 'n = 40000; print 0, n, 0; for (i = 0; i < n; i++) print i'

# A million nodes: 60 bytes per node and 16 per edge, all memory of the program included.
make million.graph 'n = 1000000; print n, n - 1; print 2; for (i = 2; i < n; i++) print i - 1, i + 1; print n - 1'
make million.edges 'n = 1000000; print n, n - 1; for (i = 1; i < n; i++) print i - 1, i'
make million.hgr 'n = 1000000; print n - 1, n; for (i = 1; i < n; i++) print i, i + 1'
make million.mtx 'n = 1000000; print "%%MatrixMarket matrix coordinate pattern general"; print n, n, n - 1
    for (i = 1; i < n; i++) print i, i + 1'
make million.hdag 'n = 1000000; print n - 1, n, 2 * n - 2
    for (i = 1; i < n; i++) print i - 1; for (i = 0; i < n; i++) print i
    for (i = 1; i < n; i++) { print i - 1, i - 1; print i - 1, i }'

# Nodes of many sizes, and devices that they almost fill.
make sizes.fx 'head(); p = "a"; for (i = 0; i < 1500; i++) {
        q = i % 3 ? p : "a"
        print "    %n" i " : [num_users=1] = call_function[target=f](args = (%" q ",), kwargs = {})  # i8[" i * 7919 % 1000 + 1 "]"
        p = "n" i }
    print "    return " p'
make tight 'for (i = 0; i < 40; i++) print "d" i, 19300'

# A chain, and nodes that read the 240 before them, below 1 MB.
make long 'head(); p = "a"
    for (i = 0; i < 8000; i++) {
        printf "    %%l%d : [num_users=1] = call_function[target=%s](args = (%%%s,), kwargs = {})  # f32[%d] compute=%d cpu=%d\n",
            i, substr("abcdef", i * 7 % 6 + 1, 1), p, i % 97 + 1, i % 7 + 1, i % 11 * 3 + 3
        p = "l" i
    }
    print "    return " p'
make dense 'head()
    for (i = 0; i < 480; i++) {
        printf "    %%d%d : [num_users=%d] = call_function[target=%s](args = (%%a,", i, (i == 479 ? 1 : i > 238 ? 479 - i : 240),
            substr("abcdef", i % 6 + 1, 1)
        for (j = (i > 240 ? i - 240 : 0); j < i; j++) printf " %%d%d,", j
        printf "), kwargs = {})  # f32[%d] compute=%d cpu=%d\n", i % 97 + 1, i % 7 + 1, i % 11 * 3 + 3
    }
    print "    return d479"'

# Layers for unequal devices, and devices of six kinds.
make layers 'for (i = 0; i < 20000; i++) print "l" i "," i * 7919 % 100000 * 16 "," (1 + i * 7907 % 997) / 1e5 "," 4096 + i % 5000'
head -n 1900 layers > some.csv
mv layers layers.csv
kinds=$(awk 'BEGIN { for (i = 0; i < 12; i++) printf " --device d%d:%d00000000:%d", i, int(i / 2) * 4 + 24, i / 2 + 1 }')

# Few enough nodes for merges of pairs, and pairs that their edges do not exclude.
make loose 'head(); r = 1
    for (i = 0; i < 1000; i++) {
        args = "%a,"
        for (k = 0; k < 3 && i > 300; k++) { r = r * 16807 % 2147483647; args = args " %n" i - 1 - r % 300 "," }
        printf "    %%n%d : [num_users=1] = call_function[target=f](args = (%s), kwargs = {})  # f32[%d] compute=%d.%d\n",
            i, args, i % 70 + 1, i % 7 + 1, i % 13
    }
    print "    return n999"'

# Only for memory: others refuse so many positions to and fro, or pass over the arguments for each.
make fro 'head()
    print "    %t : [num_users=1] = call_function[target=f](args = (" times(100000, "%a, ") \
        "), kwargs = {})  # f32[4] mutates=" times(80000, "99999,0,") 1; print "    return t"'

# ---- every command on each ----

# ends COMMAND...: in time and memory, with a result, or with an error on standard error other than that the
# system gives no more memory.
ends() {
    (
        ulimit -t "$seconds"
        ulimit -v "$kilobytes"
        $program "$@" > out 2> err < /dev/null
    ) 2> killed
    code=$?
    [ $code -eq 0 ] || { [ $code -eq 1 ] && [ -s err ] && ! grep -q 'no more memory' err; }
    verdict "$*: exit $code" $? err
}

# limited COMMAND...: that, and the error is LIMIT.
limited() {
    ends "$@" --porcelain
    grep -q '^error LIMIT' out
    verdict "$*: ends in LIMIT" $? out
}

(ulimit -t "$seconds" && ulimit -v "$kilobytes") 2> /dev/null ||
    nothing_but "slow inputs (this shell cannot limit time and memory: ulimit)"
[ -z "$RUN" ] || nothing_but "slow inputs (the limits are not those of a program that $RUN runs)"
all=$kilobytes
for ending in graph edges hgr mtx; do
    kilobytes=80000
    ends read million.$ending
done
kilobytes=102000 # of which the text and its room are 64,000
ends read million.hdag
kilobytes=$all
rm million.*
ends memory fro
ends memory --memory sram:1M fro
for option in "--cpu-cores 4" "--replicas --microbatches 16"; do
    # shellcheck disable=SC2086
    ends pipe --stages 16 --policy optimal $option wide
    # shellcheck disable=SC2086
    ends pipe --stages 16 --policy optimal $option --max-work 1000 wide
done
# Every search, with the work that it has by default.
for file in wide dense long; do
    for option in "--minimise time" "--minimise time --transfer residency" "--order min-traffic" \
        "--order min-traffic:written" "--order least-peak" "--order least-peak,traffic" "--start best" \
        "--max-acc-splits 5 --limit-policy demote" "--max-acc-splits 5 --limit-policy exact" --blocks --all; do
        # shellcheck disable=SC2086
        ends split --acc-ops a,b,c $option $file
    done
    for option in --exact "--memory sram:1M --memory dram:1G:5 --exact" "--order best" --in-place=all "--budget 9000000" "--capacity 1000" --csv; do
        # shellcheck disable=SC2086
        ends memory $option $file
    done
    ends emit-c --plan --exact $file
    ends fit --ram 1MiB $file
    ends fit --ram 1MiB --acc-ops a,b,c $file
    for option in "--parts 1000" "--parts 8 --preset strong" "--parts 8 --best-effort --imbalance 0"; do
        # shellcheck disable=SC2086
        ends partition --mode kway $option $file
    done
    case $file in wide) bytes=11500000 ;; dense) bytes=82000 ;; *) bytes=1200000 ;; esac
    for option in "--mode heft" "--mode heft --device c:$bytes --device d:$bytes" "--mode cost" "--mode kl" --repair; do
        # shellcheck disable=SC2086
        ends partition $option --transfer-rate 1e6 --device a:$bytes --device b:$bytes $file
    done
    for option in "" --carried "--balance bytes" "--orders 14" "--orders 14 --carried --balance bytes" \
        "--orders 14 --carried --balance bytes --max-work 1000"; do
        # shellcheck disable=SC2086
        ends pipe --stages 16 --policy optimal $option $file
    done
    ends dedup --start best $file
done
for file in layers.csv some.csv; do
    for option in "" "--balance latency" "--bandwidth 1e8" "--bandwidth 1e8 --balance latency" "--stages 6" \
        "--replicas --microbatches 12"; do
        # shellcheck disable=SC2086
        ends pipe --table $file $kinds --any-order $option
        # shellcheck disable=SC2086
        ends pipe --table $file $kinds $option
    done
done
for file in wide dense long; do
    ends split --minimise time --accelerator p=a,b,c --accelerator q=b,c,d,e --accelerator r=c,d,e,f $file
done
if timeout --version > /dev/null 2>&1; then
    # interrupted WORD COMMAND...: the interrupt of a search that takes hours; the best so far, as a result.
    interrupted() {
        word=$1
        shift
        timeout -s INT 1 $program "$@" > out 2> err < /dev/null
        [ $? -eq 124 ] && grep -q "$word" out && grep -q 'the user stopped the search' err
        verdict "$*: keeps the best after an interrupt" $? err
    }
    interrupted 'proved=0' memory --exact=1000000000000000 --porcelain wide
    interrupted '^proof .* proved=0 ' pipe --stages 16 --policy optimal --replicas --microbatches 16 \
        --max-work 1000000000000000 --porcelain wide
    # shellcheck disable=SC2086
    interrupted '^proof .* proved=0 ' pipe --table some.csv $kinds --any-order --balance latency \
        --max-work 1000000000000000 --porcelain
fi
ends memory --csv alive.csv
for file in *.fx; do
    [ "$(wc -c < "$file")" -le 1100000 ]
    verdict "$file is larger than 1 MB" $?
    ends read --main "$file"
    ends split "$file"
    ends split --acc-ops f --json "$file"
    ends split --acc-ops f --html report.html "$file"
    ends split --acc-ops f --emit parts "$file"
    ends preview --acc-ops f "$file"
    ends partition --devices devices "$file"
    ends partition --mode kl --work 1000 --device a:50000 --device b:50000 "$file"
    ends module --assign t=0 "$file"
    ends pipe --stages 2 "$file"
    ends pipe --stages 100 "$file"
    ends memory "$file"
    ends memory --budget 100 "$file"
    ends memory --budget-pieces 100 "$file"
    ends dedup "$file"
    ends run "$file"
    ends run --equal "$file" "$file"
    ends emit-c "$file"
done
for ending in graph edges hgr mtx hdag; do
    for file in told rows; do
        ends convert "$file.$ending" --to edges -
    done
    ends read "told.$ending"
    ends split "told.$ending"
    ends partition --mode kway --parts 2 "told.$ending"
done
ends partition --repair --devices tight sizes.fx
ends split --cpu-nodes @names.ops --acc-ops f ops.fx
ends split --pin cpu:name:@globs.ops --acc-ops f ops.fx
ends split --pin cpu:scope:@stars.ops --acc-ops f words.fx
ends split --pin cpu:scope:@paths.ops --acc-ops f paths.fx
limited split --cpu-nodes @globs.ops --acc-ops f ops.fx
limited preview --cpu-nodes @stars.ops --acc-ops f words.fx
ends partition --mode kl --transfer-rate 1e6 --work 1000 --devices full ops.fx
ends split --acc-ops @names.ops ops.fx
ends split --acc-ops @globs.ops ops.fx
ends split --acc-ops @names.ops words.fx
limited split --acc-ops @refused.ops words.fx
limited split --acc-ops @targets.ops targets.fx
limited split --acc-ops @types.ops types.fx
limited split --acc-ops @constraints.ops types.fx
limited split --acc-ops @lines.ops words.fx
limited preview --acc-ops @targets.ops targets.fx
limited partition --mode cost --transfer-rate 1e6 --devices full few.fx
ends partition --mode kl --transfer-rate 1e6 --devices full few.fx
limited partition --mode kl --transfer-rate 1e6 --devices full ops.fx
limited partition --mode cost --devices full ops.fx
limited partition --mode cost --transfer-rate 1e6 --device a:126000 --device b:84000 loose
ends partition --mode heft --transfer-rate 1e6 --device a:126000 --device b:84000 loose
ends partition --mode kl --transfer-rate 1e6 --device a:126000 --device b:84000 loose
ends partition --mode cost --work 1000 --devices full ops.fx
limited run calls.fx
limited run tuples.fx
limited run --max-work 10 ops.fx
limited dedup mutates.fx
limited pipe --stages 2 written.fx
finish
