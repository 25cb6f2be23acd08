#!/bin/sh
# One prefix: what a header adds to a program begins with gsp_, GSP_ or GRAPHSPLIT_, or privately with
# gspi_ or GSPI_.
. "$(dirname "$0")/lib.sh"
cc=${CC:-cc}

symbols() {
    $cc -std=c99 -O0 "$(implementation_of $header)" -I. -x c -c -o "$out/names.o" $header || return 1
    nm "$out/names.o" | awk '
        NF == 3 && $2 ~ /[A-TV-Z]/ && $3 !~ /^gsp_[a-z]/ { print "public symbol: " $3 }
        NF == 3 && $2 ~ /[a-tv-z]/ && $3 !~ /^gspi?_[a-z]/ && $3 !~ /[.]|^__(func|PRETTY)/ { print "private symbol: " $3 }
        NF == 3 && $2 ~ /[BbDdCc]/ { print "data that is written: " $3 }'
}
only_static() {
    $cc -std=c99 -O0 -DGRAPHSPLIT_STATIC -DGRAPHSPLIT_IMPLEMENTATION "$(implementation_of $header)" -I. -x c -c -o "$out/names.o" $header || return 1
    nm "$out/names.o" | awk 'NF == 3 && $2 ~ /[A-TV-Z]/ { print "public although static: " $3 }'
}
implementation_macros() {
    macros "$(implementation_of $header)"
}
macros() {
    grep -h '^ *# *include <' $headers > "$out/system.h"
    $cc -std=c99 -dM -E -x c "$out/system.h" | sort > "$out/before"
    $cc -std=c99 -dM -E "$@" -I. -x c $header | sort > "$out/after"
    comm -13 "$out/before" "$out/after" | awk '$2 !~ /^(GSPI?|GRAPHSPLIT)_[A-Z]/ { print "macro: " $2 }'
}
# Types and tags of the API, as far as they stand at the start of a line.
types() {
    code_only $header | awk '
        /^typedef (struct|enum|union)/ && $3 !~ /^(gspi?_|\{)/ { print FNR ": " $0 }
        /^typedef/ { tag = $3 == "{" ? "^gspi_" : "^gspi?_" } # a public type has a tag
        /^}.*;/ && NF == 2 && $2 !~ tag { print FNR ": " $0 }'
}

check_each "symbols" symbols
check_each "symbols when static" only_static
check_each "macros of the API" macros
check_each "macros of the implementation" implementation_macros
check_each "types" types
finish
