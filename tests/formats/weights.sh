#!/bin/sh
# Headers of .gguf and .safetensors files as tables of layers, what `pipe --table` says of them, and files that are wrong.
# usage: B=build sh tests/formats/weights.sh
. "$(dirname "$0")/../elsewhere.sh"
python=${PYTHON:-python3}
"${python%% *}" -c '' 2> /dev/null || nothing_but "files of weights (they take Python)"
out=$dir
"${python%% *}" tests/formats/weights.py "$dir" || exit 1
cd "$dir" || exit 1

# table FILE ROW...: all rows, without the first line.
table() {
    file=$1
    shift
    $program read "$file" > said 2> told
    { echo layer,params,macs,activation,kv_per_token && printf '%s\n' "$@"; } | cmp -s - said
    verdict "$file: its layers" $? said
}
table dense.gguf token_embd,12288,0,256,0 blk.0,53376,26624,256,64 blk.2,53376,26624,256,64 blk.10,53376,26624,256,64 \
    output_norm,256,0,256,0 output,6528,6144,384,0
[ ! -s told ]
verdict "dense.gguf: nothing else is told" $? told
table moe.gguf token_embd,12288,0,256,0 blk.0,25216,12544,256,96 blk.0.exps,32768,8192,256,0 blk.1,25216,12544,256,0 \
    blk.1.exps,32768,8192,256,0 output_norm,256,0,256,0 output,6528,6144,384,0
table old.gguf token_embd,12288,0,256,0 blk.0,20864,10368,256,64 blk.0.exps.0,16384,8192,256,0 blk.0.exps.1,16384,8192,256,0 \
    output_norm,256,0,256,0 output,6528,6144,384,0
grep -qx 'graphsplit: old.gguf: how many experts a token takes is not known; MACs are those of all' told
verdict "old.gguf: experts of unknown share" $? told
table mla.gguf token_embd,12288,0,256,0 blk.0,5120,2560,256,80 output_norm,256,0,256,0 output,6528,6144,384,0
table llama.safetensors model.embed_tokens,12800,0,128,0 model.layers.0,12416,6144,128,64 model.layers.2,12416,6144,128,64 \
    model.layers.10,12416,6144,128,64 model.norm,128,0,128,0 lm_head,12800,6400,200,0
table moe.safetensors model.embed_tokens,12800,0,128,0 model.layers.0,16512,8192,128,64 model.layers.0.mlp.experts.0,16384,8192,128,0 \
    model.layers.0.mlp.experts.1,16384,8192,128,0 model.layers.0.mlp.experts.10,16384,8192,128,0 model.layers.1,12416,6144,128,64 \
    model.layers.1.mlp.experts,49152,24576,128,0 model.norm,128,0,128,0 lm_head,12800,6400,200,0
table two.gguf token_embd,12288,0,256, output_norm,256,0,256, output,6528,6144,384,
grep -q 'one file of several' told && grep -q -- '--kv gives bytes per layer' told
verdict "two.gguf: a file of several, without keys and values" $? told
$program read - < dense.gguf | cmp -s - said 2> told
cp dense.gguf nameless
$program read dense.gguf > said && $program read - < dense.gguf | cmp -s - said && $program read nameless | cmp -s - said
verdict "standard input, and a file without a suffix" $? said

# answer LINE FILE OPTIONS...: a line of pipe --table.
answer() {
    line=$1
    shift
    $program pipe --table "$@" > said 2> told
    grep -qx -- "$line" said
    verdict "$*: $line" $? said
}
$program read dense.gguf > layers.csv
echo a,1,1 > plain.csv
$program pipe --porcelain --table layers.csv --device a:200K:2 --device b:1M > by_table
$program pipe --porcelain --table dense.gguf --device a:200K:2 --device b:1M | cmp -s - by_table
verdict "a file and its table are one" $? by_table
answer 'context tokens=1 fits=666 most=4588' dense.gguf --porcelain --device a:200K:2 --device b:1M
answer 'context tokens=4000 fits=4588 most=4588' dense.gguf --porcelain --device a:200K:2 --device b:1M --context 4000
answer 'context          1 token; these stages have room for 666, the devices for 4588 (with --context 4588)' dense.gguf --device a:200K:2 --device b:1M
answer '"context": {"tokens": 1, "fits": 666, "most": 4588, "proved": true},' dense.gguf --json --device a:200K:2 --device b:1M
answer '--n-gpu-layers 3 --tensor-split 3 --override-tensor blk\[.\]0\[.\].\*_exps\[.\]=CPU,blk\[.\]1\[.\]=CPU' moe.gguf \
    --stages-for llama.cpp --device a:40K --device cpu:1M

