"""Splits between CPU and accelerator side by side, the second half of bench/peers.py.

Every splitter of splitters.txt gets a graph and the nodes that the accelerator runs, and writes the subgraph of
every node. `graphsplit eval` counts the bytes between subgraphs and tells those that wait for each other in a circle;
a subgraph with nodes of both kinds is not valid either. The nodes of a network are those that a list of operators
supports (examples/ops); those of other graphs are drawn: each by a coin, or in runs of 20 that are 90 % of a kind."""
import glob
import itertools
import json
import os
import random
import re
import statistics

import graphs
import results as figures

LAYERED = [1000, 10000, 100000]


def layered(n):
    """Layers of 8 to 32 nodes; a node reads up to three of the last eight layers, mostly of the one before."""
    draw, layers, edges, made = random.Random(n), [], [], 0
    while made < n:
        layer = range(made, min(n, made + draw.randint(8, 32)))
        for v in layer if layers else ():
            picks = [draw.choice(layers[-1 if draw.random() < 0.7 else -draw.randint(1, min(8, len(layers)))])
                     for _ in range(draw.randint(1, 3))]
            edges += [(u, v) for u in sorted(set(picks))]
        layers.append(layer)
        made = layer.stop
    return n, edges


def taken(run, path, *support):
    """The nodes that the accelerator runs, without those whose values that are no tensors would leave it."""
    lines = run.output("split", "--porcelain", *support, path).splitlines()
    return {name for line in lines if line.startswith("acc ") for name in line.split()[1:]}


def drawn_kinds(run, path, names, seed):
    """Kinds of nodes, by name of the way to draw them."""
    draw = random.Random(seed)
    drawn = {"coin": [draw.random() < 0.5 for _ in names], "runs": []}
    while len(drawn["runs"]) < len(names):
        kind = draw.random() < 0.5
        drawn["runs"] += [kind if draw.random() < 0.9 else not kind for _ in range(20)]
    for words, kinds in drawn.items():
        labels = os.path.splitext(path)[0] + ".drawn"
        write_lines(labels, [name for name, kind in zip(names, kinds) if kind])
        found = taken(run, path, "--acc-nodes", "@" + labels)
        yield words, [name in found for name in names]


def listed_kinds(run, path, names):
    """The same by list of operators, if it takes some nodes and not all."""
    for ops in sorted(glob.glob(os.path.join(graphs.ROOT, "examples/ops/*.ops"))):
        found = taken(run, path, "--acc-ops", "@" + ops)
        if 0 < len(found) < len(names):
            yield os.path.splitext(os.path.basename(ops))[0], [name in found for name in names]


def is_layered(name):
    return name.startswith("drawn")


class Instance:
    def __init__(self, graph, words, names, kinds, edges):
        self.name = f"{graph.name}:{words}"
        self.nodes, self.edges, self.kinds = len(names), len(edges), kinds
        self.files = {"fx": graph.file("fx"), **{kind: f"{graph.base}.{words}.{kind}"
                                                 for kind in ("kinds", "labels", "names")}}
        write_lines(self.files["names"], names)
        write_lines(self.files["labels"], [name for name, kind in zip(names, kinds) if kind])
        write_lines(self.files["kinds"], [f"{len(names)} {len(edges)}", *(int(kind) for kind in kinds), *edges])
        if is_layered(graph.name):
            self.files["layered"] = self.files["kinds"]


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def instances_of(run):
    # Other names than those of the graphs of graph_files(), whose files lie in the same folder.
    made = {f"drawn{n}": graphs.write_edges(os.path.join(run.folder, f"drawn{n}.edges"), layered(n))
            for n in LAYERED[:1 if run.options.quick else 3 if run.options.all else 2]}
    paths = graphs.graph_files(run.options, run.folder)
    if not run.options.graph:
        paths.update(made)
        networks = [] if run.options.quick else sorted(glob.glob(graphs.shared_folder() + "/models/fx/*.fx"))
        networks = networks if run.options.all else networks[::2]
        paths.update((os.path.splitext(os.path.basename(path))[0], path) for path in networks)
    for name, path in paths.items():
        graph = graphs.Graph(run, name, path, run.folder)
        with open(graph.file("fx"), encoding="utf-8") as file:
            text = file.read()
        names = re.findall(r"^ *%(\S+) : .*?= call_", text, re.MULTILINE)
        with open(graph.file("edges"), encoding="ascii") as file:
            edges = file.read().splitlines()[1:]
        is_network = re.search(r"target=(tflite|onnx)\.", text)
        ways = list(listed_kinds(run, graph.file("fx"), names) if is_network else
                    drawn_kinds(run, graph.file("fx"), names, name))
        some = is_network and not run.options.all and not run.options.graph
        for words, kinds in ways[::4] if some else ways:
            yield Instance(graph, words, names, kinds, edges)


