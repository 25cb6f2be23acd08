#!/bin/sh
# `split --tile`: what runs in tiles within --max-acc-bytes, what is told of it, and what is refused; whether the pieces
# yield what the model does is the matter of tests/formats/split_tiles.sh. GRAPHSPLIT: the program.
. "$(dirname "$0")/../elsewhere.sh"
seeds=$root/tests/formats/data
model=$seeds/tiles.tflite
cd "$dir" || exit 1

# tile OPTION...: into out and err
tile() {
    $program split --tile --acc-ops 'tflite.*' "$@" > out 2> err
}

tile --max-acc-bytes 2000 --porcelain --emit parts --emit-model tiled.tflite --save-plan plan "$model"
[ $? -eq 0 ] && [ "$(grep -c '^tile ' out)" -eq 2 ] &&
    grep -qx 'tile conv_2d depthwise_conv_2d grid=3x1 peak=1798 params=270 macs=+2304 moved=1388 alone=3524 largest=pad_1' out
verdict "regions in tiles" $? out
# By hand: weights of 36 and 90 bytes, biases of 24 and 24, three paddings of 32, of which two tiles have two that are
# equal; in the other region 18, 180, 600, 24 and 24, 20, 32, 32, three paddings and an element of PADV2.
[ "$(sed -n 's/^tile .* params=\([0-9]*\) .*/\1/p' out | tr '\n' ' ')" = "270 1027 " ]
verdict "parameters of a tile" $? out
grep -qx 'subgraph _run_on_acc_1 acc pad conv_2d pad_1 pad_2 depthwise_conv_2d' out &&
    grep -qx 'subgraph _run_on_cpu_0 cpu slice_1 slice_2 slice_3' out && [ "$(grep -c '^subgraph .* acc ' out)" -eq 6 ]
verdict "a piece for each tile; the CPU cuts and joins" $? out
[ "$(ls parts/*.tflite | wc -l)" -eq 9 ] && grep -q '_run_on_acc_1' plan
verdict "pieces and the plan" $? plan
$program split --acc-ops 'tflite.*' --plan plan --porcelain tiled.tflite > again 2> err && [ "$(grep '^subgraph' again)" = "$(grep '^subgraph' out)" ]
verdict "the plan is of the model that is written" $? again
for piece in parts/*acc*.tflite; do
    $program memory --porcelain --align 1 "$piece" > memory 2> err
    echo "$(sed -n 's/^peak bytes=\([0-9]*\).*/\1/p' memory) $($program read "$piece" 2> err |
        awk '/get_attr/ && match($0, /# [a-z]*[0-9]+\[.*\]/) { type = substr($0, RSTART + 2); bytes = type ~ /^q?[iu]8/ ? 1 : 4
            gsub(/^[^[]*\[|\].*/, "", type); n = split(type, d, ", "); for (i = 1; i <= n; i++) bytes *= d[i]; sum += bytes } END { print sum + 0 }')"
done > sizes
[ "$(awk '$1 + $2 > 2000 || $1 == 0 { bad++ } END { print bad + 0 }' sizes)" -eq 0 ] && [ "$(awk '{ print $1 + $2 }' sizes | sort -n | tail -n 1)" -eq 1798 ]
verdict "no piece of the accelerator is above the limit, and the largest is as told" $? sizes
$program memory --porcelain "$model" > whole 2> err && tile --max-acc-bytes 3524 --porcelain "$model" && ! grep -q '^tile ' out
verdict "nothing in tiles where all is within" $? out
tile --max-acc-bytes 3523 --porcelain "$model" && grep -q '^tile .*largest=pad_1$' out
verdict "a byte less" $? out
tile --max-acc-bytes 2000 --max-recompute 0 --porcelain "$model" && ! grep -q '^tile .* macs=+[1-9]' out && grep -q '^tile ' out
verdict "--max-recompute 0: no MAC again" $? out
tile --max-acc-bytes 2000 --max-acc-params 1027 --porcelain "$model" && [ "$(sed -n 's/^tile .* params=\([0-9]*\) .*/\1/p' out | sort -n | tail -n 1)" -le 1027 ] &&
    ! grep -q '^subgraph .* cpu .*conv' out
