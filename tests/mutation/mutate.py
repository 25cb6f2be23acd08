#!/usr/bin/env python3
"""Changes one operator, constant or condition of graphsplit.h at a time and says which changes the tests see.

usage: mutate.py [--count N] [--seed S] [--build DIR] [--list]

A mutant is killed when a test fails, crashes or takes ten times as long; it survives when all pass. The suite
is `tests --fast` and the golden files. What nobody can see is listed in tests/mutation/equivalent, with the
reason. DIR has the objects of the tests and the program; one mutant costs one compilation of the library.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHANGES = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], " + ": [" - "], " - ": [" + "], " * ": [" + "], " / ": [" * "], " % ": [" / "],
    "+=": ["-="], "-=": ["+="], "++": ["--"], " & ": [" | "], " | ": [" & "], "<<": [">>"], ">>": ["<<"],
}
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|/\*.*?\*/|<<=|>>=|->|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|'
                   r"\+=|-=| [-+*/%&|] |\b\d+u?\b|<|>|\b(?:if|while) \(")


def code_lines(lines):
    """Indices of the lines of function bodies in the implementation half."""
    inside = False
    start = next(i for i, line in enumerate(lines) if line.startswith("#define GRAPHSPLIT_IMPLEMENTATION_ONCE"))
    comment = continued = False
    for i in range(start, len(lines)):
        line = lines[i]
        if line.startswith("{"):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and not comment and not continued and not line.lstrip().startswith(("#", "/*")):
            yield i
        comment = ("/*" in line or comment) and "*/" not in line
        continued = line.endswith("\\")


def closing(line, at):
    """The index of the bracket that closes the one at `at`, or -1 when it is on another line."""
    depth = 0
    for i in range(at, len(line)):
        depth += {"(": 1, ")": -1}.get(line[i], 0)
        if depth == 0:
            return i
    return -1


def mutants_of(line):
    """Changed forms of a line, each with what was changed."""
    for match in TOKEN.finditer(line):
        word, at, end = match.group(), match.start(), match.end()
        if word in CHANGES:
            if word in ("<", ">") and line.lstrip().startswith("#"):
                continue
            for other in CHANGES[word]:
                yield line[:at] + other + line[end:], "%s to %s" % (word.strip(), other.strip())
        elif re.fullmatch(r"\d+u?", word):
            number, unsigned = int(word.rstrip("u")), "u" * word.endswith("u")
            yield line[:at] + "%d%s" % (number + 1, unsigned) + line[end:], "%s to %d" % (word, number + 1)
        elif word in ("if (", "while ("):
            close = closing(line, end - 1)
            if close > 0:
                yield (line[:end] + "!(" + line[end:close] + ")" + line[close:], word[:-2] + " negated")


def equivalent_mutants():
    """(line, change) -> reason."""
    known = {}
    with open(os.path.join(ROOT, "tests/mutation/equivalent"), encoding="ascii") as file:
        for row in file:
            if row.strip() and not row.startswith("#"):
                line, change, reason = row.rstrip("\n").split(" :: ")
                known[line.strip(), change] = reason
    return known


class Suite:
    """The tests and the program, linked with a changed library."""

    def __init__(self, build):
        self.dir = os.path.join(build, "mutation")
        os.makedirs(self.dir, exist_ok=True)
        objects = []
        for folder, _, names in os.walk(os.path.join(build, "obj")):
            objects += [os.path.join(folder, name) for name in names if name.endswith(".o")]
        objects = [o for o in objects if not o.endswith("/core/impl.o") and "/onnx/" not in o]
        core = ["plan_file", "compare", "schedule", "orders", "greedy", "fit", "memories", "traffic"]
        self.tests = [o for o in objects if "/obj/tests/" in o] + [
            os.path.join(build, "obj/examples/program/core", name + ".o") for name in core]
        self.program = [o for o in objects if "/obj/examples/" in o]
        self.limit = 600.0

    def compile(self, text):
        with open(os.path.join(self.dir, "graphsplit.h"), "w", encoding="ascii") as file:
            file.write(text)
        cc = os.environ.get("CC", "cc").split()
        library = os.path.join(self.dir, "impl.o")
        for command in (
                cc + ["-std=c99", "-w", "-O0", "-I" + self.dir, "-c", "-o", library, "tests/compile/impl.c"],
                cc + ["-o", os.path.join(self.dir, "tests"), library] + self.tests,
                cc + ["-o", os.path.join(self.dir, "graphsplit"), library] + self.program):
            if subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode != 0:
                return False
        return True

    def passes(self):
        """1: all tests pass; else the name of the first that fails."""
        end = time.time() + self.limit
        with subprocess.Popen(["timeout", str(int(self.limit) + 1), os.path.join(self.dir, "tests"), "--fast"],
                              cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace") as run:
            for line in run.stdout:
                if line.startswith("FAIL") or time.time() > end:
                    run.kill()
                    return line.split()[1] if line.startswith("FAIL") else "time"
            if run.wait() != 0:
                return "time" if run.returncode == 124 else "crash"
        env = dict(os.environ, B=self.dir, GRAPHSPLIT=os.path.join(self.dir, "graphsplit"))
        golden = subprocess.run(["timeout", str(int(self.limit) + 1), "sh", "tests/golden/run.sh"], cwd=ROOT, env=env,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return "" if golden.returncode == 0 else "golden"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default="build")
    parser.add_argument("--list", action="store_true", help="only say which mutants these are")
    args = parser.parse_args()
    with open(os.path.join(ROOT, "graphsplit.h"), encoding="ascii") as file:
        lines = file.read().split("\n")
    sites = [(i, changed, what) for i in code_lines(lines) for changed, what in mutants_of(lines[i])]
    random.Random(args.seed).shuffle(sites)
    print("%d mutants, of which %d by seed %d" % (len(sites), args.count, args.seed))
    known = equivalent_mutants()
    suite = Suite(os.path.abspath(args.build))
    if not args.list:
        start = time.time()
        if not suite.compile("\n".join(lines)) or suite.passes() != "":
            sys.exit("the tests fail without a mutant: make build/tests build/graphsplit first")
        suite.limit = 10.0 * (time.time() - start)
        print("the suite takes %.0f s" % (time.time() - start))
    killed = survived = equal = invalid = 0
    for i, changed, what in sites[:args.count]:
        column = next(k for k in range(len(changed)) if lines[i][k:k + 1] != changed[k])
        where = "graphsplit.h:%d:%d: %s: %s" % (i + 1, column + 1, what, lines[i].strip())
        if args.list:
            print(where)
        elif (lines[i].strip(), what) in known:
            equal += 1
            print("equivalent: %s (%s)" % (where, known[lines[i].strip(), what]))
        elif not suite.compile("\n".join(lines[:i] + [changed] + lines[i + 1:])):
            invalid += 1
        else:
            by = suite.passes()
            killed += by != ""
            survived += by == ""
            print("killed by %s: %s" % (by, where) if by else "SURVIVED: " + where)
        sys.stdout.flush()
    if not args.list:
        print("%d killed, %d survived, %d equivalent, %d do not compile" % (killed, survived, equal, invalid))


main()
