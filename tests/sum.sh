#!/bin/sh
# Runs every argument as a command and adds up their lines "N passed, N failed[, N skipped]".
# A command that exits non-zero without naming a failure, prints no such line or tests nothing counts
# as one failed. QUIET=1: prints the output of a command only when it failed.
# usage: sh tests/sum.sh COMMAND...
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.rc" "$log.sum"' EXIT
passed=0
failed=0
skipped=0
broken=

run() {
    if [ -n "$QUIET" ]; then
        sh -c "$1" > "$log" 2>&1
        echo $? > "$log.rc"
    else
        { sh -c "$1"; echo $? > "$log.rc"; } 2>&1 | tee "$log"
    fi
}

for command in "$@"; do
    echo "== $command"
    run "$command"
    rc=$(cat "$log.rc")
    awk '/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { line = $1 " " $3 " " $5 + 0 }
        END { print line == "" ? "0 1 0" : line }' "$log" > "$log.sum"
    read -r p f s < "$log.sum"
    if [ "$f" -eq 0 ] && { [ "$rc" -ne 0 ] || [ $((p + s)) -eq 0 ]; }; then
        f=1
    fi
    if [ "$f" -gt 0 ]; then
        [ -z "$QUIET" ] || cat "$log"
        echo "FAILED (exit $rc): $command"
        broken="$broken
FAILED: $command"
    elif [ -n "$QUIET" ]; then
        tail -n 1 "$log"
    fi
    passed=$((passed + p))
    failed=$((failed + f))
    skipped=$((skipped + s))
done
[ -z "$broken" ] || echo "==$broken"
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
