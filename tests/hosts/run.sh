#!/bin/sh
# The adapters of examples/hosts against their hosts. GGML: a source tree of ggml, of which only the base is built.
# usage: GGML=DIRECTORY sh tests/hosts/run.sh
cd "$(dirname "$0")/../.." || exit 1
out=${B:-build}/hosts
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
    $CXX -std=c++17 -Wall -Wextra -Werror -I. -I"$GGML/include" -o "$out/ggml" examples/hosts/ggml.cpp "$out"/ggml*.o -lm -lpthread
}

if [ -n "${GGML:-}" ]; then
    works "the adapter of ggml compiles" build_ggml
    printf '%s\n' 'backend: MUL_MAT' 'cpu: SIN' 'backend: ADD MUL_MAT' 'cpu: SIN' 'backend: ADD' '4 copies, 4096 bytes' > "$out/ggml.expected"
    works "and its subgraphs are those of the operations" sh -c "'$out/ggml' | cmp - '$out/ggml.expected'"
    lines=$(awk '/---- adapter/ { first = NR } /---- end of adapter/ { print NR - first - 1 }' examples/hosts/ggml.cpp)
    works "the adapter has 30 lines at most" test "$lines" -le 30
else
    skip "ggml (GGML names no source tree)"
fi
finish
