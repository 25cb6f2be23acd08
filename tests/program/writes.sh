#!/bin/sh
# Writes that a graph text does not state: the names of calls tell them, --writes none does not ask, and mutates= is
# what it says. GRAPHSPLIT: the program.
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

# notes CALL NOTES: what `read` adds to a call on the tensors %c and %d and the number %i
notes() {
    {
        echo 'graph():'
        echo '    %c : [num_users=0] = placeholder[target=c]'
        echo '    %d : [num_users=0] = placeholder[target=d]'
        echo '    %i : [num_users=0] = placeholder[target=i]  # int'
        echo "    %y : [num_users=1] = $1"
        echo '    return y'
    } > call.fx
    $program read call.fx > out 2> err
    [ "$(sed -n 's/^    %y : .*}) *//p' out)" = "$2" ] && if [ -n "$2" ]; then
        grep -q "^graphsplit: call.fx: mutates= is absent, .* 1 node, such as %y (.*); --writes none" err
    else
        ! [ -s err ]
    fi
    verdict "$1: '$2'" $? out
    $program read --writes none call.fx > out 2> err
    [ -z "$(sed -n 's/^    %y : .*}) *//p' out)" ] && ! [ -s err ]
    verdict "--writes none: $1" $? out
}
function() {
    notes "call_function[target=$1](args = $2, kwargs = {$3})" "$4"
}
notes 'call_method[target=mul_](args = (%c, 2), kwargs = {})' '# mutates=0 alias=0'
notes 'call_method[target=index_put_](args = (%c, (%i,), %d), kwargs = {})' '# mutates=0 alias=0'
notes 'call_method[target=copy_](args = (%c, %d), kwargs = {})' '# mutates=0 alias=0'
notes 'call_method[target=__iadd__](args = (%c, %d), kwargs = {})' '# mutates=0 alias=0'
notes 'call_method[target=__setitem__](args = (%c, 0, %d), kwargs = {})' '# mutates=0'
notes 'call_method[target=__exit__](args = (%c, %d), kwargs = {})' ''
notes 'call_method[target=mul](args = (%c, 2), kwargs = {})' ''
notes 'call_method[target=add](args = (%c, %d), kwargs = {out: %d})' '# mutates=2 alias=2'
notes 'call_method[target=mul_](args = (%i, 2), kwargs = {})' ''
notes 'call_module[target=relu_](args = (%c,), kwargs = {})' ''
for name in iadd iand iconcat ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor; do
    function operator.$name '(%c, %d)' '' '# mutates=0 alias=0'
