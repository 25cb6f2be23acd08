#!/bin/sh
# `memory`: results in place by rules and by inplace=, orders of plans, what is said of them.
# GRAPHSPLIT: the program.
set -u
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

# graph ANNOTATION: x, a, r = relu(a, x, 3), c, with that annotation at r
graph() {
    cat << END
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[1024]
    %w : [num_users=1] = get_attr[target=w]  # f32[4096]
    %a : [num_users=1] = call_function[target=conv](args = (%x, %w), kwargs = {})  # f32[4096]
    %r : [num_users=1] = call_function[target=pool](args = (%a, %x, 3, %w), kwargs = {})  # f32[4096] $1
    %c : [num_users=1] = call_function[target=conv](args = (%r,), kwargs = {})  # f32[1024]
    return c
END
}
# arena OPTION...: of g.fx
arena() {
    $program memory --porcelain "$@" g.fx 2> err | sed -n 's/^arena bytes=\([0-9]*\) .*/\1/p'
}
# gives BYTES OPTION...
gives() {
    wanted=$1
    shift
    [ "$(arena "$@")" = "$wanted" ]
    verdict "memory $*: $wanted bytes" $? err
}
# refuses STATUS TEXT COMMAND OPTION...
refuses() {
    status=$1
    text=$2
    shift 2
    $program "$@" > out 2> err
    [ $? -eq "$status" ] && grep -q -e "$text" err
    verdict "$*: $text" $? err
}

graph inplace=0 > g.fx
gives 36864
gives 20480 --in-place
gives 20480 --in-place=litert
graph '' > g.fx
gives 36864 --in-place
printf '# all that pools\npool 0,1\n' > rules
gives 20480 --in-place=@rules
printf 'po*\t0 # by a pattern\r\n' > rules
gives 20480 --in-place=@rules
printf 'pool 1\n' > rules
gives 36864 --in-place=@rules
printf 'pool zero\n' > rules
refuses 1 "rules: expected NAME and the positions of arguments below 32, such as .add 0,1., or .parts., got 'pool zero'" memory --in-place=@rules g.fx
printf 'pool 32\n' > rules
refuses 1 "got 'pool 32'" memory --in-place=@rules g.fx
refuses 2 "expects litert, ort, torch, all or @FILE, got 'tvm'" memory --in-place=tvm g.fx
refuses 2 '.--in-place cannot be combined with --csv' memory --in-place --csv g.fx
refuses 2 '.--in-place cannot be combined with --budget; --capacity' memory --in-place --budget 1K g.fx
graph inplace=1 > g.fx
refuses 1 '%r: inplace=1, but its 16384 bytes do not fit into the 4096 bytes of %x' memory --in-place g.fx
gives 36864
graph inplace=2 > g.fx
refuses 1 '%r: inplace=2 names the constant 3, in whose memory no result may stand' memory --in-place g.fx
graph inplace=3 > g.fx
refuses 1 '%r: inplace=3 names the parameter %w, in whose memory no result may stand' memory --in-place g.fx
graph '' | sed '/%c :/s/$/ inplace=0/' > g.fx
refuses 1 '%c: inplace=0, but its 4096 bytes are fewer than the 16384 bytes of %r' memory --in-place g.fx
graph inplace=4 > g.fx
refuses 1 '%r: inplace=4 names no argument' memory --in-place g.fx

# The tables: relu is in those of ONNX Runtime and PyTorch alone, whatever the format calls it.
for target in relu onnx.Relu tflite.RELU torch.ops.aten.relu.default torch.nn.functional.relu hlo.relu; do
    graph '' | sed "s/target=pool/target=$target/" > g.fx
    gives 20480 --in-place=ort
    gives 20480 --in-place=torch
    gives 36864 --in-place=litert
done
graph '' | sed 's/target=pool/target=tflite.SOFTMAX/' > g.fx
gives 20480 --in-place=litert
gives 36864 --in-place=torch
graph '' | sed 's/call_function.target=pool/call_module[target=m.3/; s/4096. $/4096] module=torch.nn.ReLU/' > g.fx
gives 20480 --in-place=torch
# Elements of another width are no result in place, even if the bytes are equal.
graph '' | sed 's/target=pool/target=onnx.Cast/; s/%r .*f32.4096.*/&/; /%r :/s/f32.4096./i8[16384]/' > g.fx
gives 36864 --in-place
graph '' | sed 's/target=pool/target=onnx.Cast/; /%r :/s/f32.4096./i32[4096]/' > g.fx
gives 20480 --in-place