# sentence TEXT COMMAND...: one line, and no result.
sentence() {
    text=$1
    shift
    $program "$@" > said 2> told
    [ $? -ne 0 ] && [ ! -s said ] && [ "$(grep -vc "^Try '" told)" -eq 1 ] && grep -q -- "$text" told
    verdict "$*: $text" $? told
}
sentence '--context 20000: no stages fit the devices; 4588 tokens do$' pipe --table dense.gguf --device a:200K:2 --device b:1M --context 20000
sentence '--context: no layer has kv_per_token=, by which tokens take memory' pipe --table plain.csv --device a:1M --context 9
sentence '--context requires --device' pipe --table dense.gguf --stages 2 --context 9
sentence 'is GGUF, weights without a graph; `read` makes a table of its layers' split dense.gguf
sentence 'whose layers are printed as a table (CSV) alone' read --macs dense.gguf
sentence 'whose layers are printed as a table (CSV) alone' read --json llama.safetensors
while read -r file why; do
    sentence "$file.*$why" read "$file"
    sentence "$file.*$why" pipe --table "$file" --device a:1G
done << 'END'
after.bad.safetensors expected the end of the header
array.bad.gguf the file ends inside its header
back.bad.safetensors a tensor requires dtype, shape and data_offsets, begin and end
block.bad.gguf tensor 0 has rows of 33 elements, which are not blocks of 32
count.bad.gguf the file ends inside its header
cut.bad.gguf the file ends inside its header
cut.bad.safetensors the file ends inside its header
dims.bad.gguf tensor 0 has 5 dimensions, above 4
empty.bad.gguf no GGUF file
huge.bad.gguf tensor 0 has more than 2^56 elements
huge.bad.safetensors tensor 0 has more than 2^56 elements
inf.bad.safetensors expected a number from 0 to 10^18
list.bad.safetensors expected an object with tensors
long.bad.gguf tensor 0 has a name of 1099511627776 bytes, above 65535
magic.bad.gguf no GGUF file
minus.bad.safetensors expected a number from 0 to 10^18
nested.bad.gguf key 0 is an array of the type 9, which is none
none.bad.gguf there are no tensors
none.bad.safetensors there are no tensors
order.bad.gguf the bytes of numbers stand in the other order
point.bad.gguf tensor 0 has rows of 1 elements, which are not blocks of 32
pairs.bad.gguf has a name of
shape.bad.safetensors the data_offsets are not those of its shape and dtype
short.bad.safetensors the file ends inside its header
size.bad.safetensors its header would have 4611686018427387904 bytes
text.bad.gguf the file ends inside its header
texts.bad.gguf the file ends inside its header
type.bad.gguf tensor 0 has the type 99, which is not known
utf8.bad.gguf the name of tensor 0 is not UTF-8
utf8.bad.safetensors the name of tensor 0 is not UTF-8
value.bad.gguf key 0 has a value of the type 13, which is none
version.bad.gguf version 1 of GGUF; 2 and 3 can be read
END

# Files with wrong bytes: a table or one sentence.
wrong=0
tables=0
for file in *.any.*; do
    $program read "$file" > said 2> told
    code=$?
    if [ $code -eq 0 ]; then
        tables=$((tables + 1))
        $program pipe --porcelain --table "$file" --device a:1E --device b:1E > said 2>> told
        code=$?
    fi
    { [ $code -eq 0 ] || { [ $code -eq 1 ] && [ -s told ]; }; } || wrong=$((wrong + 1))
done
[ $wrong -eq 0 ] && [ $tables -ge 20 ]
verdict "400 files with wrong bytes, $tables of them tables: $wrong wrong" $?
finish
