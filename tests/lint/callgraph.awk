# Reads the .ci files of gcc -fcallgraph-info=su; prints for every function `stack NAME BYTES`, the bytes
# that it and everything it calls take at most (calls through pointers apart), and what has no bound.
/^node:/ {
    split($0, part, "\"")
    bytes = part[4]
    sub(/^.*\\n/, "", bytes)
    sub(/ .*/, "", bytes)
    own[part[2]] = bytes
    if (part[4] ~ /dynamic\)/) print "frame of unknown size: " part[2]
}
/^edge:/ {
    split($0, part, "\"")
    calls[part[2]] = calls[part[2]] "\n" part[4]
}
function depth(f,    list, n, i, most, d) {
    if (f in done) return done[f]
    if (f in busy) {
        print "recursion: " f
        return 0
    }
    busy[f] = 1
    n = split(calls[f], list, "\n")
    most = 0
    for (i = 2; i <= n; i++) {
        d = depth(list[i])
        if (d > most) most = d
    }
    delete busy[f]
    done[f] = own[f] + most
    return done[f]
}
END {
    for (f in own) print "stack", f, depth(f)
}
