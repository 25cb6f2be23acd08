#!/bin/sh
# Makes an Arduino library of the header, for 32-bit boards: sh package.sh DIRECTORY, then copy the directory
# into the sketchbook's libraries/, or zip it for "Add .ZIP Library".
root=$(cd "$(dirname "$0")/../../.." && pwd) || exit 1
[ $# -eq 1 ] || { echo "usage: sh package.sh DIRECTORY" >&2; exit 2; }
version=$(sed -n 's/^.define GSP_VERSION_STRING "\(.*\)"/\1/p' "$root/graphsplit.h")
mkdir -p "$1/src" || exit 1
cp "$root/graphsplit.h" "$root/LICENSE" "$1/" && mv "$1/graphsplit.h" "$1/src/" || exit 1
cp "$root/examples/integrate/graphsplit.c" "$1/src/" || exit 1
cat > "$1/library.properties" << END
name=graphsplit
version=$version
author=graphsplit
maintainer=graphsplit
sentence=Splits computation graphs for a CPU and accelerators.
paragraph=One header, no allocation: what runs on which accelerator, and the subgraphs.
category=Data Processing
url=
architectures=*
includes=graphsplit.h
END
