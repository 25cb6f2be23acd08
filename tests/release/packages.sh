#!/bin/sh
# Makes all packages, installs those of CMake, pkg-config, Meson, Debian, npm, Python and Conan into fresh places and runs
# a small program there, and checks the others by the rules of their registries.
# usage: URL=https://HOME EMAIL=NAME@HOST sh tests/release/packages.sh [DIRECTORY]
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
mkdir -p "${1:-$B/packages}" && made=$(cd "${1:-$B/packages}" && pwd) || exit 1
out=$PWD/$B/packages-test
here=$PWD/examples/integrate
rm -rf "$out"
mkdir -p "$out" || exit 1
. tests/check.sh
. examples/integrate/about.sh
[ -n "$url" ] || exec sh examples/integrate/packages.sh "$made" deb
CC=${CC:-cc}

# has TOOL WHAT: the tool is installed; else WHAT is skipped
has() {
    command -v "$1" > /dev/null && return
    skip "$2 ($1 is not installed)"
    return 1
}

# make_package KIND: and whether that worked
make_package() {
    works "the package $1" env B="$B" CC="$CC" sh examples/integrate/packages.sh "$made" "$1"
    [ -e "$made/$1" ]
}

# ---- Debian, and the packages of CMake and pkg-config in it ----

debian() {
    has dpkg-deb "the package deb" && make_package deb || return
    root=$out/root
    for package in "$made"/deb/*.deb; do
        works "$(basename "$package") unpacks" dpkg-deb -x "$package" "$root"
    done
    if has lintian "lintian"; then
        works "lintian has nothing to say" sh -c "lintian --allow-root --fail-on error,warning --tag-display-limit 0 '$made'/deb/*.deb"
        works "not even a hint" [ ! -s "$out/log" ]
    fi
    works "the program runs" "$root/usr/bin/graphsplit" split tests/cases/chain.fx
    works "its man page" sh -c "gzip -dc '$root/usr/share/man/man1/graphsplit.1.gz' | grep '^.TH GRAPHSPLIT'"
    works "it is the version of the header" sh -c "'$root/usr/bin/graphsplit' --version | grep -x 'graphsplit $version'"
    if has pkg-config "the header by pkg-config"; then
        flags=$(PKG_CONFIG_PATH=$root/usr/share/pkgconfig pkg-config --define-variable=prefix="$root/usr" --cflags graphsplit)
        # shellcheck disable=SC2086
        works "a program compiles by pkg-config" $CC $flags -o "$out/hello" examples/hello.c
        works "and runs" sh -c "'$out/hello' | cmp - examples/hello.expected"
    fi
    if has cmake "the header by CMake"; then
        works "find_package(graphsplit)" cmake -S "$here/cmake/installed" -B "$out/cmake" -DCMAKE_PREFIX_PATH="$root/usr"
        works "a program builds" cmake --build "$out/cmake"
        works "and runs" "$out/cmake/app"
    fi
}

# ---- Meson: the wrap file finds the archive where Meson keeps what it has downloaded ----

meson_wrap() {
    has meson "the package meson" && has ninja "the package meson" || return
    make_package meson || return
    project=$out/meson
    mkdir -p "$project/subprojects/packagecache"
    cp -R "$made"/meson/* "$project/subprojects/"
    cp "$made/dist/$name-$version.tar.gz" "$project/subprojects/packagecache/"
    cp "$here/meson/meson.build" "$here/app.c" "$project/"
    works "Meson takes the wrap, with its checksum" meson setup "$project/build" "$project"
    works "builds" meson compile -C "$project/build"
    works "and runs" "$project/build/app"
}

# ---- npm ----

npm_package() {
    for tool in npm node clang wasm-ld; do
        has $tool "the package npm" || return
    done
    make_package npm || return
    cat > "$out/three.mjs" << 'END'
import { split } from 'graphsplit';
const result = split(await (await import('node:fs/promises')).readFile(process.argv[2], 'utf8'), { accOps: 'torch.relu' });
console.log(result.subgraphs.map(s => s.kind + ' ' + s.nodes.join(' ')).join('\n'));
END
    cat > "$out/errors.mjs" << 'END'
import { split, run } from 'graphsplit';
let message = '';
try { split('graph(:\n'); } catch (error) { message = error.message; }
if (!message.includes("expected 'graph():'")) throw new Error('no sentence: ' + message);
if (run(['--porcelain', 'a'], { a: 'graph(:\n' }).out !== 'error PARSE\n') throw new Error('porcelain');
END
    works "npm pack" sh -c "cd '$out' && npm pack --silent '$made/npm'"
    works "npm install" sh -c "cd '$out' && npm install --offline --no-audit --no-fund ./$name-$version.tgz"
    "$B/graphsplit" split --porcelain --acc-ops torch.relu tests/cases/chain.fx | sed -n 's/^subgraph [^ ]* //p' > "$out/wanted"
    works "a split in three lines" sh -c "cd '$out' && node three.mjs '$PWD/tests/cases/chain.fx' > three"
    works "gives what the program gives" cmp "$out/wanted" "$out/three"
    works "errors are sentences" sh -c "cd '$out' && node errors.mjs"
    if [ ! -d "$B/tsc/node_modules/typescript" ]; then
        mkdir -p "$B/tsc"
        (cd "$B/tsc" && npm install --no-audit --no-fund --ignore-scripts --silent typescript@5.6.3) > "$out/log" 2>&1
    fi
    if [ -d "$B/tsc/node_modules/typescript" ]; then
        printf '%s\n' "import { split } from 'graphsplit';" "const n: number = split('', { minAccModuleSize: 2 }).subgraphs.length;" \
            "// @ts-expect-error" "split('', { noSuchOption: 1 });" "export { n };" > "$out/types.mts"
        works "the types hold" node "$B/tsc/node_modules/typescript/bin/tsc" --noEmit --strict --target es2022 --module nodenext "$out/types.mts"
    else
        skip "the types hold (typescript cannot be installed here)"
    fi
}

# ---- Python ----

python_wheel() {
    has python3 "the package python" && make_package python || return
    wheel=$(ls "$made"/python/*.whl)
    cp "$wheel" "$out/"
    works "once more" env B="$B" CC="$CC" sh examples/integrate/packages.sh "$made" python
    works "has the same bytes" cmp "$wheel" "$out/$(basename "$wheel")"
    $CC -I. -o "$out/sizes" -x c - << END
$(python3 "$here/python/make_api.py" --sizes)
END
    works "a fresh place" python3 -m venv "$out/venv"
    works "pip install" env PATH="$out/venv/bin" "$out/venv/bin/pip" install --no-index --no-deps "$wheel"
    works "a split, in the library and by the program" "$out/venv/bin/python" tests/release/use.py tests/cases/chain.fx
    for tour in "$here"/python/tour/*.py; do
        works "the tour $(basename "$tour")" sh -c "'$out/venv/bin/python' '$tour' | cmp - '${tour%.py}.expected'"
    done
    works "all structs have the size that C gives them" "$out/venv/bin/python" tests/release/use.py --sizes "$("$out/sizes")"
    works "the command" sh -c "'$out/venv/bin/graphsplit' --version | grep -x 'graphsplit $version'"
    torch=
    for python in ${PYTHON:-} python3 /usr/bin/python3; do
        [ -n "$torch" ] || ! $python -c 'import torch' 2> /dev/null || torch=$python
    done
    if [ -n "$torch" ]; then
        works "graphsplit_fx is inside" sh -c "cd '$out'/venv/lib/python*/site-packages && $torch -m graphsplit.graphsplit_fx print '$PWD/examples/pytorch/network.py:make' | grep placeholder"
    else
        skip "graphsplit_fx is inside (torch is not installed)"
    fi
    if checker=$(tool check-wheel-contents); then
        works "check-wheel-contents" "$checker" "$wheel"
    else
        skip "check-wheel-contents (it is not installed)"
    fi
    if checker=$(tool twine); then
        works "twine check" "$checker" check --strict "$wheel"
    else
        skip "twine check (it is not installed)"
    fi
}

