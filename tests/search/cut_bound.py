"""The bound of `partition --mode kway` on small random graphs beside the least cut of all parts within the limit.
usage: cut_bound.py DIRECTORY GRAPHS PROGRAM..."""
import itertools
import random
import re
import subprocess
import sys


def text_of(reads, size, weight):
    lines = ["graph():"]
    for v, inputs in enumerate(reads):
        names = ", ".join("%%n%d" % u for u in inputs) + ("," if len(inputs) == 1 else "")
        lines.append("    %%n%d : [num_users=1] = call_function[target=f](args = (%s), kwargs = {})  # i8[%d] weight=%d" % (v, names, size[v], weight[v]))
    return "\n".join(lines + ["    return n%d" % (len(reads) - 1)]) + "\n"


def cut(reads, size, part, is_bytes):
    if not is_bytes:
        return sum(part[u] != part[v] for v, inputs in enumerate(reads) for u in inputs)
    far = {(u, part[v]) for v, inputs in enumerate(reads) for u in inputs if part[u] != part[v]}
    return sum(size[u] for u, _ in far)


def main():
    directory, graphs, program = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    wrong = checked = flows = equal = 0
    for seed in range(graphs):
        r = random.Random(seed)
        n, k = r.randint(2, 8), r.randint(2, 3)
        density = r.choice((0.2, 0.5, 0.9))
        reads = [sorted(u for u in range(v) if r.random() < density) for v in range(n)]
        size = [r.choice((0, 1, 4, 9)) for _ in range(n)]
        weight = [r.choice((1, 1, 2, 3)) for _ in range(n)]
        is_bytes = r.random() < 0.5
        path = "%s/bound.fx" % directory
        with open(path, "w") as file:
            file.write(text_of(reads, size, weight))
        words = ["partition", "--mode", "kway", "--parts", str(k), "--imbalance", r.choice(("0", "0.1", "0.5")), "--best-effort", path]
        words += ["--objective", "bytes"] if is_bytes else []
        run = subprocess.run(program + words + ["--json"], capture_output=True, text=True)
        if run.returncode != 0:
            continue
        limit = sum(int(re.search(r'"%s": (\d+)' % word, run.stdout).group(1)) for word in ("limit", "excess"))
        proof = subprocess.run(program + words + ["--porcelain"], capture_output=True, text=True).stdout
        objective, bound = map(int, re.search(r"proof objective=(\d+) bound=(\d+)", proof).groups())
        k = min(k, n)
        best = min(cut(reads, size, part, is_bytes) for part in itertools.product(range(k), repeat=n)
                   if len(set(part)) == k and all(sum(w for w, p in zip(weight, part) if p == i) <= limit for i in range(k)))
        checked += 1
        flows += " by a flow" in subprocess.run(program + words, capture_output=True, text=True).stdout
        equal += bound == best
        if bound > best or best > objective:
            wrong += 1
            print("%d: bound %d, the least cut is %d, found %d: %s" % (seed, bound, best, objective, " ".join(words)))
    print("# %d graphs, the bound is the least cut of %d and by a flow in %d: %d wrong" % (checked, equal, flows, wrong))
    return wrong != 0 or checked < graphs // 2


sys.exit(main())
