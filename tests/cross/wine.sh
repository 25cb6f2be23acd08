#!/bin/sh
# Runs a Windows program under Wine: sh tests/cross/wine.sh PROGRAM ARGUMENT... (the linker added .exe to its name)
program=$1
shift
[ -f "$program" ] || program=$program.exe
export WINEDEBUG=-all
[ -n "$WINEPREFIX" ] || export WINEPREFIX="$PWD/build/win64/prefix"
# A server that outlives its programs: starting and ending it for each of them fails now and then.
wineserver -p60 2> /dev/null
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
# On a busy machine Wine may fail to start a program, which then prints nothing.
for _ in 1 2 3; do
    wine "$program" "$@" > "$out"
    code=$?
    [ ! -s "$out" ] || break
done
cat "$out"
exit $code
