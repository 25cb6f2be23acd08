#!/bin/sh
# The site of `make site`: links, search, accessibility, and headless Chromium at the size of a desk and of a phone.
# PICTURES=FOLDER also writes a picture of each page.
# usage: sh tests/web/site.sh     (needs python3 and node; after run.sh with the playground)
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}

for tool in python3 node; do
    command -v $tool > /dev/null || {
        echo "skipped: the site ($tool is not installed)"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    }
done
browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name)
done
rm -rf "$B/site" "$B/site-test"
mkdir -p "$B/site-test"
python3 examples/site/site.py "$B/site" "${GRAPHSPLIT:-$B/graphsplit}" "$B/web/index.html" || {
    echo "FAILED: make site"
    echo "0 passed, 1 failed"
    exit 1
}
exec node tests/web/site.mjs "$B/site" "$B/site-test" "$browser" "$B/axe/node_modules/axe-core/axe.min.js"