done
function operator.iadd '(%i, 1)' '' ''
function operator.setitem '(%c, 0, 1.0)' '' '# mutates=0'
function _operator.setitem '(%c, (slice(None, 2, None), %i), %d)' '' '# mutates=0'
function operator.delitem '(%c, 0)' '' '# mutates=0'
function operator.index '(%c,)' '' ''
function operator.invert '(%c,)' '' ''
function builtins.setattr "(%c, 'data', %d)" '' '# mutates=0'
function torch.relu_ '(%c,)' '' '# mutates=0 alias=0'
function torch.nn.functional.relu_ '()' 'input: %c' '# mutates=0 alias=0'
function torch.nn.init.normal_ '(%c, 0.0, 1.0)' '' '# mutates=0 alias=0'
function torch.ops.aten.add_.Tensor '(%c, %d)' '' '# mutates=0 alias=0'
function torch.ops.aten.__ior__.Tensor '(%c, %d)' '' '# mutates=0 alias=0'
function torch.ops.aten.add_ '(%c, %d)' '' '# mutates=0 alias=0'
function torch.ops.mine.fill_.default '(%c,)' '' '# mutates=0 alias=0'
function torch.ops.mine_.fill.default '(%c,)' '' ''
function torch.ops.aten._foreach_add_.List '([%c, %d], [%d, %c])' '' '# mutates=0,1'
function torch.ops.aten._fused_sgd_.default '([%c], [%d], [%d])' 'lr: 0.1' '# mutates=0,1,2'
function torch.ops.aten.add.out '(%c, %d)' 'out: %d' '# mutates=2 alias=2'
function torch.ops.aten.add.Tensor '(%c, %d)' 'alpha: 2' ''
function torch.ops.aten.max.dim_max '(%c, 0)' 'max: %c, max_values: %d' '# mutates=2,3'
function torch.ops.aten.sort.values '(%c,)' 'values: %c, indices: %d' '# mutates=1,2'
function torch.add '(%c, %d)' 'out: %c' '# mutates=2 alias=2'
function torch.topk '(%c, 2)' 'out: (%c, %d)' '# mutates=2,3'
function torch.add '(%c, %d)' 'out: None' ''
function torch.addbmm '(%c, %d)' 'out_dtype: %i, output: %d' ''
function torch.nn.functional.relu '(%c,)' 'inplace: True' '# mutates=0 alias=0'
function torch.nn.functional.relu '(%c,)' 'inplace: False' ''
function torch.nn.functional.relu '(%c, True)' '' '# mutates=0 alias=0'
function torch.nn.functional.relu '(%c, False)' '' ''
function torch.nn.functional.leaky_relu '(%c, 0.1, True)' '' '# mutates=0 alias=0'
function torch.nn.functional.dropout '(%c, 0.5, True)' '' ''
function torch.nn.functional.dropout '(%c, 0.5, False, True)' '' '# mutates=0 alias=0'
function torch.nn.functional.hardtanh '(%c, -1.0, 1.0, True)' '' '# mutates=0 alias=0'
function torch.nn.functional.elu '(%c, 1.0, True)' '' '# mutates=0 alias=0'
function torch.nn.functional.rrelu '(%c, 0.1, 0.3, False, True)' '' '# mutates=0 alias=0'
function torch.nn.functional.softmax '(%c, True)' '' ''

# What mutates= says stays: an empty one is none.
printf 'graph():\n    %%c : [num_users=1] = placeholder[target=c]\n' > given.fx
printf '    %%y : [num_users=1] = call_method[target=mul_](args = (%%c, 2), kwargs = {})  # mutates=\n    return y\n' >> given.fx
for command in read "split --acc-ops mul_" dedup 'partition --device d:1K' 'pipe --stages 1' memory; do
    $program $command given.fx > out 2> err && ! [ -s err ]
    verdict "an empty mutates=: $command" $? err
done
$program read given.fx | cmp -s - given.fx
verdict "an empty mutates= is printed as it was" $?

# Views of what is written get alias=, others and elements of typed aggregates do not.
cat > views.fx << 'END'
graph():
    %x : [num_users=9] = placeholder[target=x]
    %c : [num_users=9] = call_method[target=clone](args = (%x,), kwargs = {})
    %t : [num_users=9] = call_method[target=transpose](args = (%c, 0, 1), kwargs = {})
    %p : [num_users=9] = call_function[target=torch.chunk](args = (%t, 2), kwargs = {})
    %p0 : [num_users=9] = call_function[target=operator.getitem](args = (%p, 0), kwargs = {})
    %d : [num_users=9] = call_function[target=builtins.getattr](args = (%p0, 'T'), kwargs = {})
    %h : [num_users=9] = call_function[target=builtins.getattr](args = (%p0, 'shape'), kwargs = {})
    %e : [num_users=9] = call_method[target=clone](args = (%x,), kwargs = {})
    %v : [num_users=9] = call_method[target=view](args = (%e, -1), kwargs = {})
    %q : [num_users=9] = call_function[target=torch.topk](args = (%c, 2), kwargs = {})  # tuple(f32[2], i64[2])
    %q0 : [num_users=9] = call_function[target=operator.getitem](args = (%q, 0), kwargs = {})  # f32[2]
    %n : [num_users=9] = call_method[target=to](args = (%q0, torch.float16), kwargs = {})  # f16[2]
    %g : [num_users=9] = call_method[target=float](args = (%q0,), kwargs = {})  # f32[2]
    %w : [num_users=9] = call_method[target=add_](args = (%d, 1), kwargs = {})
    %u : [num_users=9] = call_method[target=add_](args = (%g, 1), kwargs = {})
    return (c, q, w, v, h, n)
