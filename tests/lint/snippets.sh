#!/bin/sh
# The C programs in README.md and in the manual of the header compile; in README.md they stand between
# ```c and ```, in the manual between lines of ~~~. A snippet with main() is a program.
. "$(dirname "$0")/lib.sh"
cc=${CC:-cc}
rm -f "$out"/snippet*.c
[ ! -f README.md ] || awk -v out="$out/snippet_readme" '
    /^```c$/ { n++; on = 1; next }
    /^```/ { on = 0 }
    on { print > (out n ".c") }' README.md
awk -v out="$out/snippet_manual" '
    /^GSP_API|^#define/ { exit }
    /^[ *]*~~~/ { on = !on; if (on) n++; next }
    on { sub(/^ \* ? ? ? ?/, ""); print > (out n ".c") }' $header

programs=0
for file in "$out"/snippet*.c; do
    if [ -f "$file" ] && grep -q 'int main' "$file"; then
        programs=$((programs + 1))
        check "$file" $cc -std=c99 -Wall -Wextra -Werror -I. -o "$out/snippet" "$file"
        check "$file runs" sh -c "'$out/snippet' > '$out/snippet.out'"
    elif [ -f "$file" ]; then
        check "$file" $cc -std=c99 -I. -fsyntax-only "$file"
    fi
done
if [ -f README.md ]; then
    check "README.md shows a program" test $programs -gt 0
else
    skip "README.md (there is none)"
fi
finish
