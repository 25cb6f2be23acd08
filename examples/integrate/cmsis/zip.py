"""A directory as a zip archive, the same bytes whenever it is made: python3 zip.py DIRECTORY ARCHIVE"""
import os
import sys
import zipfile

top, archive = sys.argv[1:]
names = sorted(os.path.relpath(os.path.join(at, name), top) for at, _, files in os.walk(top) for name in files)
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
    for name in names:
        with open(os.path.join(top, name), "rb") as file:
            packed.writestr(zipfile.ZipInfo(name), file.read(), zipfile.ZIP_DEFLATED)
