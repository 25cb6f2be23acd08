"""Writes the API of library.c for ctypes: every type, constant and function, from the headers themselves.

usage: python3 make_api.py > _api.py           at the top of the checkout
       python3 make_api.py --sizes > sizes.c   a C program that prints the size of every struct
"""

import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "release"))
import abi  # noqa: E402

HEADERS = ["graphsplit.h", "examples/extra/graphsplit_csr.h", "examples/extra/graphsplit_kway.h"]
PLAIN = {"int": "c_int", "size_t": "c_size_t", "double": "c_double", "char": "c_char", "unsigned char": "c_ubyte"}
PLAIN.update(("%sint%d_t" % (u, bits), "c_%sint%d" % (u, bits)) for u in ("", "u") for bits in (8, 16, 32, 64))


def ctype(text):
    """`const gsp_node *` -> POINTER(gsp_node)"""
    array = re.fullmatch(r"(.*)\[(\d+)\]", text)
    if array:
        return "%s * %s" % (ctype(array.group(1)), array.group(2))
    words = re.sub(r"\bconst\b", "", text).replace("*", " * ").split()
    stars = words.count("*")
    name = " ".join(word for word in words if word != "*")
    if name == "void":
        stars, result = stars - 1, "c_void_p" if stars else "None"
    else:
        result = PLAIN.get(name, name)
    for _ in range(stars):
        result = "POINTER(%s)" % result
    return result


def callback(text):
    """`int (*name)(void *user)` -> CFUNCTYPE(c_int, c_void_p)"""
    result, arguments = re.fullmatch(r"(?:typedef )?(.*?)\s*\(\*\w+\)\((.*)\)", text).groups()
    types = [result] + [abi.type_of(argument) for argument in abi.split_commas(arguments)]
    return "CFUNCTYPE(%s)" % ", ".join(ctype(t) for t in types)


def write(version, api):
    kinds = {}
    for key, value in api.items():
        kinds.setdefault(key.split()[0], []).append((key.split()[1], value))
    print('"""graphsplit.h %s for ctypes. Made from the header; bind(library) declares its functions."""\n' % version)
    print("from ctypes import *  # noqa: F403\n\nVERSION = %r" % version)
    for name, text in kinds["type"]:
        if text in ("struct", "union"):
            print("class %s(%s): pass" % (name, "Structure" if text == "struct" else "Union"))
        elif text == "enum":
            print("%s = c_uint32" % name)
    for name, text in kinds["type"]:
        if text.startswith("typedef"):
            print("%s = %s" % (name, callback(text) if "(*" in text else ctype(text[8:-len(name)])))
    fields = {}
    for name, text in kinds["field"]:
        struct, field = name.split(".")
        kind = text.split(" ", 1)[1]
        fields.setdefault(struct, []).append('("%s", %s)' % (field, callback(kind) if "(*" in kind else ctype(kind)))
    for struct, of in fields.items():
        print("%s._fields_ = [%s]" % (struct, ", ".join(of)))
    for name, value in kinds["constant"] + [("GSP_NONE", "0xFFFFFFFF")]:
        print("%s = %s" % (name, value))
    print("\n\ndef bind(library):")
    for name, text in kinds["function"]:
        result, arguments = re.fullmatch(r"(.*?)\((.*)\)", text).groups()
        types = [ctype(argument) for argument in abi.split_commas(arguments) if argument != "void"]
        print("    library.%s.restype = %s" % (name, ctype(result)))
        print("    library.%s.argtypes = [%s]" % (name, ", ".join(types)))


def sizes(api):
    for header in HEADERS:
        print('#include "%s"' % header)
    print("#include <stdio.h>\nint main(void)\n{")
    for key, value in api.items():
        if key.startswith("type ") and value in ("struct", "union"):
            name = key.split()[1]
            print('    printf("%s %%u\\n", (unsigned)sizeof(%s));' % (name, name))
    print("    return 0;\n}")


if __name__ == "__main__":
    of = [abi.parse(os.path.join(ROOT, header)) for header in HEADERS]
    every = {key: value for _, api in of for key, value in api.items()}
    if "--sizes" in sys.argv:
        sizes(every)
    else:
        write(of[0][0], every)
