#!/bin/sh
# `graphsplit bisect`: faults that are planted in random graphs are found within so many runs, arrays are compared
# within a tolerance, and commands that fail leave one sentence and nothing else.
# usage: B=build [COUNT=N] sh tests/program/bisect.sh     N faults of each kind; default 100
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=$PWD/${B:-build}/bisect-test
program=$(echo "$program" | sed -E "s,(^| )([^/ ][^ ]*graphsplit)\$,\\1$PWD/\\2,")
rm -rf "$out"
mkdir -p "$out/tmp" || exit 1
. tests/check.sh
TMPDIR=$out/tmp
export TMPDIR
cd "$out" || exit 1

# The engine under test: `run` as it should be, but each set of nodes NODE+NODE that a piece holds makes the last of
# them another operator.
cat > wrong.awk << 'END'
{ line[NR] = $0 }
/ = call_/ { at[substr($1, 2)] = NR }
END {
    n = split(faults, fault, " ")
    for (i = 1; i <= n; i++) {
        k = split(fault[i], name, "+")
        for (j = 1; j <= k && name[j] in at; j++);
        if (j > k) sub(/target=/, "&wrong_", line[at[name[k]]])
    }
    for (i = 1; i <= NR; i++) print line[i]
}
END
# wrong FAULTS: the command
wrong() {
    echo "awk -v faults='$1' -f wrong.awk {model} | $program run --porcelain --inputs {inputs} --outputs {outputs} -"
}

# graph SEED: 1 to 40 nodes that read up to three earlier ones and weights; what nobody reads is returned. Splits have two
# elements.
graph() {
    awk -v seed="$1" '
        function node(name, how) { print "    %" name " : [num_users=1] = " how; value[++n] = name }
        BEGIN {
            srand(seed)
            print "graph():"
            node("x", "placeholder[target=x]")
            node("y", "placeholder[target=y](default=None)")
            node("w", "get_attr[target=w]")
            nodes = 1 + int(rand() * 40)
            for (i = 1; i <= nodes; i++) {
                args = ""
                for (k = 1 + int(rand() * 3); k > 0; k--) {
                    from = value[n - int(rand() * (rand() < 0.7 && n > 5 ? 5 : n))]
                    used[from] = 1
                    args = args "%" from ", "
                }
                if (rand() < 0.1) {
                    node("n" i, "call_function[target=split](args = (" args "2), kwargs = {})  # tuple(f32[2], f32[2])")
                    node("n" i "_0", "call_function[target=operator.getitem](args = (%n" i ", 0), kwargs = {})  # f32[2]")
                    node("n" i "_1", "call_function[target=operator.getitem](args = (%n" i ", 1), kwargs = {})  # f32[2]")
                    used["n" i] = 1
                } else {
                    node("n" i, "call_function[target=op" int(rand() * 5) "](args = (" args i % 3 "), kwargs = {})")
                }
            }
            for (i = 4; i <= n; i++) if (!(value[i] in used)) left = left (left == "" ? "" : ", ") value[i]
            print "    return (" left ",)"
        }'
}

# nodes FILE: those that can be wrong. pick SEED COUNT: so many of them in graph order, or nothing
nodes() {
    sed -n 's/^ *%\(n[0-9]*\) :.*/\1/p' "$1"
}
pick() {
    nodes net.fx | awk -v seed="$1" -v n="$2" '
        { name[NR] = $1 }
        END {
            srand(seed * 7 + 1)
            if (NR < n) exit
            while (picked < n) { i = 1 + int(rand() * NR); if (!(i in is)) { is[i] = 1; picked++ } }
            for (i = 1; i <= NR; i++) if (i in is) print name[i]
        }' | tr '\n' ' '
}

# found LABEL FAULTS WANTED [RUNS]: bisect names these culprits, in at most so many runs
found() {
    $program bisect --porcelain --run "$(wrong "$2")" net.fx > found 2> error
    sed -n 's/^culprit //p; /^clean/p' found > culprits
    printf '%b' "$3" | cmp -s - culprits && [ ! -s error ] &&
        awk -v most="${4:-1e9}" '$1 == "runs" { exit !($2 <= most) }' found
    verdict "$1: planted $2, at most ${4:-any} runs: $(tr '\n' ' ' < found)" $? error
}