verdict "--max-acc-params counts paddings of tiles" $? out
tile --max-acc-bytes 2000 "$model" && grep -q '^  conv_2d  *depthwise_co[.a-z_0-9]*  *3x1  1.8 KiB  *270 B  1.4 KiB  +2304  pad_1  *3.5 KiB$' out &&
    grep -q '^  2304 MACs more (4.3 %), .* operators for 10$' out && grep -q 'it cuts a value into tiles, or joins them' out
verdict "for people" $? out
tile --max-acc-bytes 3524 "$model" && grep -qx '  none: all nodes are within the limit' out
verdict "for people: none" $? out
tile --max-acc-bytes 2000 --json "$model" && grep -q '"first": "conv_2d", "last": "depthwise_conv_2d", "grid": \[3, 1\], "peak": 1798, "params": 270, "extra_macs": 2304, "moved": 1388, "largest": "pad_1", "operator": "tflite.PAD", "alone": 3524}' out &&
    grep -q '"reason": "TILES"' out
verdict "as JSON" $? out
tile --max-acc-bytes 2000 --why=slice_2 "$model" && grep -q 'it cuts a value into tiles, or joins them' out
verdict "--why" $? out
tile --max-acc-bytes 2000 --cpu-nodes conv_2d --porcelain "$model" && ! grep -q '^tile conv_2d ' out && grep -q '^tile ' out &&
    grep -q '^subgraph _run_on_cpu_[0-9]* cpu.* conv_2d' out
verdict "a pin names a node of the input" $? out

tile --max-acc-bytes 2000 --html page.html "$model" &&
    grep -q '^"tiles":{"macs":[0-9]*,"all":[0-9]*,"list":\[\["conv_2d","depthwise_conv_2d",3,1,1798,270,1388,2304,"pad_1",3524\],' page.html
verdict "in the report" $? err

# ---- tiles of the input as inputs ----

tile --stream-input --max-acc-bytes 1000 --porcelain --emit parts "$model"
[ $? -eq 0 ] && grep -qx 'stream t0 rows=0..14' out && grep -qx 'stream t0 rows=12..25' out && grep -qx 'stream total=[0-9]* tile=112' out
verdict "--stream-input" $? out
grep -q '^ "streamed": {"input": "t0", "begin": {"t0_tile0_14": \[0, 0, 0, 0\], "t0_tile12_25": \[0, 12, 0, 0\]}},$' parts/manifest.json &&
    grep -q '"inputs": \["t0_tile0_14", "t0_tile12_25"\]' parts/manifest.json
verdict "the manifest says where tiles begin" $? parts/manifest.json
tile --stream-input --max-acc-bytes 1000 "$model" &&
    grep -q '^  t0 comes in 2 tiles of at most 112 B; with one piece.s tiles at a time, the peak of a run in one memory is at most ' out
verdict "--stream-input for people" $? out
tile --stream-input --max-acc-bytes 1000 --json "$model" &&
    grep -q '"stream": {"input": "t0", "total": [0-9]*, "tile": 112, "tiles": \[\[\[0, 14\], \[0, 8\]\], \[\[12, 25\], \[0, 8\]\]\]}},$' out
