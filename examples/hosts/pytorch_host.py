"""PyTorch as a host: partitions of a module for an accelerator.

    from pytorch_host import Listed, partitioned

    fused = partitioned(gm, Listed("executorch-xnnpack"))   # a list of `graphsplit ops`

A vendor that uses CapabilityBasedPartitioner swaps one import; its class of operators, and what it does with the
partitions, stay. Needs the Python package of graphsplit (`sh examples/integrate/packages.sh DIRECTORY python`) and
torch 2.13 or later."""
import torch
from torch.fx.node import _get_qualified_name
from torch.fx.passes.operator_support import OperatorSupportBase

import graphsplit
from graphsplit.partitioner import CapabilityBasedPartitioner  # was torch.fx.passes.infra.partitioner


# ---- adapter ----
class Listed(OperatorSupportBase):
    """The names of an operator list; its types and constraints are left to the vendor."""

    def __init__(self, name):
        lines = graphsplit.run("ops", name).splitlines()
        self.names = {line.split(" ")[0] for line in lines if not line.startswith("#")}

    def is_node_supported(self, submodules, node):
        if node.op != "call_function":
            return False
        overload = isinstance(node.target, torch._ops.OpOverload)
        name = str(node.target) if overload else _get_qualified_name(node.target).lstrip("_")
        name = "torch.ops." + name if overload else name
        return name in self.names or name.rpartition(".")[0] + ".*" in self.names


def partitioned(gm, support):
    return CapabilityBasedPartitioner(gm, support, allows_single_node_partition=True).partition_and_fuse()
# ---- end of adapter ----
