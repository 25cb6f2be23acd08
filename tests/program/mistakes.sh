#!/bin/sh
# What users get wrong, or do twice: each is told in a sentence that says what to do, and nothing is lost.
. "$(dirname "$0")/../elsewhere.sh"
cp tests/program/root.fx tests/cases/chain.fx tests/cases/dedup/c02.fx "$dir" && cd "$dir" || exit 1

# says EXIT WORDS COMMAND...: the exit status, and a line of standard error that has the words
says() {
    wanted=$1
    words=$2
    shift 2
    $program "$@" > out 2> err
    code=$?
    [ $code -eq "$wanted" ] && grep -q -e "$words" err
    verdict "$*: exit $code, expected $wanted and '$words'" $? err
}

# quiet COMMAND...: works, and says nothing on standard error
quiet() {
    $program "$@" > out 2> err && [ ! -s err ]
    verdict "$*" $? err
}

# holds DIR NAMES: the files there
holds() {
    found=$(cd "$1" && echo *)
    [ "$found" = "$2" ]
    verdict "$1 holds $found, not $2" $?
}

# ---- files that belong together: all of them, or none ----

cat > timed.fx << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=op.a](args = (%x,), kwargs = {})  # f32[4]
    %b : [num_users=1] = call_function[target=op.b](args = (%a,), kwargs = {})  # f32[4]
    return b
END
mkdir whole
holds_none() {
    says 1 'cannot write none/file: No such file or directory' "$@"
    holds whole '*'
}
holds_none split --acc-ops op.a --minimise time --overlap --svg whole/a.svg --trace none/file --save-plan whole/plan --emit whole/parts timed.fx
holds_none split --acc-ops op.a --svg whole/a.svg --html whole/a.html --save-plan none/file --overlap --minimise time --emit whole/parts timed.fx
holds_none pipe --stages 2 --time-unit nodes --schedule 1f1b --microbatches 2 --svg whole/a.svg --trace none/file --emit whole/parts timed.fx
holds_none memory --svg whole/a.svg --save-csv none/file timed.fx
holds_none memory --budget-pieces 64 --svg whole/a.svg --save-csv none/file --emit whole/parts timed.fx
echo old > whole/a.svg
says 1 'cannot write none/file' memory --svg whole/a.svg --save-csv none/file timed.fx
holds whole 'a.svg'

# ---- --emit into a directory that was used before: the parts of the last run alone, and what is not of it ----

quiet split --acc-ops torch.relu,torch.tanh --emit parts chain.fx
holds parts "_run_on_acc_1.fx _run_on_acc_3.fx _run_on_cpu_0.fx _run_on_cpu_2.fx manifest.json"
quiet split --acc-ops torch.relu,torch.tanh --emit parts chain.fx
echo mine > parts/_run_on_acc_7.fx
says 0 'parts: removed what an earlier run wrote: _run_on_acc_1.fx, _run_on_cpu_2.fx, _run_on_acc_3.fx$' \
    split --emit parts chain.fx
holds parts "_run_on_acc_7.fx _run_on_cpu_0.fx manifest.json"
says 0 'removed what an earlier run wrote: _run_on_cpu_0.fx$' dedup --emit parts c02.fx
[ -f parts/_run_on_acc_7.fx ] && [ -f parts/deduplicated.fx ]
verdict "a file that no manifest lists stays" $?
says 1 'parts/deduplicated.fx is the input and was written by an earlier run' split --emit parts parts/deduplicated.fx
says 1 'deduplicated.fx is the input' split --emit ./parts/ "$dir/parts/deduplicated.fx"
says 0 'deduplicated.fx, .* and [0-9]* more$' split --emit parts chain.fx
holds parts "_run_on_acc_7.fx _run_on_cpu_0.fx manifest.json"
# Whatever a manifest says, nothing outside of its directory goes, and no other one is written over.
sed 's|"file": "[^"]*"|"file": "../chain.fx"|' parts/manifest.json > changed && cp changed parts/manifest.json
quiet split --acc-ops 'torch.*' --emit parts chain.fx
[ -f chain.fx ]
verdict "a file beside the directory stays" $?
echo '{"name": "an app", "pieces": []}' > manifest.json
says 1 'manifest.json is not a manifest of --emit and is not overwritten' split --emit . chain.fx
[ ! -e _run_on_cpu_0.fx ] && grep -q 'an app' manifest.json
verdict "a manifest of something else stays" $?
head -c 100 parts/manifest.json > half && cp half parts/manifest.json
says 1 'manifest.json is not a manifest of --emit' split --emit parts chain.fx
rm -rf parts manifest.json

