#!/bin/sh
# Each header has its house plan twice: the contents, the API half and the implementation half name the same
# families and sections in the same order. The contents are the only list: `>>family NAME`, its sections `>>name`
# below it. A banner is three lines, its middle one ` * >>tag   meaning   (API)`. The manual's command prints them.
. "$(dirname "$0")/lib.sh"

# What the command of the manual prints, without line numbers; the contents stand deeper than banners.
command=$(sed -n "s/^ \* \`\(grep -n '.*'\) graphsplit.h\` .*/\1/p" graphsplit.h)
outline() {
    [ -n "$command" ] && eval "$command $header" | sed 's/^[0-9]*://'
}

banners() {
    outline | awk '/^ \* >>/ { print ($2 == ">>family" ? $3 : substr($2, 3)), $NF }'
}
tags_of() {
    banners | awk -v half="($1)" '$2 == half { print $1 }' | tr '\n' ' '
}
# The contents without what stands in one half only.
contents() {
    outline | awk '/^ \*  +>>/ && $2 != ">>config" && $2 != ">>impl" { print ($2 == ">>family" ? $3 : substr($2, 3)) }' |
        tr '\n' ' '
}
# same A B: two lists are equal
same() {
    [ "$1" = "$2" ] || echo "[$1] and [$2]"
}
half() {
    same "$(contents)" "$(tags_of "$1")"
}
# An add-on has sections only.
families() {
    [ $header = graphsplit.h ] || return 0
    outline | awk '/^ \*  +>>/ {
            if ($2 == ">>family") { family = $3; n++ }
            else if (family == "" && $2 != ">>config") print $2 " stands in no family"
        }
        END { if (n != 7) print n + 0 " families" }'
}
# Each line of the outline is a line of the contents or a banner, so no bit shift and no prose.
only_banners() {
    [ -n "$(outline)" ] || echo "no command in the manual, or it prints nothing"
    outline | awk '!/^ \* (    (    )?)?>>(family [A-Z]+|[a-z_]+)  +[A-Za-z]/'
    outline | awk -v least="$([ $header = graphsplit.h ] && echo 100 || echo 4)" '
        /^ \* >>/ { n++ } END { if (n % 2 != 0 || n < least) print n + 0 " banners" }'
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

check_each "the outline has banners only" only_banners
check_each "the contents have seven families" families
check_each "the API half has the sections of the contents" half API
check_each "the implementation half has the same" half implementation
check_each "no section stands twice in a half" twice
check_each "banners have their form" banner_form
check_each "the halves follow each other" order
finish
