#!/bin/sh
# The operator lists of the program: well formed, cited, found by name from anywhere, told apart from files
# and operators; and beside what vendors' compilers really took, where that is known.
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/check.sh
export LC_ALL=C

awk -f examples/program/data/operator_lists.awk examples/ops/*.ops | cmp -s - examples/program/data/operator_lists.c
verdict "operator_lists.c is made from examples/ops: awk -f examples/program/data/operator_lists.awk examples/ops/*.ops" $?

# ---- the files ----

types='^(b1|bf16|f8|f16|f32|i4|i8|i16|i32|i64|qi4|qi8|qu8|u8)(,(b1|bf16|f8|f16|f32|i4|i8|i16|i32|i64|qi4|qi8|qu8|u8))*$'
for file in examples/ops/*.ops; do
    name=$(basename "$file" .ops)
    grep -v '^#' "$file" > "$dir/entries"
    sort -u "$dir/entries" | cmp -s - "$dir/entries"
    verdict "$file: sorted, nothing twice" $?
    ! cut -s -d ' ' -f 2 "$dir/entries" | grep -v '[=<>?(]' | grep -qvE "$types"
    verdict "$file: dtypes that graphs have" $?
    ! grep -qvE '^(operator\.[a-z]+|(tflite|onnx)\.[A-Za-z0-9_.]+|torch\.(sym_[a-z]+|ops\.[a-z_]+\.[A-Za-z0-9_]+(\.([A-Za-z0-9_]+|\*))?))( |$)' "$dir/entries"
    verdict "$file: names as the importers write them" $?
    sed -n 2p "$file" | grep -qE '^# Version: [0-9a-f.]+ of 20[0-9-]+( \([^)]*\))?(, [0-9a-f.]+ of 20[0-9-]+ \([^)]*\))?(; package [a-z0-9-]+ [0-9.]+)*$'
    verdict "$file: its version and date" $?
    version=$(sed -n '2s/^# Version: \([^;]*\).*/\1/p' "$file")
    $program ops "$name" --json | grep -qF "\"version\": \"$version\", " && $program ops --json | grep -F "{\"name\": \"$name\"," | grep -qF "\"version\": \"$version\", "
    verdict "$file: ops has version and date as $version" $?
    ! grep -qE '^#.{100}|[[:space:]]$' "$file"
    verdict "$file: lines" $?
    tr '\n' ' ' < "$file" | sed 's/ #   / /g' |
        grep -qE '^# [A-Z].* # Source: .*([0-9]+\.[0-9]+|20[0-9][0-9]|revision [0-9a-f]{7}).*https://[^ ]+/.* # Types: '
    verdict "$file: says what it is, from which document and address, of which version, with which types" $?
    $program ops "$name" | cmp -s - "$file"
    verdict "$file: the program has it by name" $?
    grep -v '^#' "$file" | cut -d ' ' -f 1 | sort -u > "$dir/entries"
    $program ops "$name" --json | sed -n 's/^  {"name": "\([^"]*\)", "types": \[\[.*\]\][]}]*,*$/\1/p' | cmp -s - "$dir/entries" &&
        [ "$($program ops --porcelain | sed -n "s/^list $name //p")" -eq "$(wc -l < "$dir/entries")" ]
    verdict "$file: the JSON has its operators, and ops counts them" $?
    $program ops | grep -A 2 "^  $name  *[A-Z]" | grep -q "^  *[0-9]* operators, upper bound: ${version%% *} of " && $program ops "$name" --json | grep -q '"upper_bound": true'
    verdict "$file: and lists it, as an upper bound" $?
    [ "$(grep -c '^# Upper bound: ' "$file")" -eq 1 ]
    verdict "$file: says that it is an upper bound, and why" $?
    ! grep -v '^#' "$file" | grep -q '[=<>(]' || [ "$(grep -cE '^# (Constraints|One subgraph)' "$file")" -ge 1 ]
    verdict "$file: says where its constraints are from" $?
done
for n in 55 65; do
    grep -v '^#' examples/ops/ethos-u$n.ops > "$dir/u$n"
done
cmp -s "$dir/u55" "$dir/u65"
verdict "the lists of Ethos-U55 and U65 are the same lines, as their one document has it" $?
[ "$($program ops | grep -c 'U55 and U65 NPUs (one list, two names)')" -eq 2 ]
verdict "ops says that they are one list" $?
[ "$($program ops --porcelain | wc -l)" -eq "$(ls examples/ops/*.ops | wc -l)" ]
verdict "there are as many lists as files" $?
$program ops > "$dir/short" && ! grep -q https: "$dir/short" && awk '/^$/ { exit } /^  [a-z]/ { n = 0 } ++n > 4 { bad = 1 } END { exit bad || n == 0 }' "$dir/short"
verdict "ops: at most four lines per list, and no sources" $? "$dir/short"
$program ops --more | tr '\n' ' ' > "$dir/long"
for file in examples/ops/*.ops; do
    grep -qF "$(sed -n '/^# Source/,/^# [A-RT-Z]/s|.*\(https://[^ ,;)]*\).*|\1|p' "$file" | head -n 1)" "$dir/long"
    verdict "ops --more: the source of $file" $?
done
$program ops --all | tr '\n' ' ' | cmp -s - "$dir/long"
verdict "ops --all is ops --more" $?

# ---- lists beside the index of packages, and beside what a vendor's tool writes ----

mkdir "$dir/lists"
# versions LINE PACKAGE NEWEST WANTED: what the list of this version is told, where pip finds NEWEST.
versions() {
    printf '# A list\n# Version: %s\n' "$1" > "$dir/lists/mine.ops"
    printf '#!/bin/sh\n[ "$*" = "-m pip index versions %s" ] || exit 1\n[ -z "%s" ] || echo "%s (%s)"\n' "$2" "$3" "$2" "$3" > "$dir/pip"
    chmod +x "$dir/pip"
    found=$(PYTHON="$dir/pip" sh tests/release/lists.sh "$dir/lists" | head -1)
    [ "$found" = "$(printf '%-22s %s' mine "${1%%;*}")$4" ]
    verdict "make lists: $1, the index has '$3': '$found'" $?
}
versions '1.9.1 of 2026-01; package npu-tool 1.9.1' npu-tool 1.10.0 ', older than npu-tool 1.10.0'
versions '1.10 of 2026-01; package npu-tool 1.10' npu-tool 1.9.1 ', not older than npu-tool 1.9.1'
versions '1.10 of 2026-01; package npu-tool 1.10' npu-tool 1.10 ', not older than npu-tool 1.10'
versions '1.10 of 2026-01; package npu-tool 1.10' npu-tool '' ', the index does not answer about npu-tool'
versions '16 of 2019' npu-tool 17 ', by hand'

# The summary tables of Vela's own report name the operators of each list.
vela=${VELA:-$(command -v vela)}
if [ -n "$vela" ] && (mkdir "$dir/vela" && cd "$dir/vela" && "$vela" --supported-ops-report > log 2>&1); then
    for n in 55 65 85; do
        $program ops ethos-u$n | grep -q "^# Version: $("$vela" --version) of "
        verdict "ethos-u$n: of the version of Vela that is installed" $?
        awk -v chip="Ethos-U$n" '/^## / { inside = index($0, chip) && / TFLite Summary Table$/ } inside && /^\| [A-Z]/ && $2 != "Operator" { print "tflite." $2 }' \
            "$dir/vela/SUPPORTED_OPS.md" | sort -u > "$dir/theirs"
        $program ops ethos-u$n | sed -n 's/^\(tflite\.[A-Z0-9_]*\).*/\1/p' | sort -u > "$dir/ours"
        [ -s "$dir/theirs" ] && cmp -s "$dir/ours" "$dir/theirs"
        verdict "ethos-u$n: the operators of the report of Vela" $?
    done
else
    skip "the lists of Ethos-U beside Vela's report (vela is not installed; VELA names it)" 6
fi

# ---- names on the command line ----

cat > "$dir/graph.fx" << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # qi8[1, 8]
    %relu : [num_users=1] = call_function[target=tflite.RELU](args = (%x,), kwargs = {})  # qi8[1, 8]
    %tanh : [num_users=1] = call_function[target=tflite.TANH](args = (%relu,), kwargs = {})  # f32[1, 8]
    %odd : [num_users=1] = call_function[target=tflite.custom.Odd](args = (%tanh,), kwargs = {})  # qi8[1, 8]
    return odd
END

# takes OPS NODES: the nodes that the accelerator takes.
takes() {
    found=$($program split --acc-ops "$1" --porcelain "$dir/graph.fx" | sed -n 's/^acc *//p')
    [ "$found" = "$2" ]
    verdict "--acc-ops $1 takes '$found', not '$2'" $?
}
takes ethos-u55 relu
takes xnnpack ""
takes edgetpu,tflite.custom.Odd,tflite.TANH "relu tanh odd"
takes 'edgetpu,!tflite.RELU,tflite.custom.*' odd
$program split --accelerator npu=ethos-u55 --accelerator cpux=nnapi --porcelain "$dir/graph.fx" | grep -q '^subgraph _run_on_npu_0 npu relu$'
verdict "--accelerator takes the names too" $?
absolute=$(echo "$program" | sed -E "s,(^| )([^/ ][^ ]*graphsplit)\$,\\1$PWD/\\2,")
(cd / && $absolute split --acc-ops ethos-u65 --porcelain "$dir/graph.fx" | grep -q '^acc relu$')
verdict "from any directory" $?
$program split --acc-ops help | grep -q '^  tensorrt '
verdict "--acc-ops help lists them" $?

# ---- coverage by a list that leaves conditions out ----

# bound OPS WANTED: whether text, JSON and report call the coverage an upper bound.
bound() {
    $program split --more --acc-ops "$1" --html "$dir/report.html" "$dir/graph.fx" > "$dir/text" 2> "$dir/errors"
    $program split --acc-ops "$1" --json "$dir/graph.fx" > "$dir/json" 2> "$dir/errors"
    text=$(grep -c 'callable nodes ([0-9.]* %, upper bound)' "$dir/text")
    json=$(grep -c '^"coverage": {"on_accelerators": [0-9]*, "callable": 3, "upper_bound": true},$' "$dir/json")
    html=$(grep -c '"upper":1}' "$dir/report.html")
    [ "$text$json$html" = "$2$2$2" ]
    verdict "--acc-ops $1: upper bound in text $text, JSON $json, report $html, not $2" $?
}
$program ops nnapi | sed '2d' > "$dir/mine.ops"
grep -v '^# Upper' "$dir/mine.ops" > "$dir/exact.ops"
bound nnapi 1
bound 'tflite.ADD,ethos-u55' 1
bound "@$dir/mine.ops" 1
bound "@$dir/exact.ops" 0
bound tflite.RELU 0

# says STATUS PATTERN OPS: what is said on standard error.
says() {
    $program split --more --acc-ops "$3" "$dir/graph.fx" > "$dir/out" 2> "$dir/errors"
    [ $? -eq "$1" ] && grep -q -- "$2" "$dir/errors"
    verdict "--acc-ops $3: expected '$2'" $? "$dir/errors"
}
says 2 "there is no operator list 'ethos-u5'; did you mean 'ethos-u55'?" ethos-u5
says 2 "there is no operator list 'EdgeTPU'; did you mean 'edgetpu'?" EdgeTPU
says 2 'write the name of a list without @' @nnapi
says 2 'No such file' "@$dir/none.ops"
says 2 "for a file write @$dir/graph.fx" "$dir/graph.fx"
says 0 "no node of the graph is a 'tflite.RELLU'; did you mean 'tflite.RELU'?" tflite.RELLU
says 0 "no node of the graph is a 'elsewhere'" elsewhere
says 0 'tensorrt: none of its names is an operator of the graph' tensorrt
printf 'tflite.relu\ntflite.SOFTMAX\n!tflite.Odd\n' > "$dir/own.ops"
says 0 "own.ops: no node of the graph is a 'tflite.relu'; did you mean 'tflite.RELU'?" "@$dir/own.ops"
says 0 'own.ops: none of its names' "@$dir/own.ops"
says 0 "none of its names .*; lists that have some: .*, ethos-u55, .*\.\.\.$" tensorrt
! grep -q -e executorch -e rockchip "$dir/errors"
verdict "no list of another format is named" $?
! grep -q SOFTMAX "$dir/errors"
verdict "names of a file that are not almost right are for other graphs" $?
printf 'tflite.RELU\ntflite.RELU6\n' > "$dir/own.ops"
$program split --acc-ops "@$dir/own.ops" "$dir/graph.fx" 2> "$dir/errors" > "$dir/out" && [ ! -s "$dir/errors" ]
verdict "a name near one that the file has itself is no slip" $?
printf 'tflite.RELLU\n' > "$dir/own.ops"
$program split --acc-ops "@$dir/own.ops" --porcelain "$dir/graph.fx" 2> "$dir/errors" > "$dir/out" && [ ! -s "$dir/errors" ]
verdict "the porcelain is without notes about files" $?
$program split --acc-ops tflite.RELLU --json "$dir/graph.fx" 2>&1 > "$dir/out" | grep -q "did you mean 'tflite.RELU'?"
verdict "a word of the command line is told in every form" $?
says 0 "no node of the graph is a 'tflite.TAM\\*'; did you mean 'tflite.TAN\*'?" 'tflite.TAM*'
$program ops nnapy 2>&1 | grep -q "did you mean 'nnapi'?"
verdict "ops names the nearest list" $?

# ---- programs of a vendor's compiler ----

printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]\n    %%y : [num_users=1] = call_function[target=onnx.com.microsoft.EPContext](args = (%%x,), kwargs = {})\n    return y\n' > "$dir/compiled.fx"
cp "$dir/graph.fx" "$dir/own.fx" && cp "$dir/compiled.fx" "$dir/graph.fx"
says 0 "'onnx.com.microsoft.EPContext' is a program for .*; split the model as it was before it was compiled$" tensorrt
$program split --acc-ops onnx.com.microsoft.EPContext "$dir/graph.fx" 2>&1 > "$dir/out" | grep -q 'is a program for'
[ $? -eq 1 ]
verdict "who lists a compiled program is told nothing" $?
mv "$dir/own.fx" "$dir/graph.fx"

