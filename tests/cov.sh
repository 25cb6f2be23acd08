#!/bin/sh
# Line and branch coverage of graphsplit.h by the unit tests and the command line tests (gcc, gcov).
# usage: sh tests/cov.sh
command -v gcov > /dev/null || { echo "skipped: coverage (no gcov)"; exit 0; }
dir=build/cov
make=${MAKE:-make}
$make --no-print-directory B=$dir CC=gcc CXX=none CFLAGS='-O0 -g --coverage' LDFLAGS=--coverage test || exit 1
cd $dir || exit 1
find tests examples -name '*.gcda' -exec gcov -b -c -o . {} + 2> gcov.log |
    awk '/^File /{ mine = /graphsplit\.h/ } mine && !/^Creating/' | tee coverage.txt
echo "details: $dir/graphsplit.h.gcov"
