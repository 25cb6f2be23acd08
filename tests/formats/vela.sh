#!/bin/sh
# `split --try` with Arm's compiler for Ethos-U: the pieces that are left are taken whole, so that nothing of them stays on
# the CPU. Prints the runs of the compiler.
# usage: B=build sh tests/formats/vela.sh     VELA: the compiler, default that of PATH
. "$(dirname "$0")/../elsewhere.sh"
models=$shared/models/tflite
vela=${VELA:-$(command -v vela)}
[ -n "$vela" ] || nothing_but "pieces for Ethos-U by Vela (vela is not installed; VELA names it)"
[ -d "$models" ] || nothing_but "pieces for Ethos-U by Vela (there are no models in $models)"
cd "$dir" || exit 1

# The compiler takes a piece whole if its output is one program and nothing else.
cat > takes.sh << END
"$vela" --accelerator-config ethos-u55-128 --output-dir "\$1" "\$2" > "\$1/log" 2>&1 && $program read "\$1"/*_vela.tflite > "\$1/text" 2> "\$1/error" &&
    [ "\$(sed -n 's/.* = call_function.target=\([^]]*\).*/\1/p' "\$1/text" | grep -vc 'getitem')" -eq 1 ] && grep -q 'target=tflite.custom.ethos_u\]' "\$1/text"
END

# pieces MODEL LIST MOST WANTED: at most so many runs, and the pieces that are left: nodes of each
pieces() {
    rm -rf out log
    model=$models/$1.tflite
    [ -f "$model" ] || model=$dir/$1.tflite
    $program split --acc-ops "$2" --try 'sh takes.sh {out} {}' --try-log log --jobs 2 --no-sync --emit out --porcelain "$model" > found 2> error
    runs=$(sed -n 's/^tried \([0-9]*\) .*/\1/p' found)
    nodes=$(awk '$1 == "subgraph" && $3 != "cpu" { print NF - 3 }' found | tr '\n' ' ')
    [ "$(wc -l < log)" -eq $((runs + 1)) ] && [ "$runs" -le "$3" ] && [ "$nodes" = "$4" ]
    verdict "$1 by $2: $runs runs of Vela, pieces of ${nodes% }" $? error
    for piece in out/_run_on_[!c]*.tflite; do
        mkdir -p again
        sh takes.sh again "$piece"
        verdict "$1 by $2: Vela takes $piece whole" $?
        rm -r again
    done
    echo "$1 by $2: $runs runs of Vela, pieces of ${nodes% } nodes"
}
pieces person_detect ethos-u55 2 '31 '
pieces mlperf_tiny_kws ethos-u55 2 '13 '
pieces micro_speech_quantized ethos-u55 2 '4 '
pieces mlperf_tiny_resnet8 ethos-u55 2 '16 '
pieces keyword_scrambled_8bit ethos-u55 12 '1 1 1 1 1 2 '
# Without the list the search finds what it has: eight operators of fourteen are refused, 2 * 6 + 8 * 3 log2 14 is 103.
pieces keyword_scrambled_8bit '*' 103 '1 1 1 1 1 2 '
[ "$(sed -n 's/^subgraph _run_on_cpu_[0-9]* cpu //p' found | tr '\n' ' ')" = "svdf svdf_1 svdf_2 svdf_3 svdf_4 svdf_5 svdf_6 quantize_1 " ]
verdict "keyword_scrambled_8bit: what Vela refuses" $? found

# MoveNet's structure with random weights.
python=
for path in ${PYTHON:-} "${TOOLS:-$root/${B:-build}/tools/bin}/python" "$root/${B:-build}/hosts-env/bin/python" python3; do
    [ -n "$python" ] || ! "$path" -c "import flatbuffers, ai_edge_litert.schema_py_generated" 2> /dev/null || python=$path
done
if [ -n "$python" ]; then
    "$python" "$root/tests/formats/movenet.py" movenet.tflite > log 2>&1
    verdict "a model with the structure of MoveNet" $? log
    pieces movenet ethos-u55 2 '67 '
    pieces movenet '*' 94 '67 '
else
    skip "a model with the structure of MoveNet (no Python has ai-edge-litert)" 5
fi
finish