# ---- constraints ----

cat > "$dir/conv.fx" << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # qi8[1, 9, 9, 4]
    %w : [num_users=2] = get_attr[target=w]  # qi8[4, 3, 3, 4]
    %near : [num_users=1] = call_function[target=tflite.CONV_2D](args = (%x, %w), kwargs = {stride: [2, 2], act: relu})  # qi8[1, 4, 4, 4]
    %far : [num_users=1] = call_function[target=tflite.CONV_2D](args = (%near, %w), kwargs = {stride: [4, 4], act: tanh})  # qi8[1, 1, 1, 4] kernel=3x3
    %add : [num_users=1] = call_function[target=tflite.ADD](args = (%far, %near), kwargs = {})  # qi8[1, 4, 4, 4]
    return add
END
# only LINES NODES: the nodes that a list of these lines takes.
only() {
    printf '%b\n' "$1" > "$dir/some.ops"
    found=$($program split --acc-ops "@$dir/some.ops" --porcelain "$dir/conv.fx" 2> "$dir/errors" | sed -n 's/^acc *//p')
    [ "$found" = "$2" ]
    verdict "$1: takes '$found', not '$2'" $? "$dir/errors"
}
only 'tflite.CONV_2D qi8 stride<=3 const(1) rank==4 batch==1 act in relu,relu6,none' near
only 'tflite.CONV_2D stride<=3\ntflite.CONV_2D kernel==3' 'near far'
only 'tflite.CONV_2D kernel==3x3' far
only 'tflite.CONV_2D kernel?==3x3 dim(0,3)==dim(out,3)' 'near far'
only 'tflite.* dim(out,1)>=4' 'near add'
only '# One subgraph: as its compiler has it\ntflite.ADD\ntflite.CONV_2D stride<=3' near
only 'tflite.ADD\ntflite.CONV_2D stride<=3' 'near add'
only 'tflite.CONV_2D strides<=3' ''
# table LINES WORDS: why convolutions are on the CPU, in the table of operators
table() {
    printf '%b\n' "$1" > "$dir/some.ops"
    found=$($program split --more --acc-ops "@$dir/some.ops" "$dir/conv.fx" 2> /dev/null | sed -n 's/^  tflite.CONV_2D  *2  *[0-9]  *[0-9]  //p' | head -1)
    [ "$found" = "$2" ]
    verdict "$1: '$found', not '$2'" $?
}
table 'tflite.CONV_2D i8' 'unsupported with these types'
table 'tflite.CONV_2D rank==3' 'unsupported with these shapes'
table 'tflite.CONV_2D i8 rank==3' 'unsupported with these types'
table 'tflite.CONV_2D stride<=3' '1 unsupported with these arguments'
table 'tflite.CONV_2D act in tanh dim(out,1)>=4' 'unsupported with these shapes or arguments'
# reason LINES COUNT NODE TEXT: the summary of reasons, and the list of all nodes
reason() {
    printf '%b\n' "$1" > "$dir/some.ops"
    $program split --acc-ops "@$dir/some.ops" "$dir/conv.fx" > "$dir/out" 2> /dev/null
    grep -qx "  *$2  $4  *$3" "$dir/out" && $program split --acc-ops "@$dir/some.ops" --why "$dir/conv.fx" 2> /dev/null | grep -q "^  $3 .*  $4\$"
    verdict "$1: $2 because '$4', such as $3" $? "$dir/out"
}
reason 'tflite.CONV_2D\nadd' 1 add 'no accelerator supports it'
reason 'tflite.CONV_2D i8\ntflite.ADD' 2 near 'its operator is supported, but not with these types'
reason 'tflite.CONV_2D dim(out,1)>=4\ntflite.ADD' 1 far 'its operator is supported, but not with these shapes'
reason 'tflite.CONV_2D stride<=3\ntflite.ADD' 1 far 'its operator is supported, but not with these arguments'
sed 's/\(%add .*\)$/\1 acc=0/' "$dir/conv.fx" > "$dir/marked.fx"
$program split --acc-ops 'tflite.*' "$dir/marked.fx" 2> /dev/null | grep -qx '  *1  its annotation says acc=0  *add'
verdict "acc=0 in the summary of reasons" $?
for option in --acc-nodes --pin=acc:name:; do
    case $option in *=*) set -- "${option%%=*}" "${option#*=}near" ;; *) set -- $option near ;; esac
    $program split "$@" "$dir/conv.fx" > "$dir/out" 2> /dev/null
    grep -qx '  *2  no pin names it, and no list of operators is given  *far' "$dir/out" &&
        $program split "$@" --why=far "$dir/conv.fx" 2> /dev/null | grep -q 'because no pin names it, and no list of operators is given\.$'
    verdict "$1 $2 alone: the others are not named" $? "$dir/out"
