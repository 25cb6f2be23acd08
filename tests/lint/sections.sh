#!/bin/sh
# The house plan twice: the table of contents, the API half and the implementation half name the same
# sections in the same order. A banner is three lines, its middle one ` * >>tag   meaning   (API)`.
. "$(dirname "$0")/lib.sh"
api='config status memory bitset graph build query check text support acc fuse boundary split module
parts frames run peak offsets budget extend culprit preview device latency size sparse cost kl
partition effects same regions accept dedup fingerprint costs stages loads sequence balance marks hold pipe backward
move draw'
api=$(echo $api)

banners() {
    awk '/^ \* >>/ { print $2, $NF }' $header
}
tags_of() {
    banners | awk -v half="($1)" '$2 == half { print substr($1, 3) }' | tr '\n' ' '
}
contents() {
    awk '/^ \* +>>/ && !/^ \* >>/ { print substr($2, 3) }' $header | tr '\n' ' '
}
# same LABEL A B: two lists are equal
same() {
    if [ "$2" != "$3" ]; then
        echo "$1: [$2] and [$3]"
    fi
}
whole_api() {
    echo "config $(tags_of API)"
}
toolkit() {
    banners | awk '$1 ~ /^>>(impl|k\.)/ { print substr($1, 3) }' | tr '\n' ' '
}
twice() {
    banners | sort | uniq -d
}
banner_form() {
    awk -v rule="^/\\* -+$" '
        /^ \* >>/ {
            if (before !~ rule || length($0) > 100) print FILENAME ":" FNR ": banner: " $0
            want = FNR + 1
        }
        FNR == want && $0 !~ /^ \* -+( \*\/)?$/ { print FILENAME ":" FNR ": banner does not end here" }
        { before = $0 }' $header
}
# Banners stand in one order: config, the API, impl, the toolkit, the implementation; a part
# of the toolkit stands behind the foundation that it calls.
order() {
    banners | awk '
        $1 == ">>config" { now = 1 }
        $2 == "(API)" { now = 2 }
        $1 ~ /^>>(impl$|k\.)/ { now = 3 }
        ($2 == "(implementation)" && $1 !~ /^>>(impl$|k\.)/) || $1 ~ /^>>k\.(line|carried|seconds|quotient|devices|paths|write|live|copy|cut|forms|bind|texts|reach|order|values)$/ { now = 4 }
        now < last { print "out of order: " $0 }
        { last = now }'
}

check "the API half has the sections of the plan" same sections "$(whole_api)" "$api "
check "the implementation half has the same" same halves "$(tags_of API)" \
    "$(banners | awk '$2 == "(implementation)" && $1 !~ /^>>(impl$|k\.)/ { print substr($1, 3) }' | tr '\n' ' ')"
check "the table of contents has all of them" same contents "$(contents)" "$(whole_api)$(toolkit)"
check "no section stands twice in a half" twice
check "banners have their form" banner_form
check "the halves follow each other" order
finish
