"""The graphs that bench/peers.py and bench/splits.py use, each as a file per format."""
import glob
import os

BENCH = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(BENCH)


def grid(side):
    """Cell (i, j) is read by its neighbours to the right and below."""
    at = [(i, j) for i in range(side) for j in range(side)]
    edges = [(i * side + j, i * side + j + 1) for i, j in at if j + 1 < side]
    return side * side, edges + [(i * side + j, (i + 1) * side + j) for i, j in at if i + 1 < side]


def fft(power):
    """The butterflies of 2^power points."""
    n = 1 << power
    edges = [(layer * n + i, (layer + 1) * n + j) for layer in range(power) for i in range(n)
             for j in (i, i ^ 1 << layer)]
    return (power + 1) * n, edges


def cholesky(tiles):
    """The tasks of a tiled factorisation: each reads the one before it on its tile and those of its row and
    column."""
    number, last, edges = 0, {}, []
    for step in range(tiles):
        for j in range(step, tiles):
            for i in range(j, tiles):
                reads = [last.get((i, j))]
                if i > step:
                    reads += [last[step, step]] if j == step else [last[i, step], last[j, step]]
                edges += [(r, number) for r in sorted(set(reads) - {None})]
                last[i, j] = number
                number += 1
    return number, edges


def write_edges(path, graph):
    nodes, edges = graph
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{nodes} {len(edges)}\n")
        file.writelines(f"{u} {v}\n" for u, v in edges)
    return path


def shared_folder():
    beside = ROOT + "/../shared"
    return os.environ.get("GRAPHSPLIT_SHARED", beside if os.path.isdir(beside) else ROOT + "/tests/public")


def graph_files(options, folder):
    """Paths of all graphs, by name."""
    made = {"grid16": grid(16), "grid32": grid(32), "grid64": grid(64), "fft5": fft(5), "fft7": fft(7), "chol8": cholesky(8)}
    paths = [write_edges(os.path.join(folder, name + ".edges"), graph) for name, graph in made.items()]
    paths += sorted(glob.glob(ROOT + "/tests/formats/data/*.txt") + glob.glob(ROOT + "/examples/models/*.fx"))
    if not options.quick:
        found = sorted(glob.glob(shared_folder() + "/dag/*.edges") + glob.glob(shared_folder() + "/hyperdag/*.txt"))
        if not found:
            print("skipped: graphs of GRAPHSPLIT_SHARED (no such folder here)")
        paths += found if options.all else found[::2]
    by_name = {}
    for path in options.graph or paths:
        name = os.path.splitext(os.path.basename(path))[0]
        by_name.setdefault(name.split("until_convergence.")[-1].split("limited_iterations.")[-1], path)
    return by_name


class Graph:
    def __init__(self, run, name, path, folder):
        self.run, self.name, self.path = run, name, path
        self.base = os.path.join(folder, name)
        with open(self.file("graph"), encoding="ascii") as file:
            self.nodes, self.edges = [int(word) for word in file.readline().split()[:2]]
            lines = [line.split() for line in file]
        self.weights = [int(line[0]) for line in lines]
        whole = run.output("partition", "--porcelain", "--device", "all:1E", self.file("fx"))
        self.bytes = int(whole.split("bytes=")[1].split()[0])

    def allows(self, k, eps):
        """Does any assignment keep to the limit of the judge, which is rounded down?"""
        limit = max(int((1 + eps) * sum(self.weights) / k), max(self.weights))
        return k < self.nodes and k * limit >= sum(self.weights)

    def file(self, ending):
        path = f"{self.base}.{ending}"
        if not os.path.exists(path):
            if ending == "grf":
                scotch_of(self.file("graph"), path)
            elif os.path.abspath(self.path) != os.path.abspath(path):
                self.run.output("convert", self.path, path)
            if ending == "graph":
                without_sizes(path)
        return path


def without_sizes(path):
    """METIS knows sizes of nodes beside weights; others do not. All get weights alone."""
    with open(path, encoding="ascii") as file:
        head, *lines = [line.split() for line in file]
    flags = (head[2] if len(head) > 2 else "000").zfill(3)
    step = 2 if flags[2] == "1" else 1
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{head[0]} {head[1]} 011\n")
        for words in lines:
            words = words[1:] if flags[0] == "1" else words
            weight, words = (words[0], words[1:]) if flags[1] == "1" else ("1", words)
            pairs = [f"{words[i]} {words[i + 1] if step == 2 else 1}" for i in range(0, len(words), step)]
            file.write(" ".join([weight] + pairs) + "\n")


def scotch_of(metis, path):
    with open(metis, encoding="ascii") as file:
        head, *lines = [line.split() for line in file]
    with open(path, "w", encoding="ascii") as file:
        file.write(f"0\n{head[0]} {2 * int(head[1])}\n1 011\n")
        for weight, *words in lines:
            pairs = [f"{words[i + 1]} {words[i]}" for i in range(0, len(words), 2)]
            file.write(" ".join([weight, str(len(pairs))] + pairs) + "\n")