# ---- Conan ----

conan_package() {
    make_package conan || return
    if conan=$(tool conan); then
        CONAN_HOME=$out/conan
        export CONAN_HOME
        works "conan profile" env -u CC "$conan" profile detect
        has cmake "conan create" && works "conan create, with its test" env -u CC "$conan" create "$made/conan" --build=missing -nr
    else
        skip "conan create (conan is not installed)" 2
    fi
}

# ---- those that only a board or a registry can use: their rules ----

# judge RESULT LABEL: a line of rules.py
judge() {
    if [ "$1" = skipped: ]; then
        skip "$2"
    else
        [ "$1" = ok ]
        verdict "$2" $?
    fi
}

others() {
    for kind in vcpkg platformio arduino esp-idf zephyr cmsis; do
        make_package $kind
    done
    if compote=$(tool compote); then
        works "compote takes idf_component.yml" sh -c "cd '$made/esp-idf' && '$compote' component pack --name $name --dest-dir '$out/esp'"
    else
        skip "compote takes idf_component.yml (idf-component-manager is not installed)"
    fi
    for kind in platformio arduino esp-idf zephyr cmsis/files; do
        works "the sources of $kind build a program" $CC -I"$made/$kind/src" -o "$out/app" "$made/$kind/src/graphsplit.c" "$here/app.c"
        works "which runs" "$out/app"
    done
    if has cmake "the port of vcpkg runs"; then
        tar -xzf "$made/dist/$name-$version.tar.gz" -C "$out"
        works "the port of vcpkg runs" cmake -DSOURCE="$out/$name-$version" -DPORT=$name -DCURRENT_PACKAGES_DIR="$out/vcpkg" \
            -DPORTFILE="$made/vcpkg/portfile.cmake" -DARCHIVE_FILE="$made/dist/$name-$version.tar.gz" -P tests/release/vcpkg.cmake
        works "and installs header and package" sh -c "ls '$out'/vcpkg/include/graphsplit.h '$out'/vcpkg/include/graphsplit_compare.h '$out'/vcpkg/include/graphsplit_csr.h '$out'/vcpkg/include/graphsplit_devices.h '$out'/vcpkg/include/graphsplit_downsets.h '$out'/vcpkg/include/graphsplit_draw.h '$out'/vcpkg/include/graphsplit_fingerprint.h '$out'/vcpkg/include/graphsplit_heft.h '$out'/vcpkg/include/graphsplit_intervals.h '$out'/vcpkg/include/graphsplit_kway.h '$out'/vcpkg/include/graphsplit_limits.h '$out'/vcpkg/include/graphsplit_memories.h '$out'/vcpkg/include/graphsplit_numbers.h '$out'/vcpkg/include/graphsplit_offload.h '$out'/vcpkg/include/graphsplit_operators.h '$out'/vcpkg/include/graphsplit_order.h '$out'/vcpkg/include/graphsplit_origin.h '$out'/vcpkg/include/graphsplit_prefetch.h '$out'/vcpkg/include/graphsplit_repeats.h '$out'/vcpkg/include/graphsplit_schedule.h '$out'/vcpkg/include/graphsplit_stages.h '$out'/vcpkg/include/graphsplit_tiles.h '$out'/vcpkg/include/graphsplit_traffic.h '$out'/vcpkg/share/graphsplit/copyright '$out'/vcpkg/share/graphsplit/cmake/graphsplit.c"
    fi
    make_package homebrew
    if has ruby "the formula of Homebrew installs and its test passes"; then
        works "the formula of Homebrew installs and its test passes" env CC="$CC" ruby -w tests/release/formula.rb \
            "$made/homebrew/$name.rb" "$made/dist/$name-$version.tar.gz" "$out/brew"
        works "with the man page" [ -f "$out/brew/prefix/share/man/man1/graphsplit.1" ]
    fi
    has python3 "rules of registries" || return
    checker=python3
    [ ! -x "${TOOLS:-$B/tools/bin}/python" ] || checker=${TOOLS:-$B/tools/bin}/python
    "$checker" tests/release/rules.py "$made" "$name" "$version" > "$out/rules"
    while read -r result label; do
        judge "$result" "$label"
    done < "$out/rules"
    works "all rules were read" grep -q '^ok cmsis' "$out/rules"
}

debian
meson_wrap
npm_package
python_wheel
conan_package
others
finish
