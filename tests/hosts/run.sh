#!/bin/sh
# The adapters of examples/hosts beside their hosts: prints the answer of each host and that of graphsplit.
# usage: sh tests/hosts/run.sh
#        HOSTS: a Python with packages of hosts (executorch, torch 2.13, openvino, apache-tvm, ai-edge-litert, onnxruntime,
#        onnx); default that of build/hosts-env, else python3. GGML: a source tree of ggml, of which only the base is built;
#        default one in build/ggml. ORT: a directory with onnxruntime_c_api.h. LIBONNX: a source tree of libonnx.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
out=$B/hosts
mkdir -p "$out" || exit 1
. tests/check.sh
CC=${CC:-cc} CXX=${CXX:-c++}

# build_ggml: the objects that graphs need, none with kernels
build_ggml() {
    for source in ggml.c ggml-quants.c ggml-alloc.c; do
        $CC -O1 -w -D_GNU_SOURCE '-DGGML_VERSION="0"' '-DGGML_COMMIT="0"' -I"$GGML/include" -I"$GGML/src" \
            -c -o "$out/$source.o" "$GGML/src/$source" || return 1
    done
    for source in ggml.cpp ggml-threading.cpp ggml-backend.cpp ggml-backend-meta.cpp; do
        $CXX -O1 -w -std=c++17 -D_GNU_SOURCE -I"$GGML/include" -I"$GGML/src" -c -o "$out/$source.o" "$GGML/src/$source" || return 1
    done
    $CXX -std=c++17 -Wall -Wextra -Werror -I. -I"$GGML/include" -o "$out/ggml" examples/hosts/ggml.cpp "$out"/ggml*.o -lm -lpthread &&
        $CXX -std=c++17 -O1 -Wall -Wextra -Werror -I. -I"$GGML/include" -I"$GGML/src" -o "$out/gpt2" tests/hosts/gpt2.cpp "$out"/ggml*.o -lm -lpthread
}

# The Python package of graphsplit, unpacked.
package() {
    sh examples/integrate/packages.sh "$out" python && rm -rf "$out/site" &&
        python3 -m zipfile -e "$out"/python/graphsplit-*.whl "$out/site" && chmod +x "$out/site/graphsplit/graphsplit"
}

# host NAME MODULE [ARGUMENT...]: NAME_test.py, where MODULE is installed
host() {
    name=$1
    for python in ${HOSTS:-} "$B/hosts-env/bin/python" python3; do
        "$python" -c "import $2" 2> "$out/log" || continue
        shift 2
        PYTHONPATH=$out/site:tests/hosts "$python" tests/hosts/"$name"_test.py "$@" > "$out/$name.log" 2> "$out/$name.err"
        verdict "$name: the answer of graphsplit beside that of the host" $? "$out/$name.err"
        grep "^$name " "$out/$name.log"
        return
    done
    skip "$name (its Python package is not installed)"
}

# build_libonnx: the runtime and the test of the adapter
build_libonnx() {
    mkdir -p "$out/libonnx-objects" || return 1
    for source in "$LIBONNX"/src/*.c "$LIBONNX"/src/default/*.c; do
        $CC -O1 -w -D_GNU_SOURCE -I"$LIBONNX/src" -c -o "$out/libonnx-objects/$(basename "$source" .c).o" "$source" || return 1
    done
    $CC -std=gnu99 -O1 -Wall -Wextra -Werror -I. -I"$LIBONNX/src" -o "$out/libonnx" tests/hosts/libonnx.c "$out"/libonnx-objects/*.o -lm
}

# model NAME: what NAME_model.py writes, with the first Python that has onnx
model() {
    for python in ${HOSTS:-} "$B/hosts-env/bin/python" python3; do
        "$python" tests/hosts/"$1"_model.py "$out/$1.onnx" && return
    done
}

# build_provider: an execution provider, and the grouping that ONNX Runtime has for its own
build_provider() {
    $CXX -std=c++17 -O1 -Wall -Wextra -Werror -shared -fPIC -I. -I"$ORT" -o "$out/libprovider.so" tests/hosts/provider.cpp &&
        $CC -O2 -o "$out/splitters" bench/splitters.c
}

for tree in "$B"/ggml/*/vendor/ggml; do
    [ -n "${GGML:-}" ] || [ ! -d "$tree" ] || GGML=$tree
done
if [ -n "${GGML:-}" ]; then
    works "the adapter of ggml compiles" build_ggml
    printf '%s\n' 'backend: MUL_MAT' 'cpu: SIN' 'backend: ADD MUL_MAT' 'cpu: SIN' 'backend: ADD' '4 copies, 4096 bytes' > "$out/ggml.expected"
    works "and its subgraphs are those of the operations" sh -c "'$out/ggml' | cmp - '$out/ggml.expected'"
    "$out/gpt2" > "$out/gpt2.log"
    verdict "GPT-2: subgraphs, copies and memory at or below those of ggml" $? "$out/gpt2.log"
    cat "$out/gpt2.log"
    lines=$(awk '/---- adapter/ { first = NR } /---- end of adapter/ { print NR - first - 1 }' examples/hosts/ggml.cpp)
    works "the adapter has 30 lines at most" test "$lines" -le 30
else
    skip "ggml (GGML names no source tree)"
fi
if [ -n "${LIBONNX:-}" ]; then
    works "the adapter of libonnx compiles" build_libonnx
    works "a model for it" model libonnx
    "$out/libonnx" "$out/libonnx.onnx" > "$out/libonnx.log"
    verdict "libonnx computes the same bits in one arena, in the order of the plan" $? "$out/libonnx.log"
    cat "$out/libonnx.log"
else
    skip "libonnx (LIBONNX names no source tree)"
fi
works "the Python package is made" package
host executorch executorch.exir
host lists executorch.exir
host pytorch 'torch, inspect, torch.fx.passes.infra.partitioner as p; inspect.signature(p.CapabilityBasedPartitioner).parameters["skip_horizontal_fusion"]'
host openvino openvino
host tvm tvm.relax
printf 'tflite.MUL\ntflite.ADD\n' > "$out/litert.ops"
host litert ai_edge_litert.interpreter "$B/delegate" "$out/litert.ops" "$out"
if [ -n "${ORT:-}" ]; then
    works "the adapter of ONNX Runtime compiles" build_provider
    host onnxruntime "onnx, onnxruntime" "$PWD/$out/libprovider.so" "$out/splitters" "$out"
else
    skip "onnxruntime (ORT names no directory with its header)"
fi
for file in examples/hosts/*; do
    works "$file has 120 lines at most" test "$(wc -l < "$file")" -le 120
done
finish
