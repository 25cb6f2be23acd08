#!/bin/sh
# Networks of PyTorch as graph text, through the passes, and back; skipped by name without torch.
# usage: sh tests/pytorch/run.sh   (PYTHON: an interpreter that has torch)
cd "$(dirname "$0")/../.." || exit 1
for python in ${PYTHON:-python3 /usr/bin/python3}; do
    if $python -c 'import torch.fx' 2> /dev/null; then
        # shellcheck disable=SC2086
        exec $python -B tests/pytorch/check.py ${GRAPHSPLIT:-${B:-build}/graphsplit}
    fi
done
echo "skipped: networks of PyTorch (python3 has no torch; Debian: python3-torch)"
echo "0 passed, 0 failed, 1 skipped"
