#!/bin/sh
# Figures for people: bytes and seconds are rounded, and what is unknown is not 0.
cd "$(dirname "$0")/../.." || exit 1
root=$(pwd)
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
program=$(echo "$program" | sed -E "s,(^| )([^/ ][^ ]*graphsplit)\$,\\1$root/\\2,")
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
. tests/check.sh
page=$root/examples/program/report/view.js
cd "$out" || exit 1

# has WORDS COMMAND...: it works, and a line of its report has the words.
has() {
    words=$1
    shift
    $program "$@" > report 2>&1 && grep -q -e "$words" report
    verdict "$*: '$words'" $? report
}

# tells STATUS WORDS COMMAND...: it ends with the status, and its report or error has the words.
tells() {
    status=$1
    words=$2
    shift 2
    $program "$@" > report 2>&1
    [ $? -eq "$status" ] && grep -q -e "$words" report
    verdict "$*: exit $status, '$words'" $? report
}

# ---- bytes: to the nearest, and upward for peaks and needs ----

# bytes N NEAREST UPWARD: parameters of N bytes, and a peak of as many.
bytes() {
    printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]  # i8[%s]\n    return x\n' "$1" > x.fx
    printf 'graph():\n    %%x : [num_users=1] = get_attr[target=x]  # i8[%s]\n    return x\n' "$1" > w.fx
    has "^  peak  *$3 " memory x.fx
    has "^  parameters  *$2[ ,]" memory w.fx
    echo "bytes($1) === '$2' || console.log($1, bytes($1));" >> bytes.js
    echo "$1 > 2 ** 53 || bytes($1, Math.ceil) === '$3' || console.log($1, bytes($1, Math.ceil));" >> bytes.js
}
sed -n '/^function bytes/,/^}/p' "$page" > bytes.js
bytes 1023 '1023 B' '1023 B'
bytes 1024 '1.0 KiB' '1.0 KiB'
bytes 1025 '1.0 KiB' '1.1 KiB'
bytes 1536 '1.5 KiB' '1.5 KiB'
bytes 25690112 '24.5 MiB' '24.5 MiB'
bytes 102348 '99.9 KiB' '100 KiB'
bytes 102350 '100 KiB' '100 KiB'
bytes 219075 '214 KiB' '214 KiB'
bytes 218200 '213 KiB' '214 KiB'
bytes 1023487 '999 KiB' '1.0 MiB'
bytes 1023488 '1.0 MiB' '1.0 MiB'
bytes 1152921504606846976 '1.0 EiB' '1.0 EiB'
bytes 1152921504606846977 '1.0 EiB' '1.1 EiB'
if command -v node > /dev/null; then
    check "the report's page rounds as the command line does" node bytes.js
else
    skip "bytes of the report's page (node is not installed)"
fi

# ---- seconds: at most four digits, no power of ten, one function for all commands ----

# seconds N TEXT: a node that takes so long.
seconds() {
    printf '%s\n' 'graph():' '    %x : [num_users=1] = placeholder[target=x]  # f32[4]' \
        "    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] compute=$1" \
        '    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4] compute=0.000000001' \
        '    return b' > s.fx
    has "submod_0 .* $2  *[0-9<]" pipe --stages 2 s.fx
    has "^  submod_0  *$2 " pipe --stages 2 --schedule gpipe --microbatches 1 --svg s.svg s.fx
    ! grep -q '[0-9]e[+]' s.svg report
    verdict "$1 s: a power of ten" $?
}
seconds 0.000000003 '3 ns'
seconds 0.0152 '15.2 ms'
seconds 0.99996 '1 s'
seconds 0.99994 '999.9 ms'
seconds 0.00099996 '1 ms'
seconds 105.4 '105.4 s'
seconds 3599.7 '1 h 0 min'
seconds 105400 '29 h 17 min'
seconds 605 '10 min 5 s'
seconds 1000000 '277 h 47 min'
if command -v node > /dev/null; then
    sed -n "/^const seconds/,/;\$/p" "$page" > seconds.js
    echo '[[0.9996, "1 s"], [-0.9996, "-1 s"], [0.9994, "999 ms"], [0.0009996, "1 ms"], [2.5e-6, "2.5 us"], [0, "0 us"]].forEach(
        ([s, text]) => seconds(s) === text || console.log(s, seconds(s)))' >> seconds.js
    check "seconds of the report's page have the unit of what is printed" node seconds.js
else
    skip "seconds of the report's page (node is not installed)"
fi

# ---- stages: one column for one time, and the stage that the imbalance names is the slowest ----

cat > t.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4] comm=20
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] compute=2 comm=9
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4] compute=3 comm=2
    %c : [num_users=1] = call_function[target=h](args = (%b,), kwargs = {})  # f32[4] compute=5
    return c
