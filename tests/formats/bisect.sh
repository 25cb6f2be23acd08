#!/bin/sh
# `graphsplit bisect` with LiteRT and TensorFlow Lite Micro: both run pieces of models, and faults that are planted behind a
# delegate are found.
# usage: B=build [COUNT=N] sh tests/formats/bisect.sh     PYTHON: an interpreter that may have ai-edge-litert, tflite-micro
#        N: faults of each kind; default 100
. "$(dirname "$0")/../elsewhere.sh"

# python MODULE: an interpreter that has it
python() {
    for path in ${PYTHON:-} "${TOOLS:-$root/${B:-build}/tools/bin}/python" "$root/${B:-build}/hosts-env/bin/python" "$root/${B:-build}/python/bin/python" python3; do
        "$path" -c "import numpy, $1" 2> /dev/null && echo "$path" && return
    done
}
data=tests/formats/data

# same MODEL ENGINE ENGINE [OPTION...]: they agree, in four runs at most
same() {
    model=$1 tested=$2 reference=$3
    shift 3
    $program bisect --porcelain --engine "$tested" --engine "$reference" "$@" "$data/$model.tflite" > "$dir/found" 2> "$dir/log"
    [ "$(sed 1d "$dir/found")" = clean ] && [ "$(sed -n 's/^runs //p' "$dir/found")" -le 4 ] && [ ! -s "$dir/log" ]
    verdict "$model: $tested and $reference agree" $? "$dir/log"
}
lite=$(python ai_edge_litert.interpreter,flatbuffers)
micro=$(python ai_edge_litert.interpreter,tflite_micro)
if [ -n "$micro" ]; then
    PYTHON=$micro
    export PYTHON
    for model in branches while; do
        same $model tflm litert
        same $model litert tflm
        same $model tflm tflm --tolerance 0
    done
    $program bisect --porcelain --html "$dir/page.html" --engine tflm --engine litert --tolerance ulp=4 "$data/branches.tflite" > "$dir/found" 2> "$dir/log"
    grep -q '^clean' "$dir/found" && python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$dir/page.html"
    verdict "branches: they agree within four steps, and the page is well-formed" $? "$dir/log"
else
    skip "pieces in TensorFlow Lite Micro (no Python has ai-edge-litert and tflite-micro)" 7
fi
if [ -n "$lite" ]; then
    # shellcheck disable=SC2086
    "$lite" -W ignore tests/formats/planted.py ${program} "$dir/planted" "${COUNT:-100}" > "$dir/planted.log" 2>&1
    verdict "faults planted behind a delegate of LiteRT: $(sed '$d' "$dir/planted.log" | tr '\n' ';')" $? "$dir/planted.log"
else
    skip "bisect of faults planted in LiteRT (no Python has ai-edge-litert and flatbuffers)"
fi
finish