# Without the option the report names its condition; with it, what is in place.
graph '' | sed 's/target=pool/target=relu/' > g.fx
$program memory g.fx > out
grep -q 'no plan without results in place takes less;$' out && grep -q 'with: 20.0 KiB (20480 bytes) (--in-place)$' out
verdict "memory: the sentence names its condition" $? out
$program memory --in-place g.fx > out
grep -q 'no plan with these in place takes less$' out && grep -q '1 result in place; without: 36.0 KiB$' out
verdict "memory --in-place: what it saves" $? out
$program memory --in-place --json g.fx | tr -d '\n ' | grep -q '"in_place":\[{"node":"r","on":"a"}\]'
verdict "memory --in-place --json" $?
$program memory --porcelain --save-csv t.csv --in-place g.fx > out && $program memory --csv --porcelain t.csv |
    grep -q '^arena bytes=20480 least=20480 align=1 tensors=3$'
verdict "memory --save-csv: a chain is one tensor" $? out

# Concatenations: both arguments lie inside the result, 3 of 4 KiB and 2 KiB are live at once; relu is in place, too.
concat() {
    cat << END
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[1, 64]
    %a : [num_users=1] = call_function[target=conv](args = (%x,), kwargs = {})  # f32[$1, 256]
    %b : [num_users=1] = call_function[target=conv](args = (%x,), kwargs = {})  # f32[$1, 256]
    %r : [num_users=1] = call_function[target=relu](args = (%b,), kwargs = {})  # f32[$1, 256]
    %c : [num_users=1] = call_function[target=$2](args = ([%a, %r], $3), kwargs = {})  # f32[$1, 512]
    %d : [num_users=1] = call_function[target=relu](args = (%c,), kwargs = {})  # f32[$1, 512]
    %e : [num_users=1] = call_function[target=conv](args = (%d,), kwargs = {})  # f32[16]
    return e
END
}
concat 1 torch.cat 1 > g.fx
gives 4096
gives 2304 --in-place
gives 4096 --in-place=torch
gives 4096 --in-place=ort
printf 'relu 0\ntorch.c* parts\n' > rules
gives 2304 --in-place=@rules
$program memory --in-place --porcelain g.fx > out
cat > expected << 'END'
inplace a on c
inplace b on c
inplace r on b
inplace d on c
proof objective=2304 bound=2304 proved=1 reference=4096
END
grep '^inplace\|^proof' out | diff expected - > log && grep -q '^arena bytes=2304 least=2304 align=16 tensors=7$' out &&
    awk '$1 == "tensor" { split($3, o, "="); at[$2] = o[2] }
        END { exit !(at["a"] == at["c"] && at["r"] == at["c"] + 1024 && at["b"] == at["r"] && at["d"] == at["c"]) }' out
verdict "memory --in-place: arguments of a concatenation at their offsets" $? out
$program memory --in-place g.fx > out && grep -q '4 results in place; without: 4.0 KiB$' out && grep -q '^  a .* 1.0 KiB ' out
verdict "memory --in-place: a concatenation for people" $? out
$program memory g.fx | grep -q 'with: 2.3 KiB (2304 bytes) (--in-place)$'
verdict "memory: what a concatenation in place would take" $?
# Rows of two: the parts are not contiguous.
concat 2 torch.cat 1 > g.fx
gives 8192
gives 8192 --in-place=@rules
# The second part of 1,000 bytes begins at no multiple of 16.
concat 1 torch.cat 1 | sed 's/256\]/250]/; s/512\]/500]/' > g.fx
gives 3256 --in-place=@rules
gives 2256 --in-place=@rules --align 8
# An argument that is written, or read after the result is overwritten, has memory of its own.
concat 1 torch.cat 1 | sed 's/%e : .*conv](args = (%d,)/%e : [num_users=1] = call_function[target=conv](args = (%d, %a)/' > g.fx
$program memory --in-place --porcelain g.fx > out && ! grep -q '^inplace a on c' out
verdict "memory --in-place: an argument that is read later" $? out
concat 1 torch.cat 1 | sed '/%r :/s/$/ mutates=0/' > g.fx
$program memory --in-place --porcelain g.fx > out && ! grep -q '^inplace b ' out
verdict "memory --in-place: an argument that is written" $? out

