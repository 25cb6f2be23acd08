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
    awk '
        FNR == NR {
            if (/^\/\* gsp_[a-z_]+:/) { name = $2; sub(/:/, "", name) }
            if (match($0, /Stack: +< [0-9]+/)) { promise[name] = substr($0, RSTART, RLENGTH); sub(/.* /, "", promise[name]) }
            next
        }
        /^node:/ { split($0, part, "\""); bytes = part[4]; sub(/^.*\\n/, "", bytes); sub(/ .*/, "", bytes); own[part[2]] = bytes
            if (part[4] ~ /dynamic\)/) print "frame of unknown size: " part[2] }
        /^edge:/ { split($0, part, "\""); calls[part[2]] = calls[part[2]] "\n" part[4] }
        function depth(f,    list, n, i, most, d) {
            if (f in done) return done[f]
            if (f in busy) { print "recursion: " f; return 0 }
            busy[f] = 1
            n = split(calls[f], list, "\n")
            most = 0
            for (i = 2; i <= n; i++) { d = depth(list[i]); if (d > most) most = d }
            delete busy[f]
            done[f] = own[f] + most
            return done[f]
        }
        END {
            for (f in own) {
                d = depth(f)
                if (f in promise && d >= promise[f] + 0) print f " takes " d " bytes of stack, promised: less than " promise[f]
                seen++
            }
            if (seen < 50) print "only " seen + 0 " functions seen"
        }' $header "$out"/*.ci
}

check "stack and recursion, -O2" worst -O2
check "stack and recursion, -Os" worst -Os
finish
