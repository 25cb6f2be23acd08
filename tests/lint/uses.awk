# What C files declare, define and use. A header serves a folder: a section per file, which begins with
# `/* ==== NAME ====`.
# Output: "declares MODULE NAME function|other", "defines MODULE NAME", "uses MODULE NAME LINE", by tabs; a module is the
# path of a file without .c, or the folder of a header and the name of a section.
FNR == 1 {
    module = FILENAME
    is_header = module ~ /\.h$/
    folder = module
    sub(/\/[^\/]*$/, "", folder)
    sub(/\.[ch]$/, "", module)
    comment = depth = parens = private = 0
    kind = before = before_that = ""
}
is_header && match($0, /^\/\* ==== [a-z_0-9]+ ====/) { module = folder "/" substr($0, 9, RLENGTH - 13) }

function declare(name, what) { print "declares\t" module "\t" name "\t" what }

# One token after another; `before` is the last one, `kind` the keyword of the braces that are open.
function token(t) {
    if (t ~ /^[A-Za-z_]/) {
        if (is_header && depth == 0 && parens == 0 && (before == "struct" || before == "union" || before == "enum")) kind = before
        if (is_header && depth == 1 && kind == "enum" && (before == "{" || before == ",")) declare(t, "other")
        print "uses\t" module "\t" t "\t" FNR
    } else if (!is_header && t == "(" && depth == 0 && parens == 0 && before ~ /^[a-z]/ && !private) {
        print "defines\t" module "\t" before
    } else if (is_header && t == "(" && depth == 0 && parens == 0 && before ~ /^[a-z]/ && before !~ /^(gsp_|__|void$|int$)/) declare(before, "function")
    else if (is_header && (t == ";" || t == "[") && depth == 0 && parens == 0 && before ~ /^[A-Za-z_]/ && before_that != "struct") declare(before, "other")
    if (t == "enum") kind = t
    if (t == "static") private = 1
    if (t == "{") depth++
    if (t == "}") depth--
    if (depth == 0 && (t == ";" || t == "}")) private = 0
    if (t == "(") parens++
    if (t == ")") parens--
    before_that = before
    before = t
}
{
    line = $0
    gsub(/\\\\/, "", line)
    gsub(/\\["\047]/, "", line)
    if (!comment && is_header && match(line, /^#define [A-Za-z_0-9]+/)) declare(substr(line, 9, RLENGTH - 8), "other")
    if (!comment && line ~ /^#include/) next
    macro = !comment && (line ~ /^#/ || macro && continued)
    continued = line ~ /\\$/
    while (line != "") {
        if (comment) {
            end = index(line, "*/")
            if (!end) break
            line = substr(line, end + 2)
            comment = 0
        } else if (match(line, /^("[^"]*"|\047[^\047]*\047|[0-9][A-Za-z_0-9.]*|[ \t]+)/)) line = substr(line, RLENGTH + 1)
        else if (substr(line, 1, 2) == "/*") {
            comment = 1
            line = substr(line, 3)
        } else {
            if (!match(line, /^[A-Za-z_][A-Za-z_0-9]*/)) RLENGTH = 1
            word = substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
            if (!macro) token(word)
            else if (word ~ /^[A-Za-z_]/) print "uses\t" module "\t" word "\t" FNR
        }
    }
}
