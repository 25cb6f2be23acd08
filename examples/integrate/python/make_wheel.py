"""Writes a wheel of the package beside this file; the same files give the same bytes.

usage: python3 make_wheel.py OUT API PROGRAM LIBRARY FX LICENSE      (texts from the environment: see about.sh)
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def platform(binaries):
    """manylinux with the newest version of glibc that a binary asks for; other systems as Python names them."""
    here = re.sub("[-.]", "_", sysconfig.get_platform())
    if not here.startswith("linux"):
        return here
    symbols = "".join(subprocess.run(["objdump", "-T", b], check=True, capture_output=True, text=True).stdout for b in binaries)
    versions = [tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([\d.]+)", symbols)]
    return here.replace("linux", "manylinux_%d_%d" % max(versions)[:2]) if versions else here


def main(out, api, program, library, fx, licence):
    about = {key: os.environ[key] for key in ("name", "version", "summary", "description", "licence", "url", "email", "maintainer", "keywords")}
    tag = "py3-none-" + platform([program, library])
    info = "%(name)s-%(version)s.dist-info/" % about
    metadata = """Metadata-Version: 2.4
Name: %(name)s
Version: %(version)s
Summary: %(summary)s
License-Expression: %(licence)s
License-File: LICENSE
Author: %(maintainer)s
Keywords: %(keywords)s
Requires-Python: >=3.8
Description-Content-Type: text/markdown
""" % about
    metadata += "Author-email: %(email)s\n" % about if about["email"] else ""
    metadata += "Project-URL: Homepage, %(url)s\n" % about if about["url"] else ""
    metadata += "\n"
    with open(os.path.join(HERE, "README.md")) as file:
        metadata += file.read()
    files = [
        ("graphsplit/__init__.py", os.path.join(HERE, "graphsplit", "__init__.py")),
        ("graphsplit/arrays.py", os.path.join(HERE, "graphsplit", "arrays.py")),
        ("graphsplit/_api.py", api),
        ("graphsplit/_graphsplit.so", library),
        ("graphsplit/" + os.path.basename(program), program),
        ("graphsplit/graphsplit_fx.py", fx),
        ("graphsplit/partitioner.py", os.path.join(HERE, "graphsplit", "partitioner.py")),
        (info + "licenses/LICENSE", licence),
    ]
    contents = [(name, open(path, "rb").read(), os.access(path, os.X_OK)) for name, path in files]
    contents += [
        (info + "METADATA", metadata.encode(), False),
        (info + "WHEEL", ("Wheel-Version: 1.0\nGenerator: graphsplit\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode(), False),
        (info + "entry_points.txt", b"[console_scripts]\ngraphsplit = graphsplit:main\n", False),
    ]
    record = ""
    for name, data, _ in contents:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (name, digest, len(data))
    contents.append((info + "RECORD", (record + info + "RECORD,,\n").encode(), False))
    path = os.path.join(out, "%s-%s-%s.whl" % (about["name"], about["version"], tag))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data, executable in contents:
            entry = zipfile.ZipInfo(name)  # of 1980, whatever the clock says
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, data)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
