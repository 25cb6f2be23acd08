#!/bin/sh
# `memory --tile`: what it chooses, writes and refuses; whether the outputs stay is the matter of
# tests/formats/tile_litert.sh. GRAPHSPLIT: the program.
set -u
. "$(dirname "$0")/../elsewhere.sh"
seeds=$root/tests/formats/data
model=$seeds/tiles.tflite
cd "$dir" || exit 1

# value LINE KEY FILE: the number behind KEY= in the line that begins with that word
value() {
    sed -n "s/^$1 .*\\<$2=+*\\([0-9]*\\).*/\\1/p" "$3" | awk '{ n += $1 } END { print n + 0 }'
}
# tile OPTION...: into out and err
tile() {
    $program memory --tile --porcelain "$@" > out 2> err
}

$program memory --porcelain "$model" > plain 2> err
[ "$(value arena bytes plain)" -eq 3496 ]
verdict "without tiles" $? plain
tile --tile-csv curve.csv --emit-model tiled.tflite "$model"
[ $? -eq 0 ] && [ "$(sed -n 1p out)" = "tile conv_2d conv_2d_1 parts=30 macs=+77472 axis=both grid=10x3" ] &&
    [ "$(value arena bytes out)" -eq 1338 ]
verdict "the least memory" $? out
$program memory --porcelain tiled.tflite > again 2> err
[ "$(value peak bytes again)" -eq "$(value peak bytes out)" ] && [ "$(value peak bytes again)" -eq 1291 ]
verdict "the written model has that peak" $? again
$program read tiled.tflite > text 2> err && ! grep -q 'padding: same' text && grep -q 'tflite.SLICE' text &&
    [ "$(grep -c 'tflite.CONCATENATION' text)" -eq 11 ] && [ "$(grep -c 'get_attr' text)" -lt 60 ]
verdict "slices, a concatenation per row of tiles and one of rows, equal constants once" $? text
awk -F, 'NR == 1 { next } NR > 2 && ($2 >= peak || $4 < more) { bad = 1 } { peak = $2; more = $4 }
    END { exit bad || NR < 5 }' curve.csv && head -n 1 curve.csv | grep -qx 'arena,peak,macs,extra_macs,copied,operators,tiles'
verdict "the curve descends" $? curve.csv

tile --tile-svg curve.svg "$model"
[ "$(grep -c '<circle ' curve.svg)" -eq "$(($(wc -l < curve.csv) - 1))" ] && [ "$(grep -c 'class="taken"' curve.svg)" -eq 1 ] &&
    [ "$(tail -n 1 curve.svg)" = '</svg>' ]
verdict "the curve as a picture" $? curve.svg

# Each point of the curve is what --fit takes at its size, and --max-recompute at its MACs.
bad=0
tail -n +3 curve.csv | while IFS=, read -r arena _ macs more _; do
    tile --fit "$arena" "$model"
    [ "$(value arena bytes out)" -le "$arena" ] && [ "$(value tile macs out)" -le "$more" ] || echo "--fit $arena"
    tile --max-recompute "$(awk "BEGIN { printf \"%.6f\", ($more + 0.01) / ($macs - $more) * 100 }")%" "$model"
    [ "$(value arena bytes out)" -le "$arena" ] && [ "$(value tile macs out)" -le "$more" ] || echo "--max-recompute $more"
done > bad
[ ! -s bad ]
verdict "--fit and --max-recompute" $? bad
tile --fit 3496 "$model"
[ $? -eq 0 ] && grep -v '^proof ' out | cmp -s - plain
verdict "a model that fits stays" $? out
tile --fit 3495 "$model" && grep -q '^tile' out
verdict "a byte less does not" $? out
$program memory --tile "$model" > out 2> err && grep -q '^  tiles       77472 MACs more (145.7 %), 4.5 KiB copied, 249 operators for 10;$' out &&
    grep -q '^              without tiles the arena takes 3.5 KiB$' out && grep -q '^              conv_2d to conv_2d_1 in 30 tiles of rows and columns, 10x3$' out &&
    grep -q '^  1.4 KiB  37.5 KiB   +146 %  4.5 KiB        249  this one$' out &&
    grep -q '^  warning     TFLM needs more with tiles, 37.5 KiB for 5.7 KiB: operators take memory, too$' out
