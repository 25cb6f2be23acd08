"""Random cells, for the operator lists of three backends: partitions of PyTorch's class beside those of
graphsplit.partitioner, of the same nodes; both are executed."""
import copy
import random
import sys
import time

import torch
from torch.fx.passes.infra import partitioner as own

sys.path.insert(0, "examples/hosts")
from graphsplit import partitioner as ours  # noqa: E402
from pytorch_host import Listed, partitioned  # noqa: E402


class Cells(torch.nn.Module):
    """As a search of architectures finds them; some take an operator that few accelerators have."""

    def __init__(self, seed=3, cells=150, width=32):
        super().__init__()
        r = random.Random(seed)
        self.linears = torch.nn.ModuleList([torch.nn.Linear(width, width) for _ in range(cells)])
        self.plan = [(max(0, i - r.randint(0, 5)), max(0, i - r.randint(0, 5)), r.random() < 0.3) for i in range(cells)]

    def forward(self, x):
        made = [x]
        for linear, (i, j, rare) in zip(self.linears, self.plan):
            value = torch.relu(linear(made[i])) + made[j]
            made.append(torch.cumprod(torch.sigmoid(value), -1) if rare else value)
        return tuple(made[-3:])


def propose(where, gm, support):
    """Partitions, how many nodes they have, milliseconds, and the module of them."""
    gm = copy.deepcopy(gm)
    start = time.perf_counter()
    how = where.CapabilityBasedPartitioner(gm, support, allows_single_node_partition=True)
    found = how.propose_partitions()
    took = 1000 * (time.perf_counter() - start)
    return len(found), sum(p.size() for p in found), took, how.fuse_partitions(found)


def main():
    torch.manual_seed(1)
    inputs = (torch.randn(8, 32),)
    gm = torch.export.export(Cells().eval(), inputs).run_decompositions().module()
    wanted = gm(*inputs)
    for name in "executorch-xnnpack", "executorch-qnn", "torch-tensorrt":
        results = [propose(where, gm, Listed(name)) for where in (own, ours)]
        for who, (partitions, nodes, took, fused) in zip(("host", "graphsplit"), results):
            print("pytorch %s %s: %d partitions of %d nodes, %.0f ms" % (name, who, partitions, nodes, took))
            assert all(torch.equal(a, b) for a, b in zip(wanted, fused(*inputs))), who
        assert results[1][0] <= results[0][0] and results[1][1] == results[0][1], name
        fused = partitioned(copy.deepcopy(gm), Listed(name))
        assert all(torch.equal(a, b) for a, b in zip(wanted, fused(*inputs))), name


if __name__ == "__main__":
    main()
