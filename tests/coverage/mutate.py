#!/usr/bin/env python3
"""Changes one operator, constant or condition of graphsplit.h at a time and says which changes the tests see.

usage: mutate.py [--count N] [--from N] [--seed S] [--match TEXT] [--names FILE] [--no-sanitizers]
                 [--jobs N] [--build DIR] [--list] --tests OBJECTS --program OBJECTS

A mutant is killed when a test fails, crashes or takes far longer; it survives when all pass. A survivor without
a reason fails the run, and so do fewer than 95 % killed of 500 mutants or more. The suite is
`tests --fast`, the golden files and the cases. Each mutant costs one compilation of the library alone, as a
shared object (by tcc where it is installed: below a second), and only those parts of the suite that reach the
changed line, the quickest first, up to the first failure. Which parts reach a line, gcov says: DIR/mutation/map
remembers it for the present header and tests. A survivor of which gcc -O1 makes the
same machine code as of the original is equivalent. Any other survivor is compiled once more, with the
sanitizers for addresses and undefined behaviour under which the tests of the project run anyway: a report of
theirs, in the parts that reach the line, kills it. What nobody can see is listed in tests/coverage/survivors,
with the reason; a row there is not judged again, unless --names asks for it. The order of mutants comes from the seed and from the text of each mutant alone: a change
elsewhere does not change it. As many mutants are judged at a time as there are processors.
"""
import argparse
import bisect
import glob
import hashlib
import json
import multiprocessing
import os
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIST = os.path.join(ROOT, "tests/coverage/survivors")
CHANGES = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], " + ": [" - "], " - ": [" + "], " * ": [" + "], " / ": [" * "], " % ": [" / "],
    "+=": ["-="], "-=": ["+="], "++": ["--"], " & ": [" | "], " | ": [" & "], "<<": [">>"], ">>": ["<<"],
}
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|/\*.*?\*/|<<=|>>=|->|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|'
                   r"\+=|-=| [-+*/%&|] |\b\d+u?\b|<|>|\b(?:if|while) \(")
MEMORY = 4 << 30  # bytes that a changed program may ask for
REPORTED = " by sanitizer"
BY_SANITIZERS = "by sanitizers"
LEAST = 95.0  # percent killed of MANY mutants or more
MANY = 500
# clang without optimisation compiles the library five times as fast as gcc with it.
CHECKED = ["clang", "-O0"] if shutil.which("clang") else ["gcc", "-O1"]
CHECKED += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
GAP = "-DGSP_GAP=64u"  # between the arrays of an arena
LOCK = multiprocessing.Lock()


def code_lines(lines):
    """(index, family, function) of the lines of function bodies in the implementation half."""
    inside = comment = continued = False
    family = function = ""
    start = next(i for i, line in enumerate(lines) if line.startswith("#define GRAPHSPLIT_IMPLEMENTATION_ONCE"))
    for i in range(start, len(lines)):
        line = lines[i]
        title = re.match(r" \* >>family ([A-Z]+) ", line)
        header = re.match(r"[A-Za-z][^(]*?(\w+)\(", line)
        if title:
            family = title.group(1)
        elif header and not inside:
            function = header.group(1)
        if line.startswith("{"):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and not comment and not continued and not line.lstrip().startswith(("#", "/*")):
            yield i, family, function
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
    """Changed forms of a line."""
    for match in TOKEN.finditer(line):
        word, at, end = match.group(), match.start(), match.end()
        if word in CHANGES:
            for other in CHANGES[word]:
                yield line[:at] + other + line[end:]
        elif re.fullmatch(r"\d+u?", word):
            number, unsigned = int(word.rstrip("u")), "u" * word.endswith("u")
            yield line[:at] + "%d%s" % (number + 1, unsigned) + line[end:]
        elif word in ("if (", "while ("):
            close = closing(line, end - 1)
            if close > 0:
                yield line[:end] + "!(" + line[end:close] + ")" + line[close:]


def all_mutants(lines, seed):
    """(line number, family, name, changed line) of every mutant, in the order of the seed. The name is how
    the list of survivors names it: function, line, changed line, and which of several same lines."""
    found = []
    seen = {}
    for i, family, function in code_lines(lines):
        text = lines[i].strip()
        seen[function, text] = nth = seen.get((function, text), 0) + 1
        for changed in mutants_of(lines[i]):
            name = " :: ".join((function + ("#%d" % nth if nth > 1 else ""), text, changed.strip()))
            rank = hashlib.sha256(("%d %s" % (seed, name)).encode()).digest()
            found.append((rank, i, family, name, changed))
    return [mutant[1:] for mutant in sorted(found)]