done
# because LINES NODE SENTENCE
because() {
    printf '%b\n' "$1" > "$dir/some.ops"
    found=$($program split --acc-ops "@$dir/some.ops" --why="$2" "$dir/conv.fx" 2> /dev/null | head -1)
    [ "${found#*because }" = "$3" ]
    verdict "why $2 with $1: '$found'" $?
}
because 'tflite.CONV_2D qi8 stride<=3' far 'acc supports tflite.CONV_2D with stride<=3, and here it is 4x4.'
because 'tflite.CONV_2D qi8 rank(1)<=3 stride<=3' far 'acc supports tflite.CONV_2D with rank(1)<=3, and here it is qi8[4, 3, 3, 4] of w.'
because 'tflite.CONV_2D const(0)' near 'acc supports tflite.CONV_2D with const(0), and here it is not constant of x.'
because 'tflite.CONV_2D kernel<=2' near 'acc supports tflite.CONV_2D with kernel<=2, and here it is missing.'
because 'tflite.CONV_2D kernel<=2' far 'acc supports tflite.CONV_2D with kernel<=2, and here it is 3x3.'
because '# One subgraph\ntflite.ADD\ntflite.CONV_2D stride<=3' add 'its accelerator runs one subgraph, and it is behind that: it reads far (tflite.CONV_2D).'
printf 'tflite.CONV_2D strides<=3 act==relu\ntflite.ADD stride==1\n' > "$dir/some.ops"
$program split --acc-ops "@$dir/some.ops" "$dir/conv.fx" 2>&1 > /dev/null | grep -c 'which no tflite.CONV_2D of the graph has: it never holds$' | grep -q '^1$'
verdict "an attribute that no such operator has is told once" $?
printf 'tflite.ADD\ntflite.CONV_2D stride<3 rank==4\n' > "$dir/some.ops"
$program split --acc-ops "@$dir/some.ops" "$dir/conv.fx" 2>&1 | grep -q 'some.ops:2:16: '
verdict "a wrong constraint has line and column" $?

