#!/bin/sh
# Top to bottom: a function calls only functions above it, so there is no recursion and no forward
# declaration. Functions are short.
. "$(dirname "$0")/lib.sh"
for header in $headers; do
    code_only $header > "$out/code"
    awk -f tests/lint/functions.awk "$out/code" $header > "$out/$(basename $header).functions"
done

# each LABEL COMMAND: a check of each header, whose functions stand in $functions
each() {
    for header in $headers; do
        functions=$out/$(basename $header).functions
        check "$header: $1" "$2"
    done
}
some_functions() {
    awk -v header=$header '$1 == "function" { n++ } END { if (n < (header == "graphsplit.h" ? 50 : 10)) print "only " n + 0 " functions found" }' "$functions"
}
no_forward() {
    awk '$1 == "forward" { print "line " $3 ": forward declaration of " $2 }' "$functions"
}
upwards() {
    awk '
        FNR == NR { if ($1 == "function") at[$2] = $4; next }
        $1 == "mention" && $3 in at && at[$3] >= at[$2] {
            print "line " $4 ": " $2 " calls " ($3 == $2 ? "itself" : $3 ", which stands below")
        }' "$functions" "$functions"
}
# A family keeps its private functions to itself; those of BASE and GRAPH are for all.
private() {
    awk '
        FNR == NR { if ($1 == "function") family[$2] = $3; next }
        $1 == "mention" && $3 ~ /^gspi_/ && ($3 in family) && family[$3] !~ /^(BASE|GRAPH)$/ && family[$3] != family[$2] {
            print "line " $4 ": " $2 " (" family[$2] ") calls " $3 " of " family[$3]
        }' "$functions" "$functions"
}
# A private function used by two sections stands at a head: of their family, or of BASE or GRAPH. A section may
# offer others a step of its own, which carries its name: gspi_build_text, gspi_stage_params_run or gspi_params_run.
rooms() {
    awk '
        FNR == NR { if ($1 == "function") { family[$2] = $3; section[$2] = $6 } next }
        $1 != "mention" || $3 !~ /^gspi_/ || !($3 in section) || section[$3] == "HEAD" { next }
        family[$3] == family[$2] && section[$3] == section[$2] { next }
        {
            last = section[$3]
            sub(/.*_/, "", last)
            if ($3 !~ "^gspi_(" section[$3] "|" last ")(_|$)")
                print "line " $4 ": " $2 " (" section[$2] ") calls " $3 " of " section[$3] ", which should stand at a head"
        }' "$functions" "$functions"
}
lengths() {
    awk '$1 == "function" { print $5, $2, $4 }' "$functions" | sort -n > "$out/lengths"
    awk -v header=$header '
        FNR == NR { if (/long:/) long_at[FNR] = 1; next }
        { n++; size[n] = $1; name[n] = $2; first[n] = $3 }
        END {
            median = size[int((n + 1) / 2)]
            if (median > 15) print "median length is " median
            for (i = 1; i <= n; i++) {
                if (size[i] <= 60) continue
                reason = 0
                for (k = first[i] - 12; k <= first[i] + size[i]; k++) reason += k in long_at
                if (!reason) print "line " first[i] ": " name[i] " has " size[i] " lines and no `long:` comment"
            }
        }' $header "$out/lengths"
}

each "the script sees the functions" some_functions
each "no forward declarations" no_forward
each "calls go upwards" upwards
each "families keep their private functions" private
each "private functions of two sections stand at a head" rooms
each "functions are short" lengths
finish
