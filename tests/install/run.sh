#!/bin/sh
# Installs into an empty directory and uses what is there: the header by pkg-config, the program, the man page.
# usage: sh tests/install/run.sh
cd "$(dirname "$0")/../.." || exit 1
out=$PWD/${B:-build}/install
to=$out/to
rm -rf "$out"
mkdir -p "$out" || exit 1
. tests/check.sh

compiles() {
    # shellcheck disable=SC2046
    ${CC:-cc} $(PKG_CONFIG_PATH=$to/share/pkgconfig pkg-config --cflags graphsplit) -o "$out/hello" examples/hello.c
}

works "make install" make -s install PREFIX="$to"
if command -v pkg-config > /dev/null; then
    works "a program compiles by pkg-config" compiles
    works "and runs" sh -c "'$out/hello' | cmp - examples/hello.expected"
else
    skip "pkg-config"
fi
works "graphsplit --version" "$to/bin/graphsplit" --version
if command -v man > /dev/null; then
    works "the man page" sh -c "MANPAGER=cat man -l '$to/share/man/man1/graphsplit.1' > '$out/page'"
    works "has text" grep -q SYNOPSIS "$out/page"
else
    skip "the man page (no man)"
fi
works "make uninstall" make -s uninstall PREFIX="$to"
works "leaves nothing" [ -z "$(find "$to" -type f)" ]
finish