# ---- the constraints of each list: a node that satisfies them, and one for each kind that does not ----

cat > "$dir/head.fx" << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # qi8[1, 8, 8, 4] scale=0.5 zero=1
    %f : [num_users=1] = placeholder[target=f]  # f32[1, 8, 8, 4]
    %h : [num_users=1] = placeholder[target=h]  # f16[1, 8, 8, 4]
    %long : [num_users=1] = placeholder[target=long]  # qi8[1, 2041]
    %i : [num_users=1] = placeholder[target=i]  # i32[2]
    %j : [num_users=1] = placeholder[target=j]  # i64[2]
    %l : [num_users=1] = placeholder[target=l]  # b1[4]
    %f2 : [num_users=1] = placeholder[target=f2]  # f32[2, 4]
    %f3 : [num_users=1] = placeholder[target=f3]  # f32[1, 8, 4]
    %f5 : [num_users=1] = placeholder[target=f5]  # f32[1, 2, 2, 2, 4]
    %f6 : [num_users=1] = placeholder[target=f6]  # f32[1, 2, 2, 2, 2, 4]
    %x5 : [num_users=1] = placeholder[target=x5]  # qi8[1, 2, 2, 2, 4]
    %w : [num_users=1] = get_attr[target=w]  # qi8[4, 3, 3, 4]
    %wf : [num_users=1] = get_attr[target=wf]  # f32[4, 3, 3, 4]
    %wide : [num_users=1] = get_attr[target=wide]  # f32[4, 1, 16385, 4]
    %w1 : [num_users=1] = get_attr[target=w1]  # qi8[1, 1, 3, 4]
    %w2 : [num_users=1] = get_attr[target=w2]  # qi8[1, 2, 3, 4]
    %wa : [num_users=1] = get_attr[target=wa]  # qi8[4, 3, 3, 4] quant_axis=0
    %wz : [num_users=1] = get_attr[target=wz]  # qi8[4, 3, 3, 4] quant_axis=3
    %wu : [num_users=1] = get_attr[target=wu]  # qu8[4, 3, 3, 4]
    %dw9 : [num_users=1] = get_attr[target=dw9]  # f32[8, 1, 9, 9]
    %g9 : [num_users=1] = get_attr[target=g9]  # f32[8, 4, 9, 9]
    %w32 : [num_users=1] = get_attr[target=w32]  # f32[8, 8, 32, 1]
    %b : [num_users=1] = get_attr[target=b]  # i32[4]
    %bf : [num_users=1] = get_attr[target=bf]  # f32[4]
    %k : [num_users=1] = get_attr[target=k]  # i64[2]
    %p : [num_users=1] = get_attr[target=p]  # i32[4, 2]
    %p3 : [num_users=1] = get_attr[target=p3]  # i32[3, 2]
    %s : [num_users=1] = get_attr[target=s]  # i32[2]
    %h1 : [num_users=1] = get_attr[target=h1]  # f16[4]