def judge(run, instance, part):
    with open(part, encoding="ascii") as file:
        parts = file.read().split()
    done = run.evaluated("--json", instance.files["fx"], part)
    if done.returncode > 1 or len(parts) != instance.nodes:
        return {"verdict": "short"}
    facts = json.loads(done.stdout)
    both = set(zip(parts, instance.kinds))
    verdict = "cyclic" if facts["cycle"] else "mixed" if len(both) > len(set(parts)) else "valid"
    return {"verdict": verdict, "cut_edges": facts["cut_edges"], "cut_bytes": facts["cut_bytes"],
            "subgraphs": len(set(parts)), "acc_subgraphs": len({p for p, kind in both if kind})}


def once(run, splitter, instance):
    part, ns = (os.path.join(run.folder, name) for name in ("result.part", "result.ns"))
    if os.path.exists(ns):
        os.remove(ns)
    words = {**instance.files, "graph": instance.files[splitter.format], "ns": ns}
    result = {"partitioner": splitter.name, "format": splitter.format, "graph": instance.name, "nodes": instance.nodes,
              "edges": instance.edges, "cut_edges": None, "cut_bytes": None, "subgraphs": None,
              **run.timed(splitter.command, words, part)}
    if "verdict" not in result:
        result.update(judge(run, instance, part))
    if os.path.exists(ns) and os.path.getsize(ns):
        with open(ns, encoding="ascii") as file:
            result["pass_ns"] = float(file.read())
    return result


def all_results(run, splitters):
    results = []
    for instance in instances_of(run) if splitters else ():
        for splitter, _ in itertools.product(splitters, range(run.options.seeds)):
            if instance.nodes > splitter.most or splitter.format not in instance.files:
                continue
            results.append(once(run, splitter, instance))
            if results[-1]["verdict"] == "time":
                splitter.most = instance.nodes - 1
    return results


def summary(results):
    """One line per splitter; ratios as in results.summary."""
    table = figures.instances(results)
    lines = []
    for name in dict.fromkeys(r["partitioner"] for r in results):
        mine = [r for r in results if r["partitioner"] == name]
        count = figures.runs_wanted({key: runs for key, runs in table.items()
                                     if mine[0]["format"] != "layered" or is_layered(key[0])}, name)
        share = {word: sum(r["verdict"] == word for r in mine) / count for word in ("valid", "cyclic", "mixed")}
        known = [r["pass_ns"] / (r["nodes"] + r["edges"]) for r in mine if "pass_ns" in r]
        lines.append({"partitioner": name, "runs": count, **share, "lost": 1 - sum(share.values()),
                      **{key: figures.ratio_to_best(table, name, key) for key in ("subgraphs", "acc_subgraphs", "cut_bytes")},
                      "ns": statistics.median(known) if known else None,
                      "seconds": statistics.median(r["seconds"] for r in mine)})
    return lines


HEADS = ["splitter", "runs", "valid", "cyclic", "mixed", "lost", "subgraphs", "accelerator", "bytes", "ns/(n+m)", "ms"]


def cells(line):
    return [line["partitioner"], str(line["runs"]),
            *(f"{100 * line[word]:.1f}%" for word in ("valid", "cyclic", "mixed", "lost")),
            *(f"{line[key]:.2f}" if line[key] else "-" for key in ("subgraphs", "acc_subgraphs", "cut_bytes", "ns")),
            f"{1e3 * line['seconds']:.1f}"]


def print_table(results):
    if results:
        print("\nsplits between CPU and accelerator")
        for row in [HEADS, *map(cells, summary(results))]:
            print(f"{row[0]:16}" + "".join(f"{cell:>12}" for cell in row[1:]))
        print("subgraphs, accelerator: how many in all and there, bytes: between subgraphs; multiples of the best valid "
              "result as above.\nmixed: a subgraph of both kinds; ns/(n+m): median of the splitting alone.")
