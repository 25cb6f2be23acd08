#!/bin/sh
# All laws that scripts can check.
# usage: sh tests/lint/run.sh
cd "$(dirname "$0")/../.." || exit 1
exec sh tests/sum.sh 'sh tests/lint/sections.sh' 'sh tests/lint/doc.sh' 'sh tests/lint/names.sh' \
    'sh tests/lint/flow.sh' 'sh tests/lint/stack.sh' 'sh tests/lint/text.sh' \
    'sh tests/lint/snippets.sh' 'sh tests/lint/passes.sh' 'sh tests/lint/layers.sh'
