"""The rules of registries whose own linters Debian and the Python and npm indexes do not have.

usage: python3 tests/release/rules.py DIRECTORY NAME VERSION
Prints `ok LABEL`, `FAILED LABEL` or `skipped: LABEL` a rule; the label begins with the registry and names the rule.
"""

import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

made, name, version = sys.argv[1:]
SEMVER = r"\d+\.\d+\.\d+"
ARDUINO_CATEGORIES = ["Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing", "Data Storage",
                      "Data Processing", "Other"]
EIGHT_AND_SIXTEEN_BITS = {"*", "avr", "megaavr", "msp430", "mcs51", "stm8"}


def rule(label, holds):
    print("ok" if holds else "FAILED", label)


def read(*path):
    with open(os.path.join(made, *path), encoding="utf-8") as file:
        return file.read()


def is_file(*path):
    return os.path.isfile(os.path.join(made, *path))


def arduino():
    """The library specification 1.5, as arduino-lint checks it in its mode `submit`."""
    properties = dict(line.split("=", 1) for line in read("arduino", "library.properties").splitlines())
    rule("arduino name: at most 63 letters, digits, blanks and _.-", re.fullmatch(r"[A-Za-z0-9][\w .-]{0,62}", properties["name"]))
    rule("arduino name: does not begin with arduino", not properties["name"].lower().startswith("arduino"))
    rule("arduino version: semantic, and that of the header", re.fullmatch(SEMVER, properties["version"]) and properties["version"] == version)
    rule("arduino author, maintainer: given", properties["author"] and properties["maintainer"])
    rule("arduino sentence, paragraph: given, and the one does not repeat the other",
         properties["sentence"] and properties["paragraph"] and properties["sentence"] not in properties["paragraph"])
    rule("arduino category: of the list", properties["category"] in ARDUINO_CATEGORIES)
    rule("arduino url: filled", re.fullmatch(r"https?://\S+", properties["url"]))
    architectures = set(properties["architectures"].split(","))
    rule("arduino architectures: 32 bit only", architectures and not architectures & EIGHT_AND_SIXTEEN_BITS)
    rule("arduino includes: the file is in src", is_file("arduino", "src", properties["includes"]))
    rule("arduino licence and readme: present", is_file("arduino", "LICENSE") and is_file("arduino", "README.md"))
    rule("arduino fields: all known", set(properties) <= {"name", "version", "author", "maintainer", "sentence", "paragraph",
                                                           "category", "url", "architectures", "includes", "depends"})


def vcpkg():
    """vcpkg.schema.json, and the maintainer guide."""
    manifest = json.loads(read("vcpkg", "vcpkg.json"))
    port = read("vcpkg", "portfile.cmake")
    rule("vcpkg name: lower case, digits, hyphens", re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest["name"]))
    rule("vcpkg version: one field, dotted numbers", re.fullmatch(r"\d+(\.\d+)*", manifest["version"]) and manifest["version"] == version)
    rule("vcpkg licence: an SPDX expression", manifest["license"] == "MIT OR Unlicense")
    rule("vcpkg description, homepage: given", manifest["description"] and manifest["homepage"].startswith("https://"))
    rule("vcpkg fields: of the schema", set(manifest) <= {"name", "version", "maintainers", "description", "homepage", "license"})
    rule("vcpkg archive: a SHA512", re.search(r"SHA512 [0-9a-f]{128}\n", port))
    rule("vcpkg copyright: installed", "vcpkg_install_copyright(" in port)
    rule("vcpkg usage: present", is_file("vcpkg", "usage"))


def platformio():
    """PlatformIO's own schema, which would fetch the list of licences."""
    try:
        from platformio.package.manifest.schema import ManifestSchema
    except ImportError:
        print("skipped: platformio library.json (platformio is not installed)")
        return

    class Schema(ManifestSchema):
        @staticmethod
        def load_spdx_licenses():
            return {"licenses": [{"licenseId": "MIT"}, {"licenseId": "Unlicense"}]}

    manifest = json.loads(read("platformio", "library.json"))
    keywords = manifest["keywords"]
    rule("platformio keywords: lower case", keywords and all(k == k.lower() for k in keywords))
    rule("platformio headers: the file is in srcDir", is_file("platformio", manifest["build"]["srcDir"], manifest["headers"]))
    for at in ("headers", "frameworks", "platforms"):
        manifest[at] = [manifest[at]]
    try:
        Schema().load_manifest(manifest)
        rule("platformio library.json: its schema takes it", True)
    except Exception as error:
        rule("platformio library.json: its schema takes it: %s" % error, False)


def zephyr():
    """scripts/schemas of Zephyr: zephyr/module.yml."""
    try:
        import yaml
    except ImportError:
        print("skipped: zephyr module.yml (the Python package yaml is not installed)")
        return
    module = yaml.safe_load(read("zephyr", "zephyr", "module.yml"))
    rule("zephyr keys: of the schema", set(module) <= {"name", "build", "tests", "samples", "boards", "blobs", "security", "runners"})
    rule("zephyr build keys: of the schema", set(module["build"]) <= {"cmake", "kconfig", "depends", "settings", "sysbuild-cmake"})
    rule("zephyr build.cmake: a folder with CMakeLists.txt", is_file("zephyr", module["build"]["cmake"], "CMakeLists.txt"))
    rule("zephyr build.kconfig: a file", is_file("zephyr", module["build"]["kconfig"]))
    rule("zephyr option: guards the sources", "config GRAPHSPLIT" in read("zephyr", module["build"]["kconfig"]) and
         "if(CONFIG_GRAPHSPLIT)" in read("zephyr", "CMakeLists.txt"))


def cmsis():
    """PACK.xsd and the naming rules of Open-CMSIS-Pack."""
    archive = os.path.join(made, "cmsis", "%s.%s.%s.pack" % (name, name, version))
    rule("cmsis name: Vendor.Name.Version.pack", os.path.isfile(archive))
    files = zipfile.ZipFile(archive).namelist()
    rule("cmsis description: Vendor.Name.pdsc at the top", [f for f in files if f.endswith(".pdsc")] == ["%s.%s.pdsc" % (name, name)])
    package = ElementTree.fromstring(zipfile.ZipFile(archive).read("%s.%s.pdsc" % (name, name)))
    rule("cmsis schemaVersion: given", re.fullmatch(SEMVER, package.get("schemaVersion")))
    order = ["vendor", "name", "description", "url", "supportContact", "license", "releases", "keywords", "components"]
    rule("cmsis elements: in the order of the schema", [e.tag for e in package] == order)
    release = package.find("releases/release")
    rule("cmsis release: version of the header, with a date", release.get("version") == version and
         re.fullmatch(r"\d{4}-\d\d-\d\d", release.get("date")))
    rule("cmsis url: ends in /", re.fullmatch(r"https?://\S+/", package.findtext("url")))
    rule("cmsis licence: in the archive", package.findtext("license") in files)
    component = package.find("components/component")
    rule("cmsis component: Cclass, Cgroup, Cversion", all(component.get(a) for a in ("Cclass", "Cgroup", "Cversion")))
    named = [file.get("name") for file in component.iter("file")]
    rule("cmsis files: all in the archive", all(n in files or any(f.startswith(n) for f in files) for n in named) and named)
    categories = {"doc", "header", "include", "library", "object", "source", "sourceC", "other"}
    rule("cmsis file categories: of the schema", {file.get("category") for file in component.iter("file")} <= categories)


for registry in (arduino, vcpkg, platformio, zephyr, cmsis):
    registry()
