#!/bin/sh
# The cases told in ORIGIN through the command line program; see tests/golden/run.sh.
exec sh "$(dirname "$0")/../golden/run.sh" tests/cases
