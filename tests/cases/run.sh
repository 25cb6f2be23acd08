#!/bin/sh
# The cases of every command through the command line program; see tests/golden/run.sh.
cd "$(dirname "$0")/../.." || exit 1
exec sh tests/golden/run.sh tests/cases/*/
