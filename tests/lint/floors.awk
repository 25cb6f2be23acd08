# Floors of a graph. Input: "FROM TO WHY" a line, FROM uses TO; a line "NAME" alone is one that may use nothing.
# Output, with -v show=1: one line, how many there are, on how many floors, with how many arrows and how many of
# these in circles; else the arrows in circles.
!seen[$1]++ { n_names++ }
NF > 1 {
    if (!seen[$2]++) n_names++
    if ($1 != $2 && !(($1, $2) in edge)) { edge[$1, $2] = 1; a[++n] = $1; b[n] = $2; why[n] = $3; out[$1]++; in_[$2]++ }
}
# What is left when arrows to one that uses nothing, and from one that nothing uses, go again and again.
END {
    do {
        removed = 0
        for (i = 1; i <= n; i++)
            if (!(i in gone) && (!out[b[i]] || !in_[a[i]])) { gone[i] = 1; out[a[i]]--; in_[b[i]]--; removed = 1 }
    } while (removed)
    do {
        raised = 0
        for (i = 1; i <= n; i++)
            if (i in gone && floor[a[i]] < floor[b[i]] + 1) {
                floor[a[i]] = floor[b[i]] + 1
                if (floor[a[i]] > most) most = floor[a[i]]
                raised = 1
            }
    } while (raised && most < n_names)
    for (i = 1; i <= n; i++) {
        if (i in gone) continue
        circles++
        if (!show) print "in a circle: " a[i] " uses " why[i] " of " b[i]
    }
    if (show) print n_names " " what ", " most + 1 " floors, " n " arrows, " circles + 0 " in circles"
}
