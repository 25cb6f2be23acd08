#!/bin/sh
# Gets the models of others that tests can use, each checked by its hash; GRAPHSPLIT_SHARED=FOLDER then names them
# for `make test`. What is there already and right stays.
# usage: sh tests/models/get.sh FOLDER     FROM: where the repositories are, default https://github.com (curl)
[ $# -eq 1 ] || { echo "usage: sh get.sh FOLDER" >&2; exit 2; }
from=${FROM:-https://github.com}
list=$(cd "$(dirname "$0")" && pwd)/models.csv
mkdir -p "$1/models/onnx" "$1/models/tflite" && cd "$1/models" || exit 1

# right FILE HASH: the file is there and has this SHA-256
right() {
    [ -f "$1" ] && echo "$2  $1" | sha256sum -c --status
}

failed=0
tail -n +2 "$list" > list
while IFS=, read -r file repository path revision licence hash; do
    right "$file" "$hash" && continue
    if ! curl -fsSL -o "$file.part" "$from/$repository/raw/$revision/$path"; then
        echo "get.sh: $file: cannot be fetched from $from/$repository" >&2
        failed=1
    elif ! right "$file.part" "$hash"; then
        echo "get.sh: $file: what came is another file (its SHA-256 is not $hash)" >&2
        failed=1
    else
        mv "$file.part" "$file"
        echo "$file: $licence, from $repository"
    fi
    rm -f "$file.part"
done < list
rm -f list
exit $failed