END
# rule LIST OPERATOR ARGUMENTS KWARGS TYPE [LIMIT]: the list takes such a node; with LIMIT it does not, and says so.
rule() {
    { cat "$dir/head.fx"
      echo "    %n : [num_users=1] = call_function[target=$2](args = ($3,), kwargs = {$4})  # $5"
      echo "    return n"
    } > "$dir/rule.fx"
    if [ $# -eq 5 ]; then
        $program split --acc-ops "$1" --porcelain "$dir/rule.fx" 2> "$dir/errors" | grep -q '^acc n$'
        verdict "$1 takes $2($3) {$4} $5" $? "$dir/errors"
    else
        found=$($program split --acc-ops "$1" --why=n "$dir/rule.fx" 2> "$dir/errors" | head -1)
        [ "${found#*acc supports }" = "$2 with $6." ]
        verdict "$1 refuses $2($3) {$4} $5: '$found'" $? "$dir/errors"
    fi
}

rule hexagon tflite.CONV_2D '%x, %w, %b' 'stride: [3, 3], dilation: [1, 1], act: relu6' 'qi8[1, 3, 3, 4]'
rule hexagon tflite.CONV_2D '%x, %w, %b' 'stride: [4, 4]' 'qi8[1, 2, 2, 4]' 'stride?<=3, and here it is 4x4'
rule hexagon tflite.CONV_2D '%x, %w, %b' 'dilation: [2, 2]' 'qi8[1, 4, 4, 4]' 'dilation?==1, and here it is 2x2'
rule hexagon tflite.CONV_2D '%x, %w, %b' 'act: tanh' 'qi8[1, 8, 8, 4]' 'act? in none,relu,relu6,relu_n1_to_1, and here it is tanh'
rule hexagon tflite.DEPTHWISE_CONV_2D '%x, %w2, %b' 'stride: [1, 1], dilation: [2, 2], depth_multiplier: 1' 'qi8[1, 8, 8, 4]'
rule hexagon tflite.DEPTHWISE_CONV_2D '%x, %w1, %b' '' 'qi8[1, 8, 8, 4]' 'dim(1,1)?>=2, and here it is qi8[1, 1, 3, 4] of w1'
rule hexagon tflite.RELU '%x5' '' 'qi8[1, 2, 2, 2, 4]' 'rank(0)?<=4, and here it is qi8[1, 2, 2, 2, 4] of x5'
rule hexagon tflite.MEAN '%x, %s' '' 'qi8[1, 4]'
rule hexagon tflite.MEAN '%x, %i' '' 'qi8[1, 4]' 'const(1), and here it is not constant of i'
rule hexagon tflite.MAX_POOL_2D '%x' 'padding: valid, kernel: [13, 13]' 'qi8[1, 1, 1, 4]'
rule hexagon tflite.MAX_POOL_2D '%x' 'padding: same, kernel: [12, 12]' 'qi8[1, 8, 8, 4]'
rule hexagon tflite.MAX_POOL_2D '%x' 'padding: same, kernel: [13, 13]' 'qi8[1, 8, 8, 4]' 'padding==valid, and here it is same'
rule hexagon tflite.FULLY_CONNECTED '%x, %w, %b' '' 'qi8[1, 4]'
rule hexagon tflite.FULLY_CONNECTED '%x, %wa, %b' '' 'qi8[1, 4]' 'quant_axis(1)?==none, and here it is 0 of wa'
rule hexagon tflite.STRIDED_SLICE '%x, %s, %s, %s' 'new_axis_mask: 1' 'qi8[1, 8, 8, 4]' 'new_axis_mask?==0, and here it is 1'
rule coreml tflite.CONCATENATION '[%f, %f]' 'axis: 3' 'f32[1, 8, 8, 8]'
rule coreml tflite.CONCATENATION '[%f, %f]' 'axis: 1' 'f32[1, 16, 8, 4]' 'axis? in 3,-1, and here it is 1'
rule coreml tflite.FULLY_CONNECTED '%f2, %wf, %bf' '' 'f32[2, 4]' 'dim(0,-2)?==1, and here it is f32[2, 4] of f2'
rule coreml tflite.CONV_2D '%f, %wf, %bf' 'act: tanh' 'f32[1, 8, 8, 4]'
rule coreml tflite.CONV_2D '%f, %wide, %bf' '' 'f32[1, 8, 8, 4]' 'dim(1,2)?<=16384, and here it is f32[4, 1, 16385, 4] of wide'
rule coreml tflite.PAD '%f, %p' '' 'f32[1, 9, 9, 4]'
rule coreml tflite.PAD '%f3, %p3' '' 'f32[1, 9, 4]' 'dim(1,0)?==4, and here it is i32[3, 2] of p3'
rule coreml tflite.MIRROR_PAD '%f, %p' 'mode: 1' 'f32[1, 9, 9, 4]' 'mode?==0, and here it is 1'
rule coreml tflite.SOFTMAX '%f' 'beta: 2.0' 'f32[1, 8, 8, 4]' 'beta?==1.0, and here it is 2.0'
rule coreml onnx.Resize '%f' 'mode: linear' 'f32[1, 8, 16, 8]'
rule coreml onnx.Resize '%f' 'mode: nearest, nearest_mode: ceil' 'f32[1, 8, 16, 8]' 'nearest_mode?==floor, and here it is ceil'
rule coreml onnx.Gemm '%f2, %f2' 'transA: 1' 'f32[4, 4]' 'transA?==0, and here it is 1'
rule coreml onnx.MaxPool '%f' 'dilations: [2, 2]' 'f32[1, 8, 4, 2]' 'dilations?==1, and here it is 2x2'
rule nnapi tflite.ADD '%i, %s' 'act: none' 'i32[2]'
rule nnapi tflite.ADD '%i, %s' 'act: relu' 'i32[2]' 'act?==none, and here it is relu'
rule nnapi tflite.MUL '%f5, %f5' '' 'f32[1, 2, 2, 2, 4]' 'rank(0)?<=4, and here it is f32[1, 2, 2, 2, 4] of f5'
rule nnapi tflite.UNPACK '%f2' 'axis: 0' 'f32[4]'
rule nnapi tflite.UNPACK '%f2' 'axis: -1' 'f32[2]' 'axis? in 0,1,2,-2,-3,-4, and here it is -1'
rule nnapi tflite.ARG_MAX '%f, %k' '' 'i32[1, 8, 8]'
rule nnapi tflite.ARG_MAX '%f, %i' '' 'i64[1, 8, 8]' 'dtype(out)?==i32, and here it is i64[1, 8, 8]'
rule nnapi tflite.ARG_MAX '%f, %j' '' 'i32[1, 8, 8]' 'dtype(1)?==i32, and here it is i64[2] of j'
rule nnapi tflite.SUM '%f3, %s' '' 'f32[]' 'rank(out)?>=1, and here it is f32[]'
rule nnapi tflite.SELECT '%l, %bf, %bf' '' 'f32[4]'
rule nnapi tflite.SELECT '%l, %f2, %f2' '' 'f32[2, 4]' 'shape(0)?==shape(1), and here it is b1[4] of l'
rule nnapi onnx.MaxPool '%f3' '' 'f32[1, 8, 4]' 'rank(0)?==4, and here it is f32[1, 8, 4] of f3'
rule tensorrt onnx.AveragePool '%f5' 'dilations: [1, 1, 1]' 'f32[1, 2, 2, 2, 4]'
rule tensorrt onnx.AveragePool '%f3' '' 'f32[1, 8, 4]' 'rank(0)? in 4,5, and here it is f32[1, 8, 4] of f3'
rule tensorrt onnx.Resize '%f' 'mode: linear, coordinate_transformation_mode: half_pixel' 'f32[1, 8, 16, 8]'
rule tensorrt onnx.Resize '%f' 'mode: cubic' 'f32[1, 8, 16, 8]' 'mode? in nearest,linear, and here it is cubic'
rule tensorrt onnx.TopK '%f, %k' 'sorted: 0' 'f32[1, 8, 8, 2]' 'sorted?==1, and here it is 0'
rule xnnpack tflite.CONV_2D '%f, %wa, %bf' '' 'f32[1, 8, 8, 4]'
rule xnnpack tflite.CONV_2D '%f, %wz, %bf' '' 'f32[1, 8, 8, 4]' 'quant_axis(1)?==0, and here it is 3 of wz'
rule xnnpack tflite.FULLY_CONNECTED '%f2, %wa, %bf' '' 'f32[2, 4]'
rule xnnpack tflite.DEQUANTIZE '%h1' '' 'f32[4]'
rule xnnpack tflite.DEQUANTIZE '%h' '' 'f32[1, 8, 8, 4]' 'const(0), and here it is not constant of h'
rule xnnpack tflite.AVERAGE_POOL_2D '%f' 'kernel: [3, 3], stride: [2, 2]' 'f32[1, 4, 4, 4]'
rule xnnpack tflite.AVERAGE_POOL_2D '%f' 'kernel: [1, 1], stride: [2, 2]' 'f32[1, 4, 4, 4]' 'stride?<=kernel(out), and here it is 2x2'
rule xnnpack tflite.SPLIT '%s, %f' 'num_splits: 5' 'f32[1, 8, 8, 1]' 'num_splits? in 2,3,4, and here it is 5'
rule xnnpack tflite.DEPTH_TO_SPACE '%f' 'block: 1' 'f32[1, 8, 8, 4]' 'block?>=2, and here it is 1'
rule xnnpack tflite.RESHAPE '%x, %s' '' 'qi8[64, 4] scale=0.25 zero=1' 'scale(0)?==scale(out), and here it is 0.5 of x'
rule rockchip onnx.Conv '%f, %wf' 'group: 1, strides: [7, 7], pads: [0, 0, 0, 0], dilations: [1, 1]' 'f32[1, 4, 1, 1]'
rule rockchip onnx.Conv '%f, %wf' 'group: 1, strides: [8, 8]' 'f32[1, 4, 1, 1]' 'strides?<=7, and here it is 8x8'
rule rockchip onnx.Conv '%f, %dw9' 'group: 8' 'f32[1, 8, 1, 1]' 'group?==1, and here it is 8'
rule rockchip onnx.Conv '%f, %g9' 'group: 2' 'f32[1, 8, 1, 1]'
rule rockchip onnx.Conv '%f, %w32' 'group: 1' 'f32[1, 8, 1, 1]' 'dim(1,2)?<=31, and here it is f32[8, 8, 32, 1] of w32'
rule rockchip onnx.ConvTranspose '%f, %wf' 'strides: [2, 4]' 'f32[1, 4, 16, 32]'
rule rockchip onnx.ConvTranspose '%f, %wf' 'strides: [3, 3]' 'f32[1, 4, 24, 24]' 'strides? in 1,2,4,8, and here it is 3x3'
rule rockchip onnx.MaxPool '%f' 'kernel_shape: [8, 8]' 'f32[1, 8, 1, 1]' 'kernel_shape?<=7, and here it is 8x8'
rule rockchip onnx.Pad '%f, %k' 'mode: edge' 'f32[1, 8, 9, 9]' 'mode? in constant,reflect, and here it is edge'
rule htp onnx.MaxPool '%f' 'kernel_shape: [2, 2]' 'f32[1, 8, 4, 2]'
rule htp onnx.MaxPool '%f5' 'kernel_shape: [2, 2, 2]' 'f32[1, 2, 1, 1, 2]' 'rank(0)? in 3,4, and here it is f32[1, 2, 2, 2, 4] of f5'
rule htp onnx.AveragePool '%f5' 'kernel_shape: [2, 2, 2]' 'f32[1, 2, 1, 1, 2]'
rule htp onnx.ConvTranspose '%f, %wf' 'dilations: [2, 2]' 'f32[1, 4, 16, 16]' 'dilations?==1, and here it is 2x2'
rule htp onnx.Gemm '%f2, %f2' 'alpha: 0.5' 'f32[2, 2]' 'alpha?==1.0, and here it is 0.5'
rule htp onnx.ScatterND '%f, %k, %bf' 'reduction: max' 'f32[1, 8, 8, 4]' 'reduction? in none,add,mul, and here it is max'
rule htp onnx.Pad '%f6, %k' '' 'f32[1, 2, 2, 2, 2, 4]' 'rank(0)?<=5, and here it is f32[1, 2, 2, 2, 2, 4] of f6'
rule neutron tflite.CONV_2D '%x, %w, %b' 'stride: [2, 2]' 'qi8[1, 4, 4, 4]'
rule neutron tflite.CONV_2D '%x, %x, %b' '' 'qi8[1, 4, 4, 4]' 'const(1,2), and here it is not constant of x'
rule neutron tflite.CONV_2D '%x, %wu, %b' '' 'qi8[1, 4, 4, 4]' 'dtype(1)?==qi8, and here it is qu8[4, 3, 3, 4] of wu'
rule neutron tflite.TRANSPOSE_CONV '%s, %w, %x' 'stride: [3, 3]' 'qi8[1, 24, 24, 4]' 'stride?<=2, and here it is 3x3'
rule neutron tflite.SOFTMAX '%x' '' 'qi8[1, 8, 8, 4]'
rule neutron tflite.SOFTMAX '%long' '' 'qi8[1, 2041]' 'dim(0,-1)?<=2040, and here it is qi8[1, 2041] of long'
rule neutron tflite.MAXIMUM '%x, %x' '' 'qi8[1, 8, 8, 4] scale=0.5 zero=1'
rule neutron tflite.MAXIMUM '%x, %x' '' 'qi8[1, 8, 8, 4] scale=0.5 zero=2' 'zero(0)?==zero(out), and here it is 1 of x'
rule neutron tflite.BATCH_MATMUL '%x, %x' '' 'qi8[1, 8, 8, 8]' 'zero(0)?==0, and here it is 1 of x'
rule neutron tflite.MIRROR_PAD '%x, %p' 'mode: 1' 'qi8[1, 9, 9, 4]' 'mode?==0, and here it is 1'
rule neural-art tflite.CONV_2D '%x, %w, %b' 'stride: [2, 2]' 'qi8[1, 4, 4, 4]'
rule neural-art tflite.CONV_2D '%x, %x, %b' '' 'qi8[1, 4, 4, 4]' 'const(1), and here it is not constant of x'
rule neural-art tflite.FULLY_CONNECTED '%x, %w, %b' '' 'qi8[1, 4]'
rule neural-art tflite.FULLY_CONNECTED '%x, %x' '' 'qi8[1, 4]' 'const(1), and here it is not constant of x'
rule neural-art tflite.MAX_POOL_2D '%x' 'kernel: [3, 3], stride: [15, 15]' 'qi8[1, 1, 1, 4]'
rule neural-art tflite.MAX_POOL_2D '%x' 'kernel: [3, 3], stride: [16, 16]' 'qi8[1, 1, 1, 4]' 'stride?<=15, and here it is 16x16'

# ---- lists of PyTorch's operators ----

cat > "$dir/head.fx" << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[1, 4, 8, 8]
    %h : [num_users=1] = placeholder[target=h]  # f16[1, 4, 8, 8]
    %v : [num_users=1] = placeholder[target=v]  # f32[1, 4, 2, 8, 8]
    %d : [num_users=1] = placeholder[target=d]  # f64[1, 4, 8, 8]
    %i : [num_users=1] = placeholder[target=i]  # i64[2]
    %w : [num_users=1] = get_attr[target=w]  # f32[4, 4, 3, 3]
    %w3 : [num_users=1] = get_attr[target=w3]  # f32[4, 4, 3, 3, 3]
END
aten=torch.ops.aten
rule executorch-xnnpack $aten.conv2d.default '%x, %w, None, [1, 1], [1, 1]' '' 'f32[1, 4, 8, 8]'
rule executorch-xnnpack $aten.convolution.default '%x, %w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1' '' 'f32[1, 4, 8, 8]'
rule executorch-xnnpack $aten.convolution.default '%v, %w3, None' '' 'f32[1, 4, 2, 8, 8]' 'rank(1)?<=4, and here it is f32[4, 4, 3, 3, 3] of w3'
rule executorch-xnnpack $aten.mean.dim '%v, [2, 3], True' '' 'f32[1, 4, 1, 1, 8]' 'rank(0)?==4, and here it is f32[1, 4, 2, 8, 8] of v'
rule executorch-vulkan $aten.relu.default '%h' '' 'f16[1, 4, 8, 8]'
rule executorch-vulkan $aten.relu.default '%v' '' 'f32[1, 4, 2, 8, 8]' 'rank(0)?<=4, and here it is f32[1, 4, 2, 8, 8] of v'
rule executorch-vulkan $aten.index_select.default '%x, 0, %i' '' 'f32[2, 4, 8, 8]'
rule executorch-qnn $aten.permute.default '%x, [0, 2, 3, 1]' '' 'f32[1, 8, 8, 4]'
rule executorch-coreml $aten.clamp.Tensor '%x, %x' '' 'f32[1, 4, 8, 8]'
rule executorch-ethos-u55 $aten.view.default '%x, [4, 64]' '' 'f32[4, 64]'
rule executorch-ethos-u85 $aten.gather.default '%x, 0, %i' '' 'f32[2]'
rule executorch-mediatek $aten.linear.default '%x, %w' '' 'f32[1, 4, 8, 8]'
rule torch-tensorrt $aten._softmax.default '%x, -1, False' '' 'f32[1, 4, 8, 8]'
# refuses LIST OPERATOR: the list has no such operator
refuses() {
    ! $program ops "$1" | grep -q "^$2\( \|\$\)"
    verdict "$1 has no $2" $?
}
refuses executorch-ethos-u55 $aten.gather.default
refuses executorch-ethos-u55 $aten.eq.Tensor
refuses executorch-coreml $aten.diagonal.default
refuses executorch-xnnpack $aten.elu.default
for list in coreml ethos-u55 ethos-u85 mediatek qnn vulkan xnnpack; do
    ! $program ops executorch-$list | grep -qE '^(onnx|tflite)\.' && [ "$($program ops executorch-$list | grep -c '^torch\.ops\.aten\.')" -gt 30 ]
    verdict "executorch-$list names operators of PyTorch alone" $?
done

# What torch.export writes of a small network: each list of PyTorch's operators answers, others do not.
cat > "$dir/export.fx" << 'END'
graph():
    %p_weight : [num_users=1] = placeholder[target=p_weight]  # f32[8, 3, 3, 3]
    %p_scale : [num_users=1] = placeholder[target=p_scale]  # f32[8]
    %x : [num_users=1] = placeholder[target=x]  # f32[1, 3, 16, 16]
    %conv2d : [num_users=1] = call_function[target=torch.ops.aten.conv2d.default](args = (%x, %p_weight, None, [1, 1], [1, 1]), kwargs = {})  # f32[1, 8, 16, 16]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%conv2d,), kwargs = {})  # f32[1, 8, 16, 16]
    %mean : [num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%relu, [2, 3], True), kwargs = {})  # f32[1, 8, 1, 1]
    %view : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = (%mean, [1, 8]), kwargs = {})  # f32[1, 8]
    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view, %p_scale), kwargs = {})  # f32[1, 8]
    %erfinv : [num_users=1] = call_function[target=torch.ops.aten.erfinv.default](args = (%mul,), kwargs = {})  # f32[1, 8]
    return erfinv