def listed_survivors():
    """name -> reason."""
    known = {}
    with open(LIST, encoding="ascii") as file:
        for row in file:
            if row.strip() and not row.startswith("#"):
                name, reason = row.rstrip("\n").rsplit(" :: ", 1)
                known[name] = reason
    return known


def names_in(path):
    """The names of the mutants in a file: rows of the list, or lines that say what survived."""
    with open(path, encoding="ascii") as file:
        return {" :: ".join(row.strip().removeprefix("SURVIVED: ").split(" :: ")[:3]) for row in file}


def limit(seconds, memory):
    """What a changed program gets: processor seconds and memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


class Suite:
    """The tests and the program, linked with a shared library that changes."""

    def __init__(self, build, name, tests, program):
        self.dir = os.path.join(build, name)
        self.map = {}  # part -> (processor seconds, lines that it reaches)
        self.code = []  # lines of which gcov knows whether they are reached
        os.makedirs(self.dir, exist_ok=True)
        self.cc = ["tcc"] if shutil.which("tcc") else ["gcc", "-O0"]
        self.objects = os.path.join(build, "obj")
        self.programs = {"tests": tests.split(), "graphsplit": program.split()}
        self.sanitized = ""  # where what sanitizers judge lies, once something does
        self.text = self.header()
        self.compile(self.text)
        self.original = self.machine_code()
        self.link(self.dir, self.programs, ["gcc"])

    def link(self, where, programs, cc):
        for name, objects in programs.items():
            self.run_checked(cc + ["-o", os.path.join(where, name)] + objects +
                             ["-L" + self.dir, "-lgraphsplit"])

    def link_sanitized(self):
        """The tests and the program for a library with gaps between the arrays of an arena: their objects are
        compiled once."""
        self.sanitized = os.path.join(self.dir, "sanitized")
        os.makedirs(self.sanitized, exist_ok=True)
        shared = os.path.join(os.path.dirname(self.objects), "sanitized")
        programs = {name: [os.path.join(shared, "obj", os.path.relpath(path, self.objects)) for path in paths]
                    for name, paths in self.programs.items()}
        os.makedirs(os.path.join(self.sanitized, "original"), exist_ok=True)
        with LOCK:
            self.run_checked(["make", "--no-print-directory", "-s", "B=" + shared, "CC=" + CHECKED[0], "CFLAGS=-O1 -g0 " + GAP] +
                             sorted({path for paths in programs.values() for path in paths}))
        self.link(self.sanitized, programs, CHECKED)
        self.compile(self.text)
        self.build(CHECKED + ["-g0", "-fPIC", "-shared", GAP], "sanitized/original/libgraphsplit.so")

    @staticmethod
    def header():
        with open(os.path.join(ROOT, "graphsplit.h"), encoding="ascii") as file:
            return file.read()

    @staticmethod
    def run_checked(command):
        made = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if made.returncode != 0:
            sys.exit(made.stderr.decode(errors="replace"))

    def build(self, command, name):
        """The library of the header in the directory, as the file `name`: does it compile?"""
        command = command + ["-std=c99", "-w", "-I" + self.dir, "-o", os.path.join(self.dir, name),
                             "tests/compile/impl.c"]
        return subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0

    def compile(self, text):
        with open(os.path.join(self.dir, "graphsplit.h"), "w", encoding="ascii") as file:
            file.write(text)
        return self.build(self.cc + ["-fPIC", "-shared"], "libgraphsplit.so")

    def machine_code(self):
        self.build(["gcc", "-O1", "-g0", "-c"], "code.o")
        with open(os.path.join(self.dir, "code.o"), "rb") as file:
            return hashlib.sha256(file.read()).digest()

    def passes(self, part, seconds, where=None, memory=MEMORY, library=None):
        """"" when all tests of a part pass; else how it fails."""
        where = where or self.dir
        if part.startswith("tests/"):
            command = ["sh", "tests/golden/run.sh"] + part.split()
        else:
            command = [os.path.join(where, "tests"), "--fast", part + "/"]
        env = dict(os.environ, B=where, GRAPHSPLIT=os.path.join(where, "graphsplit"), LD_LIBRARY_PATH=library or where,
                   ASAN_OPTIONS="detect_leaks=0:log_path=" + os.path.join(self.sanitized, "report"))
        with subprocess.Popen(["timeout", str(20 * seconds)] + command, cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", env=env,
                              preexec_fn=lambda: limit(seconds, memory)) as run:
            for line in run.stdout:
                if ": runtime error: " in line:
                    return part + REPORTED
                if line.startswith("FAIL"):
                    run.terminate()  # and timeout ends what it runs
                    return part
            status = run.wait()
        return "" if status == 0 else part + (" by time" if status in (124, 128 + 9, 128 + 24, -9, -24) else "")

    def measure(self):
        """Fills the map, for the present header and the present tests."""
        key = hashlib.sha256(self.text.encode())
        for path in sum(self.programs.values(), []):
            with open(path, "rb") as file:
                key.update(file.read())
        key = key.hexdigest()
        path = os.path.join(self.dir, "map")
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                stored = json.load(file)
            if stored.get("of") == key:
                self.map, self.code = stored["map"], stored["code"]
        with open(os.path.join(ROOT, "tests/t.h"), encoding="ascii") as file:
            parts = re.findall(r"^ +X\((\w+)\)", file.read(), re.M)
        parts += sorted(glob.glob("tests/golden/*/", root_dir=ROOT))
        parts.append(" ".join(sorted(glob.glob("tests/cases/*/", root_dir=ROOT))))  # which share their graphs
        parts = [part for part in parts if part not in self.map]
        if not parts:
            return
        times = {}
        for part in parts:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            if self.passes(part, 600):
                sys.exit("%s fails without a mutant" % part)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times[part] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.build(["gcc", "-O0", "-g0", "--coverage", "-fPIC", "-shared"], "libgraphsplit.so")
        counts = os.path.join(self.dir, "libgraphsplit.so-impl.gcda")
        for part in parts:
            if os.path.exists(counts):
                os.remove(counts)
            self.passes(part, 600)
            # A part that tests the program alone reaches no line.
            lines = []
            if os.path.exists(counts):
                report = subprocess.run(["gcov", "--json-format", "--stdout", counts], cwd=self.dir, check=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
                for file in json.loads(report)["files"]:
                    if file["file"].endswith("graphsplit.h"):
                        self.code = sorted({line["line_number"] for line in file["lines"]})
                        lines = sorted({line["line_number"] for line in file["lines"] if line["count"] > 0})
            self.map[part] = times[part], lines
        with open(path, "w", encoding="ascii") as file:
            json.dump({"of": key, "map": self.map, "code": self.code}, file)
        self.compile(self.text)

    def parts_at(self, line):
        """(processor seconds, part) of the parts that reach a line, the quickest first."""
        # A line that only continues a statement counts with the lines around it.
        at = bisect.bisect_right(self.code, line)
        near = {line} if self.code[at - 1] == line else set(self.code[at - 1:at + 1])
        return sorted((seconds, part) for part, (seconds, lines) in self.map.items() if near & set(lines))

    def judge(self, line):
        """"" when every part that reaches a line passes with the present library; else the first that fails."""
        for seconds, part in self.parts_at(line):
            by = self.passes(part, 3 + int(4.0 * seconds))
            if by:
                return by
        return ""

    def reported(self, part, seconds, library):
        """1 when sanitizers report a part with the library in a directory."""
        by = self.passes(part, 60 + int(20.0 * seconds), self.sanitized, resource.RLIM_INFINITY, library)
        # The sanitizer for addresses writes files, the other one to where the tests print.
        reports = glob.glob(os.path.join(self.sanitized, "report.*"))
        for report in reports:
            os.remove(report)
        return bool(reports) or by.endswith(REPORTED)

    def sanitizers_see(self, line, changed):
        """The part that reaches a line and in which sanitizers report the changed header, and not the original;
        else ""."""
        if not self.sanitized:
            self.link_sanitized()
            self.compile(changed)
        self.build(CHECKED + ["-g0", "-fPIC", "-shared", GAP], "sanitized/libgraphsplit.so")
        for seconds, part in self.parts_at(line):
            if self.reported(part, seconds, self.sanitized):
                if self.reported(part, seconds, os.path.join(self.sanitized, "original")):
                    raise RuntimeError("sanitizers report %s without a mutant" % part)
                return part + REPORTED
        return ""

    def verdict(self, mutant, reason):
        """What becomes of a mutant, and why. The reason given is the one in the list of survivors."""
        i, _, _, changed = mutant
        lines = self.text.split("\n")
        if reason.startswith("equivalent") or (reason and not self.again):
            return ("equivalent" if reason.startswith("equivalent") else "SURVIVED"), reason
        text = "\n".join(lines[:i] + [changed] + lines[i + 1:])
        if not self.compile(text):
            return "does not compile", ""
        by = self.judge(i + 1)
        if not by and self.machine_code() == self.original:
            return "equivalent", "the same machine code"
        by = by or (self.sanitize and self.sanitizers_see(i + 1, text))
        return ("killed", by) if by else ("SURVIVED", reason)


def judge_all(mutants, known, args):
    """Yields every mutant with its verdict, in their order."""
    first = Suite(os.path.abspath(args.build), "mutation", args.tests, args.program)
    first.measure()
    print("the suite takes %.0f s of processor time" % sum(seconds for seconds, _ in first.map.values()))
    number = multiprocessing.Value("i", 0)

    def start():
        """Every process has a directory of its own."""
        global SUITE
        with number.get_lock():
            number.value += 1
            name = "mutation/%d" % number.value
        SUITE = Suite(os.path.abspath(args.build), name, args.tests, args.program)
        SUITE.map, SUITE.code = first.map, first.code
        SUITE.sanitize, SUITE.again = not args.no_sanitizers, bool(args.names)

    with multiprocessing.get_context("fork").Pool(args.jobs, start) as pool:
        yield from zip(mutants, pool.imap(judge_one, ((mutant, known.get(mutant[2], "")) for mutant in mutants)))


def judge_one(given):
    """In a process of the pool: the verdict on one mutant."""
    return SUITE.verdict(*given)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--match", default="", help="only mutants whose function or text contains this")
    parser.add_argument("--names", help="the mutants that this file names, in place of COUNT after FROM")
    parser.add_argument("--no-sanitizers", action="store_true", help="a survivor is not judged by sanitizers")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants judged at a time")
    parser.add_argument("--build", default="build")
    parser.add_argument("--tests", default="", help="objects of build/tests without the library")
    parser.add_argument("--program", default="", help="objects of build/graphsplit without the library")
    parser.add_argument("--list", action="store_true", help="only say which mutants these are")
    args = parser.parse_args()
    text = Suite.header()
    lines = text.split("\n")
    mutants = all_mutants(lines, args.seed)
    print("%d mutants by seed %d" % (len(mutants), args.seed))
    if args.names:
        names = names_in(args.names)
        mutants = [mutant for mutant in mutants if mutant[2] in names]
    else:
        mutants = [mutant for mutant in mutants if args.match in mutant[2]][args.first:args.first + args.count]
    print("%d of them from %s" % (len(mutants), args.names or args.first))
    if args.list:
        print("\n".join(name for _, _, name, _ in mutants))
        return
    known = listed_survivors()
    verdicts = ("killed", BY_SANITIZERS, "SURVIVED", "equivalent", "does not compile")
    table = {}
    unexplained = 0
    start = time.time()
    for (_, family, name, _), (verdict, reason) in judge_all(mutants, known, args):
        print("%s: %s%s" % (verdict, name, " (%s)" % reason if reason else ""))
        sys.stdout.flush()
        row = table.setdefault(family, dict.fromkeys(verdicts, 0))
        row[BY_SANITIZERS if reason.endswith(REPORTED) else verdict] += 1
        unexplained += verdict == "SURVIVED" and name not in known
    print(("%-10s" + " %16s" * 6) % (("family",) + verdicts + ("killed of all",)))
    table["all"] = {verdict: sum(row[verdict] for row in table.values()) for verdict in verdicts}
    for family, row in table.items():
        killed = row["killed"] + row[BY_SANITIZERS]
        share = 100.0 * killed / max(killed + row["SURVIVED"], 1)
        print(("%-10s" + " %16d" * 5 + " %14.1f %%") % ((family,) + tuple(row[verdict] for verdict in verdicts) + (share,)))
    few = len(mutants) >= MANY and share < LEAST
    print("%.0f s; survivors that tests/coverage/survivors does not explain: %d" % (time.time() - start, unexplained))
    print("%d passed, %d failed" % (len(mutants) - unexplained, unexplained + few))
    sys.exit(unexplained + few != 0)


main()
