# Puts files in: a line "@INCLUDE FILE" stands for that file, named from where the page lies.
#     awk -f include.awk report.html
FNR == 1 {
    at = FILENAME
    sub(/[^\/]*$/, "", at)
}
/^@INCLUDE / {
    file = at $2
    while ((got = (getline line < file)) > 0) print line
    if (got < 0) {
        print "include.awk: cannot read " file > "/dev/stderr"
        exit 1
    }
    close(file)
    next
}
{ print }
