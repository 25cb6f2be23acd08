"""Splitters of PyTorch on the graphs of bench/splits.py, as a program: graph file in, part file out, nanoseconds of
processor time on standard output.
usage: torch_splitters.py splitter|partitioner KINDS PART

splitter: torch.fx.passes.splitter_base, as its defaults are. partitioner: CapabilityBasedPartitioner; nodes of the
CPU, which it leaves in the graph around its partitions, are parts of one node here."""
import sys
import time

import torch
from torch.fx import Graph, GraphModule
from torch.fx.passes import splitter_base
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase


def first(*values):
    return values[0]


class Listed(OperatorSupportBase):
    def __init__(self, names):
        self.names = names

    def is_node_supported(self, submodules, node):
        return node.name in self.names


def read(path):
    """The graph as a module of PyTorch, its nodes, and those that the accelerator runs."""
    with open(path, encoding="ascii") as file:
        n, _ = map(int, file.readline().split())
        kinds = [file.readline().strip() == "1" for _ in range(n)]
        inputs = [[] for _ in range(n)]
        for line in file:
            u, v = map(int, line.split())
            inputs[v].append(u)
    graph, nodes = Graph(), []
    x = graph.placeholder("x")
    for v in range(n):
        nodes.append(graph.call_function(first, tuple(nodes[u] for u in inputs[v]) or (x,), name=f"n{v}"))
    used = {u for row in inputs for u in row}
    graph.output(tuple(node for v, node in enumerate(nodes) if v not in used))
    return GraphModule(torch.nn.Module(), graph), nodes, {f"n{v}" for v in range(n) if kinds[v]}


def splitter(module, names):
    """Names of nodes by subgraph."""
    made = splitter_base._SplitterBase(module, (torch.zeros(1),), Listed(names), splitter_base._SplitterSettingBase())
    start = time.process_time_ns()
    subgraphs = made.put_nodes_into_subgraphs()
    subgraphs = made.remove_small_acc_subgraphs(subgraphs)
    taken = time.process_time_ns() - start
    return [[node.name for node in subgraph.nodes] for subgraph in subgraphs], taken


def partitioner(module, names):
    """The same; only nodes of the accelerator."""
    made = CapabilityBasedPartitioner(module, Listed(names), allows_single_node_partition=True)
    start = time.process_time_ns()
    partitions = made.propose_partitions()
    taken = time.process_time_ns() - start
    return [[node.name for node in partition.nodes] for partition in partitions], taken


def main(which, path, part):
    module, nodes, names = read(path)
    subgraphs, taken = {"splitter": splitter, "partitioner": partitioner}[which](module, names)
    part_of = {name: i for i, subgraph in enumerate(subgraphs) for name in subgraph}
    with open(part, "w", encoding="ascii") as file:
        for v, node in enumerate(nodes):
            file.write(f"{part_of.get(node.name, len(subgraphs) + v)}\n")
    print(taken)


main(*sys.argv[1:])
