#!/bin/sh
# Prints .github/CHANGELOG.md: what the end of graphsplit.h says of versions.
# usage: sh tests/release/changelog.sh
cd "$(dirname "$0")/../.." || exit 1
echo '# Changes'
sed -n '/^ \* Changes$/,/^ \* ---- /p' graphsplit.h | sed '1d; $d; s/^ \*$//; s/^ \* //'
