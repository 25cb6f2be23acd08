#!/bin/sh
# No recursion, and the stack that section 9 of the manual promises for this machine: the call graph as gcc
# compiled it. bench/size.sh measures small machines.
. "$(dirname "$0")/lib.sh"
export CCACHE_DISABLE=1 # a cache of objects keeps no call graphs
if ! gcc -fcallgraph-info=su -c -x c -o "$out/probe.o" /dev/null 2> /dev/null; then
    skip "stack (gcc 10 or later is not installed)"
    finish
fi
promise=$(sed -n 's/^ \*.*On 64 bit every function needs less than \([0-9]*\).*/\1/p' $header)

for header in $headers; do
    echo "#include \"$header\""
done > "$out/stack.c"

worst() {
    rm -f "$out"/*.ci
    gcc -std=c99 "$1" -fcallgraph-info=su $(for header in $headers; do implementation_of $header; done) -DGSP_NO_ASSERT -I. \
        -c -o "$out/stack.o" "$out/stack.c" || return 1
    awk -f tests/lint/callgraph.awk "$out"/*.ci | awk -v promise="$promise" '
        $1 != "stack" { print; next }
        $2 ~ /^gsp_/ { seen++ }
        $2 ~ /^gsp_/ && $3 >= promise + 0 {
            print $2 " takes " $3 " bytes of stack, promised: less than " promise
        }
        END { if (seen < 50) print "only " seen + 0 " functions seen" }'
}

check "section 9 promises a limit" test -n "$promise"
check "stack and recursion, -O2" worst -O2
check "stack and recursion, -Os" worst -Os
finish
