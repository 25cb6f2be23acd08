#!/bin/sh
# The house plan twice: the contents, the API half and the implementation half name the same families and
# sections in the same order. The contents are the only list: `>>FAMILY` in capitals, its sections below it.
# A banner is three lines, its middle one ` * >>tag   meaning   (API)`.
. "$(dirname "$0")/lib.sh"

banners() {
    awk '/^ \* >>/ { print substr($2, 3), $NF }' $header
}
tags_of() {
    banners | awk -v half="($1)" '$2 == half { print $1 }' | tr '\n' ' '
}
# The contents without what stands in one half only.
contents() {
    awk '/^ \* +>>/ && !/^ \* >>/ && $2 != ">>config" && $2 != ">>impl" { print substr($2, 3) }' $header | tr '\n' ' '
}
# same A B: two lists are equal
same() {
    [ "$1" = "$2" ] || echo "[$1] and [$2]"
}
families() {
    awk '/^ \* +>>/ && !/^ \* >>/ { print substr($2, 3) }' $header | awk '
        /^[A-Z]+$/ { family = $1; n++; next }
        family == "" && $1 != "config" { print $1 " stands in no family" }
        END { if (n != 8) print n + 0 " families" }'
}
twice() {
    banners | sort | uniq -d
}
banner_form() {
    awk '
        /^ \* >>/ {
            rule = $2 ~ /^>>[A-Z]+$/ ? "^/\\* =+$" : "^/\\* -+$"
            if (before !~ rule || length($0) > 100) print FILENAME ":" FNR ": banner: " $0
            want = FNR + 1
        }
        FNR == want && $0 !~ /^ \* (-+|=+) \*\/$/ { print FILENAME ":" FNR ": banner does not end here" }
        { before = $0 }' $header
}
# config, the API, impl, the implementation.
order() {
    banners | awk '
        $1 == "config" { now = 1 }
        $2 == "(API)" { now = 2 }
        $1 == "impl" { now = 3 }
        $2 == "(implementation)" { now = 4 }
        now < last { print "out of order: " $0 }
        { last = now }'
}

check "the contents have eight families" families
check "the API half has the sections of the contents" same "$(contents)" "$(tags_of API)"
check "the implementation half has the same" same "$(contents)" "$(tags_of implementation)"
check "no section stands twice in a half" twice
check "banners have their form" banner_form
check "the halves follow each other" order
finish
