# Reads the implementation half without comments; prints one line a function:
#     function NAME FAMILY FIRST_LINE LINES SECTION
# and one a mention of another identifier that is called or taken in its body:
#     mention NAME IDENTIFIER LINE
# and one a declaration without a body: forward NAME LINE
# usage: awk -f functions.awk HEADER_WITHOUT_COMMENTS HEADER
BEGIN { family = "-" }
FNR == NR { code[FNR] = $0; next }
/^ \* >>/ { section = $2 == ">>family" ? "HEAD" : substr($2, 3) }
/^ \* >>family / { family = $3 }
/Only the API\? Stop here/ { half = 1 }
!half { next }
{ line = code[FNR] }
body == 0 && line ~ /^[a-zG][A-Za-z_0-9]+ [a-z*]/ { head = ""; first = FNR; heading = 1 }
heading {
    head = head " " line
    if (line ~ /;$/ || line ~ /=/) {
        if (line ~ /;$/ && head ~ /\(/ && head !~ /=/) { name_of(head); print "forward", name, first }
        heading = 0
    }
    if (line == "{") { name_of(head); heading = 0; body = FNR; names = "" }
    next
}
body && line == "}" {
    print "function", name, family, first, FNR - body + 1, section
    for (i = body; i <= FNR; i++) {
        text = code[i]
        while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
            word = substr(text, RSTART, RLENGTH)
            if (word ~ /^gspi?_/) print "mention", name, word, i
            text = substr(text, RSTART + RLENGTH)
        }
    }
    body = 0
}
function name_of(text) {
    sub(/\(.*/, "", text)
    sub(/ *$/, "", text)
    sub(/.*[ *]/, "", text)
    name = text
}
