# The frame of test scripts: counts what passes, fails and is skipped by name. `. tests/check.sh` at the
# top of the checkout; `finish` prints the line that tests/sum.sh adds up, and ends the script.
passed=0
failed=0
skipped=0

# $shared: networks and published instances. GRAPHSPLIT_SHARED names the folder; else the one beside the
# checkout, or tests/public, which has all but the largest and the binary models of others.
shared=${GRAPHSPLIT_SHARED:-../shared}
[ -n "${GRAPHSPLIT_SHARED:-}" ] || [ -d "$shared/models" ] || shared=tests/public
case $shared in
/*) ;;
*) shared=$PWD/$shared ;;
esac

# verdict LABEL STATUS [FILE]: what is in the file explains a failure. (A label that substitutes a command
# before `$?` is expanded loses the status in some shells.)
verdict() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        [ -z "${3:-}" ] || head -n 30 "$3"
    fi
}

# works LABEL COMMAND...: it succeeds. Needs $out, a directory for its log.
works() {
    label=$1
    shift
    "$@" > "$out/log" 2>&1
    verdict "$label" $? "$out/log"
}

# check LABEL COMMAND...: it succeeds and says nothing. Needs $out, too.
check() {
    label=$1
    shift
    "$@" > "$out/log" 2>&1 && ! [ -s "$out/log" ]
    verdict "$label: $*" $? "$out/log"
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

# tool NAME: prints the path of a program in $TOOLS, the bin/ of a Python environment, or else in PATH.
tool() {
    command -v "${TOOLS:-${B:-build}/tools/bin}/$1" || command -v "$1"
}

# nothing_but WHY: all of a script is skipped.
nothing_but() {
    skip "$1"
    finish
}
