# For a script that runs the program in a directory of its own: sets $root, $program (a relative path, perhaps
# behind an emulator, as seen from there) and $dir, which goes away at the end, and stands in $root.
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
program=$(echo "$program" | sed -E "s,(^| )([^/ ][^ ]*graphsplit)\$,\\1$root/\\2,")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$root" || exit 1
. tests/check.sh
