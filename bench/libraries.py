"""Partitioners that are libraries of Python, as a program: graph file in, part file out.
usage: libraries.py kahip|mtkahypar GRAPH K IMBALANCE SEED PART
KaHIP (pip install kahip) takes METIS files, Mt-KaHyPar (pip install mtkahypar) hMETIS files."""
import sys


def kahip(path, k, imbalance, seed):
    import kahip as library
    with open(path, encoding="ascii") as file:
        lines = [[int(word) for word in line.split()] for line in file]
    begin, neighbours, edge_weights, node_weights = [0], [], [], []
    for line in lines[1:]:  # weight of the node, then neighbour and weight of each edge
        node_weights.append(line[0])
        neighbours += [v - 1 for v in line[1::2]]
        edge_weights += line[2::2]
        begin.append(len(neighbours))
    return library.kaffpa(node_weights, begin, edge_weights, neighbours, k, imbalance, True, seed, library.ECO)[1]


def mtkahypar(path, k, imbalance, seed):
    import mtkahypar as library
    library.set_seed(seed)
    start = library.initialize(1)
    context = start.context_from_preset(library.PresetType.DEFAULT)
    context.set_partitioning_parameters(k, imbalance, library.Objective.KM1)
    context.logging = False
    graph = start.hypergraph_from_file(path, context, library.FileFormat.HMETIS)
    parts = graph.partition(context)
    return [parts.block_id(v) for v in range(graph.num_nodes())]


def main(name, path, k, imbalance, seed, part):
    parts = {"kahip": kahip, "mtkahypar": mtkahypar}[name](path, int(k), float(imbalance), int(seed))
    with open(part, "w", encoding="ascii") as file:
        file.writelines(f"{p}\n" for p in parts)


main(*sys.argv[1:])