# ---- --emit: file names from any names of parts ----

printf 'plan 1\n[../evil] cpu\nsin\n[a/b] cpu\nrelu\n[a:b] cpu\ncos\n[A_b] cpu\nsigmoid\n[.x\302\205\377\\] cpu\n*\n' > names.plan
mkdir inside && cd inside || exit 1
quiet split --plan ../names.plan --emit parts ../chain.fx
holds parts "A_b_3.fx _._evil.fx _x___.fx a_b.fx a_b_2.fx manifest.json"
grep -q '"name": "../evil", "file": "_._evil.fx"' parts/manifest.json
verdict "the manifest has the name of the part and that of its file" $?
rm -r parts
for name in root ROOT whole manifest; do
    printf 'plan 1\n[%s] cpu\n*\n' $name > name.plan
    quiet split --plan name.plan --emit parts ../root.fx
    grep -q get_attr parts/root.fx && grep -q call_function parts/${name}_1.fx
    verdict "the root and a part called $name" $?
    rm -r parts
done
quiet module --assign sin=0,relu=0,cos=1,sigmoid=1,tanh=1 --prefix ../p --emit parts ../chain.fx
holds parts "_._p0.fx _._p1.fx manifest.json"
holds . "err name.plan out parts"
cd .. && rm -r inside names.plan

# ---- output over input ----

says 1 './chain.fx is the input; give another name to write to' split --save-plan ./chain.fx chain.fx
grep -q '^graph' chain.fx
verdict "the input stays" $?
printf 'torch.sin\n' > my.ops
printf 'plan 1\n[all] cpu\n*\n' > my.plan
printf 'a 1G\nb 1G\n' > my.devices
cp my.ops ops.copy && cp my.plan plan.copy && cp my.devices devices.copy && cp chain.fx chain.copy
ln -s my.ops link.ops
ln chain.fx hard.fx
for file in my.ops ./my.ops link.ops; do
    for option in --save-plan --html --dot --dot-module --dot-support --model-explorer; do
        says 1 "^graphsplit: $file is an input; give another name to write to" split --acc-ops @my.ops $option $file chain.fx
    done
done
says 1 'my.plan is an input' split --plan my.plan --save-plan my.plan chain.fx
says 1 'hard.fx is the input' memory --svg hard.fx chain.fx
says 1 'hard.fx is the input' pipe --stages 2 --schedule gpipe --svg hard.fx chain.fx
says 1 'my.devices is an input' partition --devices my.devices --save my.devices chain.fx
says 1 'out.dot is written by another option; give another name' split --dot out.dot --dot-module ./out.dot chain.fx
mkdir made # the plan comes first, and --emit finds it
says 1 'made/manifest.json is not a manifest of --emit and is not overwritten' split --emit made --save-plan made/manifest.json chain.fx
rm -rf out.dot made
$program split --save-plan chain.fx - < chain.fx > out 2> err
[ $? -eq 1 ] && grep -q 'chain.fx is an input' err
verdict "standard input is an input" $? err
mkdir parts && ln my.ops parts/_run_on_cpu_1.fx
says 1 'parts/_run_on_cpu_1.fx is an input; give --emit another directory' split --acc-ops @my.ops --emit parts chain.fx
holds parts _run_on_cpu_1.fx
mv parts/_run_on_cpu_1.fx parts/mine
echo '{"pass": "split", "pieces": [{"file": "mine"}]}' > parts/manifest.json
says 1 'parts/mine is an input and was written by an earlier run' split --acc-ops @my.ops --emit parts chain.fx
holds parts "manifest.json mine"
cmp my.ops ops.copy && cmp my.plan plan.copy && cmp my.devices devices.copy && cmp chain.fx chain.copy
verdict "all inputs stay" $?
quiet split --acc-ops torch.sin --html /dev/null chain.fx
rm -r parts my.* link.ops hard.fx *.copy

# ---- --plan: what the plan says is not said by options ----