# Splits and slices: their results lie inside the argument, while it is read, or in place where nothing else reads it.
cat > g.fx << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[64]
    %a : [num_users=1] = call_function[target=conv](args = (%x,), kwargs = {})  # f32[4, 256]
    %s : [num_users=2] = call_function[target=onnx.Split](args = (%a,), kwargs = {})  # tuple(f32[1, 256], f32[3, 256])
    %g : [num_users=1] = call_function[target=operator.getitem](args = (%s, 1), kwargs = {})  # f32[3, 256]
    %r : [num_users=1] = call_function[target=relu](args = (%g,), kwargs = {})  # f32[3, 256]
    %h : [num_users=1] = call_function[target=operator.getitem](args = (%s, 0), kwargs = {})  # f32[1, 256]
    %t : [num_users=1] = call_function[target=hlo.slice](args = (%r,), kwargs = {slice: [[1, 3], [0, 256]]})  # f32[2, 256]
    %u : [num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%t, 0, 1, 2), kwargs = {})  # f32[1, 256]
    %e : [num_users=1] = call_function[target=conv](args = (%h, %t, %u), kwargs = {})  # f32[16]
    return e
END
gives 8192
gives 4352 --in-place
gives 8192 --in-place=litert
$program memory --in-place --porcelain g.fx > out
[ "$(grep '^inplace' out | tr '\n' ';')" = 'inplace g on a;inplace r on g;inplace h on a;inplace t on g;inplace u on t;' ] &&
    awk '$1 == "tensor" { split($3, o, "="); at[$2] = o[2] - at["a"] }
        END { exit !(at["h"] == 0 && at["r"] == 1024 && at["t"] == 2048 && at["u"] == 3072) }' out
verdict "memory --in-place: results of splits and slices at their offsets" $? out

# Orders of a split: --run-of reads the plan that it wrote.
cat > s.fx << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[64]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[256]
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[16]
    %c : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[256]
    %d : [num_users=1] = call_function[target=g](args = (%b, %c), kwargs = {})  # f32[16]
    return d
END
$program split --acc-ops f --save-plan s.plan s.fx > out && $program memory --porcelain --run-of s.plan s.fx > out &&
    grep -q '^order x a c b d return$' out && grep -q '^arena bytes=2304 ' out
verdict "memory --run-of: the plan of a split" $? out
$program memory --json --run-of s.plan s.fx | grep -q '"order": \["x", "a", "c", "b", "d", "return"\],$'
verdict "memory --run-of --json" $?
refuses 1 'node b: an order has every callable node once, after its inputs (the other node is a)' memory --run-of a=1,b=0,c=1,d=1 s.fx
refuses 1 '.--run-of: %c is in no part' memory --run-of a=0,b=0,d=1 s.fx
refuses 2 '.--run-of, which gives an order, cannot be combined with --order' memory --run-of s.plan --order best s.fx

# The order within a part is that of the lines of the plan, unless a node would run before its inputs.
cat > o.fx << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[16]
    %a : [num_users=1] = call_function[target=foo](args = (%x,), kwargs = {})  # f32[1024]
    %b : [num_users=1] = call_function[target=foo](args = (%x,), kwargs = {})  # f32[16]
    %c : [num_users=1] = call_function[target=foo](args = (%b,), kwargs = {})  # f32[2048]
    %d : [num_users=1] = call_function[target=foo](args = (%c,), kwargs = {})  # f32[16]
    %e : [num_users=1] = call_function[target=bar](args = (%a, %d), kwargs = {})  # f32[16]
    return e
END
$program split --acc-ops foo --order least-peak --save-plan o.plan o.fx > out && $program memory --porcelain --run-of o.plan o.fx > out &&
    grep -q '^order x b c d a e return$' out && grep -q '^arena bytes=8320 ' out
verdict "memory --run-of: the order of split --order least-peak" $? out
printf 'plan 1\n[p]\nd\nc\nb\na\n[q]\ne\n' > r.plan
$program memory --porcelain --run-of r.plan o.fx | grep -q '^order x a b c d e return$'
verdict "memory --run-of: lines in an order that cannot run" $?