verdict "for people" $? out
$program memory --tile --json "$model" > out 2> err &&
    grep -q '"regions": \[{"first": "conv_2d", "last": "conv_2d_1", "axis": "both", "parts": 30, "grid": \[10, 3\], "extra_macs": 77472}\]},$' out
[ $? -eq 0 ] && grep -q '"tflm": {"before": 5744, "after": 38336}, "regions"' out && grep -q '^"tflm": {"bytes": 38336, ' out
verdict "as JSON" $? out
$program memory --tile --fit 2000 "$model" > out 2> err && grep -q '^              --fit is for the tensors alone; TFLM exceeds it$' out
verdict "--fit is for tensors alone" $? out
$program memory --tile "$root/tests/formats/data/branches.tflite" > out 2> err && ! grep -q 'warning' out
verdict "no warning without tiles" $? out
# A large alignment: no sum of sizes in multiples of it is a bound.
for align in 1 16 1024; do
    tile --align $align --tile-csv aligned.csv "$model" &&
        awk -F, 'NR > 1 && $2 > $1 { bad = 1 } END { exit bad || NR < 5 }' aligned.csv
    verdict "--align $align: live bytes are at most the arena" $? aligned.csv
done
$program memory --tile --align 1024 --json "$model" | grep -q '"complete": false, ' &&
    $program memory --tile --align 1 --json "$model" | grep -q '"complete": true, '
verdict "complete is what a bound proves" $?
tile --skip-inputs "$model" && cp out first && tile --in-place "$model" && [ "$(value arena bytes out)" -le 1338 ] &&
    [ "$(value arena bytes first)" -lt 1338 ]
verdict "with inputs elsewhere, and with results in place" $? out

# ---- tiles of the input as inputs ----

tile --stream-input --emit-model streamed.tflite "$model"
[ $? -eq 0 ] && [ "$(grep -c '^stream t0 rows=' out)" -eq 30 ] && grep -qx 'stream t0 rows=0..6 columns=0..8' out &&
    grep -qx 'stream t0 rows=17..25 columns=2..8' out && grep -qx 'stream total=1226 tile=96' out &&
    [ "$(value arena bytes out)" -eq 1130 ]
verdict "--stream-input" $? out
$program read streamed.tflite > text 2> err && [ "$(grep -c ' = placeholder' text)" -eq 30 ] &&
    [ "$(sed -n 4p text)" = '    %t0_tile0_6_2_8 : [num_users=1] = placeholder[target=t0_tile0_6_2_8]  # qi8[1, 6, 6, 1]' ] &&
    ! grep -q 'tflite.SLICE(args = (%t0' text
verdict "its model has inputs for slices" $? text
tile --stream-input --fit 1226 "$model" && grep -qx 'stream total=1226 tile=96' out && tile --stream-input --fit 3000 "$model" &&
    grep -q '^stream total=[12]' out
verdict "--fit counts a tile of the input" $? out
$program memory --tile --stream-input "$model" > out 2> err &&
    grep -q '^  stream      1.2 KiB with a tile of %t0, at most 96 B: 30 inputs from top to bottom, then from left to right$' out
verdict "--stream-input for people" $? out
$program memory --tile --stream-input --json "$model" > out 2> err &&
    grep -q '"stream": {"axis": "both", "total": 1226, "tile": 96, "tiles": \[\[\[0, 6\], \[0, 6\]\], ' out
verdict "--stream-input as JSON" $? out

tile --stream-input "$model" && grep -q "^graph main $(sed -n 's/^peak \(.*\) :.*/\1/p' out) " out
verdict "one peak without inputs" $? out
$program memory --skip-inputs --porcelain "$model" > out 2> err && grep -q "^graph main $(sed -n 's/^peak \(.*\) :.*/\1/p' out) " out
verdict "one peak with --skip-inputs" $? out
tile --dim s0=1..2 "$seeds/small.tflite" && grep -q '^range s0 .* tiles=0$' out &&
    $program memory --tile --dim s0=1..2 "$seeds/small.tflite" | grep -q '^  range       peak without tiles ' &&
    $program memory --dim s0=1..2 "$seeds/small.tflite" | grep -q '^  range       peak [0-9]'
verdict "a range is that without tiles" $? out

# ---- averages with padding, and resizes by 3 ----