printf 'plan 1\n[one] acc\nsin\nrelu\n[two]\ncos\nsigmoid\n' > a.plan
printf 'plan 1\n[all] npu\n*\n' > npu.plan
for option in '--acc-ops torch.sin' '--cpu-nodes sin' '--acc-nodes sin' '--pin cpu:name:sin' '--min-acc-module-size 2' \
    '--max-acc-module-size 2' '--max-acc-splits 9' --skip-fusion '--prefix p'; do
    # shellcheck disable=SC2086
    says 0 "the plan alone assigns the nodes; ignored: ${option%% *}\$" split --plan a.plan $option chain.fx
done
says 0 'ignored: the operators of --accelerator$' split --accelerator npu=torch.sin --plan npu.plan chain.fx
quiet split --accelerator npu --plan npu.plan chain.fx
quiet split --accelerator npu=torch.sin --plan npu.plan --dot-support support.dot chain.fx
says 0 'tanh' split --plan a.plan --why=cos chain.fx
grep -q 'cos .* on the CPU, in two, because the plan says so' out
verdict "a node of the plan is there because of the plan" $? out
$program split --plan a.plan --why=tanh chain.fx > out 2> err
grep -q 'because no line of the plan names it and its inputs are there' out
verdict "a node that is new says so" $? out
$program split --plan a.plan --json chain.fx 2> err > out
grep -q '"cos".*"PLAN"' out && grep -q '"tanh".*"NEW"' out
verdict "and so does the JSON" $?

# ---- patterns and names that nothing answers to, with what may have been meant ----

for form in '' --porcelain --json; do
    says 0 "--cpu-nodes: no called node has a name like 'relo\*'; did you mean 'relu\*'?" \
        split $form --cpu-nodes 'relo*' chain.fx
done
says 0 "--acc-nodes: no called node has a name like '?x'$" split --acc-nodes '?x,s*' chain.fx
says 0 "--pin: no called node has a target like 'torch.son\*'; did you mean 'torch.sin\*'?" \
    split --pin 'cpu:target:torch.son*' chain.fx
says 0 "--pin: no called node has a module path like 'a.\*'$" split --pin 'cpu:scope:a.*' chain.fx
quiet split --acc-ops torch.sin --cpu-nodes 's*,?anh' --pin 'cpu:target:torch.*' chain.fx
says 1 "--cpu-nodes: no called node has the name 'rely'; did you mean 'relu'?" split --cpu-nodes rely chain.fx
says 1 "the name 'a'; it is an input or a parameter" split --cpu-nodes a chain.fx
printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]\n    %%y : [num_users=1] = %s  # scope=m.block.0\n    return y\n' \
    'call_function[target=f](args = (%x,), kwargs = {})' > scope.fx
quiet split --acc-ops f --pin 'cpu:scope:m.bl*' --pin 'cpu:scope:m.block.?' --pin 'cpu:scope:?' scope.fx
says 0 "module path like 'm.x\\*'$" split --pin 'cpu:scope:m.blo*k' --pin 'cpu:scope:m.x*' scope.fx

