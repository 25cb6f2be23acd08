#!/bin/sh
# A release of what is committed: the header with its checksum, the source archive, an SBOM (SPDX 2.3) and the
# checksums of the three. The same commit gives the same bytes.
# usage: sh examples/integrate/dist.sh DIRECTORY
[ $# -eq 1 ] || { echo "usage: sh dist.sh DIRECTORY" >&2; exit 2; }
mkdir -p "$1" && out=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C
export LC_ALL
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
git -c tar.umask=0022 archive HEAD | tar -xf - -C "$tree" || exit 1
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "dist.sh: what is not committed is left out" >&2
commit_time=$(git log -1 --format=%ct)
prefix=$(cd "$tree" && . examples/integrate/about.sh && echo "$name-$version")
git -c tar.umask=0022 archive --format=tar --prefix="$prefix/" HEAD | gzip -n -9 > "$out/$prefix.tar.gz" || exit 1
cd "$tree" || exit 1
. examples/integrate/about.sh

sha() { # sha BITS FILE
    "sha$1sum" < "$2" | cut -d ' ' -f 1
}

# The line names the checksum of the file without it, which is that of the file in the repository.
sed "2a\\
 * Checksum: SHA-256 of this file without this line: $(sha 256 $header)" $header > "$out/$header"

# id FILE: its name in the SBOM, where only letters, digits, dots and hyphens may stand
id() {
    echo "SPDXRef-File-$1" | tr -c 'A-Za-z0-9.\n' '-'
}

# sbom_file PATH LICENCE COMMENT: one file, and a comma before all but the first
sbom_file() {
    printf '%s    {\n      "SPDXID": "%s",\n      "fileName": "./%s",\n' "$comma" "$(id "$1")" "$1"
    printf '      "checksums": [\n        {"algorithm": "SHA1", "checksumValue": "%s"},\n' "$(sha 1 "$1")"
    printf '        {"algorithm": "SHA256", "checksumValue": "%s"}\n      ],\n' "$(sha 256 "$1")"
    printf '      "licenseConcluded": "%s",\n      "licenseInfoInFiles": ["NOASSERTION"],\n' "$2"
    printf '      "copyrightText": "NOASSERTION",\n      "comment": "%s"\n    }' "$3"
    comma=',
'
}

sbom_third_party() {
    echo "$third_party" | while IFS='|' read -r files is from; do
        for file in $files; do
            sbom_file "$file" "$is" "from $from"
        done
    done
}

sbom() {
    cat << END
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "$prefix",
  "documentNamespace": "https://spdx.org/spdxdocs/$prefix-$(sha 256 $header)",
  "creationInfo": {
    "created": "$(date -u -d "@$commit_time" +%Y-%m-%dT%H:%M:%SZ)",
    "creators": ["Organization: $maintainer", "Tool: $name-dist"]
  },
  "documentDescribes": ["SPDXRef-Package"],
  "packages": [
    {
      "SPDXID": "SPDXRef-Package",
      "name": "$name",
      "versionInfo": "$version",
      "packageFileName": "$prefix.tar.gz",
      "supplier": "Organization: $maintainer",
      "summary": "$summary",
      "comment": "The header depends on nothing but the compiler's own headers and memcpy, memmove, memset, memcmp.",
      "downloadLocation": "NOASSERTION",
      "homepage": "${url:-NOASSERTION}",
      "filesAnalyzed": false,
      "checksums": [{"algorithm": "SHA256", "checksumValue": "$(sha 256 "$out/$prefix.tar.gz")"}],
      "licenseConcluded": "$licence",
      "licenseDeclared": "$licence",
      "copyrightText": "Copyright (c) $maintainer"
    }
  ],
  "files": [
END
    comma=
    sbom_file $header "$licence" "the library, without the line of its checksum"
    sbom_third_party
    printf '\n  ],\n  "relationships": ['
    comma='
'
    for id in SPDXRef-Package $(for file in $header $(echo "$third_party" | cut -d '|' -f 1); do id "$file"; done); do
        printf '%s    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",' "$comma"
        printf ' "relatedSpdxElement": "%s"}' "$id"
        comma=',
'
    done
    printf '\n  ]\n}\n'
}

sbom > "$out/$prefix.spdx.json"
cd "$out" && sha256sum $header "$prefix.spdx.json" "$prefix.tar.gz" > SHA256SUMS
