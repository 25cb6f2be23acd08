"""What breaks a user since the last release: the public API of the header and of its add-ons beside tests/release/api.txt.

usage: python3 tests/release/abi.py [HEADER] [--api FILE] [--write]

Prints a line for each function, type, field, constant and macro that was removed, changed or added. Status 1: something
was removed or changed and the version does not say so (its minor number while the major is 0, else the major).
--write stores the API of the header: do that with each release.
"""

import argparse
import glob
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Versions and switches; what moves when a list grows at its end.
NOT_API = re.compile(r"macro GSP_(API$|VERSION_|NO_|WITH_)|constant .*_COUNT$|field .*\.end_canary$")


def own_lines(header):
    """The lines of the preprocessed header that are its own; macros stand as #define and #undef."""
    command = [*shlex.split(os.environ.get("CC", "cc")), "-E", "-dD", "-std=c99", "-I", ROOT, "-x", "c", header]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    own = False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            own = os.path.basename(marker.group(1)) == os.path.basename(header)
        elif own:
            yield line


def declarations(code):
    """What stands between semicolons outside of braces."""
    depth, start = 0, 0
    for i, c in enumerate(code):
        depth += (c == "{") - (c == "}")
        if c == ";" and depth == 0:
            yield " ".join(code[start:i].split())
            start = i + 1


def split_commas(text):
    parts, depth = [""], 0
    for c in text:
        depth += (c in "({[") - (c in ")}]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


def type_of(parameter):
    """A parameter without its name, which is no part of the API."""
    match = re.fullmatch(r"(.*[\s*])\w+((?:\[.*\])*)", parameter)
    return (match.group(1).strip() + match.group(2)) if match else parameter


def fields(body):
    """Pairs of name and type; `uint32_t a, b;` are two fields, a struct inside is one with its text."""
    for field in declarations(body):
        base, *more = split_commas(field)
        match = re.fullmatch(r"(.*?)(\**)(\w+)((?:\[[^]]*\])*)", base)
        if base.endswith(")"):  # a function pointer
            yield re.search(r"\(\*(\w+)\)", base).group(1), base
            continue
        yield match.group(3), match.group(1).strip() + match.group(2) + match.group(4)
        for other in more:
            stars, name, array = re.fullmatch(r"(\**)\s*(\w+)((?:\[[^]]*\])*)", other).groups()
            yield name, match.group(1).strip() + stars + array


def constants(body):
    value = -1
    for constant in split_commas(body):
        name, _, given = (part.strip() for part in constant.partition("="))
        value = int(given.rstrip("uU"), 0) if given else value + 1
        yield name, value


def parse(header):
    """The version and a dict in the order of the header: `kind name` -> what it is."""
    api, macros, code = {}, {}, []
    for line in own_lines(header):
        define = re.match(r"#define (GSP_\w+)(\([^)]*\))?\s*(.*)", line)
        if define:
            # Of a macro with parameters the body is not the user's concern.
            macros["macro " + define.group(1)] = define.group(2) or " ".join(define.group(3).split())
        elif line.startswith("#undef "):
            macros.pop("macro " + line.split()[1], None)
        elif not line.startswith("#"):
            code.append(line)
    version = ".".join(macros.get("macro GSP_VERSION_" + part, "") for part in ("MAJOR", "MINOR", "PATCH"))
    api.update(macros)
    for text in declarations("\n".join(code)):
        if re.match(r"typedef (struct|char) gspi_", text):
            continue  # an assertion
        enum = re.fullmatch(r"typedef enum \w* ?\{(.*)\} (\w+)", text)
        struct = re.fullmatch(r"typedef (struct|union) \w* ?\{(.*)\} (\w+)", text)
        function = re.fullmatch(r"(?:extern )?(.*?)(\w+)\((.*)\)", text)
        if enum:
            api["type " + enum.group(2)] = "enum"
            api.update(("constant " + name, str(value)) for name, value in constants(enum.group(1)))
        elif struct:
            api["type " + struct.group(3)] = struct.group(1)
            for i, (name, kind) in enumerate(fields(struct.group(2))):
                api["field %s.%s" % (struct.group(3), name)] = "%d %s" % (i, kind)
        elif text.startswith("typedef"):
            name = re.search(r"\(\*(\w+)\)|(\w+)$", text)
            api["type " + (name.group(1) or name.group(2))] = text
        elif function:
            arguments = ", ".join(type_of(p) for p in split_commas(function.group(3)))
            api["function " + function.group(2)] = "%s(%s)" % (function.group(1).strip(), arguments)
        else:
            sys.exit("abi.py: this declaration is not understood: " + text)
    return version, api


def describe(header):
    """The same with the add-ons, and without what a user does not depend on."""
    version, api = parse(header)
    for extra in sorted(glob.glob(os.path.join(ROOT, "examples/extra/graphsplit_*.h"))):
        api.update(parse(extra)[1])
    return version, {key: value for key, value in api.items() if not NOT_API.match(key)}


def is_breaking_step(old, new):
    old, new = ([int(part) for part in version.split(".")] for version in (old, new))
    return new[0] > old[0] or (old[0] == 0 and new[:2] > old[:2])


def read(path):
    with open(path, encoding="ascii") as file:
        version, *facts = file.read().splitlines()
    return version.split()[1], dict(fact.split(" = ", 1) for fact in facts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("header", nargs="?", default="graphsplit.h")
    parser.add_argument("--api", default=os.path.join(HERE, "api.txt"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    version, new = describe(options.header)
    if options.write:
        with open(options.api, "w", encoding="ascii") as file:
            file.write("version %s\n" % version)
            file.writelines("%s = %s\n" % fact for fact in sorted(new.items()))
        return 0
    old_version, old = read(options.api)
    removed = sorted(old.keys() - new.keys())
    changed = sorted(key for key in old.keys() & new.keys() if old[key] != new[key])
    added = sorted(new.keys() - old.keys())
    for key in removed:
        print("removed", key)
    for key in changed:
        print("changed %s: %s -> %s" % (key, old[key], new[key]))
    for key in added:
        print("added", key)
    broken = (removed or changed) and not is_breaking_step(old_version, version)
    print("%s -> %s: %d removed, %d changed, %d added of %d" %
          (old_version, version, len(removed), len(changed), len(added), len(old)))
    if broken:
        print("this breaks users: raise the %s number" % ("minor" if old_version.startswith("0.") else "major"))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