says 0 "--acc-ops '' names no operator" split --acc-ops '' chain.fx
printf '# npu\nrelu*\nCONV*2D i8\n' > star.ops
says 1 "star.ops:3:5: expected .* with \* only at the end of NAME, got '\*2D i8'" split --acc-ops @star.ops chain.fx
says 2 "the operator 'to\*ch.sin' cannot be read: .* with \* only at the end of NAME" split --acc-ops 'to*ch.sin' chain.fx
: > empty.ops
says 0 "--acc-ops '@empty.ops' names no operator" split --porcelain --acc-ops @empty.ops chain.fx
# foreign FILE WHAT CONTENTS: one sentence says what the file is and what a list is
foreign() {
    printf "$3" > "$1"
    says 1 "^graphsplit: $1 is $2; a list of operators has one per line, as 'graphsplit ops xnnpack' prints$" split --acc-ops "@$1" chain.fx
    [ "$(wc -l < err)" -eq 1 ]
    verdict "$1: one line" $? err
}
foreign list.json JSON '\n{"ops": ["Add"]}\n'
foreign list.toml 'JSON or TOML' '# operators\n[ops]\nAdd = true\n'
foreign list.csv CSV 'operator,supported\nAdd,Y\n'
foreign semicolon.csv CSV 'operator;supported\nAdd;Y\n'
foreign quoted.csv CSV '"Add"\n"Relu"\n'
foreign list.md 'a Markdown table' '| Operator |\n|---|\n| Abs |\n'
foreign list.html 'XML or HTML' '<html></html>\n'
foreign list.yaml YAML '\055 op: Add\n'
foreign head.yaml YAML '\055--\nAdd\n'
foreign net.fx 'a graph' 'graph():\n    return ()\n'
foreign net.onnx 'an ONNX model' '\010\012'
foreign net.tflite 'a TensorFlow Lite model' '\034\000\000\000TFL3'
foreign net.zip 'a ZIP archive' 'PK\003\004'
foreign mark.ops 'text behind a byte order mark' '\357\273\277Add\n'
foreign wide.ops 'no text' 'A\000d\000d\000'
beside='a list with a word before or after each operator'
foreign op.ops "$beside" 'op Add\nop Relu\n'
foreign support.ops "$beside" '# npu\nAdd\nRelu yes\n'
foreign two.ops "$beside" 'Add Relu\n'
foreign list.tsv 'a table with tabs' 'Operator\tSupported\nAdd\tyes\n'
foreign tab.ops 'a table with tabs' 'op\taten.add.Tensor\n'
foreign late.csv CSV '# npu\nAdd\nRelu,Conv\n'
foreign list.yml YAML 'Add: yes\n'
foreign list.ini 'a list of assignments' 'Add = yes\n'
foreign bullets.ops 'a list with bullets' '* Add\n* Relu\n'
foreign numbers.ops 'a numbered list' '1. Add\n2. Relu\n'
foreign schemas.ops 'a list of signatures' 'aten::add.Tensor(Tensor self, Tensor other) -> Tensor\n'
printf '# npu\ntorch.sin\tf32 # all\n!torch.tan\ntorch.cos*\nAdd b1,int8,qi8 rank==4\nRelu act? in none,relu\nConv bodies: any\r\n' > list.good
quiet split --porcelain --acc-ops @list.good chain.fx
rm -f list.* op.ops support.ops two.ops tab.ops bullets.ops numbers.ops schemas.ops *.csv head.yaml net.fx net.onnx net.tflite net.zip mark.ops wide.ops
$program split --max-acc-module-size 2 --why=c "$root/tests/cases/split/max.fx" > out 2> err
grep -q 'on the CPU, in _run_on_cpu_1, because its group has 3 nodes, and the maximum of a subgraph is 2\.$' out
verdict "a group above the maximum says so" $? out
printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]\n' > limit.fx
for n in a b c; do
    printf '    %%%s : [num_users=1] = call_function[target=%s](args = (%%%s,), kwargs = {})\n' $n \
        "$(echo $n | tr ac f)" "$(echo $n | tr abc xab)"
done >> limit.fx
echo '    return c' >> limit.fx
$program split --acc-ops f --max-acc 1 --why=a limit.fx > out 2> err
grep -q 'its accelerator subgraph of 1 node was removed by the limit of 1 accelerator subgraph\.$' out
verdict "why after --max-acc names that limit" $? out
$program split --acc-ops f --max-acc-splits 2 --limit-policy demote --why=a limit.fx > out 2> err
grep -q 'its accelerator subgraph of 1 node was removed by the limit of 2 subgraphs\.$' out
verdict "why after --max-acc-splits names that limit" $? out
says 1 "there is no node 'son' in the graph; near it: sin, cos$" split --why=son chain.fx
says 1 "there is no node 'elsewhere' in the graph$" split --why=elsewhere chain.fx

says 1 "near it: sin" split --why=SIN chain.fx
says 1 "the graph has no node %Sinn; near it: sin, " module --assign sin=0,Sinn=1 chain.fx
says 1 "the graph has no node %elsewhere$" module --assign elsewhere=1 chain.fx
$program ops xnnpack > mine.ops
sed 's/torch.sin/tflite.PRELUU/' chain.fx > prelu.fx
$program split --acc-ops @mine.ops prelu.fx > out 2> err
! grep -q "did you mean" err
verdict "a copy of a list of the program is not accused" $? err
sed 's/^tflite.PRELU .*/tflite.PRELUQ/' mine.ops > slip.ops
says 0 "tflite.PRELUQ'; did you mean 'tflite.PRELUU'" split --acc-ops @slip.ops prelu.fx

# ---- nothing is said about an accelerator ----

nothing="no operators of an accelerator are given, so all nodes stay on the CPU; give them with --acc-ops LIST"
for form in '' --porcelain --json --why=sin --map '--html /dev/null' '--cpu-nodes sin' '--accelerator npu'; do
    # shellcheck disable=SC2086
    says 0 "$nothing ('graphsplit.* ops' prints the lists)" split $form chain.fx
