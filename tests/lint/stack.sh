#!/bin/sh
# No recursion, and the stack that the header promises: the call graph as gcc compiled it.
. "$(dirname "$0")/lib.sh"
if ! gcc -fcallgraph-info=su -c -x c -o "$out/probe.o" /dev/null 2> /dev/null; then
    skip "stack (gcc 10 or later is not installed)"
    finish
fi

worst() {
    rm -f "$out"/*.ci
    gcc -std=c99 "$1" -fcallgraph-info=su -DGRAPHSPLIT_IMPLEMENTATION -DGSP_NO_ASSERT -I. -x c -c -o "$out/stack.o" $header || return 1
    awk -f tests/lint/callgraph.awk "$out"/*.ci > "$out/stacks"
    awk '
        FNR == NR {
            if (/^\/\* gsp_[a-z_]+:/) { name = $2; sub(/:/, "", name) }
            if (match($0, /Stack: +< [0-9]+/)) { promise[name] = substr($0, RSTART, RLENGTH); sub(/.* /, "", promise[name]) }
            next
        }
        $1 != "stack" { print; next }
        $2 in promise && $3 >= promise[$2] + 0 {
            print $2 " takes " $3 " bytes of stack, promised: less than " promise[$2]
        }
        { seen++ }
        END { if (seen < 50) print "only " seen + 0 " functions seen" }' $header "$out/stacks"
}

check "stack and recursion, -O2" worst -O2
check "stack and recursion, -Os" worst -Os
finish
