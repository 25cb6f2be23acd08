#!/bin/sh
# Networks of PyTorch as graph text, through the passes, and back; PyTorch's own passes beside ours on random
# networks (COUNT of them per pass), and its CapabilityBasedPartitioner beside that of the Python package; its pipelines
# beside our schedules, which its runtime executes; the greedy ones beside the optimum; stages handed over. Once
# for each of the interpreters that has torch; skipped by name without.
# usage: sh tests/pytorch/run.sh   (PYTHON: interpreters that may have torch; TOOLS: bin/ of one that has highspy)
cd "$(dirname "$0")/../.." || exit 1
versions=
out=${B:-build}/pytorch
set --
for python in ${PYTHON:-python3 /usr/bin/python3}; do
    version=$($python -c 'import torch.fx; print(torch.__version__)' 2> /dev/null) || continue
    case " $versions " in *" $version "*) continue ;; esac
    versions="$versions $version"
    for test in check passes schedules runtime stages macs operators writes exported; do
        set -- "$@" "$python -W ignore -B tests/pytorch/$test.py ${GRAPHSPLIT:-${B:-build}/graphsplit}"
    done
    set -- "$@" "sh examples/integrate/packages.sh $out python && $python -m zipfile -e $out/python/*.whl $out/site &&
        $python -W ignore -B tests/pytorch/partitioner.py $out/site"
done
[ -n "$versions" ] || set -- "echo 'skipped: networks of PyTorch (python3 has no torch; Debian: python3-torch)'; echo '0 passed, 0 failed, 1 skipped'"
solver=python3
for python in "${TOOLS:-${B:-build}/tools/bin}/python" ${PYTHON:-python3}; do
    if "$python" -c 'import highspy, numpy' 2> /dev/null; then
        solver=$python
        break
    fi
done
exec sh tests/sum.sh "$@" "$solver -B tests/pytorch/optimum.py ${GRAPHSPLIT:-${B:-build}/graphsplit}"
