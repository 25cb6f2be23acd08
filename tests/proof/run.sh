#!/bin/sh
# Proves what tests/proof/NAME/wp.acsl says of the function NAME of graphsplit.h, for all inputs, and that the
# function makes no run-time error (Frama-C's WP). The contracts stay out of the header: annotate.awk puts
# them into a copy.
# usage: sh tests/proof/run.sh [NAME...]
cd "$(dirname "$0")/../.." || exit 1
. tests/check.sh
command -v frama-c > /dev/null || nothing_but "proofs (frama-c-base is not installed)"
command -v why3 > /dev/null && { command -v z3 && command -v cvc4; } > /dev/null || nothing_but "proofs (why3, z3 or cvc4 is not installed)"
out=${B:-build}/proof
mkdir -p "$out" || exit 1
[ $# -gt 0 ] || set -- $(for file in tests/proof/*/wp.acsl; do basename "${file%/wp.acsl}"; done)
why3 --config="$out/why3.conf" config detect > "$out/why3.log" 2>&1
awk -v header=graphsplit.h -f tests/proof/annotate.awk tests/proof/*/wp.acsl graphsplit.h > "$out/annotated.h"
verdict "every contract belongs to a function and a loop of it" $?
WHY3CONFIG=$out/why3.conf frama-c -machdep gcc_x86_64 -cpp-extra-args="-I. -I$out -std=c99" tests/proof/wp.c -wp -wp-rte \
    -wp-model Typed+Cast -wp-prover z3,cvc4 -wp-timeout 60 -wp-par 2 -wp-fct "$(echo "$@" | tr ' ' ,)" > "$out/wp.log" 2>&1

# Frama-C ends with 0 whatever it proves.
proved=$(sed -n 's/^\[wp\] Proved goals: *//p' "$out/wp.log" | tail -n 1)
echo "goals proved: $proved"
[ -n "$proved" ] && [ "${proved% /*}" -eq "${proved#*/ }" ]
verdict "all goals are proved" $? "$out/wp.log"
for name in "$@"; do
    grep -q "annotating function $name\$" "$out/wp.log" && ! grep -q "^\[wp\] \[\(Failed\|Timeout\|Unknown\|Stepout\).*typed_cast_${name}_" "$out/wp.log"
    verdict "proof of $name" $?
done
finish