END
has '^  stage.*  compute  of all  first ' pipe --stages 2 t.fx
has '^imbalance: submod_2 has 1.50 times the mean compute time of a stage$' pipe --stages 3 t.fx
has '^imbalance: submod_1 has 1.31 times the mean time of a stage$' \
    pipe --stages 3 --schedule gpipe --microbatches 1 t.fx
grep -q 'submod_1  *14 s  *+31.2 %' report
verdict "the slowest stage is as far from the mean" $? report
[ "$(grep -c '  time  ' report)" = 1 ]
verdict "pipe has one column time" $? report

# ---- transfers are no computation ----

sed 's/ compute=[0-9]*//' t.fx > comm.fx
has ' on 3 devices: transfers alone [0-9]' pipe --stages 3 --schedule gpipe --microbatches 2 --svg comm.svg comm.fx
grep -q '^  submod_1  .* s  .* %  *?  ' report && grep -q 'transfers alone [0-9]' comm.svg
verdict "compute is not known beside transfers" $? report
has ' on 3 devices: [0-9]' pipe --stages 3 --schedule gpipe --microbatches 2 t.fx

# ---- values between subgraphs: what crosses the boundary of an accelerator, then the rest ----

cat > cross.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=2] = call_function[target=torch.relu](args = (%x,), kwargs = {})  # f32[256]
    %b : [num_users=2] = call_function[target=torch.sort](args = (%a,), kwargs = {})  # f32[512]
    %c : [num_users=1] = call_function[target=torch.relu](args = (%b,), kwargs = {})  # f32[4]
    %d : [num_users=1] = call_function[target=torch.sort](args = (%c, %b, %a), kwargs = {})  # f32[4]
    return d
END
has '^  between them, 4 values (4.0 KiB) cross the boundary of acc, 1 more (2.0 KiB) does not$' \
    split --acc-ops torch.relu cross.fx

# ---- what is unknown is not 0 ----

# lacks WORDS FILE
lacks() {
    ! grep -q -e "$1" "$2"
    verdict "$2: '$1'" $? "$2"
}
sed 's/ compute=[0-9]*//; s/ comm=[0-9]*//' t.fx > u.fx
has '^GPipe, 2 microbatches on 3 devices: time unknown without compute=$' \
    pipe --stages 3 --schedule gpipe --microbatches 2 --svg u.svg u.fx
grep -q 'time unknown without compute=<' u.svg && grep -q '^No times are known: ' report
verdict "a schedule without times says what is missing" $? report
lacks '0 s\|0.00 %\|busy' u.svg
lacks ' 0 s\|0.00 %\| 100 %' report
has '^No times are known: ' partition --mode size --device a:64 --svg u.svg u.fx
grep -q 'latency unknown without mem= and compute= at the nodes<' u.svg
verdict "a partition without times says what is missing" $? u.svg

# A dimension that is no number counts as 1: the figures say so, and --dim sets it.
cat > d.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[batch, 4]
    %w : [num_users=1] = get_attr[target=w]  # f32[4, s0]
    %a : [num_users=1] = call_function[target=f](args = (%x, %w), kwargs = {})  # tuple(f32[batch, 8], i64[ batch ])
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})
    return b
END
has '^  peak        >= 56 B at step 2, while a runs$' memory d.fx
grep -q ': d.fx: 3 values of unknown dimensions such as batch, often a batch, which count as 1, .*; --dim batch=1 or another number sets it; 1 without shape counts as 0 B$' report &&
    grep -q '^  arena       >= 64 B ' report && grep -q '^  parameters  >= 16 B,' report &&
    grep -q '^  a  *>= 40 B ' report && [ "$(grep -c 'count' report)" -eq 2 ]
verdict "memory says what is not known, once" $? report
has '^  peak        >= 112 B at step 2, while a runs$' memory --dim batch=3 --dim batch=2 --dim s0=5 d.fx
grep -q '^  parameters  80 B,' report && grep -q '^  a  *80 B ' report
verdict "--dim sets dimensions" $? report
lacks 'unknown dimensions' report
has '# tuple(f32\[7, 8\], i64\[7\])$' read --dim batch=7 d.fx
has ': d.fx: 3 values of unknown dimensions' split --acc-ops f d.fx

# Of what depends on an unknown dimension no share, offset or proof is told; with --dim all are.
cat > s.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[s0, 16]
    %w : [num_users=1] = get_attr[target=w]  # f32[16]
    %a : [num_users=2] = call_function[target=f](args = (%x, %w), kwargs = {})  # f32[s0, 16]
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[s0, 16]
    %c : [num_users=1] = call_function[target=f](args = (%a, %b), kwargs = {})  # f32[4]
    return c
