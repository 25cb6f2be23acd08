#!/bin/sh
# Builds build/web/index.html: one file with the program, the lists of operators and an example in it.
# usage: sh examples/web/build.sh     (needs clang with wasm32, and wasm-ld)
cd "$(dirname "$0")/../.." || exit 1
out=${B:-build}/web
clang=${WASM_CC:-clang}
example=examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx

# The command line's files for `split`. The page begins with the first program, which has what it needs at
# once; the second has the rest, too, and no limit of size.
program=examples/program
both="examples/web/web.c examples/web/libc.c examples/tflite/tflite.c"
small="examples/web/left_out.c"
for name in core/buffer core/error core/file core/impl core/json_string core/options \
    core/session core/size algorithms/plan_file algorithms/precedence input/accelerators input/dims input/list input/load input/place input/plan input/text input/tflite input/tflite_read \
    output/json output/people output/porcelain output/table; do
    small="$small $program/$name.c"
done
for file in $program/commands/split/*.c; do
    case $file in
    */acc_limits.c | */choose.c | */convert.c | */dot.c | */emit.c | */explorer.c | */html_tables.c | */json.c | */least_peak.c | */map.c | */people*.c | */plan.c | */reorder.c | */replay.c | */*rewrite.c | */several.c | */show_overlap.c | */take.c | */tiles.c | */tradeoff.c | */try*.c | */windows.c | */*worth.c) ;;
    *) small="$small $file" ;;
    esac
done
whole=
for file in $program/core/*.c $program/algorithms/*.c $program/input/*.c $program/output/*.c $program/commands/split/*.c $program/report/*.c $program/data/*.c; do
    case $file in
    */sys.c | */npy.c | */zip.c | */shell.c | */try*.c) ;; # web.c stands for the one, and nothing there reads arrays or runs commands
    *) whole="$whole $file" ;;
    esac
done

if ! command -v "$clang" > /dev/null || ! command -v wasm-ld > /dev/null; then
    echo "examples/web/build.sh: it takes clang and wasm-ld (package lld) to make WebAssembly" >&2
    exit 1
fi
mkdir -p "$out/parts"
# compile OUTPUT OPTION... FILE...
compile() {
    result=$1
    shift
    "$clang" --target=wasm32 -Oz -flto -std=c11 -Wall -Wextra -ffreestanding -nostdlib -nostdlibinc -mbulk-memory -msign-ext \
        -fno-strict-aliasing -DCLI_NO_STDIN -Wno-excess-initializers \
        -Iexamples/web/libc -I. -Iexamples/program -Wl,--no-entry -Wl,--gc-sections -Wl,--lto-O2 -Wl,-O2 \
        -Wl,-mllvm,-inline-threshold=-50 -Wl,-mllvm,-enable-merge-functions -Wl,-mllvm,-disable-lsr \
        -Wl,-z,stack-size=262144 -Wl,--stack-first -Wl,--strip-all -o "$result" "$@"
}
# shellcheck disable=SC2086
compile "$out/graphsplit.wasm" -DCLI_NO_HELP -DCLI_NO_CALLS -DCLI_NO_DIMS -DTFLITE_NO_TRIPS -DGSP_NO_COST -DGSP_NO_FLOW -DGSP_NO_PIPELINE $both $small &&
    compile "$out/whole.wasm" $both $whole || exit 1

# json_string: standard input as a JSON string that no script element can end.
json_string() {
    awk 'BEGIN { printf "\"" }
    {
        gsub(/\\/, "&&")
        gsub(/"/, "\\\\&")
        gsub(/\t/, "\\\\t")
        gsub(/\r/, "\\\\r")
        gsub(/</, "\\\\u003c")
        printf "%s\\n", $0
    }
    END { print "\"" }'
}
comma='['
for list in examples/ops/*.ops; do
    printf '%s{"name":"%s","text":' "$comma" "$(basename "$list" .ops)"
    json_string < "$list"
    printf '}'
    comma=,
done > "$out/parts/lists.json"
echo ']' >> "$out/parts/lists.json"
json_string < $example > "$out/parts/sample.json"
base64 < "$out/graphsplit.wasm" | tr -d '\n' > "$out/parts/graphsplit.txt"
gzip -9n < "$out/whole.wasm" | base64 | tr -d '\n' > "$out/parts/whole.txt"
cp examples/program/report/view.css examples/program/report/view.html examples/web/page.css "$out/parts/"

# The policy of the page names its one script by the hash of what stands between the tags.
cat examples/program/report/view.js examples/web/onnx.js examples/web/page.js > "$out/parts/script.js"
bytes=$({ echo; cat "$out/parts/script.js"; } | sha256sum | awk '{
    hex = "0123456789abcdef"
    for (i = 1; i < 65; i += 2) {
        printf "\\%03o", (index(hex, substr($1, i, 1)) - 1) * 16 + index(hex, substr($1, i + 1, 1)) - 1
    }
}')
# shellcheck disable=SC2059
hash=$(printf "$bytes" | base64)
sed "s|@HASH@|$hash|" examples/web/page.html > "$out/parts/page.html"
awk -f examples/program/report/include.awk "$out/parts/page.html" > "$out/index.html"
echo "$out/index.html: $(wc -c < "$out/index.html") bytes, of which the programs $(wc -c < "$out/graphsplit.wasm") and $(wc -c < "$out/whole.wasm")"