verdict "--stream-input as JSON" $? out
# run-pieces cuts the input: an engine that lists what it gets
mkdir frame
{ printf '\223NUMPY\1\0v\0'; printf "%-117s\n" "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 25, 8, 1), }"; awk 'BEGIN { for (i = 0; i < 200; i++) printf "%c", 33 + i % 90 }'; } > frame/t0.npy
$program run-pieces --inputs frame --run ': {model} {outputs}; cat {inputs}/*.npy > got; exit 1' parts > out 2> err
tail -c 112 got > first && tail -c 200 frame/t0.npy | head -c 112 | cmp -s - first
verdict "run-pieces hands over the first tile" $? err
sed 's/\[0, 12, 0, 0\]/[0, 13, 0, 0]/' parts/manifest.json > moved && cp moved parts/manifest.json
$program run-pieces --inputs frame --run ': {model} {inputs} {outputs}' parts > out 2> err
[ $? -eq 1 ] && grep -q 'input t0_tile12_25: it is no tile of the array that --inputs has, which has another type or shape$' err
verdict "run-pieces refuses a tile beyond the input" $? err

# refuses STATUS TEXT OPTION...: one sentence, and no file
refuses() {
    status=$1
    text=$2
    shift 2
    rm -rf parts tiled.tflite
    tile --emit parts --emit-model tiled.tflite "$@"
    [ $? -eq "$status" ] && grep -q -e "$text" err && [ ! -e tiled.tflite ] && [ ! -e parts ] && [ "$(grep -c '^graphsplit: ' err)" -eq 1 ]
    verdict "$*: $text" $? err
}
least=$(tile --max-acc-bytes 1 "$model"; sed -n 's/.*the least that tiles reach is \([0-9]*\) bytes, .*/\1/p' err)
tile --max-acc-bytes "$least" --porcelain "$model" && grep -q '^tile .* peak='"$least" out
verdict "the least, $least bytes, can be reached" $? err
refuses 1 "^graphsplit: --max-acc-bytes $((least - 1)): the least that tiles reach is $least bytes, [0-9]* of parameters, of %.* (tflite.*); --cpu-nodes keeps it on the CPU$" \
    --max-acc-bytes $((least - 1)) "$model"
refuses 1 '^graphsplit: --max-acc-params 250: a tile of %conv_2d to %depthwise_conv_2d has 270 bytes, with its paddings; --cpu-nodes keeps them on the CPU$' \
    --max-acc-bytes 2000 --max-acc-params 250 "$model"
refuses 1 ', which cannot run in tiles since it ' --max-acc-bytes 20 "$seeds/branches.tflite"
refuses 1 'small.tflite depends on s0: give --dim s0=N$' --max-acc-bytes 500 "$seeds/small.tflite"
$program split --tile --acc-ops torch.relu --max-acc-bytes 500 "$root/tests/cases/chain.fx" > out 2> err
[ $? -eq 1 ] && grep -q '^graphsplit: --tile requires a model that it can write (.*), and .*chain.fx is none$' err
verdict "graph text" $? err
$program split --tile --acc-ops tflite.CONV_2D,tflite.DEPTHWISE_CONV_2D --max-acc-bytes 2000 "$model" > out 2> err
[ $? -eq 1 ] && grep -q '^graphsplit: --tile: tiles of %.* need tflite.PAD, which acc does not take$' err
verdict "paddings that the accelerator does not take" $? err
refuses 2 "--tile requires --max-acc-bytes" "$model"
refuses 2 "expects percent, 0 or more, got 'few'" --max-acc-bytes 2000 --max-recompute few "$model"
for words in "--plan x" "--units qdq" --no-convert "--rewrite-to 1" "--graph main" "--try true"; do
    # shellcheck disable=SC2086
    refuses 2 "--tile cannot be combined with ${words%% *}" --max-acc-bytes 2000 $words "$model"
done
refuses 1 '^graphsplit: --stream-input: %.* (tflite.*) reads %t0, and cannot run in tiles since it runs on the CPU$' \
    --stream-input --cpu-nodes conv_2d --max-acc-bytes 2000 "$model"
for option in "--max-recompute 1" "--emit-model x.fx" --stream-input; do
    # shellcheck disable=SC2086
    $program split --acc-ops 'tflite.*' $option "$model" > out 2> err
    [ $? -eq 2 ] && grep -q -e "${option% *} requires --tile" err
    verdict "$option without --tile" $? err
done
finish
