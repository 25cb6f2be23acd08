# The frame of test scripts: counts what passes, fails and is skipped by name. `. tests/check.sh` at the
# top of the checkout; `finish` prints the line that tests/sum.sh adds up, and ends the script.
passed=0
failed=0
skipped=0

# verdict LABEL STATUS
verdict() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
    fi
}

# check LABEL COMMAND...: it succeeds and says nothing. Needs $out, a directory for its log.
check() {
    label=$1
    shift
    "$@" > "$out/log" 2>&1 && ! [ -s "$out/log" ]
    checked=$?
    verdict "$label: $*" $checked
    [ $checked -eq 0 ] || head -n 30 "$out/log"
}

# skip WHY [HOW_MANY]
skip() {
    skipped=$((skipped + ${2:-1}))
    echo "skipped: $1"
}

finish() {
    if [ $skipped -gt 0 ]; then
        echo "$passed passed, $failed failed, $skipped skipped"
    else
        echo "$passed passed, $failed failed"
    fi
    [ $failed -eq 0 ]
    exit
}

# nothing_but WHY: all of a script is skipped.
nothing_but() {
    skip "$1"
    finish
}