END
$program read views.fx 2> err | sed -n 's/^    %\([a-z0-9]*\) : .*}) *# */\1 /p' > out
cat > expected << 'END'
t alias=0
p alias=0
p0 alias=0
d alias=0
q tuple(f32[2], i64[2])
q0 f32[2]
n f16[2]
g f32[2] alias=0
w mutates=0 alias=0
u mutates=0 alias=0
END
cmp -s out expected
verdict "views of what is written" $? out

# The order of the values: r before s and m, m before y, in every pass that makes parts.
cat > wr.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]
    %c : [num_users=3] = call_method[target=clone](args = (%x,), kwargs = {})
    %r : [num_users=1] = call_function[target=torch.relu](args = (%c,), kwargs = {})
    %s : [num_users=0] = call_function[target=operator.setitem](args = (%c, 0, 1.0), kwargs = {})
    %m : [num_users=0] = call_method[target=mul_](args = (%c, 2), kwargs = {})
    %y : [num_users=1] = call_function[target=torch.sigmoid](args = (%c,), kwargs = {})
    %z : [num_users=1] = call_function[target=torch.add](args = (%y, %r), kwargs = {})
    return z
END
$program split --acc-ops torch.relu --porcelain wr.fx 2> err | sed -n 's/^subgraph //p' > out
printf '_run_on_cpu_0 cpu c\n_run_on_acc_1 acc r\n_run_on_cpu_2 cpu s m y z\n' | cmp -s - out
verdict "split keeps the order of what names write" $? out
$program module --assign c=0,r=1,s=0,m=0,y=0,z=2 wr.fx > out 2> err
[ $? -eq 1 ] && grep -q 'depend on each other: %s (0) must run after %r (1)' err
verdict "module refuses parts against that order" $? err
$program split --writes none --acc-ops torch.relu --porcelain wr.fx 2> err | grep -q '^subgraph _run_on_cpu_0 cpu c s m y$' && ! [ -s err ]
verdict "--writes none: values alone order the calls" $? err
$program read wr.fx > once.fx 2> err && $program read once.fx 2> err | cmp -s - once.fx && ! [ -s err ]
verdict "what read prints says it all" $? err
$program split --writes any wr.fx > out 2> err
[ $? -eq 2 ] && grep -q "writes expects names|none, got 'any'" err
verdict "--writes any is refused" $? err

# An attribute that a part of the CPU writes and one of the accelerator reads.
cat > attribute.fx << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]
    %w : [num_users=1] = get_attr[target=blk.w]  # f32[4] storage=1
    %v : [num_users=1] = get_attr[target=blk.v]  # f32[4] storage=1
    %p : [num_users=2] = get_attr[target=blk.p]  # f32[4]
    %m : [num_users=0] = call_method[target=add_](args = (%w, %x), kwargs = {})
    %a : [num_users=1] = call_function[target=torch.relu](args = (%p,), kwargs = {})
    %r : [num_users=1] = call_function[target=torch.relu](args = (%v,), kwargs = {})
    %y : [num_users=1] = call_function[target=torch.add](args = (%r, %a), kwargs = {})
    return y
END
$program split --acc-ops torch.relu --porcelain attribute.fx > out 2> err
[ "$(grep -c ': attribute ' err)" -eq 1 ] && grep -q '^graphsplit: attribute blk.v: %m of _run_on_cpu_[0-9] writes it, and %r of _run_on_acc_[0-9] reads it as an attribute' err
verdict "an attribute that one part writes and another reads is told" $? err
$program split --acc-ops torch.relu,add_ --porcelain attribute.fx > out 2> err && ! grep -q ': attribute ' err
verdict "one part writes and reads it: nothing is told" $? err

