#!/bin/sh
# Installs into an empty directory and uses what is there: the header by pkg-config, the program, the man page.
# usage: sh tests/release/install.sh
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

# finds VERSION DIRECTORY: configures a project that asks for this version of the package
finds() {
    cmake -S examples/integrate/cmake/installed -B "$out/$2" -DCMAKE_PREFIX_PATH="$to" -DGRAPHSPLIT_VERSION="$1" > "$out/$2.log" 2>&1
}

uses() {
    finds "$major" same && cmake --build "$out/same" >> "$out/same.log" 2>&1 && "$out/same/app"
}

refuses() {
    ! finds $((major + 1)) next && grep -q 'compatible with requested version' "$out/next.log"
}

works "make install" make -s install PREFIX="$to"
if command -v pkg-config > /dev/null; then
    works "a program compiles by pkg-config" compiles
    works "and runs" sh -c "'$out/hello' | cmp - examples/hello.expected"
else
    skip "a program compiles by pkg-config (pkg-config is not installed)"
fi
if command -v cmake > /dev/null; then
    major=$("$to/bin/graphsplit" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
    works "a project uses the CMake package" uses
    works "which has no later major version" refuses
else
    skip "the CMake package (cmake is not installed)"
fi
if command -v strip > /dev/null && command -v nm > /dev/null; then
    works "the program has no symbols" [ -z "$(nm "$to/bin/graphsplit" 2> /dev/null)" ]
else
    skip "the program has no symbols (strip and nm are not installed)"
fi
works "graphsplit --version" "$to/bin/graphsplit" --version
if command -v man > /dev/null; then
    works "the man page" sh -c "MANPAGER=cat man -l '$to/share/man/man1/graphsplit.1' > '$out/page'"
    works "has text" grep -q SYNOPSIS "$out/page"
else
    skip "the man page (the program man is not installed)"
fi
works "make uninstall" make -s uninstall PREFIX="$to"
works "leaves nothing" [ -z "$(find "$to" -type f)" ]
finish
