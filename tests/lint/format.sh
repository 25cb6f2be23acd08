#!/bin/sh
# Fails when a file is not as clang-format (14) leaves it.
# usage: sh tests/lint/format.sh FILE...
tool=$(command -v clang-format-14 || command -v clang-format)
if [ -z "$tool" ]; then
    echo "skipped: format (no clang-format)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
passed=0
failed=0
for file in "$@"; do
    if "$tool" --dry-run -Werror "$file"; then
        passed=$((passed + 1))
    else
        echo "FAILED: format of $file"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
