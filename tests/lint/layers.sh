#!/bin/sh
# The floors of examples/program, of the header and of bench/, shown and checked: a file calls only files of its own floor and of those
# below it, nothing calls what leads back to it, and renderers know facts alone.
# usage: sh tests/lint/layers.sh
. "$(dirname "$0")/lib.sh"
program=examples/program

# The floor of a module, from the bottom up. The first word of a renderer's name says what it writes.
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
        { print 0, "no floor", $0 }' "$out/modules" |
        awk '{ print $1 "\t" $NF "\t" substr($0, length($1) + 2, length($0) - length($1) - length($NF) - 2) }'
}

(cd $program && find . -name '*.h' | sed 's,^\./,,' | sort) > "$out/headers"
(cd $program && find . -name '*.c' | sed 's,^\./,,' | sort) > "$out/sources"
# shellcheck disable=SC2046
(root=$PWD && cd $program && awk -f "$root/tests/lint/uses.awk" $(cat "$root/$out/headers" "$root/$out/sources")) > "$out/uses"
{ sed 's/\.c$//' "$out/sources"; awk -F '\t' '$1 == "declares" && $3 !~ /_H$/ { print $2 }' "$out/uses"; } | sort -u > "$out/modules"
layers > "$out/layers"
(cd $program && grep -rn '^#include "' --include='*.[ch]' .) |
    sed 's,^\./\([^:]*\):\([0-9]*\):#include "\([^"]*\)".*,\1 \2 \3,' > "$out/includes"

# FROM TO NAME KIND LINE: a module uses a name that another one declares. A name without the prefix of all, which is
# that of a command, counts where the header of its folder is included.
awk '
    function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
    FILENAME == ARGV[1] { sees[folder($1), folder($3)] = 1; next }
    FNR == 1 { FS = "\t"; $0 = $0 }
    $1 == "declares" { if (!($3 in owner)) { owner[$3] = $2; kind[$3] = $4 }; next }
    $1 == "uses" && $3 in owner && owner[$3] != $2 {
        to = owner[$3]
        if ($3 ~ /^(cli|CLI)_/ || folder(to) == folder($2) || (folder($2), folder(to)) in sees) print $2, to, $3, kind[$3], $4
    }' "$out/includes" "$out/uses" > "$out/edges"

show() {
    awk -F '\t' '{ name[$1] = $3; n[$1]++ } END { for (i in n) print "floor " i ": " name[i] " (" n[i] ")" }' "$out/layers" | sort -k2nr
}

placed() {
    awk -F '\t' '$1 == 0 { print $2 ": on no floor" }' "$out/layers"
}

# Of what lies outside, only the library, its add-ons and the reader of models.
outside() {
    awk '
        FNR == NR { known[$1] = 1; next }
        !($3 in known) && $3 !~ /^(graphsplit\.h|examples\/(extra\/graphsplit_[a-z]+|tflite\/tflite|tflite\/fields)\.h)$/ {
            print $1 ":" $2 ": includes " $3 }' "$out/headers" "$out/includes"
}

upward() {
    awk '
        FNR == NR { split($0, field, "\t"); layer[field[2]] = field[1]; next }
        layer[$2] > layer[$1] { print $1 ": line " $5 " uses " $3 " of " $2 ", which lies above it" }' "$out/layers" "$out/edges"
}

# circles FILE: the arrows of a file that are in a circle.
circles() {
    awk -f tests/lint/floors.awk "$1"
}
folders() {
    sed 's,/[^/ ]* , ,; s,/[^/ ]* , ,' "$out/edges" | awk '$1 != $2' > "$out/folders"
    circles "$out/folders"
}

# A renderer is given facts: it reads no input and runs no pass.
renderers() {
    awk '
        FNR == NR { split($0, field, "\t"); layer[field[2]] = field[1]; next }
        layer[$1] == 7 && $4 == "function" && (layer[$2] == 4 || $2 == "core/measure" || $2 == "core/file") {
            print $1 ": line " $5 ": a renderer calls " $3 "()" }' "$out/layers" "$out/edges"
    awk -F '\t' '$1 == 7 { print $2 ".c" }' "$out/layers" | while read -r file; do
        grep -n 'gsp_[a-z_]*_run(' "$program/$file" | sed "s,^,$file:,"
    done
    return 0
}