# At most 2 log2 n + 4 runs find one fault, that of the reference included.
seed=0
while [ $seed -lt "${COUNT:-100}" ]; do
    seed=$((seed + 1))
    graph $seed > net.fx
    n=$(nodes net.fx | wc -l)
    fault=$(pick $seed 1)
    found "single $seed of $n" "$fault" "${fault% }\n" "$(awk -v n="$n" 'BEGIN { print int(2 * log(n) / log(2) + 4 + 1e-9) }')"
    set -- $(pick $seed 2)
    [ $# -eq 2 ] || continue
    found "pair $seed of $n" "$1+$2" "$1 $2\n" "$(awk -v n="$n" 'BEGIN { print int(4 * log(n) / log(2) + 8 + 1e-9) }')"
    [ $((seed % 4)) -ne 0 ] || found "two $seed of $n" "$1 $2" "$1\n$2\n"
    set -- $(pick $seed 3)
    [ $# -ne 3 ] || [ $((seed % 4)) -ne 1 ] || found "three $seed of $n" "$1+$2+$3" "$1 $2 $3\n"
    [ $# -ne 3 ] || [ $((seed % 4)) -ne 2 ] || found "one and two $seed of $n" "$1 $2+$3" "$1\n$2 $3\n"
done
found "no fault" "" 'clean\n'

# ---- what is printed, and what is written ----

cat > net.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]
    %w : [num_users=2] = get_attr[target=w]
    %a : [num_users=1] = call_function[target=conv](args = (%x, %w), kwargs = {})
    %b : [num_users=1] = call_function[target=relu](args = (%a,), kwargs = {})
    %c : [num_users=1] = call_function[target=add](args = (%b, %w), kwargs = {})
    %d : [num_users=1] = call_function[target=relu](args = (%c,), kwargs = {})
    %e : [num_users=1] = call_function[target=mul](args = (%d, %d), kwargs = {})
    return e
END
# mode NAME FAULTS WANTED [OPTION...]
mode() {
    name=$1 faults=$2 wanted=$3
    shift 3
    $program bisect --porcelain --mode "$name" --run "$(wrong "$faults")" "$@" net.fx > found 2> error
    [ "$(sed 1d found | tr '\n' ',')" = "$wanted" ]
    verdict "--mode $name, planted $faults: $(tr '\n' ',' < found)" $? error
}
mode smallest b+d 'culprit b d,'
mode block b+d 'culprit b c d,'
mode accumulate b+d 'culprit d,'
mode binary b+d 'culprit a b c d e,'
mode binary 'b d' 'culprit b,culprit d,'
mode sequential b+d 'clean,'
mode sequential 'a e' 'culprit a,culprit e,'
mode skip 'a e' 'culprit a b,culprit d e,' --cpu-nodes c --acc-ops '*'
mode smallest 'a c' 'culprit c,' --acc-ops add
mode smallest a 'clean,' --acc-ops add,relu

works "--emit" $program bisect --run "$(wrong b+d)" --emit saved net.fx
grep -q '^  b, d$' log && grep -q '^    d is [0-9]*, expected [0-9]*$' log
verdict "people: culprits, and both numbers" $? log
[ "$(cd saved/culprit0 && echo * inputs/* expected/* outputs/*.npy)" = \
    "expected inputs log outputs piece.fx run.sh inputs/a.npy inputs/c.npy expected/b.npy expected/d.npy outputs/b.npy outputs/d.npy" ]
verdict "what reproduces it" $?
cp saved/culprit0/outputs/d.npy d.npy && rm saved/culprit0/outputs/*
works "run.sh" sh saved/culprit0/run.sh
cmp -s saved/culprit0/outputs/d.npy d.npy && ! cmp -s saved/culprit0/expected/d.npy d.npy &&
    cmp -s saved/culprit0/outputs/b.npy saved/culprit0/expected/b.npy
verdict "run.sh writes the same outputs" $?
$program bisect --json --run "$(wrong b+d)" --emit 'sa"ved' net.fx > json 2> error
grep -q '"nodes": \["b", "d"\], "value": "d", "index": \[\], "got": "[0-9]*", "expected": "[0-9]*", "different": 1, "values": 1, "dir": "sa\\"ved/culprit0"}\]}$' json
verdict "JSON" $? json
$program bisect --porcelain --engine run --engine run net.fx > found 2> error
[ "$(cat found)" = "runs 4
clean" ]
verdict "an engine and itself: all values, and confirmed once" $? found
mkdir hashes && $program run --outputs hashes net.fx > log && mv hashes/e.npy hashes/x.npy
$program bisect --porcelain --engine run --engine run --inputs hashes net.fx > found 2> error && grep -q '^clean' found
verdict "--inputs" $? error

cat > npz.py << 'END'
import sys, zipfile
import struct
def npy(values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%df" % len(values), *values)
values = [((i * 7919) % 1000) / 8 for i in range(4000)]
for name, how, level in (("stored", 0, None), ("fast", 8, 1), ("small", 8, 9)):
    with zipfile.ZipFile(name + ".npz", "w", how, compresslevel=level) as file:
        file.writestr("x.npy", npy(values))
        file.writestr("y.npy", npy([1.0, 2.0]))
        file.writestr("zero.npy", npy([0.0] * 4000))
        file.writestr("none.npy", npy([]))
with zipfile.ZipFile("short.npz", "w", 8) as file:  # too short for a code of its own
    file.writestr("x.npy", npy([3.0]))
with open("x.npy", "wb") as file:
    file.write(npy(values))
with open("raw.bin", "wb") as file:
    file.write(struct.pack("<4000f", *values))
for at in range(0, 200, 7):  # damaged in each way: nothing but a sentence
    data = bytearray(open("small.npz", "rb").read())
    data[at * len(data) // 200] ^= 1 << at % 8
    open("damaged%d.npz" % at, "wb").write(data)
    open("cut%d.npz" % at, "wb").write(data[:at * len(data) // 200])
END
if command -v python3 > log; then
    mkdir given given/dir given/bin
    (cd given && python3 ../npz.py && cp x.npy dir && cp raw.bin bin/x.bin)
    cat > many.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4000]
    %y : [num_users=1] = call_function[target=relu](args = (%x,), kwargs = {})  # f32[4000]
    return y
END
    # keep: the value that the engine is given
    echo 'cp "$1/x.npy" "$2/y.npy"; cp "$1/x.npy" given.npy' > give-x.sh
    # given LABEL PATH: the array of x.npy
    given() {
        rm -f given.npy
        $program bisect --porcelain --engine 'sh give-x.sh {inputs} {outputs}; : {model}' --engine 'sh give-x.sh {inputs} {outputs}; : {model}' --inputs "$2" ${3:-many.fx} > found 2> error
        [ "$(tail -n 1 found)" = clean ] && [ "$(tail -c 16000 given.npy | cksum)" = "$(tail -c 16000 given/x.npy | cksum)" ] &&
            [ "$(head -c 128 given.npy | tr -d ' ' | grep -ac "'shape':(4000,)")" -eq 1 ]
        verdict "--inputs: $1" $? error
    }
    given "a directory" given/dir
    given "a directory with bytes alone" given/bin
    given "an array of the only input" given/x.npy
    given "bytes of the only input" given/raw.bin
    sed 's/f32.4000./f32[s0]/' many.fx > symbol.fx
    given "bytes of an input of unknown size" given/raw.bin symbol.fx
    for name in stored fast small; do given "$name.npz" given/$name.npz; done
    for wrong in given/damaged*.npz given/cut*.npz; do
        $program bisect --porcelain --engine 'sh give-x.sh {inputs} {outputs}; : {model}' --engine 'sh give-x.sh {inputs} {outputs}; : {model}' --inputs "$wrong" many.fx > found 2> error
        code=$?
        [ $code -eq 0 ] || { [ $code -le 2 ] && [ "$(wc -l < error)" -eq 1 ] && [ -z "$(ls tmp)" ]; } || break
        [ $code -ne 0 ] || [ "$(tail -c 16000 given.npy | cksum)" = "$(tail -c 16000 given/x.npy | cksum)" ] || break
        [ $code -eq 0 ] || echo >> damage
    done
    [ "$wrong" = given/cut98.npz ] && [ "$(wc -l < damage)" -ge 40 ]
    verdict "archives that are damaged or cut off: one sentence, or the values, $(wc -l < damage) refused" $? error
    # wrong_input PATH SENTENCE [GRAPH]
    wrong_input() {
        $program bisect --porcelain --engine 'sh give-x.sh {inputs} {outputs}; : {model}' --engine 'sh give-x.sh {inputs} {outputs}; : {model}' --inputs "$1" "${3:-many.fx}" > found 2> error
        [ $? -eq 2 ] && [ "$(cat error)" = "graphsplit: $2" ] && [ -z "$(ls tmp)" ]
        verdict "--inputs $1 of ${3:-many.fx}" $? error
    }
    sed 's/%x/%z/g; s/target=x/target=z/' many.fx > other.fx
    sed 's/f32.4000./f32[3000]/' many.fx > fixed.fx
    sed '2s/.*/&\n    %z : [num_users=1] = placeholder[target=z]  # f32[4000]/; s/(%x,)/(%x, %z)/' many.fx > both.fx
    sed 's/f32.4000./q7[4000]/' many.fx > strange.fx
    wrong_input given/small.npz 'given/small.npz has no z.npy' other.fx
    wrong_input given/raw.bin 'given/raw.bin has 16000 bytes, which are no f32[3000] of the input x' fixed.fx
    wrong_input given/raw.bin 'given/raw.bin has 16000 bytes, which are no q7[4000] of the input x' strange.fx
    wrong_input given/raw.bin 'given/raw.bin has one array, and the model has several inputs; give --inputs a directory or an .npz' both.fx
    wrong_input given/none.npz 'cannot read given/none.npz: No such file or directory'
    wrong_input given/none 'cannot read given/none/x.npy: No such file or directory'
    : > given/empty.npz
    wrong_input given/empty.npz 'given/empty.npz has no x.npy'
else
    skip "--inputs in .npz (python3 is missing)" 15
fi

# ---- recorded values: no reference runs ----

$program bisect --porcelain --run "$(wrong c)" --record record net.fx > found 2> error
[ "$(cd record && echo *)" = "a.npy b.npy c.npy d.npy e.npy x.npy" ]
verdict "--record" $? error
runs=$(sed -n 's/^runs //p' found)
$program bisect --porcelain --run "$(wrong c)" --recorded record net.fx > found2 2> error
[ "$(cat found2)" = "runs $((runs - 1))
culprit c" ]
verdict "--recorded: the same without the reference" $? error
$program bisect --json --engine run --recorded record net.fx > found2 2> error
grep -q '"reference": "record"' found2 && grep -q '^"culprits": \[\]' found2
verdict "--recorded and an engine" $? error
rm record/c.npy
$program bisect --run "$(wrong c)" --recorded record net.fx > found 2> error
[ $? -eq 2 ] && [ "$(cat error)" = "graphsplit: cannot read record/c.npy, a value of the reference" ] && [ -z "$(ls tmp)" ]
verdict "--recorded without a value" $? error

# ---- modules: a graph that nodes call, and names that files cannot have ----

cat > module.fx << 'END'
module main
graph():
    %x : [num_users=1] = placeholder[target=x]
    %a : [num_users=1] = call_module[target=inner](args = (%x,), kwargs = {})
    %b : [num_users=1] = call_function[target=relu](args = (%a,), kwargs = {})
    %c : [num_users=1] = call_function[target=relu](args = (%b,), kwargs = {})
    return c
module inner
graph():
    %x : [num_users=1] = placeholder[target=x]
    %n : [num_users=1] = call_function[target=neg](args = (%x,), kwargs = {})
    return n
END
$program bisect --porcelain --run "$(wrong b)" module.fx > found 2> error
[ "$(sed 1d found)" = "culprit b" ]
verdict "a graph that a node calls" $? error

# ---- numbers ----

cat > number.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[2, 2]
    %y : [num_users=1] = call_function[target=relu](args = (%x,), kwargs = {})  # f32[2, 2]
    return y
END
# npy FILE DESCR SHAPE BYTES [ORDER]: an array whose bytes are octal escapes
npy() {
    head=$(printf "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" "$2" "${5:-False}" "$3")
    {
        printf '\223NUMPY\001\000\166\000%-117s\n' "$head"
        printf "$4"
    } > "$1"
}
# equal YES LABEL TOLERANCE: is what got.npy has what want.npy has?
cat > give.sh << 'END'
cp "$1" "$2/y.npy"
END
equal() {
    $program bisect --porcelain --run 'sh give.sh got.npy {outputs}; : {model}' --engine 'sh give.sh want.npy {outputs}; : {model}' \
        --tolerance "$3" number.fx > found 2> error
    case $(sed -n 2p found) in "culprit y") is=0 ;; clean) is=1 ;; *) is=error ;; esac
    [ "$is" = "$1" ]
    verdict "$2, tolerance $3: $(tr '\n' ' ' < found)" $? error
}
one='\000\000\200\077'     # 1, little endian
more='\000\000\210\077'    # 1.0625
nan='\000\000\300\177'
inf='\000\000\200\177'
npy want.npy '<f4' '2, 2' "$one$one$nan$inf"
npy got.npy '<f4' '2, 2' "$one$more$nan$inf"
equal 0 "1.0625 for 1" 0
equal 0 "1.0625 for 1" 0.0624
equal 1 "1.0625 for 1" 0.0625
equal 1 "1.0625 for 1" 0,0.0625
equal 0 "1.0625 for 1" 0,0.0624
$program bisect --run 'sh give.sh got.npy {outputs}; : {model}' --engine 'sh give.sh want.npy {outputs}; : {model}' number.fx > found 2> error
grep -q '^    y\[0, 1\] is 1.0625, expected 1; 1 of 4 values differ$' found
verdict "people: the first value that differs" $? found
npy got.npy '<f4' '2, 2' "$one$one$one$inf"
equal 0 "1 for NaN" 1e30
npy got.npy '<f4' '2, 2' "$one$one$nan$one"
equal 0 "1 for inf" 1e30,1
npy got.npy '>f4' '2, 2' '\077\200\000\000\077\200\000\000\177\300\000\000\177\200\000\000'
equal 1 "the other order of bytes" 0
npy got.npy '<f4' '2, 2' "$one$nan$one$inf" True
equal 1 "columns first" 0
npy got.npy '<f4' '4,' "$one$one$nan$inf"
equal 0 "another shape" 1e30
npy got.npy '<i4' '2, 2' "$one$one$nan$inf"
equal 0 "another type" 1e30
npy want.npy '<f2' '4,' '\000\074\001\000\000\200\000\374'
npy got.npy '<f2' '4,' '\000\074\002\000\000\000\000\374'
equal 1 "halves: 1, least and its double, -0 and 0, -inf" 6e-8
equal 0 "halves: 1, least and its double, -0 and 0, -inf" 5e-8
equal 0 "halves: steps of -0 and 0, least and its double" ulp=0
equal 1 "halves: steps of -0 and 0, least and its double" ulp=1
npy want.npy '<f4' '3,' '\001\000\000\200\377\377\177\077\377\377\177\177'
npy got.npy '<f4' '3,' '\001\000\000\000\001\000\200\077\376\377\177\177'
equal 0 "steps across 0, across 1, below the largest" ulp=1
equal 1 "steps across 0, across 1, below the largest" ulp=2
equal 1 "a small one by steps, a large one by its distance" ulp=2,abs=1e-6
npy got.npy '<f4' '3,' '\001\000\000\200\377\377\177\077\000\000\200\177'
equal 0 "infinite for the largest" ulp=1000
npy want.npy '<f8' '2,' '\000\000\000\000\000\000\360\077\000\000\000\000\000\000\360\277'
npy got.npy '<f8' '2,' '\001\000\000\000\000\000\360\077\001\000\000\000\000\000\360\277'
equal 0 "steps of 64 bits" ulp=0
equal 1 "steps of 64 bits" ulp=1
npy want.npy '<f4' '2,' "$one$one"
npy got.npy '<f4' '2,' "$more$more"
equal 1 "cosine: another length" cosine=1e-15
npy got.npy '<f4' '2,' "$more$one"
equal 0 "cosine: another angle" cosine=4e-4
equal 1 "cosine: another angle" cosine=5e-4
npy got.npy '<f4' '2,' "$one\000\000\200\277"
equal 0 "cosine: a right angle" cosine=0.999
equal 1 "cosine: a right angle" cosine=1.001
npy got.npy '<f4' '2,' '\000\000\000\000\000\000\000\000'
equal 0 "cosine: no direction" cosine=0.999
npy want.npy '<f4' '2,' '\000\000\000\000\000\000\000\000'
equal 1 "cosine: no direction twice" cosine=0
npy got.npy '<f4' '2,' "$nan\000\000\000\000"
equal 0 "cosine: a number that is none" cosine=2
npy want.npy '<f4' '3,' "$nan$inf\377\377\177\177"
npy got.npy '<f4' '3,' "$nan$inf\377\377\177\177"
equal 1 "cosine: the same numbers that are none, and the largest" cosine=0
npy want.npy '<c8' '2,' "$one$one$one$one"
npy got.npy '<c8' '2,' "$one$one$one$more"
equal 0 "an imaginary part" 0.06
equal 1 "an imaginary part" 0.07
equal 0 "an imaginary part" cosine=3e-4
equal 1 "an imaginary part" cosine=4e-4
npy want.npy '|i1' '2,' '\001\377'
npy got.npy '|i1' '2,' '\001\001'
equal 0 "integers: 1 for -1" 1.9,1
equal 0 "integers: 1 for -1" 2
equal 0 "integers: 1 for -1" int=1
equal 1 "integers: 1 for -1" int=2
equal 1 "integers: 1 for -1" cosine=0,int=2
npy want.npy '<u8' '' '\377\377\377\377\377\377\377\377'
npy got.npy '<u8' '' '\376\377\377\377\377\377\377\377'
equal 0 "integers of 64 bits" 0.5,1
npy want.npy '|V3' '1,' 'abc'
npy got.npy '|V3' '1,' 'abd'
equal 0 "bytes" 1e30
npy want.npy '|b1' '0, 2' ''
npy got.npy '|b1' '0, 2' ''
equal 1 "no values" 0
# refused_array LABEL SENTENCE
refused_array() {
    equal error "$1" 0
    grep -q -- "$2" error && [ "$(wc -l < error)" -eq 1 ]
    verdict "$1: one sentence" $? error
}
npy got.npy '<f4' '2, 2' "$one"
refused_array "an array that is cut off" 'y.npy ends before its last value$'
npy got.npy '|O' '2,' ''
refused_array "objects" 'the type or shape of the array is none that can be compared$'
npy got.npy '<f4' '4294967296, 4294967296, 2' ''
refused_array "a shape beyond memory" 'the type or shape of the array is none that can be compared$'
echo hello > got.npy
refused_array "a text" 'y.npy is no .npy file$'

