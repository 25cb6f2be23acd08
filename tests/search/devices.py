"""Stages on unequal devices against all placements: every cut of small graphs, on every order of the devices.

usage: devices.py DIRECTORY GRAPHS TABLES PROGRAM...     TABLES: how many tables of layers (--table) follow
The loads and the memory of stages are counted here anew, from the graph alone."""

import itertools
import math
import random
import subprocess
import sys

NEVER = math.inf


def whole(value):
    return int(value + 0.5)


class Graph:
    """A chain with some values that skip, of calls with times, parameters and sizes."""

    def __init__(self, random_):
        self.n = random_.randint(3, 9)
        self.time = [random_.randint(1, 40) for _ in range(self.n)]  # in ms
        self.params = [random_.choice((0, 100, 400, 1000)) for _ in range(self.n)]
        self.bytes = [4 * random_.randint(1, 60) for _ in range(self.n)]
        self.comm = [random_.choice((None, None, None, random_.randint(0, 9))) for _ in range(self.n)]
        self.reads = [[]]
        for i in range(1, self.n):
            reads = {i - 1}
            if i > 1 and random_.random() < 0.3:
                reads.add(random_.randrange(i - 1))
            self.reads.append(sorted(reads))
        self.last = [max([r for r in range(self.n) if v in self.reads[r]], default=None) for v in range(self.n)]
        self.entry = 40

    def text(self):
        lines = ["graph():", "    %x : [num_users=1] = placeholder[target=x]  # f32[10]"]
        for i in range(self.n):
            names = ", ".join("%%n%d" % r for r in self.reads[i]) or "%x"
            users = sum(i in r for r in self.reads) + (i + 1 == self.n)
            note = "f32[%d] compute=0.%03d" % (self.bytes[i] // 4, self.time[i])
            note += " params=%d" % self.params[i] if self.params[i] else ""
            note += "" if self.comm[i] is None else " comm=0.%03d" % self.comm[i]
            lines.append(
                "    %%n%d : [num_users=%d] = call_module[target=layers.%d](args = (%s,), kwargs = {})  # %s"
                % (i, users, i, names, note)
            )
        lines.append("    return n%d" % (self.n - 1))
        return "\n".join(lines) + "\n"

    def table(self, random_):
        """As a table of layers: a chain with bytes of kv of its own; MACs are seconds at 10^12 a second."""
        self.reads = [[i - 1] if i else [] for i in range(self.n)]
        self.last = [v + 1 if v + 1 < self.n else None for v in range(self.n)]
        self.comm = [None] * self.n
        self.entry = 0
        self.kv = [random_.choice((None, 0, 50, 300)) for _ in range(self.n)]
        macs = random_.random() < 0.5
        self.per_token = random_.random() < 0.4
        kv = "kv_per_token" if self.per_token else "kv"
        head = self.per_token or random_.random() < 0.7
        lines = ["layer,params,%s,activation,%s" % ("macs" if macs else "seconds", kv)] if head else []
        for i in range(self.n):
            time = "%d" % (self.time[i] * 10**9) if macs else "0.%03d" % self.time[i]
            kv = "" if self.kv[i] is None else "%d" % self.kv[i]
            lines.append("blk.%d,%d,%s,%d,%s" % (i, self.params[i], time, self.bytes[i], kv))
        return "\n".join(lines) + "\n"

    def move(self, v, rate):
        if self.comm[v] is not None:
            return self.comm[v] * 1000000
        return 0 if not rate else (self.bytes[v] * 10**9 * 2 + rate) // (2 * rate)

    def crossing(self, at):
        return [v for v in range(at) if self.last[v] is not None and self.last[v] >= at]

    def peak(self, begin, end):
        """The most bytes that live while the calls of a stage run: values from before until their last
        reader in it, its own until the last reader at all, the returned one until the end."""
        most = 0
        for at in range(begin, end):
            live = 0
            for v in range(end):
                readers = [r for r in range(begin, end) if v in self.reads[r]]
                if v < begin:
                    live += self.bytes[v] if readers and readers[-1] >= at else 0
                elif v <= at:
                    last = end if v + 1 == self.n else self.last[v]
                    live += self.bytes[v] if v == at or (last is not None and last >= at) else 0
            live += self.entry if begin == 0 and at == 0 else 0
            most = max(most, live)
        return most


class Case:
    def __init__(self, seed, is_table):
        r = random.Random(seed)
        self.g = Graph(r)
        self.text = self.g.table(r) if is_table else self.g.text()
        self.is_table = is_table
        self.context = r.choice((1, 2, 5, 20)) if is_table else 1
        n = r.randint(1, 4)
        kinds = [(r.choice((1500, 3000, 6000)), r.choice((1.0, 2.0, 0.5, 3.25))) for _ in range(r.randint(1, 3))]
        if r.random() < 0.4:
            kinds = [(b // 3, s) for b, s in kinds]
        self.devices = [r.choice(kinds) for _ in range(n)]
        self.any_order = r.random() < 0.5
        self.latency = r.random() < 0.3
        self.kv = r.choice((0, 0, 64))
        self.microbatches = r.choice((0, 0, 2, 4))
        self.copies = r.choice((1, 1, 3))
        self.rate = r.choice((0, 10**4, 10**5))
        self.links = None
        self.replicas = False
        self.carried = r.random() < 0.25
        if r.random() < 0.35:
            self.carried = True
            self.links = {}
            for a, b in itertools.combinations(range(n), 2):
                rate = r.choice((0, self.rate, 2 * 10**4, 10**6))
                self.links[a, b] = self.links[b, a] = rate or self.rate
            self.by_pair = {k: v for k, v in self.links.items() if v != self.rate}
            if not any(a < b for a, b in self.by_pair):
                self.links = None
        elif r.random() < 0.3:
            self.replicas = True
        self.used = min(n if self.replicas or r.random() < 0.8 else r.randint(1, n), n)
        if not self.replicas:
            self.used = min(self.used, self.g.n)

    def options(self):
        words = []
        for i, (b, s) in enumerate(self.devices):
            words += ["--device", "d%d:%d:%s" % (i, b, s)]
        words += ["--stages", str(self.used)]
        words += ["--any-order"] * self.any_order + ["--replicas"] * self.replicas
        words += ["--balance", "latency"] * self.latency
        words += ["--kv", str(self.kv)] if self.kv else []
        words += ["--microbatches", str(self.microbatches)] if self.microbatches else []
        words += ["--param-copies", str(self.copies)] if self.copies > 1 else []
        words += ["--bandwidth", str(self.rate)] if self.rate else []
        if self.links is not None:
            for (a, b), rate in self.by_pair.items():
                if a < b:
                    words += ["--bandwidth", "d%d,d%d=%d" % (a, b, rate)]
        elif self.carried:
            words.append("--carried")
        if self.tokens() and self.context > 1:
            words += ["--context", "%d" % self.context]
        return words

    def kv_of(self, v):
        if not self.is_table or self.g.kv[v] is None:
            return self.kv
        return self.g.kv[v] * (self.context if self.g.per_token else 1)

    def most_context(self, fits):
        """The most tokens of context for which fits() is true, by doubling and halving."""
        given = self.context
        low, high = 0, 1
        while high < 10**6:
            self.context = high
            if not fits():
                break
            low, high = high, 2 * high
        while high - low > 1:
            self.context = (low + high) // 2
            low, high = (self.context, high) if fits() else (low, self.context)
        self.context = given
        return low

    def tokens(self):
        """Whether tokens of context take memory."""
        return self.is_table and self.g.per_token and any(self.g.kv)

    def cross(self, at, a, b):
        values = self.g.crossing(at)
        if self.links is None:
            return sum(self.g.move(v, self.rate) for v in values)
        own = sum(self.g.comm[v] * 1000000 for v in values if self.g.comm[v] is not None)
        count = sum(self.g.bytes[v] for v in values if self.g.comm[v] is None)
        rate = self.links[a, b]
        if own == 0 and count == 0:
            return 0
        return own + whole(count * 1e9 / rate) if rate else NEVER

    def load(self, begin, end, before, at, after, used):
        """Ticks of a stage on the devices `at`, and whether it fits."""
        g = self.g
        width = len(at)
        size, speed = self.devices[at[0]]
        inside = range(begin, end)
        time = whole(sum(g.time[v] for v in inside) * 1000000 / speed)
        enters = [v for v in range(begin) if any(v in g.reads[r] for r in inside)]
        if self.carried:
            enter = self.cross(begin, before, at[0]) if begin else 0
            leave = self.cross(end, at[0], after) if end < g.n else 0
        else:
            enter = sum(g.move(v, self.rate) for v in enters)
            leave = sum(g.move(v, self.rate) for v in inside if g.last[v] is not None and g.last[v] >= end)
        if leave == NEVER or enter == NEVER:
            return NEVER
        time += enter + (0 if self.latency else leave)
        params = sum(g.params[v] for v in inside)
        memory = params * self.copies + sum(self.kv_of(v) for v in inside)
        if self.microbatches:
            received = g.crossing(begin) if self.carried else enters
            held = -(-min(self.used - used, self.microbatches) // width)
            memory += held * (sum(g.bytes[v] for v in inside) + sum(g.bytes[v] for v in received))
        else:
            memory += g.peak(begin, end)
            if self.carried:
                memory += sum(g.bytes[v] for v in g.crossing(begin) if v not in enters)
        if memory > size:
            return NEVER
        if width > 1:
            time = -(-time // width)
            if self.microbatches:
                share = width * self.microbatches
                sync = whole(params / self.rate * 1e9) if self.rate else 0
                time += (sync * 4 + share - 1) // share * (width - 1)
        return time

    def value(self, cuts, groups):
        loads = []
        used = 0
        for i, group in enumerate(groups):
            before = groups[i - 1][-1] if i else None
            after = groups[i + 1][0] if i + 1 < len(groups) else None
            loads.append(self.load(cuts[i], cuts[i + 1], before, group, after, used))
            used += len(group)
        return sum(loads) if self.latency else max(loads)

    def groupings(self):
        n = len(self.devices)
        orders = itertools.permutations(range(n), self.used) if self.any_order else itertools.combinations(range(n), self.used)
        for order in orders:
            if not self.replicas:
                yield [(d,) for d in order]
                continue
            for k in range(self.used):
                for ends in itertools.combinations(range(1, self.used), k):
                    at = (0,) + ends + (self.used,)
                    groups = [order[at[i] : at[i + 1]] for i in range(len(at) - 1)]
                    alike = all(self.devices[d] == self.devices[g[0]] for g in groups for d in g)
                    even = all(len(g) == 1 or self.microbatches % len(g) == 0 for g in groups)
                    if alike and even:
                        yield groups

    def best(self):
        best = NEVER
        seen = set()
        for groups in self.groupings():
            key = tuple(tuple(self.devices[d] for d in g) for g in groups)
            if self.links is None and key in seen:
                continue
            seen.add(key)
            for inner in itertools.combinations(range(1, self.g.n), len(groups) - 1):
                best = min(best, self.value((0,) + inner + (self.g.n,), groups))
        return best


def judge(case, directory, program, seed):
    path = "%s/%d%s" % (directory, seed, ".csv" if case.is_table else ".fx")
    with open(path, "w") as file:
        file.write(case.text)
    command = program + ["pipe", "--porcelain"] + case.options() + (["--table"] if case.is_table else []) + [path]
    run = subprocess.run(command, capture_output=True, text=True)
    best = case.best()
    lines = run.stdout.splitlines()
    if best == NEVER:
        most = case.most_context(lambda: case.best() != NEVER) if case.tokens() and case.context > 1 else 0
        if most and "%d token" % most not in run.stderr:
            return "%d tokens fit, but it says %s" % (most, run.stderr)
        good = run.returncode == 1 and lines == ["error NO_FIT"] and run.stderr.count("\n") == 1
        return "" if good else "no stages fit, but it says %s%s" % (run.stdout[-200:], run.stderr)
    proof = dict(word.split("=") for word in lines[-1].split()[1:]) if run.returncode == 0 else {}
    if not proof or int(proof["objective"]) != best or proof["proved"] != "1" or proof["bound"] != proof["objective"]:
        return "best is %s, but it says %s%s" % (best, lines[-1:], run.stderr)
    groups = [tuple(int(d[1:]) for d in l.split("device=")[1].split(",")) for l in lines if l.startswith("stage ")]
    cuts = stages_of(case, command, path, len(groups))
    if case.value(cuts, groups) != best:
        return "its stages %s on %s take %s, not %s" % (cuts, groups, case.value(cuts, groups), best)
    if case.tokens():
        fits = case.most_context(lambda: case.value(cuts, groups) != NEVER)
        most = case.most_context(lambda: case.best() != NEVER)
        if lines[-2] != "context tokens=%d fits=%d most=%d" % (case.context, fits, most):
            return "%d tokens fit its stages, %d the devices, but it says %s" % (fits, most, lines[-2])
    return ""


def stages_of(case, command, path, n):
    """Where the stages begin, by --part."""
    part = path + ".part"
    subprocess.run(command + ["--part", part], capture_output=True)
    with open(part) as file:
        parts = [int(line) for line in file if line.strip()]
    return tuple(parts.index(i) for i in range(n)) + (case.g.n,)


def main():
    directory, graphs, tables = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    program = sys.argv[4:]
    failed = 0
    fits = 0
    for seed in range(1, graphs + tables + 1):
        case = Case(seed, seed > graphs)
        wrong = judge(case, directory, program, seed)
        fits += case.best() != NEVER
        if wrong:
            failed += 1
            print("%d: %s\n   %s" % (seed, wrong, " ".join(case.options())))
    print("# %d graphs and %d tables, %d of them with stages that fit: %d wrong" % (graphs, tables, fits, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
