#!/bin/sh
# Prints a smaller graphsplit.h: the asked families or passes, and of the rest only what they use.
# usage: sh examples/integrate/extract.sh NAME... > FILE
# NAME is a family (text split partition dedup pipeline memory) or a section of the header's contents, such as
# memory_pack. The macros stay: GRAPHSPLIT_IMPLEMENTATION, GSP_API, GSP_GAP, GSP_NO_MESSAGES. A program has
# either the extract or graphsplit.h, not both.
header=$(dirname "$0")/../../graphsplit.h
[ $# -gt 0 ] || { sed -n '3,6s/^# //p' "$0" >&2 && exit 2; }

LC_ALL=C exec awk -v asked="$*" -v quote="'" '
# ---- what is asked: families that are on, sections whose functions are wanted ----

function fail(text) {
    print "extract.sh: " text | "cat >&2"
    close("cat >&2")
    failed = 1
    exit 2
}

# The contents in the manual: families in order, and the sections of each.
function read_contents(text,   words, n) {
    n = split(text, words, " ")
    if (text ~ />>family/) { family = words[3]; families = families " " tolower(family); is_family[tolower(family)] = 1; family_text[family] = 0 }
    else if (family != "" && n > 1) { name = substr(words[2], 3); sections = sections " " name; family_of[name] = family }
}

function choose(   names, n, i, section) {
    n = split(asked, names, " ")
    for (i = 1; i <= n; i++) {
        if (names[i] in is_family) {
            on[toupper(names[i])] = family_text[toupper(names[i])] = 1
            for (section in family_of) if (family_of[section] == toupper(names[i])) wanted[section] = 1
        } else if (names[i] in family_of) {
            on[family_of[names[i]]] = 1
            wanted[names[i]] = 1
        } else fail("no family or section " quote names[i] quote "; families:" families "; sections:" sections)
        if (names[i] == "text") on["TEXT"] = 1
        if (names[i] == "graph") on["TEXT"] = 1
    }
    if ("PARTITION" in on) on["SPLIT"] = 1
    # A planner comes with the check of its plans.
    if ("memory_plan" in wanted || "memory_pack" in wanted) wanted["memory_check"] = 1
    # Everybody needs statuses and an arena.
    wanted["status"] = wanted["memory"] = 1
    n = split("TEXT SPLIT PARTITION DEDUP PIPELINE MEMORY", names, " ")
    for (i = 1; i <= n; i++) switches["GSP_NO_" names[i]] = !(names[i] in on)
    n = split("COST FLOW FUSE MOVE_NON_TENSOR SCORE ALL_PASSES", names, " ")
    for (i = 1; i <= n; i++) switches["GSP_NO_" names[i]] = 0
}

# ---- conditions on switches: resolved ----

# 1 and 0 as known, -1 otherwise.
function value(line,   name, words, n, i, result, word) {
    split(line, words, " ")
    if (words[1] == "#ifdef" || words[1] == "#ifndef") {
        if (!(words[2] in switches)) return -1
        return words[1] == "#ifdef" ? switches[words[2]] : !switches[words[2]]
    }
    if (line !~ /^#if defined\(GSP_NO_[A-Z_]*\) && !defined\(GSP_NO_[A-Z_]*\)$/) return -1
    n = split(line, words, /[()]/)
    return words[2] in switches && words[4] in switches ? switches[words[2]] && !switches[words[4]] : -1
}

# 1 if the line is code of the extract; conditions that are resolved are none of it.
function is_in(line,   v) {
    if (line ~ /^#if/) {
        v = hidden > 0 ? 0 : value(line)
        known[++depth] = v
        before[depth] = hidden
        if (v == 0) hidden = depth
        return v == -1 && !hidden
    }
    if (line ~ /^#el/) {
        if (known[depth] == -1) return !hidden
        if (before[depth] == 0) hidden = hidden ? 0 : depth
        return 0
    }
    if (line ~ /^#endif/) {
        v = known[depth] == -1 && !hidden
        hidden = before[depth]
        depth--
        return v
    }
    return !hidden
}

# ---- items: a comment with a definition, a macro, a condition ----

function begin(kind) {
    item++
    kinds[item] = kind
    comments[item] = comment
    blank[item] = is_blank
    in_section[item] = section
    is_api[item] = api
    conditions[item] = n_open > 0 ? open[n_open] : 0
    comment = ""
    is_blank = 0
}

function add(line) {
    texts[item] = texts[item] (texts[item] == "" ? "" : "\n") line
}

function take_condition(line) {
    begin(line ~ /^#if/ ? "if" : line ~ /^#endif/ ? "end" : "else")
    add(line)
    if (line ~ /^#if/) open[++n_open] = item
    else {
        opened[item] = open[n_open]
        conditions[item] = conditions[open[n_open]]
        if (line ~ /^#endif/) n_open--
    }
}

function take_heading(line,   words) {
    split(line, words, " ")
    section = line ~ />>family/ ? words[3] : substr(words[2], 3)
    api = line !~ /\(implementation\)/ && section != "impl"
    in_heading = 1
}

# What a line of code at the left begins, and whether more lines belong to it.
function take_code(line) {
    if (line ~ /^#(if|el|endif)/) { take_condition(line); return }
    if (line ~ /^#define/) { begin("define"); add(line); more = line ~ /\\$/ ? "macro" : ""; return }
    if (line ~ /^#undef/) { begin("undef"); add(line); return }
    if (line ~ /^#|^extern "C"|^}$|^GSPI_(BEGIN|END)$/) { begin("plain"); add(line); return }
    begin(line ~ /^GSPI_STATIC_ASSERT/ ? "assert" : "code")
    add(line)
    more = is_end(line) ? "" : "code"
}

function is_end(line) {
    sub(/ *\/\*.*\*\/$/, "", line)
    has_braces = (line ~ /{$/ || has_braces) && line !~ /^}/
    return !has_braces && (line ~ /;$/ || line ~ /^}/)
}

function take_line(line) {
    if (in_comment) {
        comment = comment "\n" line
        if (line ~ /^ \* >>/) take_heading(line)
        if (line ~ /\*\/$/) {
            in_comment = 0
            if (in_heading) { in_heading = 0; begin("heading") }
        }
    } else if (more == "macro") { add(line); if (line !~ /\\$/) more = "" }
    else if (more == "code") { add(line); if (is_end(line)) more = "" }
    else if (line == "") {
        # A comment alone speaks of its section.
        if (comment != "") begin("heading")
        is_blank = 1
    } else if (line ~ /^\/\* clang-format/) return
    else if (line ~ /^\/\*/) {
        comment = comment (comment == "" ? "" : "\n") line
        in_comment = line !~ /\*\/$/
    } else { has_braces = 0; take_code(line) }
}

# ---- names: what an item defines and uses ----

function without_comments(text,   at, end) {
    while ((at = index(text, "/*")) > 0) {
        end = index(substr(text, at), "*/")
        text = substr(text, 1, at - 1) " " substr(text, at + end + 1)
    }
    gsub(quote "\\\\?." quote, " ", text)
    gsub(/"([^"\\]|\\.)*"/, " ", text)
    return text
}

function define(name) {
    if (name != "" && index(" " definers[name] " ", " " item_now " ") == 0) definers[name] = definers[name] " " item_now
}

function define_type(text,   words, n, i, inner, at) {
    if (match(text, /\(\*[a-z_0-9]+\)/)) define(substr(text, RSTART + 2, RLENGTH - 3))
    else {
        n = split(text, words, /[^A-Za-z0-9_]+/)
        define(words[n] != "" ? words[n] : words[n - 1])
    }
    if (text ~ /^typedef (struct|union|enum) [a-z_0-9]+/) { split(text, words, " "); define(words[3]) }
    if (text !~ /enum/) return
    while (match(text, /[A-Z_0-9]+##/)) {
        prefixes[substr(text, RSTART, RLENGTH - 2)] = item_now
        text = substr(text, RSTART + RLENGTH)
    }
    inner = substr(text, index(text, "{") + 1)
    n = split(inner, words, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= n; i++) if (words[i] ~ /^GSP/) define(words[i])
}

function read_names(   text, words) {
    item_now = i
    text = without_comments(texts[i])
    if (kinds[i] == "define" || kinds[i] == "undef") {
        match(text, /^#[a-z]+ +[A-Za-z0-9_]+/)
        split(substr(text, 1, RLENGTH), words, " ")
        if (kinds[i] == "define") define(words[2])
    } else if (kinds[i] == "code") {
        if (text ~ /^(typedef|enum)/) define_type(text)
        else if (match(text, /[A-Za-z0-9_]+ *[[(=;{]/)) {
            split(substr(text, RSTART, RLENGTH), words, /[^A-Za-z0-9_]+/)
            define(words[1])
        }
    }
    if (conditions[i]) text = text " " texts[conditions[i]]
    used[i] = text
}

# ---- the closure ----

function keep(at) {
    if (!(at in kept)) { kept[at] = 1; list[++n_list] = at }
}

function keep_name(name,   n, items, j, at) {
    n = split(definers[name], items, " ")
    for (j = 1; j <= n; j++) keep(items[j])
    for (at = length(name); at > 4 && n == 0; at--) {
        if (substr(name, 1, at) in prefixes) { keep(prefixes[substr(name, 1, at)]); return }
    }
}

function close_over(   words, n, j) {
    while (done < n_list) {
        n = split(used[list[++done]], words, /[^A-Za-z0-9_]+/)
        for (j = 1; j <= n; j++) if (words[j] ~ /^[gG][sS][pP]/ && !(words[j] in seen)) { seen[words[j]] = 1; keep_name(words[j]) }
    }
}

function keep_section(name,   j) {
    for (j = 1; j <= item; j++) if (in_section[j] == name && is_api[j] && kinds[j] ~ /code|define/) keep(j)
}

# An assertion stays if what it speaks of does; an #undef with its macro.
function keep_followers(   j, k, words, n, all) {
    for (j = 1; j <= item; j++) if (kinds[j] == "assert" || kinds[j] == "undef") {
        n = split(used[j], words, /[^A-Za-z0-9_]+/)
        all = 1
        for (k = 1; k <= n; k++) if (words[k] ~ /^[gG][sS][pP]/ && words[k] in definers && !(words[k] in seen)) all = 0
        if (all) keep(j)
    }
}

function mark_conditions(   j, at) {
    for (j = 1; j <= item; j++) if (j in kept || kinds[j] == "plain") {
        kept[j] = 1
        for (at = conditions[j]; at; at = conditions[at]) kept[at] = 1
    }
    for (j = 1; j <= item; j++) if (kinds[j] ~ /^(else|end)$/ && opened[j] in kept) kept[j] = 1
}

# A comment that stands alone: that of a family only if all of it was asked for.
function is_text(j) {
    return of[j] && (!(in_section[j] in family_text) || family_text[in_section[j]])
}

# Headings of sections, and of families, that have something left.
function mark_headings(   j, heading, family_heading) {
    for (j = 1; j <= item; j++) {
        if (kinds[j] == "heading") {
            if (comments[j] ~ />>family/) family_heading = j
            if (comments[j] ~ />>/) heading = part = j
            else if (comments[j] ~ /^\/\* ----/) part = j
            else of[j] = part
        } else if (j in kept && kinds[j] ~ /code|define/) kept[part] = kept[heading] = kept[family_heading] = 1
    }
    for (j = 1; j <= item; j++) if (kinds[j] == "heading" && of[j] in kept && is_text(j)) kept[j] = 1
}

# ---- the output ----

function print_head() {
    print title
    print " * SPDX-License-Identifier: MIT OR Unlicense"
    print " *"
    print " * An extract of graphsplit.h: " asked ", and what it needs, made by"
    print " *     sh examples/integrate/extract.sh " asked
    print " * The licence stands at the end."
    print " *"
    print " * Do this in ONE file of your program, and include it without the macro in all others:"
    print " *"
    print " *     #define GRAPHSPLIT_IMPLEMENTATION"
    print " *     #include \"this file\""
    print " */"
}

function print_items(   j) {
    for (j = 1; j <= item; j++) if (j in kept) {
        if (blank[j]) print ""
        if (comments[j] != "") print comments[j]
        if (kinds[j] != "heading") print texts[j]
    }
}

NR == 1 { title = $0; in_manual = 1; next }
in_manual {
    if ($0 ~ /^ \* +>>/) read_contents($0)
    if ($0 ~ /\*\/$/) { in_manual = 0; choose() }
    next
}
/^ \* Licence: / { print_licence = 1 }
print_licence { if ($0 ~ /^ \* Security/) print_licence = 0; else licence = licence $0 "\n"; next }
/^#endif \/\* GRAPHSPLIT_IMPLEMENTATION \*\// { take_line($0); at_end = 1 }
at_end { next }
is_in($0) { take_line($0); next }
!in_comment && comment != "" { if (section in family_text) begin("heading"); comment = "" }
END {
    if (failed) exit 2
    for (i = 1; i <= item; i++) read_names()
    for (i = 1; i <= item; i++) if (in_section[i] ~ /^(config)?$/ && kinds[i] ~ /code|define/) keep(i)
    for (name in wanted) keep_section(name)
    keep_name("GSPI_BEGIN")
    keep_name("GSPI_END")
    close_over()
    if ("gsp_graph" in seen) {
        keep_section("graph"); keep_section("build"); keep_section("query")
        close_over()
    }
    keep_followers()
    close_over()
    mark_conditions()
    mark_headings()
    print_head()
    print_items()
    sub(/ \*\n$/, "", licence)
    printf "\n/* ----\n%s * ---- */\n", licence
}' "$header"