pools=$seeds/pools.tflite
fused=$seeds/fused.tflite
tile --emit-model pooled.tflite "$pools"
[ $? -eq 0 ] && grep -q '^tile .* average_pool_2d_2 ' out && [ "$(value arena bytes out)" -lt "$($program memory --porcelain "$pools" | sed -n 's/^arena bytes=\([0-9]*\) .*/\1/p')" ]
verdict "averages with padding and nearest neighbours by 3 are in tiles" $? out
$program read --attributes pooled.tflite > text 2> err && [ "$(grep -c 'AVERAGE_POOL_2D.* kwargs = {padding: same' text)" -eq 70 ]
verdict "averages keep their padding" $? text

# The code of emit-c takes what is told by rows, to the byte: the last tensor of an arena is not rounded up to --align. Nothing
# is told where emit-c has no code that saves anything.
for align in 1 16 64 1024 4096; do
    for file in "$model" "$fused"; do
        for options in "" --stream-input; do
            # shellcheck disable=SC2086
            bytes=$($program emit-c --stream $options --align $align "$file" 2> err | sed -n 's/^enum { graph_arena_bytes = \([0-9]*\), .*/\1/p')
            # shellcheck disable=SC2086
            [ "$($program memory --tile $options --align $align "$file" | sed -n 's/^  by rows     estimate .*(\([0-9]*\) bytes).*/\1/p')" = "$bytes" ]
            verdict "${file##*/} $options --align $align: by rows '$bytes'" $?
        done
    done
done

# ---- the region of the user ----

tile --region conv_2d..depthwise_conv_2d "$model"
[ $? -eq 0 ] && [ "$(grep -c '^tile' out)" -eq 1 ] && grep -qx 'tile conv_2d depthwise_conv_2d parts=4 macs=+3456' out
verdict "--region" $? out
# refuses STATUS TEXT WORD...: nothing is printed or written but this sentence
refuses() {
    status=$1
    text=$2
    shift 2
    rm -f none.tflite
    $program "$@" > out 2> err
    [ $? -eq "$status" ] && [ ! -e none.tflite ] && [ "$(sed -n 1p err)" = "graphsplit: $text" ] && ! grep -q 'arena' out
    verdict "$*: $text" $? err
}
tiles="memory --tile --emit-model none.tflite --region"
refuses 1 "--region: %resize_bilinear (tflite.RESIZE_BILINEAR) cannot run in tiles since it interpolates by a factor that is no power of two, which rounds by place" $tiles average_pool_2d..resize_bilinear "$pools"
refuses 1 "--region: the graph has no operator %t0" $tiles t0..conv_2d "$model"
refuses 1 "--region: %conv_2d (tflite.CONV_2D) runs before the first operator of it" $tiles pad..conv_2d "$model"
refuses 1 "--region pad..pad_1: no tiles of it take less; the most is live at %pad_1 (tflite.PAD)" $tiles pad..pad_1 "$model"
refuses 2 "--region expects FIRST..LAST, names of two operators, got 'pad'" $tiles pad "$model"
refuses 2 "--region requires --tile" memory --region pad..pad_1 "$model"
refuses 2 "--region requires --stream" emit-c --region pad..pad_1 "$model"
refuses 2 "--region cannot be combined with --fit" emit-c --stream --fit 9 --region pad..pad_1 "$model"
refuses 1 "--region: its operators do not read %t0, which comes by rows" emit-c --stream --stream-input --region pad..pad_1 "$model"
refuses 1 "--region: %resize_nearest_neighbor (tflite.RESIZE_NEAREST_NEIGHBOR) cannot run row by row since it makes rows larger, which no row kernel does" emit-c --stream --region average_pool_2d..average_pool_2d_2 "$pools"
$program emit-c --stream --region conv_2d..conv_2d_1 "$model" > out 2> err && grep -q '^enum { graph_arena_bytes = 1252, graph_layers_bytes = 3496 };$' out
verdict "emit-c --stream --region" $? out

# ---- fit ----

$program fit --ram 1900 --porcelain --emit-model fits.tflite --save-tflite planned.tflite "$model" > out 2> err &&
    grep -qx 'fit tiles ram=1338 fits=1 macs=+77472 moved=4644 tflm=38336' out && grep -qx 'chosen tiles' out
verdict "fit: tiles alone fit" $? out
for file in fits planned; do
    $program memory --exact --porcelain $file.tflite > again 2> err
    [ "$(value arena bytes again)" -le 1900 ] && [ "$(value arena bytes again)" -gt 1700 ]
    verdict "fit: $file.tflite has the fewest MACs of those that fit" $? again
