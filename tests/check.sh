# Shared by the scripts under tests/lint and tests/compile: check LABEL COMMAND... counts the command as
# passed when it succeeds and says nothing. Needs $out, a directory for its log.
passed=0
failed=0
skipped=0

check() {
    label=$1
    shift
    if "$@" > "$out/log" 2>&1 && ! [ -s "$out/log" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $label: $*"
        head -n 30 "$out/log"
    fi
}
