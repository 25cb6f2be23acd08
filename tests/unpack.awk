# Unpacks cases: awk -v to=DIRECTORY -f tests/unpack.awk CASE.case...
# A case is a text file with two or three sections, each of whole lines, in this order:
#     ==== args          the words after `graphsplit`, in one line
#     ==== graph         the input; cases NAME-WHAT may share one instead (graph_of)
#     ==== expected      standard output, to the byte
# Writes DIRECTORY/CASE.fx and DIRECTORY/CASE.expected. Prints a line per case, in the order given:
# CASE, the path of its graph (- where there is none), the exit status that is expected, the words.

function take(mark) {
    section = mark
    if (mark == "==== args") out = ""
    else out = to "/" name (mark == "==== graph" ? ".fx" : ".expected")
    if (mark == "==== graph") graphs[name] = 1
    if (mark == "==== expected") expects[name] = 1
}
function exists(file,  line, found) {
    found = (getline line < file) >= 0
    close(file)
    return found
}
# The graph of a case: its own; for NAME-WHAT that of NAME, here or in the directory above.
function graph_of(name,  stem, above) {
    if (name in graphs) return to "/" name ".fx"
    if (exists(name ".fx")) return name ".fx"
    stem = name
    sub(/-[^-]*$/, "", stem)
    if (stem in graphs) return to "/" stem ".fx"
    if (exists(stem ".fx")) return stem ".fx"
    above = stem
    sub(/[^\/]*\/[^\/]*$/, "", above)
    sub(/.*\//, "", stem)
    return exists(above stem ".fx") ? above stem ".fx" : "-"
}
# A word of the options names what another case expects: that is unpacked, too.
function need(word,  from, line, on) {
    from = word
    sub(/\.expected$/, ".case", from)
    make_directory(word)
    while ((getline line < from) > 0) {
        if (on) print line > (to "/" word)
        if (line == "==== expected") on = 1
    }
    close(from)
    close(to "/" word)
    return to "/" word
}
function make_directory(file) {
    sub(/\/[^\/]*$/, "", file)
    if (!(file in made)) system("mkdir -p '" to "/" file "'")
    made[file] = 1
}
FNR == 1 {
    if (out != "") close(out)
    name = FILENAME
    sub(/\.case$/, "", name)
    make_directory(name)
    names[++n] = name
    section = out = ""
}
/^==== (args|graph|expected)$/ {
    if (out != "") close(out)
    take($0)
    next
}
section == "==== args" { words[name] = words[name] " " $0; next }
section == "==== expected" && /^error / { status[name] = 1 }
out != "" { print > out }
END {
    if (out != "") close(out)
    for (i = 1; i <= n; i++) {
        name = names[i]
        line = ""
        count = split(words[name], word, " ")
        for (k = 1; k <= count; k++) line = line " " (word[k] ~ /^tests\/.*\.expected$/ ? need(word[k]) : word[k])
        print name, name in expects ? graph_of(name) : "-", status[name] + 0 line
    }
}