END
has '^  peak        >= 144 B at step 4, while c runs$' memory s.fx
grep -q '^              3 of 5 sizes are unknown: with all of them another plan may take less$' report &&
    grep -q '| >= 144 B$' report && grep -q '^  a  *>= 64 B  *?  *2  *4  *?  *f$' report &&
    grep -q '^  c  *16 B  *?  ' report
verdict "memory of unknown dimensions: shares and offsets are ?, and nothing is proved" $? report
lacks 'no plan ' report
has 'without gaps: no plan without results in place takes less$' memory --dim s0=2 s.fx
grep -q '^  a  *128 B  *47.1 %  *2  *4  *128  *f$' report
verdict "memory with --dim: shares and offsets" $? report
lacks '>=' report
has '^These are cuts by what is known: 3 of 5 sizes are unknown.$' memory --budget 1K s.fx
has '^  order       by what is known: 3 of 5 sizes are unknown$' memory --order best s.fx
has '^proof objective=144 bound=144 proved=0 reference=144$' memory --order best --porcelain s.fx
has '^proof .* proved=1 ' memory --order best --porcelain --dim s0=2 s.fx
has '^    >= 80 B of >= 144 B that they yield, 64 B of 64 B of parameters (100 %),$' split --acc-ops f s.fx
grep -q '^  between them, 3 values (>= 192 B) cross the boundary of acc$' report
verdict "split of unknown dimensions: what crosses" $? report
grep -q '^  _run_on_acc_0  *acc  *1  *1  *>= 64 B  *1  *>= 64 B  *>= 128 B  *64 B$' report &&
    grep -q '^  _run_on_acc_2  *acc  *1  *2  *>= 128 B  *1  *16 B  *>= 144 B  *0 B$' report
verdict "split of unknown dimensions: subgraphs" $? report
has '^  _run_on_acc_2  *acc  *1  *2  *>= 128 B  *1  *16 B  *<= 838.9 million$' preview --acc-ops f s.fx
grep -q 'the bottleneck is _run_on_acc_2, as far as sizes are known: [0-9]* of [0-9]* sizes are unknown.$' report
verdict "preview of unknown dimensions: the bottleneck" $? report
has '^  1 partition: one device has room for what is known; 3 of 5 sizes are unknown$' \
    partition --mode size --device a:320 --device b:64 s.fx
grep -q '^  needs >= 208 B at once (parameters 64 B, live values at the peak >= 144 B),$' report &&
    grep -q '^  and >= 272 B by the sum of PyTorch (parameters and all values), which decides;$' report && grep -q '^  --count peak takes the first$' report &&
    grep -q '^  submod_0  *a  *3  *>= 208 B  *>= 272 B  *?  *0 B$' report &&
    grep -q '^  a  *0  *320 B  *>= 208 B  *>= 272 B  *?  *1$' report &&
    grep -q '^  b  *1  *64 B  *0 B  *0 B  *0.0 %  *0$' report
verdict "partition of unknown dimensions" $? report
lacks 'fits one device' report
has '^largest stage    .*; by what is known: 3 of 5 sizes are unknown$' pipe --stages 2 --policy optimal --balance bytes s.fx
lacks 'proved' report
has '^proof .* proved=0 ' pipe --stages 2 --policy optimal --balance bytes --porcelain s.fx
has '^proof .* proved=1 ' pipe --stages 2 --policy optimal --balance bytes --porcelain --dim s0=2 s.fx
has '^proof .* proved=1 ' pipe --stages 2 --policy optimal --time-unit nodes --porcelain s.fx
has '^proof .* proved=0 ' pipe --stages 2 --policy optimal --time-unit nodes --memory 1M --porcelain s.fx
tells 1 'the graph needs at least [0-9]* bytes, .* the least budget that works is at least 144$' memory --budget 10 s.fx
tells 1 ' needs at least [0-9]* bytes .* The least budget that works is at least [0-9]*$' memory --budget-pieces 10 s.fx
tells 2 "^graphsplit: --dim s0=0: a tensor with a dimension of 0 has no elements; the least is s0=1$" memory --dim s0=0 s.fx
tells 2 "the least is s0=1$" memory --dim s0=0..3 s.fx
tells 1 'fits every device; the minimum is at least [0-9]* bytes$' pipe --stages 2 --policy optimal --memory 10 s.fx
sed 's/  # .*/  # compute=1/' s.fx > sizeless.fx
has '^slowest stage    .*; by what is known: 5 of 5 sizes are unknown$' pipe --stages 2 --policy optimal --memory 1M sizeless.fx
lacks 'proved' report
has '(at least [^;]*; mode size [^;]*); 3 of 5 sizes are unknown$' partition --mode heft --time-unit nodes --device a:1K --device b:1K s.fx
has '"proved": false' partition --mode heft --time-unit nodes --device a:1K --device b:1K --json s.fx
cat > times.fx << 'EOF'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] compute=1
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4]
    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[4] compute=1
    %d : [num_users=1] = call_function[target=h](args = (%c,), kwargs = {})  # f32[4]
    return d
