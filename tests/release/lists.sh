#!/bin/sh
# Which operator lists are older than what the package index has: each list of examples/ops, its version and date, and
# for the packages that its "# Version" line names the newest version, as pip finds it. Only this machine's pip knows
# where the index is. A list without a package was read in a document, whose address its "# Source" has.
# usage: sh tests/release/lists.sh [DIRECTORY OF LISTS]     (PYTHON: an interpreter with pip)
cd "$(dirname "$0")/../.." || exit 1
from=${1:-examples/ops}
seen=$(mktemp) || exit 1
trap 'rm -f "$seen"' EXIT

# newest PACKAGE: its newest version, or nothing; asked once for all lists
newest() {
    if ! grep -q "^$1 " "$seen"; then
        found=$(${PYTHON:-python3} -m pip index versions "$1" 2> /dev/null | sed -n '1s/^[^(]*(\([^)]*\)).*/\1/p')
        echo "$1 ${found:-?}" >> "$seen"
    fi
    sed -n "s/^$1 //p" "$seen"
}

# is_older A B: version A is below B, part by part
is_older() {
    [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -1)" = "$1" ]
}

total=0 old=0
for file in "$from"/*.ops; do
    line=$(sed -n 's/^# Version: //p' "$file" | head -1)
    total=$((total + 1))
    answer=
    packages=$(printf '%s\n' "$line" | tr ';' '\n' | sed -n 's/^ *package //p')
    late=0
    while read -r package version; do
        [ -n "$package" ] || continue
        now=$(newest "$package")
        if [ "$now" = "?" ]; then
            answer="$answer, the index does not answer about $package"
        elif is_older "$version" "$now"; then
            answer="$answer, older than $package $now" late=1
        else
            answer="$answer, not older than $package $now"
        fi
    done << END
$packages
END
    old=$((old + late))
    printf '%-22s %s%s\n' "$(basename "$file" .ops)" "${line%%;*}" "${answer:-, by hand}"
done
echo "$old of $total lists are older than the index"
