#!/bin/sh
# Runs examples/mpi_pipeline.fx as a pipeline of MPI ranks: one process with the whole graph, one with four
# stages, two ranks, four ranks; losses and gradients have to be the same bytes. Then ranks that fail.
# usage: B=build sh examples/mpi_demo.sh [MICROBATCHES]
cd "$(dirname "$0")/.." || exit 1
batches=${1:-16}
dir=$B/mpi
passed=0
failed=0

# A check: WHAT COMMAND...
check() {
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
    fi
}

finish() {
    echo "$passed passed, $failed failed$1"
    [ "$failed" -eq 0 ]
    exit
}

if ! command -v mpicc > /dev/null || ! command -v mpirun > /dev/null; then
    echo "skipped: mpi-demo (no mpicc or no mpirun: libopenmpi-dev, openmpi-bin)"
    finish ", 1 skipped"
fi

options=
[ "$(id -u)" -eq 0 ] && options=--allow-run-as-root
rm -rf "$dir"
mkdir -p "$dir" || exit 1
# shellcheck disable=SC2086
${MPICC:-mpicc} -std=c99 -Wall -Wextra ${CFLAGS:--O2} -I. -o "$dir/mpi_pipeline" examples/mpi_pipeline.c || exit 1
"$B/graphsplit" pipe --stages 4 --emit "$dir" examples/mpi_pipeline.fx || exit 1
stages="$dir/submod_0.fx $dir/submod_1.fx $dir/submod_2.fx $dir/submod_3.fx"

# run NAME RANKS FILE...: results to $dir/NAME.out, the line of the time to $dir/NAME.err
run() {
    name=$1
    ranks=$2
    shift 2
    mpirun $options --oversubscribe --bind-to none -np "$ranks" "$dir/mpi_pipeline" "$batches" "$@" \
        > "$dir/$name.out" 2> "$dir/$name.err"
    status=$?
    grep mpi_pipeline: "$dir/$name.err"
    return $status
}

# is_refused NAME TEXT: the run failed, and said so.
is_refused() {
    [ $status -ne 0 ] && grep -q "$2" "$dir/$1.err"
}

echo
# shellcheck disable=SC2086
{
    check "the whole graph in one process" run whole 1 examples/mpi_pipeline.fx
    check "four stages in one process" run one 1 $stages
    check "four stages on two ranks" run two 2 $stages
    check "four stages on four ranks" run four 4 $stages
}
check "there are results" grep -q '^grad layers.0.weight' "$dir/whole.out"
for name in one two four; do
    check "results of $name equal those of the whole graph bit for bit" cmp "$dir/whole.out" "$dir/$name.out"
done
awk '/mpi_pipeline:/ { t[FILENAME] = $(NF - 1) }
    END { printf "speed-up on 2 ranks: %.2f\n", t[ARGV[1]] / t[ARGV[2]] }' "$dir/one.err" "$dir/two.err"

echo
sed 's/torch.relu/torch.gelu/' "$dir/submod_2.fx" > "$dir/unknown.fx"
run unknown 4 "$dir/submod_0.fx" "$dir/submod_1.fx" "$dir/unknown.fx" "$dir/submod_3.fx"
check "a rank that fails while it runs ends the job" is_refused unknown 'rank 2, .*unknown.fx: no kernel for torch.gelu'
run missing 4 "$dir/submod_0.fx" "$dir/nothing.fx" "$dir/submod_2.fx" "$dir/submod_3.fx"
check "a rank without its stage ends the job" is_refused missing 'rank 1, .*nothing.fx: cannot be read'
finish
