#!/bin/sh
# `split --minimise time` with several accelerators and with --overlap: small graphs by hand, all placements and
# schedules of random ones, bounds on published graphs, the timeline in every form, what is refused.
# usage: B=build sh tests/search/sides.sh     GRAPHS, TIMELINES: how many random graphs (100, 200)
set -u
. "$(dirname "$0")/../elsewhere.sh"
python=${PYTHON:-python3}
cd "$dir" || exit 1

# says WORDS OPTION...: a line of the report
says() {
    words=$1
    shift
    $program split --minimise time "$@" > made 2>&1
    grep -q -e "$words" made
    verdict "$*: '$words'" $? made
}

# ---- two branches by hand: 4 s one after the other, 3 s side by side ----

cat > two.fx << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] cpu=2 compute=1 acc=1
    %b : [num_users=1] = call_function[target=g](args = (%x,), kwargs = {})  # f32[4] cpu=2 compute=2 acc=1
    %c : [num_users=1] = call_function[target=g](args = (%a, %b), kwargs = {})  # f32[4] cpu=1 compute=1 acc=0
    return c
END
says '^Worth it: 4 s, .*; run one after the other, no choice takes less\.$' two.fx
says '^Worth it: 3 s, .*; side by side, less than one after the other (4 s) by 1 s (25.0 %); no choice takes less\.$' \
    --overlap --svg two.svg --trace two.json two.fx
says '^ *2 s *3 s *cpu *c$' --overlap two.fx
says '^ *acc *2 s *66.7 %$' --overlap two.fx
$program split --minimise time --overlap --porcelain two.fx > made 2>&1
grep -qx 'time cpu_only=5 best=3' made &&
    grep -qx 'proof objective=3000000000 bound=3000000000 proved=1 reference=4000000000' made
verdict "porcelain has both times" $? made
grep -q '<title>b: 0 s to 2 s</title>' two.svg && grep -q '>acc channel<' two.svg && [ "$(grep -c '<g>' two.svg)" -eq 3 ]
verdict "the chart has three nodes" $? two.svg
grep -q '"ph": "X", "pid": 0, "tid": 0, "name": "c", "cat": "node", "ts": 2000000.000, "dur": 1000000.000' two.json
verdict "so has the trace" $? two.json
$program split --minimise time --overlap --json two.fx > made 2>&1
grep -q '"overlap": {"seconds": 3, "one_after_the_other": 4, "path": 3, "share": ' made &&
    grep -q '{"begin": 2, "end": 3, "device": "cpu", "step": "c"}' made
verdict "so has JSON" $? made
# A value moves in 1 s, a launch takes 500 ms: a waits for both, which take place at the same time.
says '^ *1 s *2 s *acc *a$' --overlap --bandwidth 16 --launch 0.5 two.fx

# ---- a node of no time waits until its device is free ----

cat > zero.fx << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[16] comm=1
    %n0 : [num_users=2] = call_function[target=op.n0](args = (%x,), kwargs = {})  # f32[16] compute=0 cpu=0 comm=0
    %n1 : [num_users=1] = call_function[target=op.n1](args = (%n0, %x,), kwargs = {})  # f32[16] compute=3 cpu=3 comm=0
    %n2 : [num_users=1] = call_function[target=op.n2](args = (%n1,), kwargs = {})  # f32[16] compute=0 cpu=4 comm=1
    %n3 : [num_users=1] = call_function[target=op.n3](args = (%n0,), kwargs = {})  # f32[16] compute=4 cpu=7 comm=2
    return (n2, n3)
END
says '^Worth it: 7 s, .*no choice takes less\.$' --accelerator a0=op.n1,op.n2,op.n3 --overlap zero.fx
says '^ *0 s *0 s *cpu *n0$' --accelerator a0=op.n1,op.n2,op.n3 --overlap zero.fx

# ---- three places by hand: a value that goes from u to v moves twice ----