END
$program ops --for "$dir/export.fx" --porcelain > "$dir/cover" 2> "$dir/errors" && ! [ -s "$dir/errors" ]
verdict "ops --for of an exported network: nothing is told" $? "$dir/errors"
while read -r list covered; do
    [ "$(sed -n "s/^cover $list on_acc=\([0-9]*\) .*/\1/p" "$dir/cover")" = "$covered" ]
    verdict "ops --for of an exported network: $list takes $covered of 6" $? "$dir/cover"
done << 'END'
executorch-coreml 5
executorch-ethos-u55 6
executorch-ethos-u85 6
executorch-mediatek 3
executorch-qnn 5
executorch-vulkan 5
executorch-xnnpack 5
torch-tensorrt 5
xnnpack 0
END

# What torch.fx traces has other names, which no list has: a line says where the names of the lists come from.
for call in 'function[target=torch.relu]' 'module[target=fc]' 'method[target=relu]' 'function[target=mine]' \
    'function[target=torch.ops.mine.relu]'; do
    printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]\n    %%y : [num_users=1] = call_%s(args = (%%x,), kwargs = {})\n    return y\n' \
        "$call" > "$dir/traced.fx"
    $program ops --for "$dir/traced.fx" > "$dir/cover" 2> "$dir/errors"
    target=$(echo "$call" | sed 's/.*=//; s/.$//')
    grep -q "traced.fx: no list has an operator of the graph, such as $target; .* a graph of torch.export has$" "$dir/errors"
    told=$?
    case $target in *mine*) [ $told -ne 0 ] ;; *) [ $told -eq 0 ] ;; esac
    verdict "ops --for of $call: whether a line names torch.export" $? "$dir/errors"
