#!/bin/sh
# Line and branch coverage of graphsplit.h by the tests (gcc, gcov).
# usage: sh tests/cov/run.sh
command -v gcov > /dev/null || { echo "skipped: coverage (no gcov)"; exit 0; }
dir=build/cov
rm -rf $dir
"${MAKE:-make}" --no-print-directory B=$dir CC=gcc CXX=none CFLAGS='-O0 -g --coverage' LDFLAGS=--coverage test-fast || exit 1
# The unit tests and the command line program each hold a copy of the library.
for part in tests examples/program; do
    echo "== graphsplit.h by $part"
    find $dir/obj/$part -name '*.gcda' -exec gcov -b -c {} + 2> /dev/null |
        awk '/^File /{ mine = /graphsplit\.h/ } mine && /executed|Taken/'
    mkdir -p "$dir/gcov/$part"
    mv ./*.gcov "$dir/gcov/$part/"
done
echo "details: $dir/gcov"
