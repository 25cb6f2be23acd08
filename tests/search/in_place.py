"""Random graphs with concatenations, splits and slices, planned with results in place and run in the planned arena, with
poison in every byte that holds no live tensor: every kernel reads what it would read with memory of its own.

usage: python3 tests/search/in_place.py PROGRAM DIR SEED COUNT
Prints a line "N passed, M failed".
"""

import hashlib
import random
import re
import subprocess
import sys

PROGRAM, DIR, SEED, COUNT = sys.argv[1].split(), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
RULES = "relu 0\nadd 0,1\ncat parts\nsplit parts\nhlo.slice parts\nslice parts\n"
POISON = 0xA5


def content(*words):
    """Bytes of a value that its operator and its inputs determine."""
    seed = hashlib.sha256(b"|".join(w if isinstance(w, bytes) else str(w).encode() for w in words)).digest()
    size = words[0]
    return (seed * (size // 32 + 1))[:size]


class Graph:
    """Nodes as (name, operator, arguments, shape or list of shapes, extra), in graph order."""

    def __init__(self, rng):
        self.rng = rng
        self.nodes = []
        self.shape = {}
        self.read = set()
        for i in range(rng.randint(1, 2)):
            self.add("x%d" % i, "placeholder", [], self.random_shape())
        for i in range(rng.randint(3, 14)):
            self.grow(i)
        kept = [v for v in self.shape if v not in self.read] or [self.nodes[-1][0]]
        kept += [v for v in self.shape if rng.random() < 0.08 and v not in kept]
        self.nodes.append(("return", "output", kept, None, None))

    def random_shape(self):
        return (self.rng.choice([1, 1, 2, 3, 4]), self.rng.choice([16, 16, 32, 48, 8]))

    def add(self, name, op, args, shape, extra=None):
        self.nodes.append((name, op, args, shape, extra))
        self.read.update(args)
        if isinstance(shape, tuple):
            self.shape[name] = shape

    def pick(self, like=None, axis=None):
        """A value, late ones more often; of the same size but for one axis."""
        fits = [v for v, s in self.shape.items() if like is None or all(s[a] == like[a] for a in (0, 1) if a != axis)]
        return self.rng.choice(fits[-5:] if self.rng.random() < 0.7 else fits)

    def grow(self, i):
        rng, name = self.rng, "n%d" % i
        u = self.pick()
        op = rng.choice(["f", "f", "relu", "relu", "add", "cat", "cat", "cat", "split", "copies", "slice", "slice", "write"])
        if op == "f":
            self.add(name, op, [u, self.pick()], self.random_shape())
        elif op == "relu":
            self.add(name, op, [u], self.shape[u])
        elif op == "add":
            self.add(name, op, [u, self.pick(self.shape[u])], self.shape[u])
        elif op == "cat":
            axis = rng.randint(0, 1)
            args = [u] + [self.pick(self.shape[u], axis) for _ in range(rng.randint(1, 2))]
            shape = list(self.shape[u])
            shape[axis] = sum(self.shape[a][axis] for a in args)
            self.add(name, op, args, tuple(shape), axis)
        elif op in ("split", "copies"):
            n, axis = rng.randint(2, 3), rng.randint(0, 1)
            shape = list(self.shape[u])
            if op == "split" and (shape[axis] % n != 0 or shape[axis] == n):
                self.add(name, "relu", [u], self.shape[u])
                return
            shape[axis] = shape[axis] // n if op == "split" else shape[axis]
            self.add(name, op, [u], [tuple(shape)] * n, axis)
            for k in range(n):
                if k == 0 or rng.random() < 0.8:
                    self.add("%s_%d" % (name, k), "getitem", [name], tuple(shape), k)
        elif op == "slice":
            begins = [rng.randrange(d) for d in self.shape[u]] if rng.random() < 0.3 else [rng.randrange(self.shape[u][0]), 0]
            begins[1] -= begins[1] % 16 if rng.random() < 0.7 else 0
            ends = [rng.randint(b + 1, d) for b, d in zip(begins, self.shape[u])]
            ends[1] = self.shape[u][1] if begins[1] == 0 else ends[1]
            self.add(name, op, [u], tuple(e - b for b, e in zip(begins, ends)), list(zip(begins, ends)))
        else:
            self.add(name, op, [u], (1, 16))

    def text(self):
        out = ["graph():"]
        for name, op, args, shape, extra in self.nodes:
            words = ", ".join("%" + a for a in args)
            if op == "output":
                out.append("    return (%s,)" % ", ".join(args))
                continue
            kind = "u8[%d, %d]" % shape if isinstance(shape, tuple) else "list(%s)" % ", ".join("u8[%d, %d]" % s for s in shape)
            kwargs, target, note = "", {"copies": "split", "slice": "hlo.slice", "getitem": "operator.getitem"}.get(op, op), ""
            if op == "placeholder":
                out.append("    %%%s : [num_users=0] = placeholder[target=%s]  # %s" % (name, name, kind))
                continue
            if op == "slice":
                kwargs = "slice: [%s]" % ", ".join("[%d, %d]" % (b, e) for b, e in extra)
            elif op == "getitem":
                words += ", %d" % extra
            elif op == "write":
                note = " mutates=0"
            comma = "," if len(args) == 1 and op != "getitem" else ""
            out.append("    %%%s : [num_users=0] = call_function[target=%s](args = (%s%s), kwargs = {%s})  # %s%s"
                       % (name, target, words, comma, kwargs, kind, note))
        return "\n".join(out) + "\n"

    def parts(self, whole, size, pieces):
        """Bytes of rows of a value: pieces are (first row, rows, first column, columns)."""
        return [b"".join(whole[r * size[1] + c:r * size[1] + c + n] for r in range(first, first + rows))
                for first, rows, c, n in pieces]

    def compute(self, node, values):
        """What a node yields, from the contents of its arguments: a list for an aggregate."""
        name, op, args, shape, extra = node
        data = [values[a] for a in args]
        if op in ("f", "relu", "add", "write"):
            return content(shape[0] * shape[1], op, name if op == "f" else "", *data)
        if op == "cat" and extra == 0:
            return b"".join(data)
        if op == "cat":
            widths = [self.shape[a][1] for a in args]
            return b"".join(d[r * w:(r + 1) * w] for r in range(shape[0]) for d, w in zip(data, widths))
        size = self.shape[args[0]] if args[0] in self.shape else None
        if op == "copies":
            return [data[0]] * len(shape)
        if op == "split":
            s = shape[0]
            at = [(k * s[0], s[0], 0, s[1]) if extra == 0 else (0, s[0], k * s[1], s[1]) for k in range(len(shape))]
            return self.parts(data[0], size, at)
        if op == "slice":
            (r, r_end), (c, c_end) = extra
            return self.parts(data[0], size, [(r, r_end - r, c, c_end - c)])[0]
        return data[0][extra]  # getitem


def run(graph, out):
    """Runs the plan; returns what is wrong, and how many tensors stand on or inside others."""
    tensors = {m[0]: tuple(map(int, m[1:])) for m in
               re.findall(r"^tensor (\w+) offset=(\d+) bytes=(\d+) first=(\d+) last=(\d+)$", out, re.M)}
    size = int(re.search(r"^arena bytes=(\d+)", out, re.M).group(1))
    stands = re.findall(r"^inplace (\w+) on (\w+)$", out, re.M)
    arena, right = bytearray([POISON]) * size, {}
    for a, b in stands:
        if not tensors[b][0] <= tensors[a][0] or tensors[a][0] + tensors[a][1] > tensors[b][0] + tensors[b][1]:
            return "%s is not inside %s" % (a, b), 0

    def held(v):
        return bytes(arena[tensors[v][0]:tensors[v][0] + tensors[v][1]])

    def put(v, data):
        right[v] = data
        arena[tensors[v][0]:tensors[v][0] + tensors[v][1]] = data

    for v, op, _, shape, _ in graph.nodes:
        if op == "placeholder":
            put(v, content(shape[0] * shape[1], v))
    for step, node in enumerate(graph.nodes):
        v, op, args = node[:3]
        for a in args:
            if a in tensors and op != "getitem" and held(a) != right[a]:
                return "%s reads other bytes of %s at step %d" % (v, a, step), 0
        if op == "output":
            return "", len(stands)
        if op == "getitem":
            if held(v) != right[v]:
                return "%s is not what its split yields" % v, 0
        elif op != "placeholder":
            made = graph.compute(node, right)
            if isinstance(made, list):
                right[v] = made
                for w, _, of, _, k in graph.nodes:
                    if of == [v] and w in tensors and isinstance(k, int):
                        put(w, made[k])
            else:
                put(v, made)
            if op == "write":
                put(args[0], content(len(right[args[0]]), "written", right[args[0]]))
        live = [t for t in tensors.values() if t[2] <= step < t[3]]
        for i in range(size):
            if not any(t[0] <= i < t[0] + t[1] for t in live):
                arena[i] = POISON
    return "no end", 0


def main():
    passed = failed = stood = smaller = 0
    with open(DIR + "/rules", "w", encoding="utf-8") as file:
        file.write(RULES)
    with open(DIR + "/few", "w", encoding="utf-8") as file:
        file.write(RULES.replace("cat parts\nsplit parts\nhlo.slice parts\nslice parts\n", ""))
    for i in range(COUNT):
        graph = Graph(random.Random(SEED * 1000003 + i))
        path = DIR + "/g.fx"
        with open(path, "w", encoding="utf-8") as file:
            file.write(graph.text())
        align = "16" if i % 2 else "1"
        outs = []
        for rules in ("few", "rules"):
            done = subprocess.run(PROGRAM + ["memory", "--porcelain", "--writes", "none", "--align", align,
                                             "--in-place=@%s/%s" % (DIR, rules), path], capture_output=True, text=True, check=False)
            outs.append(done.stdout)
            if done.returncode != 0:
                print("seed %d graph %d: %s" % (SEED, i, done.stderr))
        arenas = [int(re.search(r"^arena bytes=(\d+)", o, re.M).group(1)) if o else -1 for o in outs]
        wrong, n = run(graph, outs[1]) if outs[1] else ("no plan", 0)
        wrong = wrong or ("a larger arena: %s" % arenas if arenas[1] > arenas[0] else "")
        stood += n
        smaller += arenas[1] < arenas[0]
        passed += not wrong
        failed += bool(wrong)
        if wrong:
            print("seed %d graph %d: %s\n%s%s" % (SEED, i, wrong, graph.text(), outs[1]))
    if COUNT >= 100 and (smaller < COUNT // 10 or stood < COUNT // 2):
        print("few are in place: %d graphs, %d results" % (smaller, stood))
        failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