EOF
has ' (at least 2 s; mode size 2 s); 2 of 4 times are unknown$' partition --mode heft --device a:1K --device b:1K times.fx
has '^proof .* proved=0 ' partition --mode heft --device a:1K --device b:1K --porcelain times.fx
has ', the least possible (4 nodes; mode size 4 nodes)$' partition --mode heft --time-unit nodes --device a:1K --device b:1K times.fx
has '^slowest stage    1 s; by what is known: 2 of 4 times are unknown$' pipe --stages 2 --policy optimal times.fx
lacks 'proved' report
has '^proof .* proved=0 ' pipe --stages 2 --policy optimal --porcelain times.fx
has '^slowest stage    2 nodes; proved' pipe --stages 2 --policy optimal --time-unit nodes times.fx
has '^largest stage    .*; proved' pipe --stages 2 --policy optimal --balance bytes times.fx
has '^slowest stage    .*; proved' pipe --stages 2 --policy optimal --time-unit shapes times.fx
sed 's/compute=1//' times.fx > timeless.fx
has '^largest stage    .*; proved' pipe --stages 2 --policy optimal timeless.fx
has '; run one after the other, no choice takes less\.$' split --minimise time --acc-ops f timeless.fx
has '; by what is known: 4 of 4 times are unknown\.$' split --minimise time --acc-ops f,g times.fx
has '^proof .* proved=0 ' split --minimise time --acc-ops f,g --porcelain times.fx
has '; by what is known: 1 of 3 times is unknown$' split --max-acc 1 --value time --acc-ops f,g times.fx
has '^proof .* proved=0 ' split --max-acc 1 --value time --acc-ops f,g --porcelain times.fx
has '; already optimal$' split --max-acc 1 --acc-ops f,g times.fx
has '^SUPPORT NEXT' split --more --acc-ops f times.fx
lacks 'time saved' report
has '; by what is known: 3 of 5 sizes are unknown' split --acc-ops f --order min-traffic s.fx
lacks 'optimal\|no order' report
has '^proof .* proved=0 ' split --acc-ops f --order min-traffic --porcelain s.fx
has '; by what is known: 3 of 5 sizes are unknown.$' split --acc-ops f --minimise time s.fx
lacks 'no choice' report
has '^  range       peak 144 B for s0=1, 8.1 KiB for 64;$' memory --dim s0=1..64 s.fx
grep -q '^              the largest of 40 tried for 64, of which the figures are$' report &&
    grep -q '^  peak        8.1 KiB (8208 bytes) ' report && ! grep -q monotone report
verdict "a range has figures at both ends" $? report
has '^range s0 first=1 peak=144 last=3 peak=400 largest=3 peak=400 tried=3 monotone=1$' memory --porcelain --dim s0=1..3 s.fx
tells 2 ': --dim s0=1..3: only memory takes a range$' split --acc-ops f --dim s0=1..3 s.fx
tells 2 ': --dim expects NAME=N ' memory --dim s0=3..1 s.fx
for command in 'split --acc-ops f --why' dedup 'module --assign a=0,b=0,c=0' read; do
    $program $command d.fx > report 2>&1
    ! grep -q 'unknown dimensions\|without shape' report
    verdict "$command: no note where sizes do not matter" $? report
done
has '^  submod_0  .* 64 B  *2  *>= 128 B  *>= 320 B$' pipe --stages 2 --schedule gpipe --microbatches 2 s.fx
grep -q '^  *0  *?  *?  *?  *2  *>= 320 B$' report
verdict "pipe of unknown dimensions" $? report
has '^  hexagon \* *0  *0.0 %  *?  *1  *0  *0 B$' ops --for s.fx
printf 'a=0\nb=1\nc=1\n' > s.parts
has '^  cut: 2 edges, 1 value; >= 64 B written, >= 64 B read, >= 64 B resident$' eval s.fx s.parts
tells 1 '^  device a needs >= 272 B and has 1 B$' eval --device a:1 s.fx s.parts
$program memory --svg s.svg s.fx > report 2>&1 && grep -q 'peak >= 144 B at step 4.*arena >= 144 B for' s.svg &&
    grep -q 'a: >= 64 bytes at ' s.svg && grep -q 'c: 16 bytes at ' s.svg && grep -q ', c: >= 144 B live' s.svg
