#!/bin/sh
# Stages of `pipe --device` on small random graphs against every cut on every order of the devices.
# usage: sh tests/search/devices.sh     GRAPHS, TABLES: how many (200, 100)
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
. tests/check.sh
python=${PYTHON:-python3}
"$python" -c '' 2> /dev/null || nothing_but "stages on devices (they take Python)"
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT INT TERM

# An emulator and its program are two words.
# shellcheck disable=SC2086
"$python" tests/search/devices.py "$out" "${GRAPHS:-200}" "${TABLES:-100}" $program > "$out/log" 2>&1
verdict "stages on devices, by all placements" $? "$out/log"
grep '^# ' "$out/log"
finish