cat > three.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[0]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4]
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4]
    %c : [num_users=1] = call_function[target=h](args = (%b,), kwargs = {})  # f32[0]
    return c
END
printf 'NODE,CPU_SECONDS,u,v\na 9 1 8\nb 9 9 1\nc 1 9 9\n' > costs
both="--accelerator u=f --accelerator v=g,f --costs costs --bandwidth 16"
# shellcheck disable=SC2086
says '^Worth it: 6 s, less than the CPU alone by 13 s' $both three.fx
# shellcheck disable=SC2086
says '^Worth it: 8 s, .* on accelerators in 2 subgraphs\|^Worth it: 8 s, less than the CPU alone by 11 s' \
    $both --launch u=1.5,v=0.5 three.fx
# shellcheck disable=SC2086
says 'launch u=1.5 s,v=500 ms' $both --launch u=1.5,v=0.5 three.fx
# f costs 1 s per element on u, 0.25 s on v
printf 'f 9 1 0.25\ng 9\n' > costs
# shellcheck disable=SC2086
says 'costs:2: g has no seconds on v: there is one column for the CPU, and one for each accelerator' $both three.fx

# ---- refusals: one sentence ----

refuses() {
    words=$1
    shift
    $program split "$@" --emit emitted > made 2>&1
    [ $? -ne 0 ] && grep -q -e "$words" made && [ "$(grep -c '^graphsplit:' made)" -eq 1 ] && ! [ -e emitted ]
    verdict "$*: '$words'" $? made
}
# costs LINE WORDS: a line of a cost file for two accelerators
costs() {
    printf 'a 9 1 8\nb 9 9 1\nc 1 9 9\n%s\n' "$1" > costs
    # shellcheck disable=SC2086
    refuses "$2" --minimise time $both three.fx
}
costs 'a 1 2' 'costs:4: a has no seconds on v'
costs 'a 1' 'costs:4: a has no seconds on v'
costs 'a 1 2 3 4' 'costs:4: a has 4 times, and the CPU and the accelerators are 3'
costs 'a 1 2 -1' 'costs:4: -1 is negative, not finite, or above'
costs 'a 1 nan 2' 'costs:4: nan is negative, not finite, or above'
costs 'a 1 inf 2' 'costs:4: inf is negative, not finite, or above'
costs 'a 1 b 2' 'costs:4: b is no number of seconds'
costs 'z 1 1 2' 'costs:4: z is neither a node nor an operator'
printf 'a 9 1 8\nb 9 9 1\nc 1 9 9\n' > costs
refuses 'v can run none of the nodes; leave it out, or give it operators (--accelerator v=OPS)' --minimise time \
    --accelerator u=f,g --accelerator v --costs costs three.fx
# shellcheck disable=SC2086
{
    refuses "NAME=SECONDS,... with names of accelerators, got 'u=1,w=2'" --minimise time $both --launch u=1,w=2 three.fx
    refuses "got 'u=-1'" --minimise time $both --launch u=-1 three.fx
    refuses "got 'u=nan'" --minimise time $both --launch u=nan three.fx
    refuses "got 'u'" --minimise time $both --launch u three.fx
    refuses '--transfer residency is for --minimise time with one accelerator' --minimise time $both \
        --transfer residency three.fx
    refuses '--profile is for --minimise time with one accelerator' --minimise time $both --profile costs three.fx
}
refuses '--transfer residency is for --minimise time with one accelerator, without --overlap' --minimise time --overlap \
    --transfer residency two.fx
refuses '--overlap requires --minimise time' --overlap two.fx
refuses '--svg requires --overlap' --minimise time --svg a.svg two.fx
refuses '--trace requires --overlap' --minimise time --trace a.json two.fx
sed 's/cpu=2/cpu=9e8/; s/compute=1/compute=9e8/' two.fx > long.fx
refuses 'the times are too large to be added in nanoseconds' --minimise time --overlap long.fx
printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]  # f32[4]\n    return x\n' > none.fx
$program split --minimise time --overlap none.fx > made 2>&1 && grep -q 'there is nothing to split' made
verdict "a graph without calls" $? made