done
$program fit --ram 3496 --porcelain --emit-model fits.tflite "$model" > out 2> err && grep -qx 'chosen plan' out &&
    $program run --equal "$model" fits.tflite > again 2>&1
verdict "fit: without tiles, the model as it is" $? again
$program fit --ram 900 "$model" > out 2> err
[ $? -eq 1 ] && grep -q '^  regions in tiles  *1.4 KiB  37.5 KiB  no  *+146 %  *4.5 KiB$' out &&
    grep -q '^  graphsplit memory --tile /.*tiles.tflite$' out
verdict "fit for people" $? out
$program fit --ram 1900 "$model" | grep -q '^  graphsplit memory --tile --fit 1900 /.*tiles.tflite$'
verdict "fit: the command of tiles that fit" $?

# ---- streams ----

for way in stream stream-input; do
    options='--stream --max-recompute 0'
    [ $way = stream ] || options='--stream --stream-input --max-recompute 0'
    # shellcheck disable=SC2086
    bytes=$($program emit-c $options "$model" | sed -n 's/^enum { graph_arena_bytes = \([0-9]*\), .*/\1/p')
    $program fit --ram 1300 --porcelain "$model" > out 2> err && grep -qx "fit $way ram=$bytes fits=1 macs=+0 moved=0" out &&
        grep -qx 'chosen stream' out && $program fit --ram 1300 "$model" | grep -q "^  graphsplit emit-c $options /.*tiles.tflite$"
    verdict "fit: $way, $bytes bytes" $? out
done
$program fit --ram 1300 --emit-model none.tflite "$model" > out 2> err
[ $? -eq 1 ] && grep -q 'no plan in one arena fits, so that no model is written' err && [ ! -e none.tflite ]
verdict "fit: a stream is no model" $? err
# Pointwise convolutions that run again: only where nothing else fits.
for options in "--ram 700" "--ram 1000"; do
    # shellcheck disable=SC2086
    $program fit $options --porcelain "$fused" > out 2> err
    way=$(sed -n 's/^chosen //p' out)
    # shellcheck disable=SC2086
    $program fit $options "$fused" > people 2> err
    case $options in
        *700) [ "$way" = stream-fit ] && grep -q '^  graphsplit emit-c --stream --fit 700 /.*fused.tflite$' people ;;
        *) [ "$way" = tiles ] && ! grep -q -e '-fit ' out && ! grep -q 'stream.*--fit' people ;;
    esac
    verdict "fit $options: $way" $? out
done
$program fit --ram 100 "$seeds/branches.tflite" > out 2> err
[ $? -eq 1 ] && [ ! -s err ] && ! grep -q 'emit-c' out
verdict "fit: no stream, and nothing told" $? err

# refuses STATUS TEXT OPTION...: one sentence, and no file
refuses() {
    status=$1
    text=$2
    shift 2
    rm -f tiled.tflite
    tile --emit-model tiled.tflite "$@"
    [ $? -eq "$status" ] && grep -q -e "$text" err && [ ! -e tiled.tflite ] && [ "$(grep -c '^graphsplit: ' err)" -eq 1 ]
    verdict "$*: $text" $? err
}
refuses 1 'the least that is found is 1338 bytes; the most is live at %conv_2d (tflite.CONV_2D)$' --fit 1337 "$model"
refuses 1 'the least .* with so few MACs is 1928 bytes' --fit 1644 --max-recompute 1 "$model"
refuses 1 'small.tflite depends on s0: give --dim s0=N$' "$seeds/small.tflite"
refuses 1 '^graphsplit: --tile requires a model that it can write (.*), and .*chain.fx is none$' "$root/tests/cases/chain.fx"
refuses 1 ' is live at %.* (tflite.*), which cannot run in tiles since it ' --fit 1 "$seeds/branches.tflite"
for words in --csv "--order best" "--budget 1M" "--budget-pieces 1M" "--memory ram:1M" "--run-of p" "--graph main" \
    "--save-tflite x" "--capacity 3000" --sequential --concurrent; do
    # shellcheck disable=SC2086
    refuses 2 "cannot be combined with" $words "$model"
