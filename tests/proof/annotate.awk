# Prints graphsplit.h with the annotations of tests/proof/NAME/*.acsl put where they belong: the lines before the
# first `loop:` or `ghost:` in front of the definition of NAME, each `loop:` block in front of its next loop. A block
# `ghost: PATTERN` is code in front of the next line that matches; without a pattern it is in front of the next loop.
# Each further file is one annotation file; the last file is the header.
BEGIN {
    api = 1
    loop = "^ +(for|while|do) [({]"
}
FILENAME != header {
    if (FNR == 1) {
        count = split(FILENAME, path, "/")
        name = path[count - 1]
        at = 0
        ghost = 0
        wanted[name] = 1
    }
    if ($1 == "ghost:") {
        blocks[name] = ++at
        note[name, at] = "ghost\n"
        ghost = NF == 1
        place[name, at] = ghost ? loop : substr($0, 8)
    } else if ($0 == "loop:" && ghost) {
        note[name, at] = note[name, at] "*/\n/*@\n"
        ghost = 0
    } else if ($0 == "loop:") {
        blocks[name] = ++at
        place[name, at] = loop
    } else {
        note[name, at] = note[name, at] $0 "\n"
    }
    next
}
/^#define GRAPHSPLIT_IMPLEMENTATION_ONCE/ {
    api = 0
}
# The memory model keeps numbers of different sizes apart, and pointers: with wide fields, and without the text of the
# argument at fault, the error is apart from a module.
/^typedef struct gsp_error \{/, /^} gsp_error;/ {
    sub(/^    (gsp_status|gsp_detail|uint32_t) /, "    uint64_t ")
    sub(/^    const char \*/, "    uint64_t ")
}
/^ +gsp_error const e = / {
    sub(/""/, "0")
}
/(->|\.)field / {
    sub(/field = .*/, "field = 0;")
    sub(/err->field == NULL .*/, "\"\";")
}
# A definition starts at the first column, after the API half.
/^[A-Za-z].*\(/ && !/;$/ && !api {
    found = $0
    sub(/\(.*/, "", found)
    sub(/.*[ *]/, "", found)
    if (found in wanted) {
        current = found
        done[found] = 1
        used = 0
        printf "/*@\n%s*/\n", note[found, 0]
    }
}
current != "" && used < blocks[current] && $0 ~ place[current, used + 1] {
    used++
    printf "/*@\n%s*/\n", note[current, used]
}
/^}/ {
    if (current != "" && used < blocks[current]) {
        print "annotations left over: " current > "/dev/stderr"
        exit 1
    }
    current = ""
}
{ print }
END {
    for (name in wanted) {
        if (!(name in done)) {
            print "no such function: " name > "/dev/stderr"
            exit 1
        }
    }
}
