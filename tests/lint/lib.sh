# Shared by the lint scripts.
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C
export LC_ALL
header=graphsplit.h # the library, or the header that check_each looks at
headers="$header $(echo examples/extra/graphsplit_*.h)"
out=${B:-build}/lint
mkdir -p "$out" || exit 1
. tests/check.sh

# check_each LABEL COMMAND...: a check of each header, which the command finds in $header.
check_each() {
    each=$1
    shift
    for header in $headers; do
        check "$header: $each" "$@"
    done
    header=graphsplit.h
}

# The option that makes a header give its implementation.
implementation_of() {
    basename "$1" .h | tr a-z A-Z | sed 's/.*/-D&_IMPLEMENTATION/'
}

# The header without comments, strings and character constants; line numbers stay.
code_only() {
    awk '{
        line = $0
        gsub(/\\\\/, "", line)
        gsub(/\\["\047]/, "", line)
        result = ""
        while (line != "") {
            if (comment) {
                end = index(line, "*/")
                if (!end) { line = ""; break }
                line = substr(line, end + 2)
                comment = 0
            } else if (match(line, /\/\*|"[^"]*"|\047[^\047]*\047/)) {
                result = result substr(line, 1, RSTART - 1)
                if (substr(line, RSTART, 2) == "/*") comment = 1
                else result = result "\"\""
                line = substr(line, RSTART + RLENGTH)
            } else {
                result = result line
                line = ""
            }
        }
        print result
    }' "$1"
}