# One arena for a whole split: --emit writes the offsets that memory --run-of plans.
$program split --acc-ops f --emit parts s.fx > out && $program memory --porcelain --run-of s.plan s.fx |
    sed -n 's/^tensor \(.*\) offset=\(.*\) bytes=\(.*\) first.*/{"name": "\1", "offset": \2, "bytes": \3, /p' > tensors &&
    [ "$(wc -l < tensors)" -eq 5 ] && grep -c -F -f tensors parts/manifest.json | grep -q -x 2 &&
    while read -r tensor; do
        grep -q -F "$tensor" parts/manifest.json || exit 1
    done < tensors && grep -q '"arena": 2304, "tensors": .{"name": "x"' parts/manifest.json &&
    grep -q '"name": "b", "offset": [0-9]*, "bytes": 64, "crosses": false}' parts/manifest.json
verdict "split --emit: offsets of the shared arena" $? parts/manifest.json

# Several models in one arena.
sed 's/256\]/250]/' s.fx > t.fx
$program memory --sequential --porcelain s.fx t.fx "$root/examples/models/onnx_mnist.fx" > out
grep -q '^model s.fx offset=0 bytes=1344 least=1344$' out && grep -q '^arena bytes=60416 least=60416 align=16 models=3$' out &&
    grep -q '^proof objective=60416 bound=60416 proved=1 reference=63080$' out
verdict "memory --sequential" $? out
$program memory --concurrent --porcelain t.fx s.fx > out
cat > expected << 'END'
model t.fx offset=1344 bytes=1320 least=1320
model s.fx offset=0 bytes=1344 least=1344
arena bytes=2664 least=2664 align=16 models=2
proof objective=2664 bound=2664 proved=1 reference=2664
END
diff expected out > log
verdict "memory --concurrent: last what leaves a gap" $? log
$program memory --concurrent s.fx t.fx | grep -q 'arena *2.7 KiB (2664 bytes): no plan without results in place takes less$'
verdict "memory --concurrent for people" $?
$program memory --sequential --json s.fx t.fx | grep -q '"concurrent": false},$'
verdict "memory --sequential --json" $?
sed 's/f32.256./f32[s0, 256]/' s.fx > u.fx
$program memory --sequential --porcelain t.fx u.fx 2> err | grep -q '^proof objective=1344 bound=1344 proved=0 reference=2664$' &&
    $program memory --sequential --json t.fx u.fx 2> err | grep -q '"proved": false'
verdict "memory --sequential: unknown sizes prove nothing" $?
$program memory --concurrent t.fx u.fx 2> err > out
grep -q '^  arena  *>= 2.7 KiB (2664 bytes): 1 of these models has sizes that are unknown$' out && grep -q '^  u.fx .* >= 1344$' out
verdict "memory --concurrent for people: unknown sizes" $? out
refuses 2 '.--sequential cannot be combined with --concurrent' memory --sequential --concurrent s.fx t.fx
refuses 2 '.--concurrent plans several models; it takes --order' memory --concurrent --budget 1K s.fx t.fx
refuses 2 "expected one FILE, got 't.fx' too" memory s.fx t.fx

# fit: every way, the first that fits, and the model that it gives.
net=$root/examples/models/onnx_mnist.fx
$program fit --ram 45KiB --porcelain --emit-model best.fx "$net" > out
cat > expected << 'END'
fit plan ram=60416 fits=0 macs=+0 moved=0
fit order ram=50176 fits=0 macs=+0 moved=0
fit in-place ram=41600 fits=1 macs=+0 moved=0
fit order,in-place ram=31360 fits=1 macs=+0 moved=0
fit parts ram=50176 fits=0 macs=+0 moved=43008
parameters bytes=24008 fits=1
chosen in-place
END
diff expected out > log
verdict "fit: ways, and the first that fits" $? log
$program memory --in-place --porcelain best.fx | grep -q '^arena bytes=41600 '
verdict "fit --emit-model: what memory says of it" $?
$program fit --ram 40KiB --porcelain --emit-model best.fx "$net" | grep -q '^chosen order,in-place$' &&
    $program memory --in-place --porcelain best.fx | grep -q '^arena bytes=31360 '
