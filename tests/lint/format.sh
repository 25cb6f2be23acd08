#!/bin/sh
# Fails when a file is not as clang-format (14) leaves it.
# usage: sh tests/lint/format.sh FILE...
tool=$(command -v clang-format-14 || command -v clang-format)
. tests/check.sh
[ -n "$tool" ] || nothing_but "format (clang-format is not installed)"
for file in "$@"; do
    "$tool" --dry-run -Werror "$file"
    verdict "format of $file" $?
done
finish
