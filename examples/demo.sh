#!/bin/sh
# A real network, a real accelerator's operators, the subgraphs, the reasons and a drawing.
# Run by `make demo`; needs build/graphsplit and nothing else.
set -eu
cd "$(dirname "$0")/.."
out=${B:-build}
program=${GRAPHSPLIT:-$out/graphsplit}
model=examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx
operators=examples/models/edgetpu-2019.ops
drawing=$out/demo.dot

say() {
    printf '\n== %s\n\n' "$*"
}

show() {
    printf '$ graphsplit %s\n\n' "$*"
    "$program" "$@"
}

say "DeepLab v3, int8, for an Edge TPU that takes operators by name"
show split --acc-ops "@$operators" "$model"

say "Why is the quantize node on the CPU?"
show split --acc-ops "@$operators" --why=quantize "$model"

say "Small subgraphs are not worth their transfers: at least 6 nodes on the accelerator"
show split --acc-ops "@$operators" --min-acc-module-size 6 "$model" | sed -n '1,/^OPERATORS/p' | sed '$d'

say "What the vendor's compiler took, pinned by node name: one accelerator subgraph, as the vendor made it"
nodes=$out/demo.nodes
sed -n 's/^acc //p' "${model%.fx}.edgetpu.truth" >"$nodes"
show split --acc-nodes "@$nodes" "$model" | sed -n '1,/^OPERATORS/p' | sed '$d'

"$program" split --acc-ops "@$operators" --dot "$drawing" "$model" >/dev/null
say "Drawn to $drawing"
if command -v dot >/dev/null 2>&1 && dot -Tsvg "$drawing" -o "$out/demo.svg"; then
    printf 'and, with Graphviz, to %s/demo.svg: open it in a browser.\n' "$out"
else
    printf 'Graphviz turns it into a picture: dot -Tsvg %s -o %s/demo.svg\n' "$drawing" "$out"
fi
