#!/bin/sh
# `make abi` finds what breaks a user; `make dist` makes the same bytes twice, with checksums that hold.
# usage: sh tests/release/run.sh
cd "$(dirname "$0")/../.." || exit 1
out=$PWD/${B:-build}/release
rm -rf "$out"
mkdir -p "$out" || exit 1
. tests/check.sh
# PYTHON may name several.
python=${PYTHON:-python3}
python=${python%% *}

abi() {
    "$python" tests/release/abi.py "$@" --api "$out/api.txt"
}

# tells LINE STATUS SED: a header edited like this has the line among its differences, and this status
tells() {
    mkdir -p "$out/edited"
    sed "$3" graphsplit.h > "$out/edited/graphsplit.h"
    abi "$out/edited/graphsplit.h" > "$out/log"
    [ $? -eq "$2" ] && grep -q -x -e "$1" "$out/log"
    verdict "abi: $1" $? "$out/log"
}

if command -v "$python" > /dev/null; then
    works "the API is described" abi --write
    works "every function that the library defines" sh -c "nm '${B:-build}'/obj/examples/program/core/impl.o |
        awk '\$2 == \"T\" { print \$3 }' | sort > '$out/defined' &&
        sed -n 's/^function \\([a-z_0-9]*\\) .*/\\1/p' '$out/api.txt' | sort | cmp - '$out/defined'"
    works "the same header breaks nothing" abi
    tells 'removed function gsp_arena_rewind' 1 '/^GSP_API void gsp_arena_rewind.*;/d'
    tells 'removed type gsp_atom' 1 '/^typedef uint32_t gsp_atom;/d'
    tells 'changed function gsp_arena_rewind: .*' 1 '/^GSP_API void gsp_arena_rewind.*;/s/void/int/'
    tells 'changed field gsp_arena\..*' 1 's/^typedef struct gsp_arena {/& int first;/'
    tells 'added field gsp_arena\.first' 1 's/^typedef struct gsp_arena {/& int first;/'
    tells 'changed constant GSP_STATUS_ARG: 1 -> 2' 1 's/^    X(OK, "success") /&X(NEW, "") /'
    tells 'removed macro GSP_NONE' 1 '/^#define GSP_NONE/d'
    tells 'added function gsp_new' 0 's/^GSP_API void gsp_arena_rewind.*;/& GSP_API void gsp_new(void);/'
    tells 'removed function gsp_arena_rewind' 0 \
        '/^GSP_API void gsp_arena_rewind.*;/d; s/^\(#define GSP_VERSION_MINOR *\).*/\199/'
    last=$(sed -n '1s/^version //p' tests/release/api.txt)
    if git rev-parse -q --verify "v$last" > /dev/null 2>&1; then
        works "nothing breaks a user of $last" "$python" tests/release/abi.py
    else
        # Not released yet: the API that is stored is what a tag would release.
        works "api.txt is the API of $last, which has no tag yet (abi.py --write)" sh -c "'$python' tests/release/abi.py |
            grep -x '$last -> $last: 0 removed, 0 changed, 0 added of [0-9]*'"
    fi
else
    skip "make abi ($python is not installed)" 12
fi

# Models of others come with the right bytes, or not at all.
if command -v curl > /dev/null; then
    mkdir -p "$out/get/here/a/raw/1" "$out/get/models/tflite" && cp tests/models/get.sh "$out/get/" &&
        echo one > "$out/get/here/a/raw/1/one" && echo other > "$out/get/here/a/raw/1/two" &&
        { echo file,repository,path,revision,licence,sha256
        for name in one two three; do
            echo "tflite/$name,a,$name,1,MIT,$(echo $name | sha256sum | cut -d ' ' -f 1)"
        done; } > "$out/get/models.csv"
    FROM=file://$out/get/here sh "$out/get/get.sh" "$out/get" > "$out/log" 2>&1
    [ $? -eq 1 ] && [ "$(ls "$out/get/models/tflite")" = one ] && grep -q '^get.sh: tflite/two: what came is another file' "$out/log" &&
        grep -q '^get.sh: tflite/three: cannot be fetched' "$out/log"
    verdict "a model that is another file, or nowhere" $? "$out/log"
    works "the list of models has hashes" awk -F, 'NR > 1 && (NF != 6 || length($6) != 64) { exit 1 }' tests/models/models.csv
else
    skip "models of others (curl is not installed)" 2
fi

[ -n "$(git rev-parse -q --verify HEAD 2> /dev/null)" ] || {
    skip "make dist (this is no clone of the repository)"
    finish
}
. examples/integrate/about.sh
works "the list of changes is that of the header" sh -c "sh tests/release/changelog.sh | cmp - .github/CHANGELOG.md"
works "the citation names the version" grep -qx "version: $version" .github/CITATION.cff
env -u URL -u EMAIL sh examples/integrate/packages.sh "$out/nobody" conan > "$out/log" 2>&1
[ $? -eq 2 ] && grep -q '^packages.sh: the package for conan names its publisher: set URL=' "$out/log"
verdict "a package without a publisher" $? "$out/log"
works "a release" sh examples/integrate/dist.sh "$out/dist"
works "once more, elsewhere" sh -c "umask 077; TZ=Asia/Tokyo LC_ALL=de_DE.UTF-8 sh examples/integrate/dist.sh '$out/other'"
works "has the same bytes" diff -r "$out/dist" "$out/other"
works "the checksums hold" sh -c "cd '$out/dist' && sha256sum -c SHA256SUMS"
sum=$(git show HEAD:graphsplit.h | sha256sum | cut -d ' ' -f 1)
works "the third line names the checksum" sh -c "sed -n 3p '$out/dist/graphsplit.h' | grep '^ \* Checksum: .*: $sum\$'"
works "of all other lines" sh -c "sed 3d '$out/dist/graphsplit.h' | sha256sum | grep '^$sum '"
works "the archive has the header" sh -c "tar -xzOf '$out/dist/$name-$version.tar.gz' '$name-$version/graphsplit.h' |
    sha256sum | grep '^$sum '"
works "the header compiles" sh -c "${CC:-cc} -DGRAPHSPLIT_IMPLEMENTATION -x c -c -o '$out/impl.o' '$out/dist/graphsplit.h'"
sbom=$out/dist/$name-$version.spdx.json
archive=$(sha256sum < "$out/dist/$name-$version.tar.gz" | cut -d ' ' -f 1)
works "the SBOM names the header" grep -q "$sum" "$sbom"
works "and the archive" grep -q "$archive" "$sbom"
works "and data of others" grep -q 'google/minimalloc' "$sbom"
if spdx=$(tool pyspdxtools); then
    works "the SBOM is valid SPDX 2.3" "$spdx" -i "$sbom"
else
    skip "the SBOM is valid SPDX 2.3 (spdx-tools is not installed)"
fi
finish