done
says 0 "$nothing" preview chain.fx
quiet split --acc-nodes sin chain.fx
quiet split --acc-ops torch.sin chain.fx

# ---- the command line of other programs ----

$program > out 2> err
[ $? -eq 2 ] && ! [ -s err ] && [ "$(grep -c -E '^  (split|preview|partition|module|pipe|memory|dedup|run|diff|read|emit-c|ops) ' out)" -eq 12 ]
verdict "the program alone lists the passes" $? out
says 2 "the name of a pass comes before the file: .* split chain.fx" chain.fx
says 2 "there is no pass 'elsewhere'$" elsewhere
says 2 "unknown option -o; did you mean --emit?" split -o x chain.fx
says 2 "unknown option --output; did you mean --emit?" split --output=x chain.fx
says 2 "unknown option -o; for a file write > FILE" emit-c -o x chain.fx
for option in --save --save-plan --part; do
    says 2 "expected the name of a file to write, got '-'" partition --device a:1M $option - chain.fx
    [ ! -e ./- ]
    verdict "$option -: no file of that name" $?
done
says 2 "missing FILE after the value of --html$" split --html chain.fx
says 2 "missing FILE ('-' is standard input)$" split
says 2 "unknown option -x$" split -x chain.fx
says 2 "unknown option --ram; '.* fit' has it$" split --ram 50K chain.fx
says 2 "unknown option --budge; did you mean --budget?" memory --budge 1M chain.fx
for bytes in 16GB 16gb 16g 16gib; do
    says 2 "such as 16GiB, got '$bytes'" memory --budget $bytes chain.fx
    says 2 "such as npu:33000000 or npu:16GiB, .* got 'a:$bytes'" partition --device a:$bytes chain.fx
    echo "a $bytes" > my.devices
    says 1 "such as 33000000 or 16GiB, got '$bytes'" partition --devices my.devices chain.fx
done
says 2 "such as 65536, 32MiB, 1.5G or 1e9, got 'much'" memory --budget much chain.fx
says 2 "cannot read none.fx: " split none.fx
! grep -q -e --help err
verdict "a missing file has nothing to do with the options" $? err

says 2 "--device expects one device, got 'a:1M,b:1M'; repeat it for more" partition --device a:1M,b:1M chain.fx
says 1 "no node is assigned; give --assign NODE=K,NODE=K, --assign @FILE or --plan FILE" module chain.fx
says 1 "chain.fx:1:1: expected 'plan 1', the first line of a plan of --save-plan, got 'graph():'" diff chain.fx chain.fx
echo mine > taken
says 1 "cannot make the directory taken: " split --acc-ops torch.sin --emit taken chain.fx
[ "$(cat taken)" = mine ]
verdict "a file in the place of the directory stays" $?

# ---- files of other formats, by what is in them ----

