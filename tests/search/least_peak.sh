#!/bin/sh
# Phases and orders of the least peak (`split --order least-peak`), or of the least sum of peak and traffic (`--order
# least-peak,traffic`): against all orders of small graphs, on a real model; --peak, and what is said (python3).
# usage: sh tests/search/least_peak.sh   (GRAPHS=N: so many small graphs, 40)
cd "$(dirname "$0")/../.." || exit 1
program="${RUN:-} ${B:-build}/graphsplit"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
. tests/check.sh
export LC_ALL=C

# proof FILE OPTION...: "OBJECTIVE BOUND PROVED REFERENCE", then "PEAK GIVEN" of the run
proof() {
    $program split --order least-peak --run-memory --porcelain "$@" 2> "$dir/err" |
        sed -n 's/^proof objective=\(.*\) bound=\(.*\) proved=\(.*\) reference=\(.*\)/\1 \2 \3 \4/p
            s/^run peak=\(.*\) given=\(.*\)/\1 \2/p' | sort -n -r | tr '\n' ' '
}

if command -v python3 > /dev/null; then
    seed=0
    better=0
    sums=0
    curves=0
    while [ $seed -lt "${GRAPHS:-40}" ]; do
        seed=$((seed + 1))
        python3 tests/search/least_peak.py $seed "$dir/g.fx" > "$dir/points"
        least=$(head -n 1 "$dir/points")
        $program split --order least-peak --run-memory --porcelain "$dir/g.fx" > "$dir/out" 2> "$dir/err"
        reference=$(sed -n 's/^proof .* reference=//p' "$dir/out")
        if ! grep -q "^proof objective=$least bound=$least proved=1 " "$dir/out" ||
            ! grep -q "^run peak=$least " "$dir/out" || [ "$least" -gt "$reference" ]; then
            cp "$dir/g.fx" "$dir/out"
            break
        fi
        # A plan keeps the order within its parts: what is replayed is that split, and its peak.
        $program split --order least-peak --save-plan "$dir/g.plan" --porcelain "$dir/g.fx" > "$dir/made" 2> "$dir/err"
        $program split --plan "$dir/g.plan" --run-memory --porcelain "$dir/g.fx" > "$dir/out" 2> "$dir/err"
        $program memory --run-of "$dir/g.plan" --porcelain "$dir/g.fx" > "$dir/of" 2> "$dir/err"
        if ! grep -q "^run peak=$least " "$dir/out" || ! grep -q "^peak bytes=$least " "$dir/of" ||
            [ "$(grep '^    ' "$dir/made")" != "$(grep '^    ' "$dir/out")" ]; then
            cat "$dir/g.fx" "$dir/g.plan" >> "$dir/out"
            break
        fi
        better=$((better + (least < reference)))
        # The report has all points of peak and traffic.
        $program split --html "$dir/g.html" "$dir/g.fx" > "$dir/out" 2> "$dir/err"
        points=$(sed -n '2,$s/\(.*\) \(.*\)/[\1,\2]/p' "$dir/points" | tr '\n' ',' | sed 's/,$//')
        if ! grep -q '^  cut into 1 subgraph' "$dir/out"; then
            curves=$((curves + 1))
            if ! grep -q "^\"tradeoff\":{\"complete\":1,.*\"points\":\[$(echo "$points" | sed 's/[][]/\\&/g')\]}," "$dir/g.html"; then
                cat "$dir/g.fx" "$dir/points" >> "$dir/out"
                break
            fi
        fi
        # The least sum by three weights, of the orders that need no more than PyTorch's.
        for weights in 1,1 3,1 1,5; do
            least=$(awk -v weights=$weights -v most="$reference" 'BEGIN { split(weights, w, ",") }
                NR > 1 && $1 <= most { sum = w[1] * $1 + w[2] * $2; if (least == "" || sum < least) least = sum }
                END { print least }' "$dir/points")
            $program split --order least-peak,traffic --weights $weights --run-memory --porcelain "$dir/g.fx" > "$dir/out" 2> "$dir/err"
            peak=$(sed -n 's/^run peak=\([0-9]*\) .*/\1/p' "$dir/out")
            sums=$((sums + 1))
            if ! grep -q "^proof objective=$least bound=$least proved=1 " "$dir/out" || [ "$peak" -gt "$reference" ]; then
                cat "$dir/g.fx" "$dir/points" >> "$dir/out"
                break 2
            fi
        done
    done
    [ $seed -eq "${GRAPHS:-40}" ] && [ $((better * 4)) -gt "${GRAPHS:-40}" ]
    verdict "small graph $seed: the least peak of all orders is found, proved and replayed ($better are better than PyTorch's)" $? "$dir/out"
    [ $sums -eq $((3 * ${GRAPHS:-40})) ] && [ $((curves * 2)) -gt "${GRAPHS:-40}" ]
    verdict "small graphs: the least sum of peak and traffic is found and proved, $sums times; $curves curves" $? "$dir/out"
    # 40 calls: proved.
    proved=0
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        python3 tests/search/least_peak.py $seed "$dir/g.fx" 40
        for order in least-peak least-peak,traffic; do
            $program split --order $order --porcelain "$dir/g.fx" > "$dir/out" 2> "$dir/err"
            grep -q '^proof .* proved=1 ' "$dir/out" && proved=$((proved + 1))
        done
    done
    [ $proved -eq 20 ]
    verdict "graphs of 40 calls: $proved of 20 are proved" $?
else
    skip "small graphs (python3 is not installed)"
fi

cat > "$dir/s.fx" << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[64]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[256]
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[16]
    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[16]
    %d : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[256]
    %e : [num_users=1] = call_function[target=f](args = (%c, %d), kwargs = {})  # f32[16]
    return e
END
$program split --acc-ops f --porcelain --run-memory "$dir/s.fx" | grep -q '^run peak=2304 given=1344$'
verdict "split --run-memory" $?
$program split --acc-ops f --order least-peak --porcelain --run-memory "$dir/s.fx" > "$dir/out"
grep -q '^subgraph _run_on_acc_2 acc c d e$' "$dir/out" && grep -q '^run peak=1344 given=1344$' "$dir/out" &&
    grep -q '^proof objective=1344 bound=1344 proved=1 reference=2304$' "$dir/out"
verdict "split --order least-peak" $? "$dir/out"
$program split --acc-ops f "$dir/s.fx" > "$dir/out"
grep -q 'the peak is 2.3 KiB; the graph.s own order: 1.4 KiB$' "$dir/out" &&
    grep -q 'warning: that is 1.7 times as much; --order least-peak searches an order that needs less$' "$dir/out"
verdict "split: the peak of the run, and a warning" $? "$dir/out"
# a and b cross in any case, 1,088 bytes; d does too where PyTorch runs it.
$program split --acc-ops f --order least-peak,traffic --run-memory --porcelain "$dir/s.fx" > "$dir/out"
grep -q '^run peak=1344 given=1344$' "$dir/out" && grep -q '^proof objective=2432 bound=2432 proved=1 reference=4416$' "$dir/out"
verdict "split --order least-peak,traffic" $? "$dir/out"
$program split --acc-ops f --order least-peak,traffic --weights 3,2 "$dir/s.fx" > "$dir/out"
grep -q '3 times the peak of the run and 2 times the 1.1 KiB between subgraphs are 6.1 KiB; no order of as few subgraphs has less (PyTorch.s order: 10.9 KiB)$' "$dir/out"
verdict "split --order least-peak,traffic: what is proved" $? "$dir/out"
$program split --acc-ops f --order least-peak,traffic --json "$dir/s.fx" | grep -q '^"proof": {"objective": 2432, "bound": 2432, "proved": true, "reference": 4416},$'
verdict "split --order least-peak,traffic --json" $?
$program split --acc-ops f --order least-peak "$dir/s.fx" > "$dir/out"
grep -q 'the peak of the run is 1.4 KiB; no order of as few subgraphs needs less (PyTorch.s order: 2.3 KiB)$' "$dir/out" &&
    ! grep -q warning "$dir/out"
verdict "split --order least-peak: what is proved" $? "$dir/out"
$program split --acc-ops f --json "$dir/s.fx" | grep -q '^"run_memory": {"peak": 2304, "given": 1344},$'
verdict "split --json: run_memory" $?

# A plan whose lines have an order of their own; lines that run before what they read have none.
printf 'plan 1\n\n[p0] acc\nd\na\n\n[p1] cpu\nb\n\n[p2] acc\nc\ne\n' > "$dir/own.plan"
$program split --acc-ops f --plan "$dir/own.plan" --porcelain --run-memory "$dir/s.fx" > "$dir/out"
grep -q '^run peak=2304 given=1344$' "$dir/out" && [ "$(sed -n 's/^    %\([a-e]\) .* = call_function.*/\1/p' "$dir/out" | tr '\n' ' ')" = "d a b c e " ]
verdict "split --plan: the order within a part is that of its lines" $? "$dir/out"
printf 'plan 1\n\n[p0] acc\nd\na\n\n[p1] cpu\nb\n\n[p2] acc\ne\nc\n' > "$dir/own.plan"
$program split --acc-ops f --plan "$dir/own.plan" --porcelain "$dir/s.fx" > "$dir/out"
[ "$(sed -n 's/^    %\([a-e]\) .* = call_function.*/\1/p' "$dir/out" | tr '\n' ' ')" = "a d b c e " ]
verdict "split --plan: lines in an impossible order" $? "$dir/out"

# b must not run before a: what a writes, b reads. In parts, lines that say so have no order, and parts that do are told.
cat > "$dir/w.fx" << 'END'
graph():
    %x : [num_users=3] = placeholder[target=x]  # f32[64]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[16] mutates=0
    %b : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[16]
    return (a, b)
END
printf 'plan 1\n[p0] acc\nb\na\n' > "$dir/w.plan"
$program memory --run-of "$dir/w.plan" --porcelain "$dir/w.fx" 2> "$dir/err" | grep -q '^order x a b return$' && ! [ -s "$dir/err" ]
verdict "memory --run-of: lines against a write" $? "$dir/err"
$program split --plan "$dir/w.plan" --accelerator acc --porcelain "$dir/w.fx" 2> "$dir/err" | grep -q '^subgraph p0 acc a b$' && ! [ -s "$dir/err" ]
verdict "split --plan: lines against a write" $? "$dir/err"
printf 'plan 1\n[p0] acc\nb\n[p1] acc\na\n' > "$dir/w.plan"
$program memory --run-of "$dir/w.plan" --porcelain "$dir/w.fx" 2> "$dir/err" | grep -q '^order x b a return$' &&
    grep -q '%a has to run before %b (mutates= or barrier=), and the parts run them in the opposite order' "$dir/err"
verdict "memory --run-of: parts against a write are told" $? "$dir/err"

# refuses STATUS TEXT OPTION...
refuses() {
    status=$1
    text=$2
    shift 2
    $program split --acc-ops f "$@" "$dir/s.fx" > "$dir/out" 2> "$dir/err"
    [ $? -eq "$status" ] && grep -q -e "$text" "$dir/err"
    verdict "split $*: $text" $? "$dir/err"
}
refuses 1 'needs 2304 bytes at its peak, and --peak allows 2303; --order least-peak searches' --peak 2303
refuses 1 'needs 1344 bytes at its peak, and --peak allows 1330; no order of as few subgraphs needs less than 1344' \
    --order least-peak --peak 99%
$program split --acc-ops f --save-plan "$dir/s.plan" "$dir/s.fx" > "$dir/out"
refuses 1 'needs 2304 bytes at its peak, and --peak allows 2303$' --plan "$dir/s.plan" --peak 2303
$program split --acc-ops f --plan "$dir/s.plan" --peak 2304 "$dir/s.fx" > "$dir/out" 2> "$dir/err"
verdict "split --plan --peak: a plan that fits" $? "$dir/err"
refuses 1 'needs 1344 bytes at its peak, and --peak allows 1343; --order least-peak searches' --order least-peak,traffic --peak 1343
refuses 2 'weights requires --order least-peak,traffic$' --order least-peak --weights 1,1
for weights in 1 1, ,1 0,0 1,-1 1,2,3 1000001,1 a,b; do
    refuses 2 "weights expects two numbers up to 1000000, of the peak and of what crosses, such as 2,1, got '$weights'" \
        --order least-peak,traffic --weights $weights
done
refuses 2 'expects bytes such as 65536 or 64KiB, or a percentage such as 110%, got .much.' --peak much
$program split --acc-ops f --porcelain --peak 1343 --order least-peak "$dir/s.fx" 2> "$dir/err" | grep -q '^error NO_FIT$'
verdict "split --peak --porcelain: NO_FIT" $? "$dir/err"
$program split --acc-ops f --order least-peak --peak 100% "$dir/s.fx" > "$dir/out" 2> "$dir/err"
verdict "split --peak 100%" $? "$dir/err"

# Memory inside graphs that nodes run: IF holds its input and output while its branch needs 16 KiB.
cat > "$dir/if.fx" << 'END'
module main
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[1024]
    %i : [num_users=1] = call_function[target=IF](args = (%x,), kwargs = {})  # f32[1024] then=t else=e
    %a : [num_users=1] = call_function[target=onnx.Abs](args = (%i,), kwargs = {})  # f32[1024]
    return a
module t
graph():
    %p : [num_users=1] = placeholder[target=p]  # f32[1024]
    %q : [num_users=1] = call_function[target=f](args = (%p,), kwargs = {})  # f32[4096]
    %r : [num_users=1] = call_function[target=f](args = (%q,), kwargs = {})  # f32[1024]
    return r
module e
graph():
    %p : [num_users=1] = placeholder[target=p]  # f32[1024]
    return p
END
found=$(proof --acc-ops onnx.Abs "$dir/if.fx")
[ "$found" = "24576 24576 1 24576 24576 24576 " ] || [ "$found" = "24576 24576 24576 24576 1 24576 " ]
verdict "split --order least-peak: the graphs that nodes run count, found $found" $?
$program split --acc-ops onnx.Abs --order least-peak --peak 9K --porcelain "$dir/if.fx" 2> "$dir/err" | grep -q '^error NO_FIT$'
verdict "split --order least-peak --peak: they count there too" $? "$dir/err"

# PyTorch begins with n1 on the CPU; as many subgraphs that begin on the accelerator need less.
cat > "$dir/other.fx" << 'END'
graph():
    %x : [num_users=3] = placeholder[target=x]  # u8[384]
    %n2 : [num_users=2] = call_function[target=foo](args = (%x,), kwargs = {})  # u8[768]
    %n3 : [num_users=1] = call_function[target=foo](args = (%n2,), kwargs = {})  # u8[640]
    %n4 : [num_users=1] = call_function[target=bar](args = (%n2, %n3), kwargs = {})  # u8[384]
    %n1 : [num_users=1] = call_function[target=bar](args = (%x,), kwargs = {})  # u8[320]
    %n0 : [num_users=1] = call_function[target=foo](args = (%x,), kwargs = {})  # u8[128]
    return (n0, n1, n4)
END
$program split --acc-ops foo --order least-peak --porcelain "$dir/other.fx" > "$dir/out"
grep -q '^proof objective=2176 bound=2176 proved=1 reference=2240$' "$dir/out" && [ "$(grep -c '^subgraph ' "$dir/out")" -eq 3 ]
verdict "split --order least-peak: from the other kind" $? "$dir/out"

# Elements that only the output reads do not cross; those of one aggregate stay in one phase.
cat > "$dir/sinks.fx" << 'END'
graph():
    %x : [num_users=0] = placeholder[target=x]  # u8[16]
    %n0 : [num_users=0] = call_function[target=f](args = (%x,), kwargs = {})  # tuple(u8[8], u8[200]) acc=0
    %g0_0 : [num_users=0] = call_function[target=operator.getitem](args = (%n0, 0), kwargs = {})  # u8[8] acc=0
    %g0_1 : [num_users=0] = call_function[target=operator.getitem](args = (%n0, 1), kwargs = {})  # u8[200] acc=0
    %n1 : [num_users=0] = call_function[target=f](args = (%g0_1, %x,), kwargs = {})  # tuple(u8[200], u8[8]) acc=1
    %g1_0 : [num_users=0] = call_function[target=operator.getitem](args = (%n1, 0), kwargs = {})  # u8[200] acc=1
    %g1_1 : [num_users=0] = call_function[target=operator.getitem](args = (%n1, 1), kwargs = {})  # u8[8] acc=1
    %n2 : [num_users=0] = call_function[target=f](args = (%g0_1,), kwargs = {})  # tuple(u8[64], u8[64]) acc=1
    %g2_0 : [num_users=0] = call_function[target=operator.getitem](args = (%n2, 0), kwargs = {})  # u8[64] acc=1
    %g2_1 : [num_users=0] = call_function[target=operator.getitem](args = (%n2, 1), kwargs = {})  # u8[64] acc=1
    %n3 : [num_users=0] = call_function[target=f](args = (%g1_0, %x,), kwargs = {})  # u8[16] acc=0 mutates=0
    %n4 : [num_users=0] = call_function[target=f](args = (%n3,), kwargs = {})  # u8[16] acc=1
    return (g0_0, g1_1, g2_0, g2_1, n4,)
END
$program split --order least-peak,traffic --run-memory --porcelain "$dir/sinks.fx" > "$dir/out" 2> "$dir/err"
grep -q '^run peak=448 given=560$' "$dir/out" && grep -q '^proof objective=864 bound=864 proved=1 reference=976$' "$dir/out"
verdict "split --order least-peak,traffic: results that no call reads" $? "$dir/out"

# A value without shape: nothing is proved.
sed 's/  # f32\[16\]$//' "$dir/s.fx" > "$dir/u.fx"
$program split --acc-ops f --order least-peak --porcelain "$dir/u.fx" 2> "$dir/err" |
    grep -q '^proof objective=1280 bound=1280 proved=0 '
verdict "split --order least-peak: unknown sizes prove nothing" $? "$dir/err"
$program split --acc-ops f --order least-peak "$dir/u.fx" 2> "$dir/err" > "$dir/out"
grep -q 'the peak of the run is >= 1.3 KiB; by what is known: 3 of 6 sizes are unknown' "$dir/out" &&
    ! grep -q 'no order of as few' "$dir/out"
verdict "split --order least-peak: what it says of unknown sizes" $? "$dir/out"

# All orders of a graph include those of its splits: `memory --order best` needs no more than them, on graphs of which
# half the calls can run first, or that read some calls near and far before them.
worse=
for n in 120 700 3000; do
    for near in 0 1; do
        awk -v n=$n -v near=$near 'BEGIN {
            print "graph():"; h = n / 2; r = 7919
            for (i = 0; i < 30; i++) print "    %x" i " : [num_users=1] = placeholder[target=x" i "]  # f32[8]"
            for (i = 0; i < n; i++) {
                r = r * 16807 % 2147483647
                p = i < h ? "x" i % 30 "," : "v" i - h ", %v" i - 1 - r % h
                if (near) p = i < 3 ? "x" i "," : "v" i - 1 - r % (i < 40 ? i : 40) ", %v" i - 1 - int(r / 64) % i
                print "    %v" i " : [num_users=1] = call_function[target=" substr("abcdef", int(r / 7) % 6 + 1, 1) \
                    "](args = (%" p "), kwargs = {})  # f32[" r % 1000 + 1 "]"
            }
            print "    return v" n - 1
        }' > "$dir/half.fx"
        order=$($program memory --order best --porcelain "$dir/half.fx" | sed -n 's/^peak bytes=\([0-9]*\) .*/\1/p')
        for ops in a a,b,c a,b,c,d,e; do
            least=$($program split --acc-ops $ops --order least-peak --porcelain "$dir/half.fx" |
                sed -n 's/^proof objective=\([0-9]*\) .*/\1/p')
            [ "$order" -le "$least" ] || worse="$worse $n $near $ops: $order of $least;"
        done
    done
done
[ -z "$worse" ]
verdict "memory --order best needs no more than split --order least-peak$worse" $?

model=$shared/models/fx/onnx_light_inception_v1.fx
if [ -f "$model" ]; then
    found=$(proof --acc-ops xnnpack "$model")
    [ "$found" = "6422528 6422528 6422528 6422528 0 10518528 " ] || [ "$found" = "6422528 6422528 0 10518528 6422528 6422528 " ]
    verdict "Inception v1 for XNNPACK: no more than the graph's own order, 2 sizes unknown, found $found" $?
else
    skip "Inception v1 (looked for in $model)"
fi

finish
