#!/bin/sh
# Every public function is described: by name (or as `_suffix` in a group), with its time; one that can
# fail also with its errors and its memory.
. "$(dirname "$0")/lib.sh"

documented() {
    awk '
        /Only the API\? Stop here/ { exit }
        /^$/ { comment = "" }
        /^\/\*/ { comment = ""; inside = 1 }
        inside { comment = comment " " $0; if (/\*\//) inside = 0; next }
        /^GSP_API/ { declaration = ""; start = FNR; open = 1 }
        open { declaration = declaration " " $0; if (/;$/) { open = 0; judge() } }
        function judge(    name, head) {
            match(declaration, /gsp_[a-z0-9_]+\(/)
            name = substr(declaration, RSTART, RLENGTH - 1)
            head = comment
            sub(/:.*/, "", head)
            if (!names(head, name)) complain(name, "has no comment that begins with its name")
            need(name, "Time:")
            if (declaration ~ /gsp_error \*err/) {
                need(name, "Errors:")
                need(name, "Memory:")
            }
        }
        # The head is "/* gsp_bitset_set, _clear, _has": the whole name, or the end of it.
        function names(head, name,    words, n, i, stem, word) {
            sub(/^ *\/\* */, "", head)
            n = split(head, words, /, */)
            if (words[1] !~ /^gsp_/) return 0
            for (i = 1; i <= n; i++) {
                word = words[i]
                if (word == name) return 1
                if (word ~ /^_/ && substr(name, length(name) - length(word) + 1) == word) {
                    stem = substr(name, 1, length(name) - length(word))
                    if (index(words[1], stem) == 1) return 1
                }
            }
            return 0
        }
        function need(name, word) { if (index(comment, word) == 0) complain(name, "lacks " word) }
        function complain(name, what) { print FILENAME ":" start ": " name " " what }' $header
}

# Every gsp_ and GSP_ name that a text speaks of exists.
names_exist() {
    # with the names that macros put together
    for header in $headers; do
        code_only $header
        ${CC:-cc} -E -P -I. "$(implementation_of $header)" -x c $header
    done |
        grep -o '[A-Za-z_][A-Za-z_0-9]*' | sort -u > "$out/known"
    for file in $headers README.md examples/program/graphsplit.1; do
        [ -f $file ] || continue
        grep -o -n '\b\(gsp\|GSP\|GRAPHSPLIT\)_[A-Za-z_0-9]*[A-Za-z0-9]\b' $file |
            awk -F : -v file=$file '
                FNR == NR { known[$1] = 1; next }
                $2 in known || $2 in said || $2 ~ /^(gsp_x|GSP_X)_/ { next } # gsp_x_run: of any pass x
                { said[$2] = 1; for (k in known) if (index(k, $2 "_") == 1) next; print file ":" $1 ": no such name: " $2 }' \
                "$out/known" -
    done
}

# The file of an `Example:` line calls the function above which the line stands.
examples_call() {
    awk '
        /Only the API\? Stop here/ { exit }
        /^\/\* gsp_/ { name = $2; sub(/[:,].*/, "", name) }
        /^ \* Example: / { for (i = 3; i <= NF; i++) print FNR, name, $i }' $header | tr -d , |
        while read -r line name file; do
            grep -qs "\b$name(" "$file" || echo "$header:$line: $file does not call $name()"
        done
}

# An add-on has an example, and no example of an add-on has more than 40 lines: it is what newcomers copy.
short_examples() {
    for header in examples/extra/graphsplit_*.h; do
        sed -n '/Only the API? Stop here/q; s/^ \* Example: //p' $header | tr -d , | tr ' ' '\n' > "$out/short"
        [ -s "$out/short" ] || echo "$header: no example"
        while read -r file; do
            [ "$(wc -l < "$file")" -le 40 ] || echo "$header: $file has $(wc -l < "$file") lines, and not 40 or less"
        done < "$out/short"
    done
}

# Every public function, struct and enum has a comment directly above it, where editors look for it; a desc
# with nothing to add to what the manual says of all needs none.
directly_described() {
    awk '
        /Only the API\? Stop here/ { exit }
        (/^GSP_API/ || (/^typedef (struct|enum) gsp_/ && !/_desc {$/)) && before !~ /\*\/$/ { print FILENAME ":" FNR ": no comment directly above: " $0 }
        { before = $0 }' $header
}

check_each "public functions are described" documented
check_each "comments stand directly above" directly_described
check_each "examples call what they are named for" examples_call
check "examples of add-ons are short" short_examples
check "names that texts speak of exist" names_exist
finish