# foreign NAME WORDS: the file is told to be that
foreign() {
    says 1 "^[^ ]*: $1 is $2" split "$1"
}
export='as .pt2, and print that: python3 .*graphsplit_fx.py print'
printf '\037\213\010\0' > net.fx.gz && foreign net.fx.gz 'compressed by gzip; .* gunzip'
printf 'PK\003\004\0\0model/data.pkl' > model.pt && foreign model.pt "a file of torch.save() .*$export"
printf '\200\002\212\nl' > model.bin && foreign model.bin "a file of torch.save() .*$export"
printf 'PK\003\004\0\0' > model.pt2 && foreign model.pt2 'a program of torch.export; print its graph: python3 .* print MODEL.pt2'
printf 'PK\003\004\0\0x/archive_format' > model.zip && foreign model.zip 'a program of torch.export'
printf 'PK\003\004\0\0' > model.keras && foreign model.keras 'a Keras model .*TFLiteConverter'
printf 'PK\003\004\0\0' > model.npz && foreign model.npz 'a ZIP archive'
printf '\010\003"\0:\002\n\0' > onnx && foreign onnx 'an ONNX model, which graphsplit-onnx reads'
says 1 '^[^ ]*: standard input is an ONNX model, which graphsplit-onnx reads' split - < onnx
printf 'GGUF\003\0\0' > model.gguf && foreign model.gguf 'GGUF, weights without a graph; `read` makes a table of its layers, which `pipe --table` takes$'
printf '\100\0\0\0\0\0\0\0{"__metadata__"' > model.safetensors && foreign model.safetensors 'safetensors, weights without a graph'
printf '\211HDF\r\n\032\n' > model.h5 && foreign model.h5 'a Keras model .*TFLiteConverter'
printf 'ML\357R\1' > model.mlirbc && foreign model.mlirbc 'MLIR, which graphsplit does not read; export'
printf '#map = affine_map<(d0) -> (d0)>\nmodule @net {\n' > model.txt && foreign model.txt 'MLIR'
echo 'func.func @main' > func.txt && foreign func.txt 'MLIR'
echo '"builtin.module"() ({' > model.mlir && foreign model.mlir 'MLIR'
echo 'HloModule jit_f, is_scheduled=true' > model.hlo && foreign model.hlo 'HLO'
printf '<?xml version="1.0"?>\n<net name="m" version="11">\n' > model.xml && foreign model.xml 'a model of OpenVINO'
printf '\n\n\ndef forward(self, x):\n    relu = x.relu()\n' > code.py && foreign code.py 'the Python code .*: print(gm.graph)'
printf 'Net(\n  (a): ReLU()\n)\n\n\n\ndef forward(self, x):\n' > print.txt && foreign print.txt 'the Python code'
printf 'ExportedProgram:\n    class GraphModule' > program.txt && foreign program.txt 'the print of a torch.export program'
printf 'opcode       name\n' > table.txt && foreign table.txt 'the table of a graph'
printf '\034\0\0\0TFL3' > net.bin && foreign net.bin 'a TensorFlow Lite model'
printf 'PK\003\004\0\0' > net.tflite && foreign net.tflite 'a ZIP archive'
printf '\037\213\010' > gzip
says 1 'standard input is compressed by gzip' read - < gzip
says 1 'model.pt is a file of torch.save' run --equal model.pt chain.fx
{ printf '# def forward(\n'; cat chain.fx; } > comment.fx
quiet read comment.fx
{ echo 'module main'; cat chain.fx; } > named.fx
quiet read named.fx

# ---- standard input twice, a name that is taken ----

twice='standard input can be read only once; give a file instead'
echo torch.sin > sin.ops
says 2 "$twice" run --equal - - < chain.fx
says 2 "$twice" split --plan - - < chain.fx
says 2 "$twice" split --acc-ops @- - < sin.ops
says 2 "$twice" diff - - < a.plan
says 2 "'cpu' is not a valid name for an accelerator: .* cpu is the CPU" split --accelerator cpu=torch.sin chain.fx

# ---- a word after return that is not a node is a constant, and may be a slip of the pen ----

sed 's/return tanh/return (tanb, tanh)/' chain.fx > return.fx
for form in '' --porcelain --json; do
    says 0 "return.fx: 'tanb' after return is not a node and is taken for a constant; did you mean 'tanh'?$" \
        split $form return.fx
done
sed "s/return tanh/return (tanh, None, True, inf, -nan, 1.5, 'tanb', torch.float32, cuda:0, cpu, {'k': [tanh]})/" chain.fx > return.fx
quiet read return.fx
sed 's/return tanh/return elsewhere/' chain.fx > return.fx
says 0 "taken for a constant$" read return.fx
{ echo 'module main'; cat chain.fx; echo 'module other'; sed 's/return tanh/return siin/' chain.fx; } > return.fx
says 0 "return.fx: graph other: 'siin' after return is not a node .*'sin'?$" read return.fx

# ---- parts that run a write (mutates=, or a barrier=) on the other side of what it has to stand before ----