verdict "fit --emit-model: the order that fits" $?
$program fit --ram 20KiB --porcelain "$net" > out
[ $? -eq 1 ] && grep -q '^chosen none$' out
verdict "fit: nothing fits" $? out
$program fit --ram 20KiB --memory a:20K:1 --memory b:1M:5 --porcelain "$net" > out && grep -q '^chosen memories$' out
verdict "fit --memory" $? out
$program fit --ram 64KiB --flash 20K --porcelain "$net" > out
[ $? -eq 1 ] && grep -q '^parameters bytes=24008 fits=0$' out
verdict "fit --flash" $? out
$program fit --ram 64KiB --flash 1M "$net" > out && grep -q '^  results in the memory of arguments  *40.7 KiB  yes ' out &&
    grep -q '^  the first that fits: the order of the file$' out
verdict "fit for people" $? out
$program fit --ram 64KiB --json "$net" | grep -q '^"chosen": "plan"}$'
verdict "fit --json" $?
# Each command under the table can be pasted, and gives what its row says.
graph '' > "a b.fx"
$program fit --ram 20KiB --align 64 --dim s0=3 --memory a:8K:1 --memory b:1M "a b.fx" > out 2> err
[ $? -eq 1 ] && grep -q 'no input has this dimension' err
verdict "fit: a dimension of none" $? err
sed 's/f32.1024.$/f32[s0, 512]/' "a b.fx" > "it's.fx"
$program fit --ram 20KiB --align 64 --in-place=litert --dim s0=2 --memory a:8K:1 --memory b:1M "it's.fx" > out 2> err
cat > expected << 'END'
  graphsplit memory --exact --align 64 --dim s0=2 'it'\''s.fx'
  graphsplit memory --order best --align 64 --dim s0=2 'it'\''s.fx'
  graphsplit memory --in-place=litert --align 64 --dim s0=2 'it'\''s.fx'
  graphsplit memory --order best --in-place=litert --align 64 --dim s0=2 'it'\''s.fx'
  graphsplit memory --memory a:8K:1 --memory b:1M --align 64 --dim s0=2 'it'\''s.fx'
  graphsplit memory --budget-pieces 36864 --align 64 --dim s0=2 'it'\''s.fx'
END
sed '1,/^COMMANDS/d' out | diff expected - > log
verdict "fit: commands to be pasted" $? log
sed -n 's/^  graphsplit //p' out | while read -r command; do
    eval "\$program $command" > log 2>&1 || echo "$command"
done > bad
[ ! -s bad ]
verdict "fit: these commands run" $? bad
# Of a .tflite model, TensorFlow Lite Micro needs more than the tensors; a written plan needs what fit says.
model=$root/tests/formats/data/branches.tflite
$program fit --ram 200 --json --save-tflite planned.tflite "$model" > out && $program memory --json planned.tflite > again &&
    bytes=$(sed -n 's/.*"way": "order", .*"tflm": {"bytes": \([0-9]*\), .*"fits": false.*/\1/p' out) && [ "${bytes:-0}" -gt 1000 ] &&
    grep -q "^\"tflm\": {\"bytes\": $bytes, .*\"stored_plan\": true" again && grep -q '"fits_by": "tensors"' out
verdict "fit: what TensorFlow Lite Micro needs, as memory says of the file" $? out
$program fit --ram 200 "$model" > out && grep -q '^  way  *least RAM  *TFLM  *fits ' out && grep -q '^  none of these fits with TFLM$' out &&
    grep -q '^  A way fits by its tensors alone' out && $program fit --ram 1184 "$model" > out &&
    grep -q '^  the first that fits with TFLM: the order of the file$' out
verdict "fit: by tensors alone, and with TensorFlow Lite Micro" $? out
$program fit --ram 4K "$root/tests/formats/data/small.tflite" > out 2> err
grep -q 'known to fit: 1 of 6 sizes is unknown; --dim s0=1, or another number, sets them$' out &&
    $program fit --ram 4K --dim s0=1 "$root/tests/formats/data/small.tflite" | grep -q '^  the first that fits'