verdict "the picture of memory of unknown dimensions" $? s.svg
$program pipe --stages 2 --schedule gpipe --microbatches 2 --svg s.svg s.fx > report 2>&1 &&
    grep -q '>>= 320 B<' s.svg
verdict "the picture of pipe of unknown dimensions" $? s.svg
# unknown N COMMAND...: its JSON says how many values have no known size.
unknown() {
    number=$1
    shift
    $program "$@" > out.json 2> /dev/null
    grep -q "\"unknown_sizes\": $number, " out.json
    verdict "$* tells $number unknown sizes" $? out.json
}
for rest in '3 s.fx' '0 --dim s0=2 s.fx'; do
    unknown $(echo "$rest" | sed 's/ / split --json --acc-ops f /')
    unknown $(echo "$rest" | sed 's/ / preview --json --acc-ops f /')
    unknown $(echo "$rest" | sed 's/ / memory --json /')
    unknown $(echo "$rest" | sed 's/ / pipe --json --stages 2 /')
    unknown $(echo "$rest" | sed 's/ / partition --json --mode size --device a:320 --device b:640 /')
    unknown $(echo "$rest" | sed 's/ / eval --json /') s.parts
done
sed 's/target=f\]/target=onnx.Sin]/' s.fx > o.fx
has '^  nnapi \* *2  *66.7 %  *[?0-9.]*[ %]*  *3  *3  *>= 192 B$' ops --for o.fx
has '^    144 B of 272 B that they yield (52.9 %), ' split --acc-ops f --dim s0=2 s.fx
lacks '>=' report
for wrong in batch =4 batch= batch=x; do
    $program memory --dim "$wrong" d.fx > report 2>&1
    [ $? -eq 2 ] && grep -q -e "--dim expects NAME=N up to 2^64 - 1, such as s0=8, got '$wrong'" report
    verdict "--dim $wrong is refused" $? report
done
$program memory --dim sequence=4 d.fx > report 2>&1
[ $? -eq 1 ] && grep -q -e '--dim sequence=4: no input has this dimension; those of the inputs are batch' report
verdict "--dim of a dimension that is not there" $? report

# JSON has null where a time is not known, and the same figures where it is.
$program pipe --stages 3 --schedule gpipe --json u.fx > u.json 2> report &&
    grep -q '"span_ns": null, "bubble_millionths": null' u.json && grep -q '"busy_ns": null' u.json &&
    grep -q '"out_bytes": 16, "ns": null' u.json
verdict "pipe --json: null for times that are not known" $? u.json
lacks '_ns": 0' u.json
$program partition --device a:64 --json u.fx > u.json 2> report && grep -q '"latency": null' u.json &&
    grep -q '"finish": null' u.json
verdict "partition --json: null for times that are not known" $? u.json
sed '/%b/s/ compute=3//' t.fx > some.fx
has '^1 called node without compute=, which counts as 0 s\.$' \
    pipe --stages 3 --schedule gpipe some.fx
has '^1 called node without mem= and compute=, which counts as 0 s\.$' partition --device a:64 some.fx

# ---- times where the graph has none: counts of nodes, or estimates from shapes ----

has '^GPipe, 2 microbatches on 3 devices: 12 nodes, bubble 50.00 %$' \
    pipe --stages 3 --schedule gpipe --microbatches 2 --time-unit nodes --svg n.svg u.fx
grep -q '^Times are counts: every called node takes one unit\.$' report && grep -q '>10 nodes<' n.svg
verdict "--time-unit nodes counts nodes" $? report
has 'latency 3 nodes: ' partition --device a:64 --time-unit nodes t.fx
grep -q ' 3 nodes  *3 nodes$' report
verdict "partition counts nodes, whatever seconds the graph has" $? report
for wrong in '--bandwidth 1e9' '--first-time 1' '--last-time 1'; do
    # shellcheck disable=SC2086
    $program pipe --stages 2 --time-unit nodes $wrong t.fx > report 2>&1
    [ $? -eq 2 ] && grep -q -e '--time-unit nodes cannot be combined with --bandwidth' report
    verdict "--time-unit nodes $wrong is refused" $? report
done
$program partition --device a:64 --time-unit nodes --transfer-rate 1e9 t.fx > report 2>&1
[ $? -eq 2 ] && grep -q -e '--time-unit nodes cannot be combined with --transfer-rate' report
verdict "--time-unit nodes --transfer-rate is refused" $? report