# A module that writes what it holds, called by parts of two kinds.
cat > module.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 4]
    %n : [num_users=1] = call_module[target=norm](args = (%x,), kwargs = {})  # f32[4, 4] acc=0 barrier=1
    %a : [num_users=1] = call_function[target=torch.relu](args = (%n,), kwargs = {})  # f32[4, 4] acc=1
    %m : [num_users=1] = call_module[target=norm](args = (%a,), kwargs = {})  # f32[4, 4] acc=1 barrier=1
    return m
END
$program split --porcelain module.fx > out 2> err
[ "$(wc -l < err)" -eq 1 ] && grep -q '^graphsplit: module norm: %n of _run_on_cpu_0 writes what it holds, and %m of _run_on_acc_1 calls it, too' err
verdict "a module that one part writes and another calls is told" $? err
sed 's/acc=0/acc=1/' module.fx > together.fx
$program split --porcelain together.fx > out 2> err && ! [ -s err ]
verdict "one part calls a module that writes what it holds: nothing is told" $? err
# The same for partitions on other devices, and for parts of dedup on disk; a pipeline refuses copies of what is written.
cat > attribute.fx <<'END'
graph():
    %x : [num_users=3] = placeholder[target=x]  # f32[4]
    %s : [num_users=1] = get_attr[target=state]  # f32[4]
    %w : [num_users=1] = call_function[target=write](args = (%s, %x), kwargs = {})  # f32[4] mutates=0 bytes=16
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] bytes=16
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4] bytes=16
    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[4] bytes=16
    %d : [num_users=1] = call_function[target=g](args = (%c,), kwargs = {})  # f32[4] bytes=16
    %t : [num_users=1] = get_attr[target=state]  # f32[4]
    %e : [num_users=1] = call_function[target=h](args = (%d, %t, %w), kwargs = {})  # f32[4] bytes=16
    return e
END
told='reads it as an attribute, of which a device may hold a copy'
for devices in '1' '0'; do
    $program partition --mode aot --device a:1KiB --device b:1KiB --assign w=0,a=0,b=0,c=1,d=1,e=1 --partition-devices 0=0 \
        --partition-devices 1=$devices attribute.fx > out 2> err
    [ "$(grep -cx "graphsplit: attribute state: %w of submod_0 writes it, and %e of submod_1 $told" err)" -eq "$devices" ]
    verdict "partition on device $devices: a written attribute of another device" $? err
done
cat > module.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %n : [num_users=1] = call_module[target=norm](args = (%x,), kwargs = {})  # f32[4] barrier=1
    %a : [num_users=1] = call_function[target=f](args = (%n,), kwargs = {})  # f32[4]
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})  # f32[4]
    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[4]
    %d : [num_users=1] = call_function[target=g](args = (%c,), kwargs = {})  # f32[4]
    %m : [num_users=1] = call_module[target=norm](args = (%d,), kwargs = {})  # f32[4] barrier=1
    return m
END
told='calls it, too, of which a device may hold a copy'
$program partition --mode aot --device a:1KiB --device b:1KiB --assign n=0,a=0,b=0,c=1,d=1,m=1 --partition-devices 0=0 \
    --partition-devices 1=1 module.fx > out 2> err
grep -qx "graphsplit: module norm: %n of submod_0 writes what it holds, and %m of submod_1 $told" err
verdict "partition: a module that a partition of another device calls" $? err
$program pipe --stages 2 --policy nodes module.fx > out 2> err &&
    grep -qx "graphsplit: module norm: %n of submod_0 writes what it holds, and %m of submod_1 $told" err
verdict "pipe: a module that another stage calls" $? err
$program pipe --stages 1 --policy nodes module.fx > out 2> err && ! grep -q 'calls it, too' err
verdict "pipe: one stage calls a module that writes what it holds: nothing is told" $? err
$program dedup --emit parts module.fx > out 2> err &&
    grep -qx "graphsplit: module norm: %n of root_0 writes what it holds, and %m of root_3 $told" err
verdict "dedup --emit: a module that another part calls" $? err
told='reads it as an attribute, of which a device may hold a copy'
$program dedup --emit parts attribute.fx > out 2> err &&
    grep -qx "graphsplit: attribute state: %w of root_0 writes it, and %e of root_3 $told" err