# Work that ends at once leaves the bound of each node where it is fastest.
# shellcheck disable=SC2086
$program split --minimise time $both --max-work 1 --porcelain three.fx > made 2>&1
grep -q '^proof objective=[0-9]* bound=3000000000 ' made
verdict "--max-work 1: a bound all the same" $? made

# ---- by enumeration ----

if "$python" -c '' 2> /dev/null; then
    mkdir random
    # An emulator and its program are two words.
    # shellcheck disable=SC2086
    "$python" "$root/tests/search/sides.py" random "${GRAPHS:-100}" "${TIMELINES:-200}" $program > log 2>&1
    verdict "random graphs, by all placements and schedules" $? log
    grep '^# ' log
else
    skip "random graphs by enumeration (they take Python)"
fi

# ---- the same values ----

tests="${RUN:-} $(echo "${B:-build}" | sed "s,^[^/],$root/&,")/tests"
for options in "--overlap --acc-ops xnnpack --launch 1e-6" \
    "--accelerator u=tflite.CONV_2D,tflite.ADD --accelerator v=xnnpack --launch u=1e-7"; do
    for graph in "$root"/examples/models/tflite_*.fx; do
        # shellcheck disable=SC2086
        $program split --minimise time $options --porcelain "$graph" > made 2> err && $tests --equal "$graph" made >> err 2>&1
        status=$?
        grep -q 'can run none of the nodes' err && status=0
        verdict "$(basename "$graph") $options computes the same" $status err
    done
done

# ---- published graphs ----

[ -d "$shared/models/cost" ] ||
    { skip "published graphs (looked for in $shared/models/cost)" 34 && finish; }
for graph in "$shared"/models/cost/latency_*.fx; do
    $program split --minimise time --overlap "$graph" > made 2>&1
    gain=$(sed -n '1s/.*side by side, less than \(one after the other .* by .* ([<0-9. ]*%)\).*/\1/p' made)
    [ -n "$gain" ]
    verdict "$(basename "$graph"): a gain" $? made
    echo "# $(basename "$graph" .fx): less than $gain"
done
# Three accelerators: the second is faster or slower by class of node, the third by node, up to four times.
for graph in "$shared"/models/cost/*.fx; do
    awk '/^    %.*compute=/ {
        name = target = $0
        sub(/^    %/, "", name)
        sub(/ .*/, "", name)
        sub(/.*\[target=/, "", target)
        sub(/\].*/, "", target)
        gsub(/[0-9]/, "", target)
        cpu = compute = $0
        sub(/.* cpu=/, "", cpu)
        sub(/.* compute=/, "", compute)
        state = 7
        for (i = 1; i <= length(target); i++)
            state = (state * 31 + index("abcdefghijklmnopqrstuvwxyz._", tolower(substr(target, i, 1)))) % 65521
        one = 2 ^ ((state * 16807 % 65521) / 65521 * 4 - 2)
        all = (all * 16807 + 12345) % 2147483647
        other = 2 ^ (all / 2147483647 * 4 - 2)
        printf "%s %.9g %.9g %.9g %.9g\n", name, cpu + 0, compute + 0, compute * one, compute * other
    }' "$graph" > costs
    for launch in 0 1; do
        $program split --minimise time --accelerator a --accelerator b --accelerator c --costs costs --launch $launch \
            --porcelain "$graph" > made 2> err
        objective=0 bound=0 # what eval sets
        eval "$(sed -n 's/^proof //p' made)"
        [ "$objective" -gt 0 ] && [ $((objective / 105)) -le $((bound / 100)) ]
        verdict "$(basename "$graph"), launches of $launch s: $objective within 5 % of $bound" $? err
    done
done
finish
