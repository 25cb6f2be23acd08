#!/bin/sh
# The splitter in the browser: its program as WebAssembly under node, and the page in headless Chromium,
# opened from disk, with real drops of real files; each line as build/graphsplit prints it.
# PICTURE=FILE also writes the picture that README shows, examples/web/screenshot.png.
# usage: sh tests/web/run.sh     (needs clang, wasm-ld and node; without chromium the page is skipped by name)
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}

skip() {
    echo "skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
for tool in "${WASM_CC:-clang}" wasm-ld node; do
    command -v "$tool" > /dev/null || skip "the splitter in the browser ($tool is not installed)"
done
browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name)
done
if ! sh examples/web/build.sh; then
    echo "FAILED: make web"
    echo "0 passed, 1 failed"
    exit 1
fi
rm -rf "$B/web-test"
mkdir -p "$B/web-test"
axe=$B/axe
if [ ! -d "$axe/node_modules/axe-core" ] && command -v npm > /dev/null; then
    mkdir -p "$axe"
    (cd "$axe" && npm install --no-audit --no-fund --ignore-scripts --silent axe-core@4.14.1) > "$axe/log" 2>&1
fi
exec node tests/web/web.mjs "${GRAPHSPLIT:-$B/graphsplit}" "$B/web" "$B/web-test" "$browser" \
    "$axe/node_modules/axe-core/axe.min.js"
