#!/bin/sh
# Makes packages: each in DIRECTORY/KIND. tests/release/packages.sh uses and checks them.
# usage: sh examples/integrate/packages.sh DIRECTORY [KIND...]
#        KIND: meson deb npm python conan vcpkg homebrew platformio arduino esp-idf zephyr cmsis; without
#        any, all
#        B, CC: where the program is built, and the compiler; URL, EMAIL: of whoever publishes, needed by all kinds
#        but python and zephyr
[ $# -ge 1 ] || { echo "usage: sh packages.sh DIRECTORY [KIND...]" >&2; exit 2; }
mkdir -p "$1" && to=$(cd "$1" && pwd) || exit 1
shift
cd "$(dirname "$0")/../.." || exit 1
. examples/integrate/about.sh
here=examples/integrate
build=${B:-build}
LC_ALL=C
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || echo 0)}
export LC_ALL SOURCE_DATE_EPOCH
date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)

# published: whether the packages' home page and contact are known
published() {
    [ -n "$url" ] && [ -n "$email" ] ||
        { echo "packages.sh: the package for $kind names its publisher: set URL=https://HOME and EMAIL=NAME@HOST" >&2 && return 1; }
}

# fill TEMPLATE FILE [NAME VALUE]...: a template with @NAME@ replaced; all in about.sh is known.
fill() {
    template=$1
    file=$2
    shift 2
    mkdir -p "$(dirname "$file")"
    awk '
        BEGIN {
            for (i = 1; i + 1 < ARGC; i += 2) {
                value["@" ARGV[i] "@"] = ARGV[i + 1]
                ARGV[i] = ARGV[i + 1] = ""
            }
        }
        {
            done = ""
            while (match($0, /@[A-Z_0-9]+@/)) {
                key = substr($0, RSTART, RLENGTH)
                if (!(key in value)) {
                    print FILENAME ": nobody knows " key > "/dev/stderr"
                    exit 1
                }
                done = done substr($0, 1, RSTART - 1) value[key]
                $0 = substr($0, RSTART + RLENGTH)
            }
            print done $0
        }' NAME "$name" VERSION "$version" SUMMARY "$summary" DESCRIPTION "$description" LICENCE "$licence" \
        MAINTAINER "$maintainer" URL "$url" EMAIL "$email" HEADER "$header" SOURCE "$source" DATE "$date" \
        KEYWORDS_JSON "$(echo "$keywords" | sed 's/[^ ][^ ]*/"&"/g; s/ /, /g')" \
        KEYWORDS_XML "$(for word in $keywords; do echo "    <keyword>$word</keyword>"; done)" \
        "$@" "$template" > "$file"
}

# library DIRECTORY: what packages of sources have in common
library() {
    mkdir -p "$1/src" && cp "$header" $extra "$source" "$1/src/" && cp LICENSE "$1/" &&
        fill $here/library/README.md.in "$1/README.md"
}

# The source archive.
release() {
    sh $here/dist.sh "$to/dist"
}

make_meson() {
    release && fill $here/meson/graphsplit.wrap.in "$to/meson/graphsplit.wrap" \
        SHA256 "$(sha256sum < "$to/dist/$name-$version.tar.gz" | cut -d ' ' -f 1)" &&
        mkdir -p "$to/meson/packagefiles/graphsplit" &&
        cp $here/meson/subprojects/packagefiles/graphsplit/meson.build "$to/meson/packagefiles/graphsplit/"
}

# A paragraph of LICENSE as a field of debian/copyright: indented, a dot for an empty line.
field() {
    awk -v from="$1" -v until="$2" '$0 ~ until { exit } inside { print $0 == "" ? " ." : " " $0 } $0 ~ from { inside = 1 }' LICENSE |
        sed '/^ -*$/d'
}

# deb_end TREE PACKAGE CONTROL [NAME VALUE]...: documents, checksums, the package
deb_end() {
    tree=$1
    package=$2
    control=$3
    shift 3
    documents=$tree/usr/share/doc/$package
    fill $here/debian/copyright.in "$documents/copyright" YEAR "${date%%-*}" EXPAT "$(field 'ALTERNATIVE A' '^---')" \
        UNLICENSE "$(field 'ALTERNATIVE B' '^---')" &&
        printf '%s (%s) unstable; urgency=medium\n\n  * New version.\n\n -- %s <%s>  %s\n' "$name" "$version" \
            "$maintainer" "$email" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n > "$documents/changelog.gz" &&
        fill "$control" "$tree/DEBIAN/control" "$@" \
            DESCRIPTION "$(echo "$description" | fold -s -w 78 | sed 's/ *$//; 2,$s/^/ /')" &&
        (cd "$tree" && find usr -type f | sort | xargs md5sum > DEBIAN/md5sums) &&
        find "$tree" -type d -exec chmod 755 {} + && find "$tree" -type f ! -perm -u+x -exec chmod 644 {} + &&
        dpkg-deb --root-owner-group -Zxz --build "$tree" "$to/deb" > /dev/null
}

