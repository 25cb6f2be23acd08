#!/bin/sh
# Fails when a file is not as clang-format (14) leaves it.
# usage: sh tests/lint/format.sh FILE...
tool=$(command -v clang-format-14 || command -v clang-format)
. tests/check.sh
[ -n "$tool" ] || nothing_but "format (no clang-format)"
for file in "$@"; do
    "$tool" --dry-run -Werror "$file"
    verdict "format of $file" $?
done
finish