# macs LINE...: the estimate of the last node at one MAC per ns, bytes being free.
macs() {
    wanted=$1
    shift
    printf '%s\n' 'graph():' "$@" '    return y' > m.fx
    found=$($program pipe --stages 1 --policy optimal --time-unit shapes --rates 1e9,1e300 --json m.fx 2> report |
        sed -n 's/.*"compute_ns": \([0-9]*\).*/\1/p')
    [ "$found" = "$wanted" ]
    verdict "$wanted MACs, found '$found'" $? m.fx
}
x='    %x : [num_users=1] = placeholder[target=x]  # f32'
w='    %w : [num_users=1] = get_attr[target=w]  # f32'
v='    %v : [num_users=1] = placeholder[target=v]  # f32'
y='    %y : [num_users=1] = call_'
macs 1920 "$x[2, 8, 12]" "$w[12, 10]" "${y}function[target=torch.matmul](args = (%x, %w), kwargs = {})  # f32[2, 8, 10]"
macs 960 "$v[10]" "$x[8, 12]" "$w[12, 10]" "${y}function[target=aten.addmm.default](args = (%v, %x, %w), kwargs = {})  # f32[8, 10]"
macs 960 "$v[8, 10]" "$x[8, 12]" "$w[12, 10]" "${y}function[target=aten.addmm.default](args = (%v, %x, %w), kwargs = {})  # f32[8, 10]"
macs 97200 "$x[1, 3, 32, 32]" "$w[4, 3, 3, 3]" "${y}function[target=aten.convolution.default](args = (%x, %w), kwargs = {})  # f32[1, 4, 30, 30]"
macs 8100 "$x[1, 32, 32, 9]" "$w[1, 3, 3, 9]" "${y}function[target=tflite.DEPTHWISE_CONV_2D](args = (%x, %w), kwargs = {})  # f32[1, 10, 10, 9]"
macs 512 "$x[1, 8, 8]" "$v[1, 4, 8]" "${y}function[target=torch.nn.functional.scaled_dot_product_attention](args = (%x, %v), kwargs = {})  # f32[1, 8, 8]"
macs 97200 "$x[1, 3, 32, 32]" "${y}module[target=conv](args = (%x,), kwargs = {})  # f32[1, 4, 30, 30] module=torch.nn.Conv2d params=448"
macs 1 "$x[1, 3]" "${y}function[target=prims.convert_element_type.default](args = (%x,), kwargs = {})  # f16[1, 3]"
macs 1 "$x[4]" "${y}module[target=emb](args = (%x,), kwargs = {})  # f32[4, 8] module=torch.nn.Embedding params=3200"
has 'estimated 96 ns, bubble 0.00 %$' \
    pipe --stages 1 --schedule gpipe --inference --time-unit shapes --rates 1e30,1e9 u.fx
has '^Times without compute= are rough estimates from shapes: ' \
    pipe --stages 1 --schedule gpipe --time-unit shapes u.fx
has '^Times without compute= are rough estimates from shapes: ' pipe --stages 1 --time-unit shapes u.fx
has 'estimated latency ' partition --device a:64 --time-unit shapes u.fx
has 'latency 10 s: ' partition --device a:64 --time-unit seconds t.fx
for wrong in 1e12 1e12, ,1e11 0,1 -1,1 x,1 1,x; do
    $program pipe --stages 1 --time-unit shapes --rates "$wrong" t.fx > report 2>&1
    [ $? -eq 2 ] && grep -q -e "--rates expects MACs and bytes per second, such as 1e12,1e11, got '$wrong'" report
    verdict "--rates $wrong is refused" $? report
done
$program pipe --stages 1 --rates 1e12,1e11 t.fx > report 2>&1
[ $? -eq 2 ] && grep -q -e '--rates requires --time-unit shapes' report
verdict "--rates without --time-unit shapes is refused" $? report

# Values without shape: told by every command that prints their bytes.
for pass in 'pipe --stages 1' 'partition --device a:1K' 'preview --acc-ops f' memory; do
    # shellcheck disable=SC2086
    has '^1 value without shape counts as 0 B: ' $pass --dim batch=2 --dim s0=2 d.fx
    has ' --dim batch=1 or another number sets it; 1 without shape counts as 0 B$' $pass d.fx
done
has ': d.fx: 1 value without shape counts as 0 B: ' split --acc-ops f --dim batch=2 --dim s0=2 d.fx
has '^  submod_1  *1  *0  *0 B  *>= 40 B  *?  ' pipe --stages 2 d.fx
# ---- lines of at most 100 columns, but for a word that is longer, and for --why ----

