"""graphsplit.partitioner beside PyTorch's CapabilityBasedPartitioner on random modules: never more partitions, the same
nodes where none is removed, at least as many nodes that compute in each partition as asked for, and the same bits.
usage: partitioner.py DIRECTORY OF THE PACKAGE graphsplit     (COUNT: modules, 400; SEED)"""
import copy
import inspect
import operator
import os
import random
import sys
import time

import torch
from torch.fx.passes.infra import partitioner as torchs
from torch.fx.passes.operator_support import OperatorSupportBase

sys.path.insert(0, sys.argv[1])
from graphsplit import partitioner as ours  # noqa: E402

passed = failed = 0
VIEW = torch.ops.aten.view.default


def verdict(label, good):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED: " + label)


class Named(OperatorSupportBase):
    def __init__(self, names):
        self.names = names

    def is_node_supported(self, submodules, node):
        return node.name in self.names and (node.op != "call_module" or node.target in submodules)


class Network:
    """A random graph of 4 x 4 tensors with elements of tuples, views, modules and parameters; `names` are supported."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        torch.manual_seed(seed)
        self.graph, self.root = torch.fx.Graph(), torch.nn.Module()
        self.root.linear = torch.nn.Linear(4, 4)
        self.root.weight = torch.nn.Parameter(torch.randn(4, 4))
        self.values = [self.graph.placeholder("x"), self.graph.placeholder("y")]
        self.near = self.r.choice([2, 4, 8, 100])
        self.share = self.r.choice([0.0, 0.3, 0.5, 0.7, 0.9, 1.0])
        self.names = set()
        for _ in range(self.r.randint(2, 60)):
            self.values.append(self.step())
        outputs = self.r.sample(self.values[2:], min(len(self.values) - 2, self.r.randint(1, 3)))
        self.graph.output(outputs[0] if len(outputs) == 1 else tuple(outputs))
        self.gm = torch.fx.GraphModule(self.root, self.graph)
        if self.r.random() < 0.5:
            self.gm.graph.eliminate_dead_code()
            self.gm.recompile()
        self.inputs = torch.randn(4, 4), torch.randn(4, 4)

    def pick(self):
        return self.r.choice(self.values[-self.near:] if self.r.random() < 0.8 else self.values)

    def call(self, kind, target, *args):
        node = getattr(self.graph, "call_" + kind)(target, args)
        if self.r.random() < self.share:
            self.names.add(node.name)
        return node

    def step(self):
        way = self.r.randrange(8)
        if way == 0:
            return self.call("function", VIEW, self.pick(), [4, 4])
        if way == 1:
            return self.call("module", "linear", self.pick())
        if way == 2:
            return self.call("function", torch.matmul, self.pick(), self.graph.get_attr("weight"))
        if way == 3:
            return self.call("method", "tanh", self.pick())
        if way == 4:
            pair = self.call("function", torch.chunk, self.pick(), 2)
            parts = [self.call("function", operator.getitem, pair, i) for i in (0, 1)]
            return self.call("function", torch.cat, parts)
        if way == 5:
            nested = self.call("function", torch.max, self.pick(), 1, True)
            if self.r.random() < 0.3:  # a user of the tuple that is none of its elements
                return self.call("function", torch.add, self.pick(), self.call("function", len, nested))
            return self.call("function", torch.add, self.pick(), self.call("function", operator.getitem, nested, 0))
        return self.call("function", self.r.choice([torch.add, torch.mul, torch.ops.aten.sub.Tensor]), self.pick(), self.pick())


def nodes_of(partitions):
    return {node for p in partitions for node in p.nodes}


def computes(partition, words=()):
    skipped = {"torch.ops.aten.view", "_operator.getitem", *words}
    return sum(n.op == "call_function" and torch.fx.node._get_qualified_name(n.target) not in skipped for n in partition.nodes)


def same(a, b):
    a, b = [v if isinstance(v, tuple) else (v,) for v in (a, b)]
    return len(a) == len(b) and all(torch.equal(x, y) for x, y in zip(a, b))


def executes(label, net, partitions):
    """The module with these partitions fused gives the same bits. Fusing changes the graph, so it is copied."""
    gm = copy.deepcopy(net.gm)
    node = {n.name: n for n in gm.graph.nodes}
    partitions = [ours.Partition(p.id, [node[n.name] for n in p.nodes]) for p in partitions]
    fused = ours.CapabilityBasedPartitioner(gm, Named(net.names)).fuse_partitions(partitions)
    verdict(label + ": the same bits", same(net.gm(*net.inputs), fused(*net.inputs)))
    calls = [n for n in fused.graph.nodes if n.op == "call_module" and n.target.startswith("fused_")]
    verdict(label + ": a module for each partition", len(calls) == len(partitions))


class Figures:
    def __init__(self, label):
        self.label, self.count = label, [[0, 0, 0.0], [0, 0, 0.0]]
        self.fewer = 0

    def propose(self, net, *args, **ours_alone):
        found = []
        for i, where in enumerate((ours, torchs)):
            start = time.perf_counter()
            made = where.CapabilityBasedPartitioner(net.gm, Named(net.names), *args, **(ours_alone if i == 0 else {}))
            found.append(made.propose_partitions())
            self.count[i][2] += time.perf_counter() - start
            self.count[i][0] += len(found[i])
            self.count[i][1] += len(nodes_of(found[i]))
        self.fewer += len(found[0]) < len(found[1])
        return found

    def write(self):
        print("# %s: %d partitions of %d nodes in %.2f s; PyTorch's own: %d of %d in %.2f s; fewer in %d modules" % (
            self.label, *self.count[0], *self.count[1], self.fewer))


def check(seed, all_nodes, default, large):
    net = Network(seed)
    label = "seed %d: all nodes" % seed
    mine, theirs = all_nodes.propose(net, True)
    verdict(label + ": never more", len(mine) <= len(theirs))
    verdict(label + ": of the same nodes", nodes_of(mine) == nodes_of(theirs))
    verdict(label + ": each in one", sum(p.size() for p in mine) == len(nodes_of(mine)))
    executes(label, net, mine)
    label = "seed %d: partitions that compute" % seed
    mine, theirs = default.propose(net, False, ["torch.add"], ["torch.mul"])
    verdict(label + ": never more", len(mine) <= len(theirs))
    executes(label, net, mine)
    mine, theirs = large.propose(net, True, min_compute_nodes=4)
    verdict("seed %d: at least 4" % seed, all(computes(p) >= 4 for p in mine))
    verdict("seed %d: never more of 4" % seed, len(mine) <= sum(computes(p) >= 4 for p in theirs))
    executes("seed %d: at least 4" % seed, net, mine)
    check_ends(seed, net)


def check_ends(seed, net):
    """What the class inherits: the ends of partitions that do not compute go, and one call does it all."""
    asked = ours.CapabilityBasedPartitioner(net.gm, Named(net.names), True, ["torch.ops.aten.view", "torch.add"])
    partitions = asked.propose_partitions()
    before = nodes_of(partitions)
    asked.remove_bookend_non_compute_ops(partitions)
    gone = before - nodes_of(partitions)
    verdict("seed %d: only what does not compute goes" % seed, all(n.target in (VIEW, torch.add) for n in gone))
    own = torchs.CapabilityBasedPartitioner(net.gm, Named(net.names), True, skip_horizontal_fusion=True)
    mine = ours.CapabilityBasedPartitioner(net.gm, Named(net.names), True, skip_horizontal_fusion=True)
    verdict("seed %d: skip_horizontal_fusion is PyTorch's" % seed,
            [list(p.nodes) for p in own.propose_partitions()] == [list(p.nodes) for p in mine.propose_partitions()])
    wanted = net.gm(*net.inputs)
    verdict("seed %d: partition_and_fuse" % seed, same(wanted, ours.CapabilityBasedPartitioner(
        copy.deepcopy(net.gm), Named(net.names)).partition_and_fuse()(*net.inputs)))


def check_empty():
    """A graph without nodes, one that returns nothing, one of which nothing is supported."""
    empty = torch.fx.GraphModule(torch.nn.Module(), torch.fx.Graph())
    nothing = torch.fx.symbolic_trace(lambda: ())
    for label, gm in ("no nodes", empty), ("nothing returned", nothing), ("nothing supported", Network(1).gm):
        for single in True, False:
            found = ours.CapabilityBasedPartitioner(gm, Named(()), single).propose_partitions()
            verdict(label, found == [] == torchs.CapabilityBasedPartitioner(gm, Named(()), single).propose_partitions())


def main():
    if "skip_horizontal_fusion" not in inspect.signature(torchs.CapabilityBasedPartitioner).parameters:
        print("skipped: partitions beside those of torch %s, whose class has another interface" % torch.__version__)
        print("0 passed, 0 failed, 1 skipped")
        return 0
    first, count = int(os.environ.get("SEED", 1)), int(os.environ.get("COUNT", 400))
    figures = [Figures("all supported nodes"), Figures("two that compute"), Figures("four that compute (PyTorch's own: all)")]
    check_empty()
    for seed in range(first, first + count):
        check(seed, *figures)
        if failed > 5:
            break
    for f in figures:
        f.write()
    verdict("some modules have fewer partitions", count < 100 or (figures[0].fewer > 0 and figures[1].fewer > 0))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