done
refuses 1 '^graphsplit: --stream-input: %.* (tflite.*) reads %.*, and cannot run in tiles since it ' --stream-input "$seeds/branches.tflite"
refuses 1 'the least .* is 1226 bytes' --stream-input --fit 1225 "$model"
refuses 2 "cannot be combined with --skip-inputs" --stream-input --skip-inputs "$model"
refuses 2 "expects percent, 0 or more, got 'few'" --max-recompute few "$model"
refuses 2 "expects percent, 0 or more, got '-1'" --max-recompute=-1 "$model"
for option in "--fit 1" "--max-recompute 1" "--tile-csv x" "--tile-svg x" --stream-input; do
    # shellcheck disable=SC2086
    $program memory $option "$model" > out 2> err
    [ $? -eq 2 ] && grep -q -e "${option% *} requires --tile" err
    verdict "$option without --tile" $? err
done

# The name of the option, before the search: the file is not read.
for option in --tile-csv --tile-svg --emit-model; do
    $program memory --tile $option - absent.tflite > out 2> err
    [ $? -eq 2 ] && grep -q -e "^graphsplit: $option expects the name of a file to write, got '-'$" err
    verdict "$option -" $? err
done

# Damage in every place: a sentence, or a model that can be read.
size=$(wc -c < "$model")
bad=0
at=0
while [ $at -lt "$size" ]; do
    {
        head -c $at "$model"
        printf '\377\177\377'
        tail -c +$((at + 4)) "$model"
    } > damaged.tflite
    rm -f tiled.tflite
    tile --emit-model tiled.tflite damaged.tflite
    case $? in
    0) $program read tiled.tflite > out 2>&1 || bad=$at ;;
    1) [ -s err ] && [ ! -e tiled.tflite ] || bad=$at ;;
    *) bad=$at ;;
    esac
    at=$((at + ${STEP:-31}))
done
verdict "a damaged model (byte $bad)" $bad err

models=$shared/models/tflite
[ -d "$models" ] || nothing_but "real TFLite models (tests/models/get.sh gets them; looked for in $models)"
tile --max-recompute 15 "$models/person_detect.tflite"
[ "$(value arena bytes out)" -le 26000 ] && [ "$(value tile macs out)" -le 1073683 ]
verdict "person_detect: at most 26,000 bytes at 15 % more MACs" $? out
[ "$(value arena bytes out)" -eq 19920 ] && [ "$(value tile macs out)" -eq 531168 ]
verdict "person_detect: 19,920 bytes at 7.4 % more MACs" $? out
$program memory --tile --json "$models/person_detect.tflite" | grep -q '"operators": \[31, 365\], "complete": true, "by_lines": 22272,'
verdict "person_detect: 22,272 bytes with rolling buffers" $?
tile --align 4096 --fit 34000 "$models/person_detect.tflite" && [ "$(value arena bytes out)" -le 34000 ]
verdict "person_detect: 34,000 bytes at multiples of 4096" $? err
for options in "" --stream-input; do
    for name in person_detect mlperf_tiny_resnet8 mlperf_tiny_kws; do
        dim=--dim=s0=1
        [ $name != person_detect ] || dim=
        # shellcheck disable=SC2086
        bytes=$($program emit-c --stream $options $dim "$models/$name.tflite" | sed -n 's/^enum { graph_arena_bytes = \([0-9]*\), .*/\1/p')
        # shellcheck disable=SC2086
        $program memory --tile $options $dim "$models/$name.tflite" > out 2> err && grep -q "^  by rows     estimate .*($bytes bytes)" out
        verdict "$name $options: by rows what the code of emit-c takes, $bytes" $? out
    done
done
$program memory --tile --dim s0=2 "$models/mlperf_tiny_kws.tflite" > out 2> err && ! grep -q 'by rows' out
verdict "nothing by rows with a batch" $? out
$program memory --tile "$models/micro_speech_quantized.tflite" | grep '^  tiles       none: ' > out
grep -q 'depthwise_conv_2d (tflite.DEPTHWISE_CONV_2D), which %[a-z_]* (tflite\.[A-Z_]*) reads, which cannot run in tiles since it ' out
verdict "why no tiles help" $? out
tile --dim s0=1 "$models/mlperf_tiny_resnet8.tflite"
[ "$(value arena bytes out)" -le 17600 ]
verdict "resnet8: 17,600 of 49,152 bytes" $? out
tile "$models/deeplabv3_mnv2_dm05_pascal_quant.tflite" && ! grep -q '^tile' out
verdict "deeplab: its last operators cannot" $? out
finish
