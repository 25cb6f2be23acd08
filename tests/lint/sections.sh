#!/bin/sh
# The house plan twice: the contents, the API half and the implementation half name the same families and
# sections in the same order. The contents are the only list: `>>family NAME`, its sections `>>name` below it.
# A banner is three lines, its middle one ` * >>tag   meaning   (API)`. The manual's command prints them.
. "$(dirname "$0")/lib.sh"

# What the command of the manual prints, without line numbers; the contents stand deeper than banners.
outline() {
    command=$(sed -n "s/^ \* \`\(grep -n '.*' graphsplit.h\)\` .*/\1/p" $header)
    [ -n "$command" ] && eval "$command" | sed 's/^[0-9]*://'
}
outline > "$out/outline"

banners() {
    awk '/^ \* >>/ { print ($2 == ">>family" ? $3 : substr($2, 3)), $NF }' "$out/outline"
}
tags_of() {
    banners | awk -v half="($1)" '$2 == half { print $1 }' | tr '\n' ' '
}
# The contents without what stands in one half only.
contents() {
    awk '/^ \*  +>>/ && $2 != ">>config" && $2 != ">>impl" { print ($2 == ">>family" ? $3 : substr($2, 3)) }' "$out/outline" |
        tr '\n' ' '
}
# same A B: two lists are equal
same() {
    [ "$1" = "$2" ] || echo "[$1] and [$2]"
}
families() {
    awk '/^ \*  +>>/ {
            if ($2 == ">>family") { family = $3; n++ }
            else if (family == "" && $2 != ">>config") print $2 " stands in no family"
        }
        END { if (n != 8) print n + 0 " families" }' "$out/outline"
}
# Each line of the outline is a line of the contents or a banner, so no bit shift and no prose.
only_banners() {
    [ -s "$out/outline" ] || echo "no command in the manual, or it prints nothing"
    awk '!/^ \* (    (    )?)?>>(family [A-Z]+|[a-z_]+)  +[A-Za-z]/' "$out/outline"
    awk '/^ \* >>/ { n++ } END { if (n % 2 != 0 || n < 100) print n + 0 " banners" }' "$out/outline"
}
twice() {
    banners | sort | uniq -d
}
banner_form() {
    awk '
        /^ \* >>/ {
            rule = $2 == ">>family" ? "^/\\* =+$" : "^/\\* -+$"
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

check "the manual's outline has banners only" only_banners
check "the contents have eight families" families
check "the API half has the sections of the contents" same "$(contents)" "$(tags_of API)"
check "the implementation half has the same" same "$(contents)" "$(tags_of implementation)"
check "no section stands twice in a half" twice
check "banners have their form" banner_form
check "the halves follow each other" order
finish
