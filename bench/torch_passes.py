"""Passes of PyTorch on the graphs of build/bench, as a program: "PASS NODES NANOSECONDS" per line, where the time is
the processor's, the least of three runs, and that of the pass alone.
usage: torch_passes.py BENCH     ends with "kib 0 KIB", the largest resident set of all

splitter: acc_finder, fusion, subgraphs, removal of small ones (splitter_base, as its defaults are). modules: its
submodules. capable: CapabilityBasedPartitioner. size: Partitioner for four devices, with the modules that it makes.
dedup: regions of a traced chain of equal blocks, and the graph that calls one subgraph for all of them."""
import copy
import importlib
import resource
import subprocess
import sys
import time
from unittest import mock

import torch
from torch.fx import Graph, GraphModule
from torch.fx.experimental import accelerator_partitioner, partitioner_utils
from torch.fx.passes import shape_prop, split_module, splitter_base
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

SMALL, LARGE, BLOCK = 1000, 10000, 100


def first(*values):
    return values[0]


class Listed(OperatorSupportBase):
    def __init__(self, names):
        self.names = names

    def is_node_supported(self, submodules, node):
        return node.name in self.names


def layered(bench, n):
    """The graph as a module of PyTorch, and the names of the nodes that the accelerator runs."""
    lines = subprocess.run([bench, "--edges", str(n), "iid"], capture_output=True, text=True, check=True).stdout
    graph, nodes, used, names = Graph(), [], set(), set()
    x = graph.placeholder("x")
    for v, line in enumerate(lines.splitlines()[1:]):
        acc, _, _, _, *reads = map(int, line.split())
        nodes.append(graph.call_function(first, tuple(nodes[u] for u in reads) or (x,), name=f"n{v}"))
        used.update(reads)
        names.update([f"n{v}"] if acc else [])
    graph.output(tuple(node for v, node in enumerate(nodes) if v not in used))
    module = GraphModule(torch.nn.Module(), graph)
    shape_prop.ShapeProp(module).propagate(torch.zeros(4))
    return module, names


def tell(name, n, prepare, run):
    taken = []
    for _ in range(3):
        given = prepare()
        start = time.process_time_ns()
        run(given)
        taken.append(time.process_time_ns() - start)
    print(name, n, min(taken), flush=True)


def made(module, names):
    return splitter_base._SplitterBase(module, (torch.zeros(4),), Listed(names), splitter_base._SplitterSettingBase())


def subgraphs(splitter):
    return splitter.remove_small_acc_subgraphs(splitter.put_nodes_into_subgraphs())


def tagged(module, names):
    splitter = made(copy.deepcopy(module), names)
    splitter.tag(subgraphs(splitter))
    return splitter


def on_devices(module):
    bytes_ = 16 * len(module.graph.nodes) * 4 // 10
    devices = [partitioner_utils.Device(f"d{i}", bytes_, i) for i in range(4)]
    partitioner = accelerator_partitioner.Partitioner()
    partitioner.partition_graph(module, module, partitioner_utils.PartitionerConfig(devices))


def eighths(module, n):
    order = {node: i for i, node in enumerate(module.graph.nodes)}
    split_module.split_module(module, module, lambda node: order[node] * 8 // (n + 2))


def blocks(x):
    for _ in range(SMALL // BLOCK):
        begin = before = x
        for i in range(BLOCK):
            x, before = ((x * before, x + before, x - begin, x * 2)[i % 4], x)
    return x


def deduplicate():
    """The time of the pass on one trace."""
    dynamo = importlib.import_module("torch._dynamo")
    output_graph = importlib.import_module("torch._dynamo.output_graph")
    whole, taken = output_graph.apply_graph_deduplication, []

    def timed(traced):
        start = time.process_time_ns()
        result = whole(traced)
        taken.append(time.process_time_ns() - start)
        return result
    for _ in range(3):
        dynamo.reset()
        with torch.no_grad(), mock.patch.object(output_graph, "apply_graph_deduplication", timed), \
                dynamo.config.patch(use_graph_deduplication=True):
            torch.compile(blocks, backend=lambda module, inputs: module.forward, fullgraph=True)(torch.zeros(4, 8))
    print("dedup", SMALL, min(taken), flush=True)


def main(bench):
    print("version", 0, torch.__version__.split("+")[0], flush=True)
    for n in (SMALL, LARGE):
        module, names = layered(bench, n)
        tell("splitter", n, lambda: module, lambda given: subgraphs(made(given, names)))
        if n == SMALL:
            tell("modules", n, lambda: tagged(module, names), lambda splitter: splitter.split())
            tell("capable", n, lambda: CapabilityBasedPartitioner(module, Listed(names), allows_single_node_partition=True),
                 lambda partitioner: partitioner.propose_partitions())
            tell("size", n, lambda: copy.deepcopy(module), on_devices)
        tell("split_module", n, lambda: copy.deepcopy(module), lambda given: eighths(given, n))
    deduplicate()
    print("kib", 0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True)


main(*sys.argv[1:])