verdict "fit: the option that settles unknown sizes" $? out
# A convolution with a summand may overwrite it (ONNX Runtime): two values are live at once, of three.
cat > fused.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[64]
    %a : [num_users=2] = call_function[target=onnx.Relu](args = (%x,), kwargs = {})  # f32[256]
    %b : [num_users=1] = call_function[target=onnx.Conv](args = (%a,), kwargs = {})  # f32[256]
    %c : [num_users=1] = call_function[target=onnx.com.microsoft.FusedConv](args = (%b, 1, 2, %a), kwargs = {})  # f32[256]
    return c
END
for rules in ort all; do
    $program memory --in-place=$rules --porcelain fused.fx > out && grep -q '^arena bytes=2048 ' out && grep -q '^inplace c on a$' out
    verdict "memory --in-place=$rules: a convolution onto its summand" $? out
done
$program memory --in-place=litert --porcelain fused.fx | grep -q '^arena bytes=3072 '
verdict "memory --in-place=litert: no convolution in place" $?
# The subgraphs of an accelerator, in the order of the least peak: the arena is that of the split, replayed.
cat > acc.fx << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[64]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[256]
    %d : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[256]
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[16]
    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[16]
    %e : [num_users=1] = call_function[target=f](args = (%c, %d), kwargs = {})  # f32[16]
    return e
END
$program fit --ram 1400 --acc-ops f --porcelain --emit-model best.fx acc.fx > out
$program split --acc-ops f --order least-peak --save-plan acc.plan acc.fx > log
grep -q '^fit split ram=1344 fits=1 macs=+0 moved=0$' out && grep -q '^fit plan ram=2304 fits=0 ' out &&
    $program memory --run-of acc.plan --porcelain acc.fx | grep -q '^arena bytes=1344 '
verdict "fit --acc-ops: subgraphs in the order of the least peak" $? out
$program fit --ram 1400 --accelerator npu=f acc.fx > out && grep -q '^  subgraphs in the order of lea.*1.4 KiB  yes ' out &&
    grep -q '^  graphsplit split --order least-peak --accelerator npu=f acc.fx$' out
verdict "fit --accelerator for people" $?
! $program fit --ram 1400 acc.fx | grep -q subgraphs
verdict "fit without an accelerator: no row of a split" $?
# Another order: the planned model has its operators in that order.
$program fit --ram 200 --save-tflite planned.tflite "$root/tests/formats/data/branches.tflite" > out &&
    grep -q '^  the first that fits: another order' out && $program memory --porcelain planned.tflite | grep -q '^arena bytes=164 '
verdict "fit --save-tflite: the order that fits" $? out
$program fit --ram 200 --emit-model best.tflite --save-tflite planned.tflite "$root/tests/formats/data/branches.tflite" > out &&
    $program read best.tflite > a.fx && $program read planned.tflite | cmp - a.fx > log
verdict "fit --emit-model --save-tflite: one order" $? log
refuses 1 'order.bin: the model can be written as .fx or .tflite' fit --ram 200 --save-tflite order.bin "$root/tests/formats/data/branches.tflite"
refuses 2 'fit requires --ram BYTES' fit "$net"
refuses 1 'no plan in one arena fits, so that no model is written' fit --ram 1K --emit-model none.fx "$net"

# Values without a size: a bound, and nothing is said to fit.
cat > un.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %w : [num_users=1] = get_attr[target=w]
    %a : [num_users=1] = call_function[target=foo](args = (%x, %w), kwargs = {})
    return a
END
$program fit --ram 16 --flash 0 --porcelain un.fx > out
[ $? -eq 1 ] && [ "$(grep -c ' fits=0' out)" -eq 6 ] && grep -q '^chosen none$' out
verdict "fit: unknown sizes, porcelain" $? out
$program fit --ram 16 --flash 0 un.fx > out
[ $? -eq 1 ] && grep -q '>= 16 B  *?  ' out && ! grep -q 'yes\|the first that fits' out &&
    grep -q '^  parameters  ?, which may not fit into 0 B of flash$' out &&
    grep -q '^  none of these is known to fit: 2 of 3 sizes are unknown$' out
verdict "fit: unknown sizes for people" $? out
$program fit --ram 16 --json un.fx | grep -q '"chosen": null}$'
verdict "fit: unknown sizes, JSON" $?