# A folder has one header, of its name, with a section for each of its files, which include it first and
# define what the section declares.
headers() {
    awk '{ n = split($0, part, "/"); if (part[n] != part[n - 1] ".h") print $0 ": not the header of its folder" }' "$out/headers"
    grep -v -x -e main.c -e core/impl.c "$out/sources" | while read -r file; do
        folder=${file%/*}
        first=$(sed -n 's/^#include "\(.*\)"/\1/p' "$program/$file" | head -n 1)
        [ "$first" = "$folder/${folder##*/}.h" ] || echo "$file: does not include the header of its folder first"
    done
    awk -F '\t' '
        FNR == NR { sub(/\.c$/, ""); is_file[$1] = 1; next }
        $1 == "declares" && $4 == "function" { where[$3] = $2 }
        $1 == "declares" { has[$2] = 1 }
        $1 == "defines" { by[$3] = $2 }
        END {
            for (name in where)
                if (where[name] in is_file && by[name] != where[name]) print where[name] ": declares " name "(), but does not define it"
            for (name in by) if (!(name in where) && by[name] != "main") print by[name] ": " name "() is not static, and declared nowhere"
            for (file in is_file)
                if (!(file in has) && file != "main" && file != "core/impl" && file != "commands/dispatch" && file !~ /^(data|report)\//)
                    print file ": has no section"
        }' "$out/sources" "$out/uses"
}

# floors LABEL WHAT FILE [COMMAND]: a line of figures; the command says what is upward.
floors() {
    echo "$1: $(awk -v show=1 -v what="$2" -f tests/lint/floors.awk "$3")${4:+, $(($($4 | wc -l))) upward}"
}

# ---- the program ----

show
cut -f2 "$out/layers" | cat - "$out/edges" > "$out/files"
floors program "files and sections" "$out/files" upward
check "every file has a floor" placed
check "includes from outside" outside
check "no use runs upward" upward
check "no circle of files" circles "$out/edges"
check "no circle of folders" folders
check "renderers know facts alone" renderers
check "one header for each folder, a section for each file" headers

# ---- the header: its families; each has its place in the file ----

code_only $header > "$out/code"
awk -f tests/lint/functions.awk "$out/code" $header > "$out/functions"
awk '
    FNR == NR { if ($1 == "function") family[$2] = $3; next }
    $1 == "mention" && $3 in family { print family[$2], family[$3], $3 }' "$out/functions" "$out/functions" > "$out/families"
families_upward() {
    awk '
        FNR == NR { if ($1 == "function" && !($3 in at)) at[$3] = ++n; next }
        at[$2] > at[$1] { print $1 " uses " $3 " of " $2 ", which stands below" }' "$out/functions" "$out/families"
}
floors header families "$out/families" families_upward
check "no circle of families" circles "$out/families"
check "no family uses one below it" families_upward

# ---- the benchmark: C files with a section of bench.h each, and modules of Python ----

awk -f tests/lint/uses.awk bench/bench.h bench/bench*.c | awk -F '\t' -v OFS=' ' '
    { sub(/^bench\/bench_/, "bench/", $2) }
    $1 == "declares" && $4 == "function" { owner[$3] = $2 }
    $1 == "uses" && $3 in owner { print $2, owner[$3], $3 }' > "$out/bench"
(cd bench && awk '/^ *(import|from) [a-z_]+/ { print FILENAME, $2 ".py", $2 }' ./*.py | sed 's,^\./,,' |
    while read -r from to name; do [ ! -f "$to" ] || echo "$from $to $name"; done) > "$out/python"
imports_on_top() {
    ! grep -n '^ .*import [a-z_]*$' bench/peers.py bench/plots.py bench/splits.py bench/graphs.py bench/results.py bench/readme.py
}
floors bench "C files" "$out/bench"
floors bench "modules of Python" "$out/python"
check "no circle of C files" circles "$out/bench"
check "no circle of modules" circles "$out/python"
check "modules are imported at the top" imports_on_top

finish
