"""Random graphs, and the least peak of all orders of their calls in as few phases as PyTorch has, by trying all orders.

usage: python3 tests/search/least_peak.py SEED FILE [CALLS]
Writes the graph to FILE and prints the least peak, then PEAK CROSSED of the orders of which none is better in both
(CROSSED: bytes of calls that another phase reads). With CALLS, only the graph of so many.
"""

import random
import sys

SEED, FILE = int(sys.argv[1]), sys.argv[2]
rng = random.Random(SEED)
N = int(sys.argv[3]) if len(sys.argv) > 3 else rng.randint(3, 9)
reads = [sorted(set(rng.randint(-1, i - 1) for _ in range(rng.randint(1, 2)))) for i in range(N)]
bytes_of = {i: rng.choice([8, 16, 64, 200]) for i in range(-1, N)}
kind = [rng.randint(0, 1) for _ in range(N)]
used = {u for r in reads for u in r}
kept = [i for i in range(N) if i not in used]

with open(FILE, "w", encoding="utf-8") as file:
    def name(i):
        return "x" if i < 0 else f"n{i}"
    file.write(f"graph():\n    %x : [num_users=0] = placeholder[target=x]  # u8[{bytes_of[-1]}]\n")
    for i in range(N):
        args = ", ".join("%" + name(u) for u in reads[i])
        file.write(f"    %{name(i)} : [num_users=0] = call_function[target=f](args = ({args},), kwargs = {{}})"
                   f"  # u8[{bytes_of[i]}] acc={kind[i]}\n")
    file.write("    return (" + ", ".join(name(i) for i in kept) + ",)\n")

if len(sys.argv) > 3:
    sys.exit()

readers = {u: [i for i in range(N) if u in reads[i]] for u in range(-1, N)}
best = {}  # phases -> {(peak, crossed)}
limit = 2 * N  # the fewest phases with PyTorch's first kind


def peak_of(order):
    """Most live bytes: from the node that makes a value, or the start, to its last reader, or the end."""
    at = {v: i + 1 for i, v in enumerate(order)}
    at[-1] = 0
    live = [0] * (N + 2)
    for v, size in bytes_of.items():
        last = max([at[v]] + [at[r] for r in readers[v]]) if v not in kept else N + 1
        for step in range(at[v], last + 1):
            live[step] += size
    return max(live)


def crossed_of(order):
    """Bytes of calls with a reader in another phase than their own."""
    phase, now = {}, 0
    for i, v in enumerate(order):
        now += i > 0 and kind[order[i - 1]] != kind[v]
        phase[v] = now
    return sum(bytes_of[v] for v in order if any(phase[r] != phase[v] for r in readers[v]))


def extend(order, done, phases):
    """All orders that begin with these calls, with either kind first."""
    global limit
    if len(order) == N:
        limit = min(limit, phases + (kind[order[0]] != first))
        best.setdefault(phases, set()).add((peak_of(order), crossed_of(order)))
        return
    for v in range(N):
        if v not in done and all(u < 0 or u in done for u in reads[v]):
            before = kind[order[-1]] if order else kind[v]
            extend(order + [v], done | {v}, phases + (kind[v] != before))


# PyTorch begins with the CPU if that has a call that reads no other.
first = 0 if any(kind[i] == 0 and reads[i] == [-1] for i in range(N)) else 1
extend([], frozenset(), 1)
points = {point for phases, of in best.items() if phases <= limit for point in of}
print(min(points)[0])
for peak, crossed in sorted(points):
    if not any(p <= peak and c <= crossed and (p, c) != (peak, crossed) for p, c in points):
        print(peak, crossed)