# Orders of nodes that run graphs: what these need counts once, while the node runs.
cat > called.fx << 'END'
module main
graph():
    %x : [num_users=2] = placeholder[target=x]  # u8[320]
    %n0 : [num_users=1] = call_function[target=foo](args = (%x,), kwargs = {})  # u8[448]
    %n1 : [num_users=1] = call_function[target=bar](args = (%x,), kwargs = {})  # u8[192] then=g1
    %n2 : [num_users=1] = call_function[target=foo](args = (%n0,), kwargs = {})  # u8[64] then=g2
    return (n1, n2)
module g1
graph():
    %p : [num_users=1] = placeholder[target=p]  # u8[320]
    %q : [num_users=1] = call_function[target=foo](args = (%p,), kwargs = {})  # u8[640]
    %r : [num_users=1] = call_function[target=foo](args = (%q,), kwargs = {})  # u8[192]
    return r
module g2
graph():
    %p : [num_users=1] = placeholder[target=p]  # u8[448]
    %q : [num_users=1] = call_function[target=foo](args = (%p,), kwargs = {})  # u8[640]
    %r : [num_users=1] = call_function[target=foo](args = (%q,), kwargs = {})  # u8[64]
    return r
END
$program memory --order best --porcelain called.fx > out
grep -q '^peak bytes=1344 step=3 node=n2 : n1 n0 n2$' out && [ "$(grep -c '^proof objective=1344 bound=1344 proved=1 ' out)" -eq 2 ]
verdict "memory --order best: graphs that nodes run" $? out

# A name of no graph is an error of every pass, which writes nothing.
sed 's/then=g1/then=gg/' called.fx > missing.fx
for pass in memory "memory --order best" "read --macs" "split --acc-ops foo --emit missing" "partition --device a:1M" \
    "pipe --stages 1" "preview --acc-ops foo" dedup; do
    $program $pass missing.fx > out 2> err
    [ $? -eq 1 ] && [ ! -s out ] && [ ! -e missing ] &&
        [ "$(cat err)" = 'graphsplit: node n1: then=gg, but the module has no such graph' ]
    verdict "$pass: a graph that is missing" $? err
done

# fit: memories that are too small are a row as others, and what is measured is the way that is chosen.
$program fit --ram 64KiB --memory a:1K --memory b:4K --porcelain "$net" > out && grep -q '^fit memories ram=60416 fits=0 ' out &&
    grep -q '^chosen plan$' out
verdict "fit --memory: too small" $? out
$program fit --ram 1KiB --memory a:1K --memory b:4K "$net" > out 2> err
[ $? -eq 1 ] && [ ! -s err ] && grep -q '^  several memories .* no ' out && grep -q '^  none of these fits$' out
verdict "fit --memory: too small for people" $? out
$program fit --ram 64KiB --time 2 --time-json time.json "$net" > out 2> err && grep -q '^time pass=fit nodes=' err &&
    grep -q '"name": "fit' time.json
verdict "fit --time" $? err

# Several memories tell what lies in place, too.
$program memory --in-place --memory a:1M --porcelain "$net" > out && grep -q '^inplace Plus30 on Convolution28$' out
verdict "memory --in-place --memory --porcelain" $? out
$program memory --in-place --memory a:1M --json "$net" | grep -q '{"node": "Plus30", "on": "Convolution28"}'
verdict "memory --in-place --memory --json" $?

# --time and --arena are of one pass: the plan, the search, or the parts.
for option in "" --exact "--order best" "--budget-pieces 64K"; do
    # shellcheck disable=SC2086
    $program memory $option --time 2 --porcelain "$net" > expected 2> err
    # shellcheck disable=SC2086
    [ "$(grep -c '^time pass=memory ' err)" -eq 1 ] && bound=$(sed -n 's/.* bound=\([0-9]*\) .*/\1/p' err) && echo "$bound" >> bounds &&
        $program memory $option --arena "$bound" --porcelain "$net" > out 2>> err && cmp -s out expected &&
        ! $program memory $option --arena 99 --porcelain "$net" > out 2>> err && grep -q '^error NOMEM$' out
    verdict "memory $option --time: one pass" $? err
done
[ "$(sort -u bounds | wc -l)" -eq 3 ]
verdict "memory --time: the passes differ" $? bounds

finish