# narrow COMMAND...: all that people see of it
narrow() {
    $program "$@" > report 2> err
    LC_ALL=C awk -v OFS=': ' 'length($0) > 100 && length($NF) < 80 { print length($0), $0 }' report > wide
    [ -s report ] && ! [ -s wide ]
    verdict "100 columns: $*" $? wide
}
long=a_name_of_which_there_is_more_than_a_table_has_room_for
awk -v long=$long 'BEGIN {
    print "graph():\n    %x : [num_users=2] = placeholder[target=x]  # f32[1000000]"
    for (i = 0; i < 60; i++) {
        printf "    %%%s_%d : [num_users=1] = call_function[target=%s_%d](args = (%%%s,), kwargs = {})  # f32[%d]\n", \
            long, i, long, i % 3, i % 20 ? long "_" (i - 1) : "x", 1000000 + i
    }
    print "    return (" long "_19, " long "_39, " long "_59)"
}' > long.fx
cp "$root/examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx" net.fx
for graph in long.fx net.fx; do
    for ops in ${long}_1 xnnpack; do
        narrow split --acc-ops $ops --save-plan $ops.plan $graph
        narrow split --accelerator neural=$ops --accelerator graphics=$ops $graph
        narrow preview --acc-ops $ops $graph
    done
    narrow diff ${long}_1.plan xnnpack.plan $graph
    narrow diff ${long}_1.plan xnnpack.plan
    narrow partition --device a:1GiB --device b:1GiB $graph
    narrow memory $graph
    narrow memory --budget-pieces 10MiB $graph
    narrow pipe --stages 4 $graph
    narrow pipe --stages 4 --schedule 1f1b --microbatches 8 $graph
    narrow pipe --stages 4 --policy optimal --bandwidth 1e9 --schedule 1f1b --microbatches 32 $graph
    narrow dedup $graph
    narrow run $graph
done
narrow ops
narrow help
for pass in split preview partition module pipe memory dedup run diff eval convert read emit-c ops; do
    narrow $pass --help
done
$program split --acc-ops ${long}_1 --why --all long.fx | grep -q "  ${long}_59  "
verdict "--all does not clip names" $?
# --why has whole names, in the table and in the sentence.
$program split --acc-ops ${long}_1 --why long.fx > report
grep -q "^  ${long}_59  *${long}_2  *_run_on_cpu_[0-9]* .* no accelerator supports it" report && ! grep -q '[.][.][.]' report
verdict "--why of all nodes does not clip names" $? report
$program split --acc-ops ${long}_1 --why=${long}_59 long.fx > report 2>&1
grep -q "^${long}_59 (${long}_2) runs on the CPU, .* does not support ${long}_2[.]" report
verdict "--why of a node does not clip names" $? report
# ---- a budget that is too small: the whole report, and the least that works ----

net=$root/examples/models/onnx_mnist.fx
tells 1 '^graphsplit: %Convolution28 needs 28224 bytes.* The least budget that works is 50176$' memory --budget-pieces 20KiB "$net"
tells 1 '^  peak        59.0 KiB (60416 bytes)' memory --budget-pieces 20KiB "$net"
tells 1 '^ABOVE THE BUDGET' memory --budget-pieces 20KiB "$net"
[ "$(sed -n '/^ABOVE/,/^$/s/^  \([^ ]*\) .*KiB.*/\1/p' report | tr '\n' ' ')" = \
    "Plus30 ReLU32 Pooling66 Convolution28 Plus112 ReLU114 " ]
verdict "all nodes above the budget, by size" $? report
tells 1 '^The least budget that works, 49.0 KiB (50176 bytes), gives:' memory --budget-pieces 20KiB "$net"
tells 1 '^     1      8  Convolution28      49.0 KiB  Plus30' memory --budget-pieces 20KiB "$net"
tells 1 'is 50176"}$' memory --budget-pieces 20KiB --json "$net"
tells 0 '^     1      8  Convolution28      49.0 KiB  Plus30' memory --budget-pieces 50176 "$net"
tells 1 'The least budget that works is 50176$' memory --budget-pieces 50175 "$net"
tells 1 '^It is the peak of the whole graph: no cut helps' memory --budget-pieces 10KiB "$root/examples/models/tflite_person_detect.fx"
node() {
    printf '    %%%s : [num_users=1] = call_function[target=f](args = (%%%s,), kwargs = {})  # i8[%s]%s\n' "$@"
}
# One RAM holds also what waits while another part runs: Times212_reshape1, 10,240 bytes.
tells 1 '^graphsplit: while Plus30 runs, the graph needs 60416 bytes, and --budget allows 50176\..*, --order best searches another: .* works is 60416$' \
    memory --budget 50176 "$net"
