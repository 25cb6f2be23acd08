"""`graphsplit split --minimise time` with several accelerators and with --overlap, by enumeration.

usage: python sides.py DIRECTORY GRAPHS TIMELINES PROGRAM...
Random graphs of up to 9 nodes. One after the other: all placements on three places, each with the cheapest
order of its subgraphs. Side by side: all placements on the CPU and one accelerator, or two, each with all
schedules in which steps begin in turn.
"""
import itertools
import os
import random
import re
import subprocess
import sys

NEVER = float("inf")


class Graph:
    """Calls 0 .. n - 1, input -1; reads[v] are calls or the input; ticks[v] by place."""

    def __init__(self, rng, places, launch, most=9):
        self.places = places
        self.n = rng.randint(1, most)
        self.reads = [sorted({rng.randint(max(-1, v - 4), v - 1) for _ in range(rng.randint(1, 3))}) for v in range(self.n)]
        self.size = [rng.randint(0, 4) for _ in range(self.n + 1)]  # the last is the input's
        operators = [{0}, {0, 1}, {0, places - 1}, set(range(places)), set(range(places))]
        self.operator = [rng.randrange(5) for _ in range(self.n)]
        self.ticks = [[max(0, rng.randint(-2, 9)) if p in operators[self.operator[v]] else NEVER
                       for p in range(places)] for v in range(self.n)]
        self.launch = [0] + [rng.randint(0, 4) if launch else 0 for _ in range(places - 1)]
        readers = [0] * self.n
        for row in self.reads:
            for u in row:
                if u >= 0:
                    readers[u] += 1
        self.returned = [v for v in range(self.n) if readers[v] == 0 or rng.random() < 0.1]

    def usable(self):
        return all(any(row[p] < NEVER for row in self.ticks) for p in range(1, self.places))

    def users(self, v):
        return [u for u in range(self.n) if v in self.reads[u]]

    def text(self):
        name = lambda v: "n%d" % v if v >= 0 else "x"
        lines = ["graph():", "    %%x : [num_users=%d] = placeholder[target=x]  # f32[%d]"
                 % (max(1, len(self.users(-1))), self.size[-1])]
        for v in range(self.n):
            lines.append("    %%n%d : [num_users=1] = call_function[target=o%d](args = (%s,), kwargs = {})  # f32[%d]" % (
                v, self.operator[v], ", ".join("%" + name(u) for u in self.reads[v]), self.size[v]))
        return "\n".join(lines) + "\n    return (%s,)\n" % ", ".join(map(name, self.returned))

    def costs(self):
        return "".join("n%d %s\n" % (v, " ".join("0" if t == NEVER else str(t) for t in row))
                       for v, row in enumerate(self.ticks))

    def options(self):
        given = ["--bandwidth", "4", "--costs", "costs"]
        lists = ["o1,o3,o4", "o2,o3,o4"] if self.places == 3 else ["o1,o2,o3,o4"]
        for p, ops in enumerate(lists):
            given += ["--accelerator", "%s=%s" % ("uv"[p], ops)]
        return given + ["--launch", ",".join("%s=%d" % ("uv"[p - 1], self.launch[p]) for p in range(1, self.places))]

    def choices(self):
        return itertools.product(*[[p for p in range(self.places) if row[p] < NEVER] for row in self.ticks])

    def targets(self, v, at):
        """Places other than its own where a value is read."""
        here = at[v] if v >= 0 else 0
        there = {at[u] for u in self.users(v)} | ({0} if v in self.returned else set())
        return here, there - {here}

    def serial(self, at):
        sum_ = sum(self.ticks[v][at[v]] for v in range(self.n))
        for v in range(-1, self.n):
            here, there = self.targets(v, at)
            sum_ += self.size[v] * ((1 if here and there else 0) + len(there - {0}))
        return sum_

    def blocks(self, at):
        """How often paths to a call enter each place."""
        made = []
        for v in range(self.n):
            row = [0] * self.places
            row[at[v]] = 1
            for u in self.reads[v]:
                for p in range(self.places) if u >= 0 else ():
                    row[p] = max(row[p], made[u][p] + (1 if p == at[v] != at[u] else 0))
            made.append(row)
        return made

    def launches(self, at, below):
        """The cheapest order of subgraphs, if it costs less than that."""
        full = (1 << self.n) - 1
        need = [sum(1 << u for u in row if u >= 0) for row in self.reads]

        def closed(mask, place):
            grown = True
            while grown:
                grown = False
                for v in range(self.n):
                    if at[v] == place and not mask >> v & 1 and need[v] & ~mask == 0:
                        mask |= 1 << v
                        grown = True
            return mask

        best = {closed(0, 0): 0}
        todo = dict(best)
        while todo:
            mask, cost = min(todo.items(), key=lambda item: item[1])
            del todo[mask]
            if mask == full:
                return cost
            for p in range(1, self.places):
                run = closed(mask, p)
                more = cost + self.launch[p]
                run = closed(run, 0) if run != mask else mask
                if run != mask and more < below and more < best.get(run, NEVER):
                    best[run] = todo[run] = more
        return NEVER

    def least_serial(self):
        best = NEVER
        for at in self.choices():
            sum_ = self.serial(at)
            if sum_ < best:
                best = min(best, sum_ + self.launches(at, best - sum_) if any(self.launch) else sum_)
        return best

    def steps(self, at):
        """(resource, length, steps before it), in an order that works."""
        made, done, out, into, launched = [], {}, {}, {}, {}
        levels = self.blocks(at)

        def add(resource, length, before):
            made.append((resource, length, [b for b in before if b is not None]))
            return len(made) - 1

        def value(v, place):
            here = at[v] if v >= 0 else 0
            if here == place or self.size[v] == 0:
                return done.get(v)
            if here and v not in out:
                out[v] = add(("channel", here), self.size[v], [done[v]])
            if place and (v, place) not in into:
                into[v, place] = add(("channel", place), self.size[v], [out[v] if here else done.get(v)])
            return into[v, place] if place else out[v]

        for v in range(self.n):
            p = at[v]
            before = [value(u, p) for u in self.reads[v]]
            if p and self.launch[p]:
                for i in range(1, levels[v][p] + 1):
                    if (p, i) not in launched:
                        launched[p, i] = add(p, self.launch[p], [launched.get((p, i - 1))])
                before.append(launched[p, levels[v][p]])
            done[v] = add(p, self.ticks[v][p], before)
        for v in self.returned:
            value(v, 0)
        return made

    def least_span(self):
        best = NEVER
        plans = []
        for at in self.choices():
            steps = self.steps(at)
            load, tail, head = {}, [0] * len(steps), [0] * len(steps)
            for i, (resource, length, before) in enumerate(steps):
                load[resource] = load.get(resource, 0) + length
                head[i] = max([head[b] + steps[b][1] for b in before], default=0)
            for i in reversed(range(len(steps))):
                tail[i] += steps[i][1]
                for b in steps[i][2]:
                    tail[b] = max(tail[b], tail[i])
            least = max(list(load.values()) + [h + t for h, t in zip(head, tail)], default=0)
            plans.append((least, steps, tail))
        plans.sort(key=lambda plan: plan[0])
        for least, steps, tail in plans:
            if least >= best:
                break
            best = span_below(steps, tail, best)
        return best