done

# ---- what each list covers of a graph ----

net=examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx
$program ops --for $net --porcelain > "$dir/cover"
[ "$(wc -l < "$dir/cover")" -eq "$($program ops --porcelain | wc -l)" ]
verdict "ops --for has a line per list" $? "$dir/cover"
# cover NAME on_acc=N ... is what `split --acc-ops NAME` gives.
while read -r _ list covered _ subgraphs _ values bytes; do
    $program split --acc-ops "$list" --porcelain $net 2> /dev/null > "$dir/split"
    [ "$covered" = "on_acc=$(sed -n 's/^acc//p' "$dir/split" | wc -w)" ] &&
        [ "$subgraphs" = "subgraphs=$(grep -c '^subgraph ' "$dir/split")" ]
    verdict "ops --for: $list as split has it" $? "$dir/split"
    crossing=$($program split --acc-ops "$list" $net 2> /dev/null |
        sed -n 's/.*between them, \([0-9]*\) value.*cross.* the boundary of acc.*/\1/p')
    [ "$values" = "values=${crossing:-0}" ]
    verdict "ops --for: $list: $values $bytes, split says '$crossing'" $?
done < "$dir/cover"
tr '=' ' ' < "$dir/cover" | cut -d ' ' -f 4 | sort -c -rn 2> /dev/null
verdict "ops --for: most nodes first" $? "$dir/cover"
$program ops --for $net > "$dir/table" && grep -q '^  xnnpack \* *70 *97.2 % *100 % *4 *4 *5.7 MiB$' "$dir/table"
verdict "ops --for as a table" $? "$dir/table"
$program ops xnnpack --for $net > "$dir/table" 2>&1
[ $? -eq 2 ] && grep -q -e "--for compares all lists, and 'xnnpack' is one" "$dir/table"
verdict "ops NAME --for is refused" $? "$dir/table"