verdict "dedup --emit: a written attribute of another part" $? err
$program pipe --stages 3 --policy nodes attribute.fx > out 2> err
[ $? -eq 1 ] && grep -q '^graphsplit: %w writes the parameter state, and several stages would have a copy' err
verdict "pipe refuses copies of a written attribute" $? err

# A module that writes what it holds: other parts read it as an attribute, call a module in it, or one around it.
tells() {
    sed "$1" held.fx > some.fx
    shift
    expected=$1
    shift
    $program "$@" some.fx > out 2> err
    if [ -n "$expected" ]; then
        grep -qx "graphsplit: $expected, of which a device may hold a copy" err
    else
        ! grep -q 'may hold a copy' err
    fi
    verdict "$*: '$expected'" $? err
}
cat > held.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 4]
    %n : [num_users=1] = call_module[target=blk.norm](args = (%x,), kwargs = {})  # f32[4, 4] acc=0 barrier=1
    %v : [num_users=1] = get_attr[target=blk.norm.mean]  # f32[4] storage=1
    %a : [num_users=1] = call_function[target=torch.add](args = (%n, %v), kwargs = {})  # f32[4, 4] acc=1
    return a
END
written='module blk.norm: %n of _run_on_cpu_0 writes what it holds, and %a of _run_on_acc_1'
tells '' "$written reads blk.norm.mean as an attribute" split --porcelain
tells 's/blk.norm.mean/blk.norm/' "$written reads blk.norm as an attribute" split --porcelain
tells 's/blk.norm.mean/blk.normal/' '' split --porcelain
tells 's/blk.norm.mean/blk/' '' split --porcelain
tells 's/ barrier=1//' '' split --porcelain
tells 's/acc=0/acc=1/' '' split --porcelain
tells 's/^.*%v : .*/&\n    %w : [num_users=0] = get_attr[target=other]  # f32[4] storage=1/; s/(%n, %v)/(%n, %w)/' \
    "$written reads other as an attribute" split --porcelain
tells 's/%v : .*/%v : [num_users=1] = call_module[target=blk](args = (%n,), kwargs = {})  # acc=1/' \
    'module blk.norm: %n of _run_on_cpu_0 writes what it holds, and %v of _run_on_acc_1 calls blk, which holds it' split --porcelain
tells 's/%v : .*/%v : [num_users=1] = call_module[target=blk.norm.act](args = (%n,), kwargs = {})  # acc=1/' \
    'module blk.norm: %n of _run_on_cpu_0 writes what it holds, and %v of _run_on_acc_1 calls blk.norm.act in it' split --porcelain
written='module blk.norm: %n of submod_0 writes what it holds, and %a of submod_1 reads blk.norm.mean as an attribute'
tells '' "$written" pipe --stages 2 --policy nodes
tells '' "$written" partition --mode aot --device a:1KiB --device b:1KiB --assign n=0,a=1 --partition-devices 0=0 --partition-devices 1=1
tells '' '' partition --mode aot --device a:1KiB --device b:1KiB --assign n=0,a=1 --partition-devices 0=0 --partition-devices 1=0
# What one stage holds and sends is no copy: blk.norm.mean stays in the stage that calls blk.norm.
cat > sent.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 4]
    %v : [num_users=2] = get_attr[target=blk.norm.mean]  # f32[4]
    %f : [num_users=1] = call_function[target=f](args = (%x, %v), kwargs = {})  # f32[4, 4]
    %n : [num_users=1] = call_module[target=blk.norm](args = (%f,), kwargs = {})  # f32[4, 4] barrier=1
    %a : [num_users=1] = call_function[target=f](args = (%n, %v), kwargs = {})  # f32[4, 4]
    %b : [num_users=1] = call_function[target=f](args = (%a, 1), kwargs = {})  # f32[4, 4]
    return b
