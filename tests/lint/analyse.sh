#!/bin/sh
# Static analysers on the library, once each, and on its program: gcc -fanalyzer, clang's analyser, cppcheck.
. "$(dirname "$0")/lib.sh"
# At most so many seconds an analyser and file: the header is large for them.
analyse_check() {
    label=$1
    shift
    timeout "${ANALYSE_SECONDS:-300}" "$@" > "$out/first" 2>&1
    status=$?
    [ $status -eq 0 ] || echo "exit $status" >> "$out/first"
    if [ $status -eq 124 ]; then
        skip "$label (took longer than ${ANALYSE_SECONDS:-300} seconds)"
    else
        check "$label" cat "$out/first"
    fi
}
analyse() {
    for file in tests/compile/impl.c $(find examples/program -name "*.c" ! -name impl.c) examples/tflite/tflite.c; do
        [ ! -f "$file" ] || analyse_check "$1: $file" "$@" "$file"
    done
}

# What clang 14 reports in the library although it cannot happen: lines, each with what clang does not see.
known() {
    sed 's/ :: .*//' << 'END'
(*made)->arena = arena; :: the room was checked before
all = all / k + (all % k != 0u); :: a line that is searched has a stage
return size == 0u || GSP_MEMCMP(a, b, size) == 0; :: a text of some size has bytes
r, (uint32_t)(users.data - r->line.data), GSP_DETAIL_USERS_WRONG); :: the first pass read this line without an error
w->room[s] = room - (slack - slack / levels); :: a width of one is not cut, so there is a level
if (k + 1u < scope.size && scope.data[k + 1u] != '.') { :: a text of some size has bytes
q->pair.max_work = q->max_work / (8u * GSPI_SIDES_LAUNCHES * (uint64_t)x->kinds) + 1u; :: there is a kind, the CPU
uint64_t const few = GSPI_UNEQUAL_FEW_PAIRS / w->s.n_next; /* each state follows */ :: a device is next to the first state
uint64_t const whole = bound > 0 ? ((uint64_t)bound + parts - 1u) / parts : 0u; :: a cut that costs something has weights
if (tree == GSP_NONE) { :: a step that ended well set it
w.nodes = (gsp_node *)(uintptr_t)fused->order; :: the pass ended well, so it set its result
x = (x << 8) | (unsigned char)t.data[i]; :: a text of some size has bytes
END
}

# clang leaves out functions of headers unless it is told; with its own limit of nodes the library takes it minutes.
# It reports the known lines and no others.
analyse_library() {
    timeout "${ANALYSE_SECONDS:-300}" clang-14 "$@" -Xclang -analyzer-opt-analyze-headers -Xclang -analyzer-config \
        -Xclang max-nodes=40000 tests/compile/impl.c > "$out/found" 2>&1
    known | sort > "$out/known"
    grep -A 1 'warning: ' "$out/found" | grep -v 'warning: \|^--' | sed 's/^ *//' | sort -u |
        diff "$out/known" - || cat "$out/found"
}

if command -v gcc > /dev/null; then
    # It follows every path so far; with its own limits the library takes it many minutes.
    analyse gcc -std=c99 -O1 -fanalyzer --param analyzer-max-enodes-per-program-point=2 \
        --param analyzer-bb-explosion-factor=2 -I. -Iexamples/program -c -o "$out/analyse.o"
else
    skip "gcc -fanalyzer (gcc is not installed)"
fi
if command -v clang > /dev/null; then
    # The limit of nodes is per function; four times as many take twice as long and find no more.
    set -- --analyze -std=c99 -I. -Iexamples/program -Xclang -analyzer-output=text \
        -Xclang -analyzer-config -Xclang max-nodes=60000 -Xclang -analyzer-checker=core,security.insecureAPI.strcpy,unix -o "$out/analyse.plist"
    analyse clang "$@"
    if command -v clang-14 > /dev/null; then
        check "clang 14: functions of the library" analyse_library "$@"
    else
        skip "clang 14: functions of the library (clang-14 is not installed)"
    fi
else
    skip "clang --analyze (clang is not installed)"
fi
if command -v cppcheck > /dev/null; then
    # The checks that are off misread a[i] < b || (a[i] == b && i < j), structures of which a callee reads only
    # what its caller has set, and, in the reader of models, the address of a variable as its value. One definition
    # is enough for the program to be checked once: all its combinations of macros take longer than the limit.
    # The switches of the library remove code only: its first two configurations hold all of it.
    analyse_check "cppcheck" cppcheck -q --std=c99 --enable=warning,portability --error-exitcode=3 --max-configs=2 -I. -UGSP_CONFIG_HEADER \
        --suppress=unknownMacro --suppress=toomanyconfigs --suppress=arrayIndexThenCheck --suppress=ctuuninitvar \
        tests/compile/impl.c
    analyse_check "cppcheck: program" cppcheck -q --std=c99 --enable=warning,portability --error-exitcode=3 -I. -Iexamples/program -D__unix__=1 \
        -UGSP_CONFIG_HEADER -UGRAPHSPLIT_IMPLEMENTATION --suppress=unknownMacro --suppress=toomanyconfigs --suppress=ctuuninitvar \
        --suppress=uninitvar:examples/tflite/tflite.c -i examples/program/core/impl.c examples/program examples/tflite
else
    skip "cppcheck (it is not installed)"
fi
finish