# ---- what vendors' compilers took ----

# The lists as they are take the nodes that vendors' compilers took, and no others: of the graph text, which has no
# attributes, and of the model, which has them. Where a rule cannot be known the node would be named here, with the
# reason; so far there is none: see "Constraints" of edgetpu for what is taken from observation.
# beside LIST GRAPH TRUTH NODES: the list takes what the compiler took, and NODES besides.
beside() {
    $program split --acc-ops "$1" --porcelain "$shared/models/fx/$2" | sed -n 's/^acc *//p' | tr ' ' '\n' | sort > "$dir/ours"
    sed -n 's/^acc *//p' "$shared/models/fx/$3" | tr ' ' '\n' | sort > "$dir/theirs"
    [ "$(wc -l < "$dir/theirs")" -gt 20 ] && [ -z "$(comm -13 "$dir/ours" "$dir/theirs")" ]
    verdict "$1: takes all that the compiler took of $2" $?
    found=$(comm -23 "$dir/ours" "$dir/theirs" | tr '\n' ' ')
    [ "$found" = "$4" ]
    verdict "$1: besides, of $2, '$found'; known are '$4'" $?
}
if [ -d "$shared/models/fx" ]; then
    beside ethos-u55 tflite_person_detect.fx tflite_person_detect.ethos-u55.truth ""
    beside edgetpu tflite_deeplabv3_mnv2_dm05_pascal_quant.fx tflite_deeplabv3_mnv2_dm05_pascal_quant.edgetpu.truth ""
    for truth in "$shared"/models/fx/*.truth; do
        model=$(basename "$truth" .truth)
        compiler=${model##*.}
        model=${model#tflite_}
        model=${model%.*}
        sed -n 's/^acc *//p' "$truth" > "$dir/theirs"
        for graph in "$shared/models/fx/tflite_$model.fx" "$shared/models/tflite/$model.tflite"; do
            if [ ! -f "$graph" ]; then
                skip "$truth on a model (tests/models/get.sh gets it; looked for in $graph)"
                continue
            fi
            $program split --acc-ops "$compiler" --porcelain "$graph" 2> /dev/null | sed -n 's/^acc *//p' | cmp -s - "$dir/theirs"
            verdict "$compiler: the nodes of $truth, from $graph" $?
        done
    done
    # The names that others have drawn from the same documents, or from older ones.
    names() {
        cat "$@" | grep -v '^#' | cut -d ' ' -f 1 | sort -u
    }
    for other in coreml hexagon xnnpack; do
        names "$shared/models/ops/$other"*.ops > "$dir/theirs"
        kind=$(sed 's/\..*//' "$dir/theirs" | grep -E 'onnx|tflite' | uniq)
        names examples/ops/$other.ops | grep -E "^($kind|operator)\." | cmp -s - "$dir/theirs"
        verdict "$other: the same names as in $shared/models/ops" $?
    done
    for pair in ethos-u55:ethos-u55 edgetpu:edgetpu-2019 armnn:armnn-onnx armnn:nnapi-armnn tensorrt:tensorrt; do
        names "$shared/models/ops/${pair#*:}.ops" > "$dir/theirs"
        [ -z "$(names "examples/ops/${pair%:*}.ops" | comm -13 - "$dir/theirs")" ]
        verdict "${pair%:*}: all names of $shared/models/ops/${pair#*:}.ops, an older document" $?
    done
else
    skip "lists beside what vendors' compilers took (looked for in $shared/models)" 16
fi

finish
