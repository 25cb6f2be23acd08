#!/bin/sh
# The layers of examples/program, shown and checked: a file includes only its own layer and those below it,
# nothing includes what leads back to it, and renderers know facts alone.
# usage: sh tests/lint/layers.sh
. "$(dirname "$0")/lib.sh"
program=examples/program

# The layer of a file, from the bottom up.
layers() {
    awk '
        /^(data|report)\// { print 1, "data, report", $0; next }
        /^core\// { print 2, "core", $0; next }
        /^algorithms\// { print 3, "algorithms", $0; next }
        /^input\// { print 4, "input", $0; next }
        /^output\// { print 5, "output", $0; next }
        /^commands\/[^\/]*\/(people|json|porcelain|svg|trace|csv|dot|html|map|why|explorer)[a-z_]*$/ { print 7, "renderers of commands", $0; next }
        /^commands\/([^\/]*)\// {
            split($0, part, "/")
            if (part[2] == part[3]) print 8, "commands", $0
            else print 6, "facts of commands", $0
            next
        }
        /^commands\// { print 9, "dispatch", $0; next }
        /^main$/ { print 10, "main", $0; next }
        { print 0, "no layer", $0 }' "$out/modules" | awk '{ print $1 "\t" $NF "\t" substr($0, length($1) + 2, length($0) - length($1) - length($NF) - 2) }'
}

# A module is a .c and its .h, or either: "commands/split/facts".
(cd $program && find . -name '*.[ch]' | sed 's,^\./,,; s/\.[ch]$//' | sort -u) > "$out/modules"
layers > "$out/layers"
(cd $program && grep -rn '^#include "' --include='*.[ch]' .) |
    sed 's,^\./\([^:]*\):\([0-9]*\):#include "\([^"]*\)".*,\1 \2 \3,' > "$out/includes"

show() {
    awk -F '\t' '{ name[$1] = $3; n[$1]++ } END { for (i in n) print "layer " i ": " name[i] " (" n[i] ")" }' "$out/layers" | sort -k2nr
}

placed() {
    awk -F '\t' '$1 == 0 { print $2 ": of no layer" }' "$out/layers"
}

# Of what lies outside, only the library, its add-ons and the reader of models.
outside() {
    awk -F '\t' -v OFS=' ' '
        FNR == NR { known[$2] = 1; next }
        { split($0, field, " "); module = field[3]; sub(/\.h$/, "", module) }
        !(module in known) && field[3] !~ /^(graphsplit\.h|examples\/(extra\/graphsplit_[a-z]+|tflite\/tflite|tflite\/fields)\.h)$/ {
            print field[1] ":" field[2] ": includes " field[3] }' "$out/layers" "$out/includes"
}

upward() {
    awk '
        FNR == NR { split($0, field, "\t"); layer[field[2]] = field[1]; next }
        {
            from = $1; to = $3
            sub(/\.[ch]$/, "", from); sub(/\.h$/, "", to)
            if (to in layer && layer[to] > layer[from]) print $1 ":" $2 ": includes " $3 ", which lies above it"
        }' "$out/layers" "$out/includes"
}

# What is left when edges to a module that includes nothing, and from one that nothing includes, go again
# and again.
circles() {
    awk '
        {
            from = $1; to = $3
            sub(/\.[ch]$/, "", from); sub(/\.h$/, "", to)
            if (from != to && !((from, to) in edge)) { edge[from, to] = 1; a[++n] = from; b[n] = to; out[from]++; in_[to]++ }
        }
        END {
            do {
                removed = 0
                for (i = 1; i <= n; i++)
                    if (!(i in gone) && (!out[b[i]] || !in_[a[i]])) { gone[i] = 1; out[a[i]]--; in_[b[i]]--; removed = 1 }
            } while (removed)
            for (i = 1; i <= n; i++) if (!(i in gone)) print "in a circle: " a[i] " includes " b[i]
        }' "$out/includes"
}

# A renderer is given facts: it reads no input, runs no pass, and knows nothing of the command that calls it.
renderers() {
    awk '
        FNR == NR { split($0, field, "\t"); layer[field[2]] = field[1]; next }
        {
            from = $1; to = $3
            sub(/\.[ch]$/, "", from); sub(/\.h$/, "", to)
            if (layer[from] == 7 && (layer[to] == 4 || to == "core/measure" || to == "core/file"))
                print $1 ":" $2 ": a renderer includes " $3
        }' "$out/layers" "$out/includes"
    awk -F '\t' '$1 == 7 { print $2 ".c" }' "$out/layers" | while read -r file; do
        grep -n 'gsp_[a-z_]*_run(' "$program/$file" | sed "s,^,$file:,"
    done
    return 0
}

# What a file gives to others stands in the header of its name, which it includes first.
headers() {
    awk -F '\t' '$2 != "main" && $2 != "core/impl" { print $2 }' "$out/layers" | while read -r module; do
        [ -f "$program/$module.h" ] || echo "$module.c: has no header"
        [ ! -f "$program/$module.c" ] || [ "$(sed -n 's/^#include "\(.*\)"/\1/p' "$program/$module.c" | head -n 1)" = "$module.h" ] ||
            echo "$module.c: does not include its header first"
    done
}

show
check "every file has a layer" placed
check "includes from outside" outside
check "no include runs upward" upward
check "no circles" circles
check "renderers know facts alone" renderers
check "one header for each file" headers
finish
