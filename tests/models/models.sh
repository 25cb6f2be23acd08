#!/bin/sh
# Real networks: every graph text is read, printed,
# read back and split; what a vendor's compiler took to its accelerator (.truth) is one subgraph here too.
cd "$(dirname "$0")/../.." || exit 1
tests="${RUN:-} ${B:-build}/tests"
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
. tests/check.sh

if [ ! -d "$shared/models/fx" ]; then
    nothing_but "real models (looked for in $shared/models/fx)"
fi

for file in "$shared"/models/fx/*.fx "$shared"/models/fx/*_as_printed.txt "$shared"/models/cost/*.fx; do
    $tests --file "$file" > /dev/null
    verdict "$file" $?
done
for file in "$shared"/models/fx/*.gz; do
    gzip -dc "$file" | $tests --file - > /dev/null
    verdict "$file" $?
done

# Tensors in and out of the only accelerator submodule, as "1 in, 2 out"; more submodules: nothing.
crossings() {
    awk '/^subgraph [^ ]* acc / { n++; tag = $2 }
        /^module / { inside = $2 == tag }
        inside && / = placeholder\[/ { ins++ }
        inside && /^    return / { outs = /^    return \(/ ? NF - 1 : 1 }
        END { if (n == 1) print ins " in, " outs " out" }'
}

check_truth() {
    truth=$1
    graph=$2
    wanted=$3
    nodes=$(sed -n 's/^acc //p' "$truth" | tr ' ' ',')
    found=$($program split --acc-nodes "$nodes" --porcelain "$graph" | crossings)
    [ "$found" = "$wanted" ]
    verdict "$truth: '$found', expected '$wanted'" $?
}

# Of the three inputs that the second one states, two are scratch buffers.
fx=$shared/models/fx
name=tflite_deeplabv3_mnv2_dm05_pascal_quant
check_truth "$fx/$name.edgetpu.truth" "$fx/$name.fx" "1 in, 2 out"
name=tflite_person_detect
check_truth "$fx/$name.ethos-u55.truth" "$fx/$name.fx" "1 in, 1 out"

finish