END
$program pipe --stages 2 --policy nodes sent.fx > out 2> err &&
    grep -q '%n of submod_0 writes what it holds, and %a of submod_1 reads blk.norm.mean' err
verdict "pipe: an attribute of which each stage has a copy" $? err
$program pipe --stages 2 --policy nodes --multi-use transmit sent.fx > out 2> err && ! grep -q 'may hold a copy' err
verdict "pipe: an attribute that its stage sends" $? err
# An attribute that a call writes: another part calls a module that holds it.
cat > held.fx << 'END'
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[4]
    %v : [num_users=1] = get_attr[target=blk.norm.mean]  # f32[4]
    %w : [num_users=1] = call_method[target=copy_](args = (%v, %x), kwargs = {})  # f32[4] acc=0
    %m : [num_users=1] = call_module[target=blk.norm](args = (%x,), kwargs = {})  # f32[4] acc=1
    %y : [num_users=1] = call_function[target=torch.add](args = (%w, %m), kwargs = {})  # f32[4] acc=1
    return y
END
written='attribute blk.norm.mean: %w of _run_on_cpu_0 writes it, and %m of _run_on_acc_1 calls'
tells '' "$written blk.norm, which holds it" split --porcelain
tells 's/=blk.norm]/=blk]/' "$written blk, which holds it" split --porcelain
tells 's/=blk.norm]/=blk.n]/' '' split --porcelain
tells 's/acc=1/acc=0/' '' split --porcelain

# Stages have copies of what is sent to them. A write to one of them is told if a reader has another, also through a
# view; in one stage, and in what the writing stage sends, it is seen.
copies() { # LABEL STAGES EXPECTED WRITTEN READ: the write stands in stage 1 of 3, two calls before the reader
    {
        echo 'graph():'
        echo '    %x : [num_users=1] = placeholder[target=x]'
        echo '    %q : [num_users=1] = get_attr[target=q]'
        echo '    %c : [num_users=1] = call_method[target=clone](args = (%x,), kwargs = {})'
        echo '    %v : [num_users=1] = call_method[target=view](args = (%c, -1), kwargs = {})  # alias=0'
        echo '    %k : [num_users=1] = call_method[target=view](args = (%q, -1), kwargs = {})  # alias=0'
        echo "    %m : [num_users=1] = call_function[target=m](args = (%$4, 2), kwargs = {})  # mutates=0 alias=0"
        echo '    %g : [num_users=1] = call_method[target=view](args = (%m, -1), kwargs = {})  # alias=0'
        echo '    %h : [num_users=1] = call_function[target=h](args = (%x, 2), kwargs = {})'
        echo "    %r : [num_users=1] = call_function[target=r](args = (%$5, %h), kwargs = {})"
        echo '    return r'
    } > copies.fx
    $program pipe --stages "$2" copies.fx > out 2> err
    if [ -n "$3" ]; then
        grep -q "^graphsplit: copies.fx: %m ($3, %$5, if stages are on several devices; one stage for both has one\$" err
    else
        ! [ -s err ]
    fi
    verdict "pipe: $1" $? err
}
other='has another copy'
copies 'a write and a reader of one value' 3 "submod_1) writes memory of which %r (submod_2) $other" c c
copies 'a write through a view, a reader of the whole' 3 "submod_1) writes memory of which %r (submod_2) $other" v c
copies 'a write to the whole, a reader of a view' 3 "submod_1) writes memory of which %r (submod_2) $other" c v
copies 'a reader of what the write yields' 3 '' c m
copies 'a reader of a view of it' 3 '' v g
copies 'a reader of something else' 3 '' v x
copies 'one stage for both' 1 '' v c
copies 'an attribute through a view' 3 "submod_1) writes memory of which %r (submod_2) $other" k q
copies 'a reader of nothing of it' 3 '' v h
sed 's/return r/return (r, c)/' copies.fx > returned.fx
$program pipe --stages 3 returned.fx 2> err > out
grep -q '%m (submod_1) writes memory of which the return has another copy, %c' err
verdict "pipe: what the graph returns was written later" $? err
finish