call() {
    printf '    %%%s : [num_users=%s] = call_function[target=torch.%s](args = (%s), kwargs = {})  # %s\n' "$@"
}
{
    printf 'graph():\n    %%x : [num_users=3] = placeholder[target=x]  # f32[4]\n'
    call a 1 sin %x, 'f32[4]'
    call w 0 add_ '%x, %a' 'f32[4] mutates=0'
    call b 1 cos %x, 'f32[4]'
    printf '    return b\n'
} > writes.fx
turned='%w has to run before %b (mutates= or barrier=), and the parts run them in the opposite order: the result may'
says 0 "$turned" split --ignore-writes --acc-ops torch.sin,torch.add_ --porcelain writes.fx
quiet split --acc-ops torch.sin,torch.add_ writes.fx
says 0 "$turned" module --ignore-writes --assign a=1,w=1,b=0 writes.fx
says 0 "$turned" partition --ignore-writes --mode aot --assign a=1,w=1,b=0 --device d:1K --partition-devices 0=0 --partition-devices 1=0 writes.fx
quiet split --acc-ops torch.cos writes.fx
says 0 "$turned" module --ignore-writes --assign a=1,w=1,b=0 --save-plan turned.plan writes.fx
says 0 "$turned" pipe --ignore-writes --plan turned.plan writes.fx
says 1 '%w has to run before %b .* opposite order; --ignore-writes allows it' pipe --plan turned.plan writes.fx
sed 's/\[1\]/[a] acc/; s/\[0\]/[b] cpu/' turned.plan > kinds.plan
says 0 "$turned" split --ignore-writes --plan kinds.plan --porcelain writes.fx
says 1 '%b of b must run after %w of a, which runs later' split --plan kinds.plan --porcelain writes.fx
says 1 'partitions 1 and 0 depend on each other: %b (0) must run after %w (1), and %w (1) reads %a (0)' \
    module --assign a=0,w=1,b=0 writes.fx
says 0 '%w (submod_0) writes memory of which %b (submod_1) has another copy, %x, if' pipe --stages 2 writes.fx
quiet module --keep-original-order --assign a=0,w=0,b=1 writes.fx
quiet module --assign a=1,w=0,b=0 writes.fx
sed 's/mutates=0/mutates=7/' writes.fx > positions.fx
says 1 "%w: mutates=7: there is no argument '7'; the call has 2, counted from 0" split --acc-ops torch.cos positions.fx
says 1 "%w: mutates=7: there is no argument '7'; the call has 2, counted from 0" read positions.fx
sed 's/%x, %a/%x, 0.5/; s/mutates=0/mutates=0,1/' writes.fx > positions.fx
says 1 '%w: mutates=0,1 names the constant 0.5 (argument 1), which is no node' split --acc-ops torch.cos positions.fx
says 1 '%w: mutates=0,1 names the constant 0.5 (argument 1), which is no node' dedup positions.fx
says 1 '%w: mutates=0,1 names the constant 0.5 (argument 1), which is no node' read positions.fx
sed 's/mutates=0/mutates=0, alias=1/; s/mutates=0,/mutates=0/' writes.fx > positions.fx
quiet memory positions.fx
sed 's/%x, %a/%x, None/; s/mutates=0/alias=1/' writes.fx > positions.fx
says 1 '%w: alias=1 names the constant None (argument 1), which is no node' memory positions.fx
for wrong in 0, ,0 x -1 0,,1; do
    sed "s/mutates=0/mutates=$wrong/" writes.fx > positions.fx
    says 1 "%w: mutates=$wrong: there is no argument '" split positions.fx
done
{
    printf 'graph():\n    %%x : [num_users=3] = placeholder[target=x]  # f32[4]\n'
    call a 0 sin %x, 'f32[4]'
    call e 0 enter '' 'none barrier=1'
    call b 1 cos %x, 'f32[4]'
    call c 1 cos %x, 'f32[4]'
    printf '    return (b, c)\n'
} > writes.fx
says 0 '%e has to run before %b .* order, as 1 more such pair: the result may' \
    module --ignore-writes --keep-original-order --assign a=0,b=0,c=0,e=1 writes.fx
says 0 '%a has to run before %e .* order: the result may' \
    partition --ignore-writes --mode aot --assign a=1,e=0,b=1,c=1 --device d:1K --partition-devices 0=0 --partition-devices 1=0 writes.fx
quiet module --keep-original-order --assign a=0,e=1,b=2,c=1 writes.fx

# ---- what is not said: operators of an accelerator, stages, the format ----

says 0 'no operators of gpu are given.*--accelerator gpu=OPS' split --accelerator gpu chain.fx
says 0 'no operators of gpu are given.*--accelerator gpu=OPS' split --accelerator gpu --accelerator npu=torch.sin chain.fx
quiet split --accelerator gpu --pin gpu:name:sin chain.fx
says 0 'so all is one stage: give --stages N' pipe chain.fx
quiet pipe --stages 2 chain.fx
model=$root/tests/formats/data/flow.tflite
$program read "$model" > want 2> err
cp "$model" model && cp "$model" model.lite && cp chain.fx chain
for file in model model.lite -; do
    $program read "$file" < model > out 2> err && cmp -s out want
    verdict "a TensorFlow Lite model as '$file'" $? err
