#!/bin/sh
# Static analysers on the library and its program: gcc -fanalyzer, clang's analyser, cppcheck.
. "$(dirname "$0")/lib.sh"
analyse() {
    for file in tests/compile/impl.c examples/cli/*.c; do
        [ ! -f "$file" ] || check "$1: $file" "$@" "$file"
    done
}
if command -v gcc > /dev/null; then
    analyse gcc -std=c99 -O1 -fanalyzer -I. -c -o "$out/analyse.o"
else
    skip "gcc -fanalyzer"
fi
if command -v clang > /dev/null; then
    analyse clang --analyze -std=c99 -I. -Xclang -analyzer-output=text -Xclang -analyzer-checker=core,security.insecureAPI.strcpy,unix -o "$out/analyse.plist"
else
    skip "clang --analyze"
fi
if command -v cppcheck > /dev/null; then
    analyse cppcheck -q --std=c99 --enable=warning,portability --inline-suppr -I. -UGSP_CONFIG_HEADER -UGSP_MEMCPY \
        -UGSP_MEMMOVE -UGSP_MEMSET -UGSP_MEMCMP -UGSP_ASSERT -UGSP_API --suppress=unknownMacro --error-exitcode=3
else
    skip "cppcheck"
fi
finish
