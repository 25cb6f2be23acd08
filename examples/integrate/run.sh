#!/bin/sh
# Builds the small program by every build system that is installed, as a new user would, from a copy of
# what is committed.
cd "$(dirname "$0")/../.." || exit 1
here=$PWD/examples/integrate
out=$PWD/${B:-build}/integrate
rm -rf "$out"
mkdir -p "$out/copy" || exit 1
cp -R graphsplit.h LICENSE examples "$out/copy" || exit 1
. tests/check.sh

# try NAME TOOL FUNCTION
try() {
    if ! command -v "$2" > /dev/null; then
        skip "$1 ($2 is not installed)"
        return
    fi
    (set -e; $3) > "$out/log" 2>&1
    ended=$?
    verdict "$1" $ended
    [ $ended -eq 0 ] || tail -n 20 "$out/log"
}

cmake_vendored() {
    cmake -S "$here/cmake/vendored" -B "$out/vendored" -DGRAPHSPLIT="$out/copy" && cmake --build "$out/vendored" &&
        "$out/vendored/app"
}

# A repository of the copy, fetched by its address.
cmake_fetch() {
    cp -R "$out/copy" "$out/repository" && cd "$out/repository" && git init -q . && git add -A &&
        git -c user.name=test -c user.email=test@example.org commit -q -m test &&
        cmake -S "$here/cmake/fetch" -B "$out/fetch" -DGRAPHSPLIT_REPOSITORY="$out/repository" -DGRAPHSPLIT_TAG=HEAD &&
        cmake --build "$out/fetch" && "$out/fetch/app"
}

# The repository as a subproject, with the package files laid over it.
meson_subproject() {
    cp -R "$here/meson" "$out/meson" && cp "$here/app.c" "$out/meson/" &&
        cp -R "$out/copy" "$out/meson/subprojects/graphsplit" &&
        cp "$here/meson/subprojects/packagefiles/graphsplit/meson.build" "$out/meson/subprojects/graphsplit/" &&
        meson setup "$out/meson/build" "$out/meson" && meson compile -C "$out/meson/build" && "$out/meson/build/app"
}

pio_native() {
    cp -R "$here/platformio" "$out/copy/examples/integrate/pio" && pio run -d "$out/copy/examples/integrate/pio"
}

# What the Arduino builder does: all of src/ compiled with src/ as the include directory.
arduino_library() {
    URL=https://graphsplit.test EMAIL=test@graphsplit.test sh "$here/packages.sh" "$out" arduino && test -s "$out/arduino/library.properties" &&
        "${CC:-cc}" -I"$out/arduino/src" -o "$out/sketch" "$out/arduino/src/graphsplit.c" "$here/app.c" && "$out/sketch"
}

# The sources of PlatformIO's folder, with its flags.
pio_sources() {
    cd "$here/platformio" && "${CC:-cc}" -I../../.. -o "$out/pio" src/main.c && "$out/pio"
}

try 'CMake, vendored copy' cmake cmake_vendored
try 'CMake, FetchContent' cmake cmake_fetch
try 'Meson, subproject' meson meson_subproject
try 'PlatformIO, native' pio pio_native
try 'PlatformIO, its sources' "${CC:-cc}" pio_sources
try 'Arduino library' "${CC:-cc}" arduino_library
for tool in west idf.py; do
    command -v "$tool" > /dev/null || skip "$tool (it is not installed)"
done
finish