done
quiet read chain
quiet split --acc-ops torch.sin - < chain

# ---- the bar: a cell of several kinds has a sign of its own; tags are not cut ----

awk 'BEGIN { print "graph():\n    %n0 : [num_users=1] = placeholder[target=n0]  # f32[8]"
    for (i = 1; i <= 180; i++) print "    %n" i " : [num_users=1] = call_function[target=" (i % 5 ? "a" : "b") "](args = (%n" i - 1 ",), kwargs = {})  # f32[8]"
    print "    return n180" }' > long.fx
$program split --acc-ops a long.fx > out 2> err && grep -q '^  |#:#:.*|  . cpu  # acc  : several$' out
verdict "cells of several kinds" $? out
$program split --acc-ops torch.sin chain.fx | grep '^  |#\.*|  . cpu  # acc$' > out
verdict "cells of one kind each" $? out

# ---- a line feed in the name of a file ----

feed='one
two'
says 2 '^graphsplit: cannot read one\\ntwo.fx: ' read "$feed.fx"
echo x > "$feed.fx"
says 1 "^graphsplit: one\\\\ntwo.fx:1:1: expected 'graph():', got 'x'" read "$feed.fx"
printf '3 1\n2\n1\n\n' > "$feed.graph"
says 0 '^graphsplit: one\\ntwo.graph is undirected' convert "$feed.graph" --to edges -
$program split "$feed.graph" 2> err | grep -q '^one\\ntwo.graph  4 nodes'
verdict "a report of a file with a line feed in its name" $?

# ---- a name of a C array that C or C++ cannot have ----

for name in int class co_await _Bool __x operator; do
    says 2 "--name $name is a reserved word of C or C++" emit-c --name $name chain.fx
done
says 2 "expects a C identifier, got '1x'" emit-c --name 1x chain.fx
for name in in integer clas s_int _x x__y; do
    quiet emit-c --name $name chain.fx
done

# ---- scripts, and tools that are missing or fail ----

mkdir bin
printf '#!/bin/sh\necho "dot: no fonts" >&2\nexit 1\n' > bin/dot
chmod +x bin/dot
case $program in
*' '*) ;; # the demo runs a program, not an emulator
*)
    (cd "$root" && PATH="$dir/bin:$PATH" B=$dir GRAPHSPLIT=$program sh examples/demo.sh) > out 2> err &&
        grep -q 'Graphviz turns it into a picture' out
    verdict "the demo with a dot that fails" $? err
    ;;
esac
for tool in sh sed awk grep sort rm mkdir dirname head tail wc cat cp; do
    ln -s "$(command -v $tool)" bin/$tool
done
(cd "$root" && PATH=$dir/bin B=$dir/size sh bench/size.sh) > out 2> err &&
    grep -q '^skipped: cortex-m4: not found: arm-none-eabi-gcc, arm-none-eabi-size (Debian: apt install gcc-arm-none-eabi)$' err &&
    grep -q '^skipped: wasm32: not found: clang, llvm-size, wasm-ld (' err && grep -q '^0 passed, 0 failed, 6 skipped$' out
verdict "make size without compilers" $? err
rm -r bin size

# ---- make install: graphsplit-onnx where it is made, and all of it gone again ----

if [ -f "$root/Makefile" ] && command -v make > /dev/null; then
    mkdir made here
    for name in graphsplit graphsplit-onnx; do
        printf '#!/bin/sh\nexec %s "$@"\n' "$program" > made/$name
        chmod +x made/$name
    done
    touch made/graphsplit
    make -s -C "$root" -o "$dir/made/graphsplit" B="$dir/made" PREFIX="$dir/here" install > out 2>&1 &&
        [ -x here/bin/graphsplit-onnx ] && [ -x here/bin/graphsplit ] && [ -f here/include/graphsplit.h ]
    verdict "make install" $? out
    make -s -C "$root" B="$dir/made" PREFIX="$dir/here" uninstall > out 2>&1 && find here -type f > left && ! [ -s left ]
    verdict "make uninstall leaves nothing" $? left
    rm made/graphsplit-onnx
    make -s -C "$root" -o "$dir/made/graphsplit" B="$dir/made" PREFIX="$dir/here" install > out 2>&1 &&
        [ ! -e here/bin/graphsplit-onnx ]
    verdict "make install without it" $? out
fi

finish