make_deb() {
    rm -rf "$to/deb"
    program=$to/deb/$name
    library=$to/deb/lib$name-dev
    mkdir -p "$to/deb/debian" "$library/usr/share" &&
        make -s install B="$build" PREFIX=/usr DESTDIR="$program" &&
        rm -f "$program/usr/bin/graphsplit-onnx" &&
        gzip -9n "$program"/usr/share/man/man1/*.1 &&
        mv "$program/usr/share/zsh/site-functions" "$program/usr/share/zsh/vendor-completions" &&
        mv "$program/usr/include" "$library/usr/" &&
        mv "$program/usr/share/pkgconfig" "$program/usr/share/cmake" "$library/usr/share/" || return 1
    printf 'Source: %s\nMaintainer: %s <%s>\n\nPackage: %s\nArchitecture: any\n' "$name" "$maintainer" "$email" \
        "$name" > "$to/deb/debian/control"
    needed=$(cd "$to/deb" && dpkg-shlibdeps -O "$program/usr/bin/$name" 2> /dev/null | sed 's/.*Depends=//')
    deb_end "$program" "$name" $here/debian/control.in ARCHITECTURE "$(dpkg --print-architecture)" DEPENDS "$needed" &&
        deb_end "$library" "lib$name-dev" $here/debian/control-dev.in
}

make_npm() {
    [ -s "$build/web/whole.wasm" ] || B=$build sh $here/../web/build.sh > /dev/null || return 1
    fill $here/npm/package.json.in "$to/npm/package.json" && cp $here/npm/index.js $here/npm/README.md LICENSE "$to/npm/" &&
        cp "$build/web/whole.wasm" "$to/npm/graphsplit.wasm" && { cat $here/npm/index.d.ts &&
        awk -v program="$build/graphsplit" -v form=types -f examples/program/help.awk; } > "$to/npm/index.d.ts"
}

make_python() {
    mkdir -p "$to/python" && rm -f "$to"/python/*.whl && python3 $here/python/make_api.py > "$to/python/_api.py" &&
        { [ "$to/python/_graphsplit.so" -nt "$header" ] ||
            ${CC:-cc} -O2 -shared -fPIC -I. -o "$to/python/_graphsplit.so" $here/python/library.c; } &&
        cp "$build/graphsplit" "$to/python/" && { strip "$to/python/graphsplit" "$to/python/_graphsplit.so" || true; } &&
        name=$name version=$version summary=$summary description=$description licence=$licence url=$url email=$email \
            maintainer=$maintainer keywords=$keywords python3 $here/python/make_wheel.py "$to/python" "$to/python/_api.py" \
            "$to/python/graphsplit" "$to/python/_graphsplit.so" examples/pytorch/graphsplit_fx.py LICENSE > "$to/python/log"
}

make_conan() {
    library "$to/conan" && fill $here/conan/conanfile.py.in "$to/conan/conanfile.py" &&
        cp -R $here/conan/test_package "$to/conan/" && cp $source $here/app.c "$to/conan/test_package/"
}

make_vcpkg() {
    release && fill $here/vcpkg/vcpkg.json.in "$to/vcpkg/vcpkg.json" && cp $here/vcpkg/usage "$to/vcpkg/" &&
        fill $here/vcpkg/portfile.cmake.in "$to/vcpkg/portfile.cmake" \
            SHA512 "$(sha512sum < "$to/dist/$name-$version.tar.gz" | cut -d ' ' -f 1)"
}

make_homebrew() {
    release && fill $here/homebrew/graphsplit.rb.in "$to/homebrew/$name.rb" \
        BRIEF "$(echo "$summary" | awk '{ print toupper(substr($0, 1, 1)) substr($0, 2) }')" \
        SHA256 "$(sha256sum < "$to/dist/$name-$version.tar.gz" | cut -d ' ' -f 1)"
}

make_platformio() {
    library "$to/platformio" && fill $here/platformio/library.json.in "$to/platformio/library.json"
}

make_arduino() {
    library "$to/arduino" && fill $here/arduino/library.properties.in "$to/arduino/library.properties"
}

make_esp_idf() {
    library "$to/esp-idf" && fill $here/esp-idf/idf_component.yml.in "$to/esp-idf/idf_component.yml" &&
        cp $here/esp-idf/CMakeLists.txt.in "$to/esp-idf/CMakeLists.txt"
}

# The folder stands for itself: Zephyr takes it from a checkout.
make_zephyr() {
    library "$to/zephyr" && mkdir -p "$to/zephyr/zephyr" && cp $here/zephyr/Kconfig "$to/zephyr/" &&
        cp $here/zephyr/zephyr/module.yml "$to/zephyr/zephyr/" &&
        sed 's|(\.\./\.\./\.\.)|(src)|; s|\.\./graphsplit\.c|src/graphsplit.c|' $here/zephyr/CMakeLists.txt > "$to/zephyr/CMakeLists.txt"
}

make_cmsis() {
    library "$to/cmsis/files" && fill $here/cmsis/graphsplit.pdsc.in "$to/cmsis/files/$name.$name.pdsc" &&
        python3 $here/cmsis/zip.py "$to/cmsis/files" "$to/cmsis/$name.$name.$version.pack"
}

[ $# -gt 0 ] || set -- meson deb npm python conan vcpkg homebrew platformio arduino esp-idf zephyr cmsis
for kind in "$@"; do
    case $kind in python | zephyr) ;; *) published || exit 2 ;; esac
    "make_$(echo "$kind" | tr - _)" || {
        echo "packages.sh: no package for $kind" >&2
        exit 1
    }
done
