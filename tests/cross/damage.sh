#!/bin/sh
# A damaged graph in flash: every single bit flips here, under sanitizers, and a sample of them on each core.
cd "$(dirname "$0")/../.." || exit 1
out=${B:-build}/damage
mkdir -p "$out" || exit 1
host() {
    if ! echo 'int main(void) { return 0; }' | gcc -fsanitize=address,undefined -x c -o "$out/probe" - 2> /dev/null; then
        echo "skipped: a graph in which each bit flips once (this gcc has no sanitizers)"
        echo "0 passed, 0 failed, 1 skipped"
        return
    fi
    "${B:-build}/graphsplit" emit-c --byte-order host --name person_detect \
        examples/models/tflite_person_detect.fx > "$out/person_detect.h" &&
        gcc -std=c99 -O0 -fsanitize=address,undefined -fno-sanitize-recover=all -I. -Iexamples/program -I"$out" -o "$out/host" tests/cross/host.c examples/program/algorithms/plan_file.c &&
        "$out/host" && echo "1 passed, 0 failed" && return
    echo "0 passed, 1 failed"
}
if [ "$1" = host ]; then
    host
    exit
fi
# The smallest board has no room for a second copy of the graph.
exec sh tests/sum.sh 'sh tests/cross/damage.sh host' 'APP=tests/cross/short.c sh examples/firmware/run.sh' \
    'APP=tests/cross/device.c RAM_SIZE=48K sh examples/firmware/run.sh cortex-m3 cortex-m4 cortex-m7 cortex-m33 cortex-m55 rv32imac'
