#!/bin/sh
# clang-tidy on the library, as C and with every pass: the checks that .clang-tidy names find nothing.
. "$(dirname "$0")/lib.sh"
if ! command -v clang-tidy > /dev/null; then
    skip "tidy (clang-tidy is not installed)"
    finish
fi
tidy() {
    clang-tidy --quiet "$@" 2> "$out/tidy.err"
    status=$?
    grep -v 'warnings generated' "$out/tidy.err"
    return $status
}
check "clang-tidy" tidy tests/compile/impl.c -- -std=c99 -I.
finish
