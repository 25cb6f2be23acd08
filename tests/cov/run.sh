#!/bin/sh
# Line and branch coverage of graphsplit.h by the tests (gcc, gcov).
# usage: sh tests/cov/run.sh
command -v gcov > /dev/null || { echo "skipped: coverage (gcov is not installed)"; exit 0; }
dir=build/cov
rm -rf $dir
"${MAKE:-make}" --no-print-directory B=$dir CC=gcc CXX=none CFLAGS='-O0 -g --coverage' LDFLAGS=--coverage test-fast || exit 1
# The library is one object, which the tests and the program share.
mkdir -p "$dir/gcov"
find $dir/obj -name impl.gcda -exec gcov -b -c {} + 2> /dev/null |
    awk '/^File /{ mine = /graphsplit\.h/ } mine && /executed|Taken/'
mv ./*.gcov "$dir/gcov/"
echo "details: $dir/gcov"