tells 1 'It is the peak of the whole graph: no cut helps' memory --budget 60415 "$net"
tells 0 'The whole graph fits' memory --budget 60416 "$net"
tells 1 'works is 60416"}$' memory --budget 50176 --json "$net"
# Inputs that are stored elsewhere do not wait there.
printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]  # i8[7]\n' > given.fx
node a x 10 '' >> given.fx
printf '    return a\n' >> given.fx
tells 1 'needs 17 bytes' memory --budget 16 given.fx
tells 0 '^piece 0 bytes=10 ' memory --budget 16 --skip-inputs --porcelain given.fx
# Groups may need more than any of their nodes.
{
    printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]  # i8[1]\n'
    node a x 10 ' group=g'
    node b a 40 ' group=g'
    printf '    %%c : [num_users=1] = call_function[target=f](args = (%%b, %%a), kwargs = {})  # i8[30] group=g\n'
    node d c 5 ''
    printf '    return d\n'
} > group.fx
tells 1 '%c in its group needs 80 bytes .* The least budget that works is 80$' memory --budget-pieces 79 group.fx
tells 0 'The whole graph fits' memory --budget-pieces 80 group.fx
# ---- state: what a node writes is RAM, no parameter ----

printf 'graph():
    %%x : [num_users=1] = placeholder[target=x]  # i8[8]
    %%w : [num_users=1] = get_attr[target=w]  # i8[100]
    %%h : [num_users=1] = get_attr[target=h]  # i8[20]
    %%l : [num_users=2] = call_function[target=f](args = (%%x, %%w, %%h), kwargs = {})  # i8[8] mutates=2
    %%again : [num_users=1] = get_attr[target=h]  # i8[20]
    %%k : [num_users=1] = call_function[target=f](args = (%%l, %%again, %%l), kwargs = {})  # i8[8] mutates=2
    return k\n' > state.fx
tells 0 '^  state       20 B that nodes write' memory state.fx
tells 0 '^  parameters  100 B, ' memory state.fx
tells 0 ' parameters=100 state=20$' memory --porcelain state.fx
tells 0 '"parameters": 100, "state": 20}' memory --json state.fx

# ---- charts: both colour schemes, round numbers at axes, names of boxes, a legend ----

# shows WORDS SVG LABEL: a text of the chart.
shows() {
    grep -q ">$1<" "$2"
    verdict "$3: '$1'" $? "$2"
}
model=$root/examples/models/tflite_person_detect.fx
printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]  # f32[4]\n' > c.fx
before=x
for i in 0 1 2 3 4 5; do
    printf '    %%n%s : [num_users=1] = call_function[target=f](args = (%%%s,), kwargs = {})  # f32[4] params=4000 compute=100 mem=1\n' $i $before
    before=n$i
done >> c.fx
echo "    return n5" >> c.fx
$program memory --svg memory.svg "$model" > report 2>&1
$program pipe --stages 3 --schedule 1f1b --microbatches 8 --svg pipe.svg c.fx > report 2>&1
$program partition --mode size --device a:8100 --device b:16100 --transfer-rate 1 --svg partition.svg c.fx > report 2>&1
for chart in memory pipe partition; do
    grep -q '@media (prefers-color-scheme:dark)' $chart.svg && ! grep -q '<text[^>]* fill=' $chart.svg
    verdict "the chart of $chart has light and dark colours, and no text has one of its own" $?
done
sed -n 's/.*class="soft"[^>]*>\(.*B\)<.*/\1/p' memory.svg | tr '\n' ' ' > axis
echo '0 B 8.0 KiB 16.0 KiB 24.0 KiB 32.0 KiB 40.0 KiB 48.0 KiB ' | tr -d '\n' | cmp -s - axis
verdict "bytes of an axis are round" $? axis
sed -n 's/.*class="soft middle"[^>]*>\(.*\)<.*/\1/p' memory.svg | tr '\n' ' ' > axis
echo '0 10 20 30 40 50 60 70 80 90 step ' | tr -d '\n' | cmp -s - axis
verdict "steps of an axis are round" $? axis
shows '10 min 0 s' pipe.svg "minutes of an axis are round"
shows '10 min 0 s' partition.svg "minutes of an axis are round"
for name in input conv_2d_4 depthwise_conv_2d_1 depthwise_conv_2d_2; do
    shows $name memory.svg "names in boxes, upright in tall ones, beside small ones"
done
shows 'live bytes' memory.svg legend
shows 'critical path' partition.svg legend
shows 'transfer' partition.svg legend
# no bar ends beyond the chart
for chart in memory pipe partition; do
    awk -v RS='<' '
        /^svg/ { match($0, /width="[0-9]+/); wide = substr($0, RSTART + 7, RLENGTH - 7) + 0 }
        /^rect/ && / x="/ {
            match($0, / x="[0-9.]+/); x = substr($0, RSTART + 4, RLENGTH - 4)
            match($0, / width="[0-9.]+/); w = substr($0, RSTART + 8, RLENGTH - 8)
            if (x + w > wide) { print; bad = 1 }
        }
        END { exit bad || !wide }' $chart.svg > report
    verdict "no bar of $chart is clipped" $? report
done

finish