def span_below(steps, tail, best):
    """The least makespan if it is below best; steps begin in turn, one of no time on a resource that is free."""
    n = len(steps)

    def run(end, free, last, n_left, best):
        if n_left == 0:
            return min(best, max(end, default=0))
        ready = []
        for i in range(n):
            if end[i] is None and all(end[b] is not None for b in steps[i][2]):
                begin = max([end[b] for b in steps[i][2]] + [free.get(steps[i][0], 0), last])
                ready.append((begin, -tail[i], i))
        if any(begin - t >= best for begin, t, _ in ready):
            return best
        for begin, _, i in sorted(ready):
            finish = begin + steps[i][1]
            best = run(end[:i] + (finish,) + end[i + 1:], {**free, steps[i][0]: finish}, begin, n_left - 1, best)
        return best

    return run((None,) * n, {}, 0, n, best) if n else 0


def proof(program, options):
    made = subprocess.run(program + ["split", "--minimise", "time", "--porcelain"] + options + ["g.fx"],
                          capture_output=True, text=True)
    found = re.search(r"^proof objective=(\d+) bound=(\d+) proved=([01])", made.stdout, re.M)
    if found is None:
        print("no proof:", made.stdout, made.stderr)
        return None
    return int(found[1]), int(found[2]), int(found[3])


def check(kind, seeds, make, least, program, options):
    wrong = equal = proved = 0
    for seed in seeds:
        g = make(random.Random(seed))
        while not g.usable():
            seed += 1000000
            g = make(random.Random(seed))
        with open("g.fx", "w") as f:
            f.write(g.text())
        with open("costs", "w") as f:
            f.write(g.costs())
        found = proof(program, g.options() + options)
        best = least(g) * 10**9
        good = found is not None and found[1] <= best <= found[0] and (not found[2] or found[0] == best)
        if not good:
            wrong += 1
            print("%s %d: %s, by enumeration %s" % (kind, seed, found, best), *g.options())
            os.rename("g.fx", "wrong%d.fx" % seed)
            os.rename("costs", "wrong%d.costs" % seed)
            continue
        equal += found[0] == best
        proved += found[2]
    print("# %s: %d graphs, %d wrong, %d optimal, %d proved" % (kind, len(seeds), wrong, equal, proved))
    return wrong, equal, proved


def main():
    directory, graphs, timelines, program = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    program = [os.path.abspath(word) if os.path.exists(word) else word for word in program]
    os.chdir(directory)
    bad = 0
    for launch in (0, 1):
        seeds = range(launch * graphs, (launch + 1) * graphs)
        wrong, equal, proved = check("three places, launches %d" % launch, seeds, lambda rng: Graph(rng, 3, launch),
                                     Graph.least_serial, program, [])
        bad += wrong + (equal < 0.97 * graphs) + (proved < 0.8 * graphs)
    for places, n in ((2, timelines), (3, timelines // 4)):
        seeds = range(2000 * places, 2000 * places + n)
        wrong, equal, proved = check("side by side, %d places" % places, seeds,
                                     lambda rng: Graph(rng, places, rng.random() < 0.5, 9 if places == 2 else 7),
                                     Graph.least_span, program, ["--overlap"])
        bad += wrong + (equal < n) + (proved < n)
    sys.exit(bad != 0)


main()