# Random inputs have the types of the graph, and --seed changes them.
cat > keep.sh << 'END'
cp "$1"/*.npy "$2"; cp "$2/x.npy" "$2/y.npy"; cp "$2/y.npy" kept.npy
END
for type in 'f32[2, 3]' 'f16[s0]' 'f64[]' 'i64[4]' 'qu8[2, 2]' 'b1[3]'; do
    sed "s/f32\[2, 2\]/$type/" number.fx > typed.fx
    $program bisect --porcelain --engine 'sh keep.sh {inputs} {outputs}; : {model}' --engine 'sh keep.sh {inputs} {outputs}; : {model}' typed.fx > found 2> error
    [ "$(sed 1d found)" = clean ] && cp kept.npy first.npy &&
        $program bisect --seed 2 --engine 'sh keep.sh {inputs} {outputs}; : {model}' --engine 'sh keep.sh {inputs} {outputs}; : {model}' typed.fx > found 2>> error &&
        { [ "$type" = 'b1[3]' ] || [ "$type" = 'i64[4]' ] || ! cmp -s first.npy kept.npy; }
    verdict "random inputs of $type" $? error
done

# ---- faults that later operators hide, and engines that yield outputs alone ----

cat > hidden.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[2]
    %a : [num_users=1] = call_function[target=relu](args = (%x,), kwargs = {})  # f32[2]
    %b : [num_users=1] = call_function[target=neg](args = (%a,), kwargs = {})  # f32[2]
    %c : [num_users=1] = call_function[target=relu](args = (%b,), kwargs = {})  # f32[2]
    %d : [num_users=1] = call_function[target=neg](args = (%c,), kwargs = {})  # f32[2]
    return d
END
# usage: hide.sh WRONG MOST MODEL OUTPUTS: all values are 1, but those of NODE or NODE+NODE (the first is wrong in a piece
# with both); an error if they are more than MOST
cat > hide.sh << 'END'
names=$(sed -n 's/^ *return //p' "$3" | tr -d '(),')
[ "$(echo "$names" | wc -w)" -le "$2" ] || exit 1
for name in $names; do
    cp one.npy "$4/$name.npy"
    for wrong in $1; do
        [ "$name" != "${wrong%+*}" ] || ! grep -q "%${wrong#*+} : .*= call_" "$3" || cp two.npy "$4/$name.npy"
    done
done
END
npy one.npy '<f4' '2,' "$one$one"
npy two.npy '<f4' '2,' "$one$more"
# hidden WRONG MOST WANTED
hidden() {
    $program bisect --porcelain --run "sh hide.sh '$1' $2 {model} {outputs}" --engine 'sh hide.sh "" 9 {model} {outputs}' hidden.fx > found 2> error
    [ "$(sed 1d found | tr '\n' ' ')" = "$3 " ] && [ ! -s error ]
    verdict "planted ${1:-nothing}, which later nodes hide, $2 outputs at most: $(tr '\n' ' ' < found)" $? error
}
hidden a 9 'culprit a'
hidden 'a c' 9 'culprit a culprit c'
hidden 'a d' 9 'culprit a culprit d'
hidden d 9 'culprit d'
hidden c+a 9 'culprit a c'
hidden 'c+a b' 9 'culprit b culprit a c'
hidden '' 9 clean
hidden d 1 'culprit d'
hidden a 1 clean

# ---- the page ----

browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name)
done
# page LABEL FILE ROWS CULPRITS MOST: well-formed, at most so many bytes, and nothing from elsewhere; looked at with a browser
page() {
    [ "$(wc -c < "$2")" -le "$5" ] && ! sed 's,http://www.w3.org/[0-9a-z/]*,,g' "$2" | grep -q '://\|<script\|@import\|url(' &&
        [ "$(grep -c '^<tr ' "$2")" -eq "$3" ] && [ "$(grep -c '^<div class="panel bad">' "$2")" -eq "$4" ]
    verdict "$1: $(wc -c < "$2") bytes, $3 rows, $4 culprits, nothing from elsewhere" $? error
    if command -v python3 > log; then
        works "$1: well-formed" python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$2"
    else
        skip "$1: well-formed (python3 is missing)"
    fi
}
$program bisect --porcelain --run "sh hide.sh 'c+a d' 9 {model} {outputs}" --engine 'sh hide.sh "" 9 {model} {outputs}' --html page.html hidden.fx > found 2> error
page "the page of hidden faults" page.html 4 2 9000
grep -q '^<tr id="n3" class="far"><td><b>c</b>.*<td class="n" data-is="share">0.062</td><td class="n" data-is="largest difference">0.0625</td><td class="n" data-is="differ">1 of 2</td><td data-is="reads"><a href="#n2">b</a></td></tr>$' page.html
verdict "the page: the error of a node" $? page.html
if [ -n "$browser" ] && command -v node > log; then
    works "the page in a browser" env TMPDIR="$out" node "$root/tests/program/bisect_page.mjs" "$browser" "$out" page.html 4 2
else
    skip "the page in a browser (node or chromium is missing)"
fi
for mode in binary block sequential accumulate skip; do
    $program bisect --porcelain --mode $mode --run "sh hide.sh d 9 {model} {outputs}" --engine 'sh hide.sh "" 9 {model} {outputs}' --html page.html hidden.fx > found 2> error
    [ "$(grep -c '^<tr .*<td class="meter">' page.html)" -eq 4 ]
    verdict "the page of mode $mode has all errors" $? page.html
done
awk 'BEGIN {
    print "graph():\n    %x : [num_users=1] = placeholder[target=x]"
    for (i = 1; i <= 3000; i++) print "    %n" i " : [num_users=1] = call_function[target=<built-in \"add\" & co>](args = (%" (i == 1 ? "x" : "n" i - 1) ",), kwargs = {})"
    print "    return n3000" }' > long.fx
$program bisect --porcelain --run "$(wrong n7)" --html page.html long.fx > found 2> error
page "the page of 3000 nodes" page.html 1000 1 600000
[ "$(sed 1d found)" = 'culprit n7' ] && [ "$(grep -c '<circle' page.html)" -le 600 ] && grep -q '^<p>2000 more nodes' page.html
verdict "the page of 3000 nodes has 600 points" $? error

# ---- what goes wrong: one sentence, and nothing is left ----

# refused STATUS SENTENCE OPTION...
refused() {
    status=$1 sentence=$2
    shift 2
    $program bisect --porcelain --emit new "$@" net.fx > found 2> error
    code=$?
    [ $code -eq "$status" ] && grep -q -- "$sentence" error && [ "$(grep -vc '^Try ' error)" -eq 1 ] && [ ! -e new ] && [ -z "$(ls tmp)" ]
    verdict "$*: exit $code" $? error
}
refused 1 'the command cannot start: status 127' --run '/none/such {model} {outputs}'
refused 1 'the command has not written e.npy$' --run ': {model} {outputs}'
refused 1 'the command ended with status 3: broken$' --run 'echo fine; echo broken >&2; exit 3; {model} {outputs}'
refused 1 'the command was ended by signal 9 (SIGKILL, as when memory runs out)$' --run 'kill -9 $$; {model} {outputs}'
refused 1 'the command has not ended within 1 s; --timeout gives it more$' --timeout 1 --run 'sleep 60; {model} {outputs}'
mkdir runs
cat > flaky.sh << 'END'
# usage: flaky.sh FIRST SECOND MODEL: the model with these faults when it runs for the first time, and after that
sum=runs/$(cksum < "$3" | tr ' ' _)
fault=$1
[ ! -e "$sum" ] || fault=$2
: > "$sum"
exec awk -v faults="$fault" -f wrong.awk "$3"
END
refused 1 'the command is flaky: a piece that was right at first differs the second time$' --run "sh flaky.sh '' c {model} | $(wrong '' | sed 's/{model}//')"
rm runs/*
refused 1 'the command is flaky: a piece that differed at first is right the second time$' --run "sh flaky.sh c '' {model} | $(wrong '' | sed 's/{model}//')"
refused 2 'give --run COMMAND, or --engine twice' --engine run
refused 2 'is no engine: expected run, litert, tflm, ort, or a command' --engine run --engine walk
refused 2 'two engines are compared, and --engine is given more often$' --engine run --engine run --engine run
refused 2 'expected the name of a file to write' --html - --engine run --engine run
refused 1 'net.fx is the input; give another name to write to$' --html net.fx --engine run --engine run
refused 1 'cannot write none/page.html' --html none/page.html --engine run --engine run
refused 2 '--recorded is in place of --inputs and of a second engine$' --recorded record --inputs record --engine run
refused 2 '--recorded is in place of --inputs and of a second engine$' --recorded record --engine run --engine run
refused 2 '--run is one engine, and one --engine may be the other$' --run "$(wrong c)" --engine run --engine run
for wrong in -1 1,x nan 1,2,3 ulp=-1 walk=1 ulp= =1 ulp=1,ulp=2 1, ''; do
    refused 2 '--tolerance expects ABS, ABS,REL or NAME=VALUE' --tolerance="$wrong" --engine run --engine run
done
refused 2 '--tolerance: cosine measures all values at once; give it alone, or with int$' --tolerance cosine=0,ulp=1 --engine run --engine run
refused 2 'cannot read none/x.npy: No such file' --inputs none --engine run --engine run
refused 2 '^graphsplit: --seed is for random inputs, and --inputs gives them$' --seed 2 --inputs a --engine run --engine run
refused 2 '^graphsplit: --seed is for random inputs, and --recorded gives them$' --seed 2 --recorded a --engine run
refused 2 '^graphsplit: --time measures a pass, and bisect is none$' --time 3 --engine run --engine run
refused 1 'there is no node to search$' --cpu-nodes '*' --engine run --engine run
refused 1 'hello.txt is no .npy file$\|input x: there are no random values' --engine 'cp a {outputs}; : {model}' --engine 'cp a {outputs}; : {model}'
mkdir -p new/culprit0 && : > new/culprit0/mine
$program bisect --run "$(wrong c)" --emit new net.fx > found 2> error
[ $? -eq 1 ] && grep -q 'new/culprit0 is there, or cannot be made; give --emit another directory$' error && [ -e new/culprit0/mine ] && [ -z "$(ls tmp)" ]
verdict "--emit onto another one" $? error
rm -r new

# What was found before stays. usage: wait.sh COUNT [fail]: succeeds so many times, then hangs or fails
cat > wait.sh << 'END'
echo >> ran
[ "$(wc -l < ran)" -gt "$1" ] || exit 0
[ -z "$2" ] || exit 3
: > waits
exec sleep 60
END
# The first two runs are of all nodes, two are of c, and the fifth is of what is left.
for runs in 1 2 3 5; do
    for how in fail ''; do
        rm -rf ran kept
        $program bisect --porcelain --timeout 1 --emit kept --run "sh wait.sh $runs $how && { $(wrong 'c d'); }" net.fx > found 2> error
        code=$?
        case $runs in 1 | 2) want='open a b c d e ' ;; 3) want='open c ' ;; *) want='culprit c open a b d e ' ;; esac
        [ $code -eq 1 ] && [ "$(sed '1,2d' found | tr '\n' ' ')" = "$want" ] && [ "$(wc -l < error)" -eq 1 ] &&
            [ -s kept/culprit0/run.sh ] && [ -z "$(ls tmp)" ]
        verdict "a command that ${how:-hang}s after $runs runs: exit $code, $(tr '\n' ' ' < found)" $? error
    done
done
rm -r kept

# A signal ends the command, too. Nothing stays.
(
    # shellcheck disable=SC2086
    $program bisect --run 'echo $$ > process; sleep 60; : {model} {outputs}' --emit new net.fx > found 2> error &
    search=$!
    i=0
    while [ ! -s process ] && [ $i -lt 200 ]; do
        sleep 0.05
        i=$((i + 1))
    done
    kill -TERM $search
    wait $search 2> /dev/null
)
[ -s process ] && ! kill -0 "$(cat process)" 2> /dev/null && [ ! -e new ] && [ -z "$(ls tmp)" ]
verdict "a signal" $? error

# ^C: the best so far. Only a new process group has a SIGINT that is not ignored.
cat > interrupt.py << 'END'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
with open("found", "w") as out, open("error", "w") as error:
    run = subprocess.Popen(sys.argv[1:], stdout=out, stderr=error, start_new_session=True)
for _ in range(600):
    if os.path.exists("waits"):
        break
    time.sleep(0.05)
run.send_signal(signal.SIGINT)
sys.exit(run.wait())
END
if ! command -v python3 > log || [ "${program#* }" != "$program" ]; then
    skip "^C (python3 is missing, or an emulator runs the program)" 3
else
    for runs in 0 1 5; do
        rm -rf ran waits kept
        python3 interrupt.py $program bisect --porcelain --emit kept --run "sh wait.sh $runs && { $(wrong 'c d'); }" net.fx
        code=$?
        case $runs in 0) want='interrupted ' ;; 1) want='open a b c d e interrupted ' ;; *) want='culprit c open a b d e interrupted ' ;; esac
        [ $code -eq 0 ] && [ "$(sed 1d found | tr '\n' ' ')" = "$want" ] && [ ! -s error ] && [ -z "$(ls tmp)" ] &&
            { [ $runs -eq 0 ] || { ! cmp -s kept/culprit0/outputs/[ce].npy kept/culprit0/expected/[ce].npy && [ -s kept/culprit0/run.sh ]; }; }
        verdict "^C after $runs runs: exit $code, $(tr '\n' ' ' < found)" $? error
    done
fi
finish
