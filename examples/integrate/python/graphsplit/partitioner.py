"""CapabilityBasedPartitioner of PyTorch, with the fewest partitions.

    from graphsplit.partitioner import CapabilityBasedPartitioner   # was torch.fx.passes.infra.partitioner

The class, its arguments and its methods are those of PyTorch, and what it returns is of PyTorch's types. A partition has
no path that leaves it and comes back, and no two partitions wait for each other. Along a path, each stretch of supported
nodes needs a partition of its own, so the largest number of stretches on a path is the least number of partitions. The
result has that number. Like PyTorch's class, this one follows values alone: a graph that writes to its values must be
made functional first, as torch.export does.

Partitions that compute too little are removed. PyTorch's class, which keeps fewer nodes, may then have fewer partitions.
Graphs of at most ASKED nodes are therefore given to both, and the result with fewer partitions is returned.
"""

import functools

from torch.fx.node import _get_qualified_name
from torch.fx.passes.infra import partitioner

from . import rows, split

Partition = partitioner.Partition
WITHOUT_COMPUTE = {"torch.ops.aten.view", "_operator.getitem"}
ASKED = 400  # nodes of a graph for which PyTorch's class takes less than a second


def _is_getitem(node):
    return node.op == "call_function" and _get_qualified_name(node.target) == "_operator.getitem"


def _made_by(node):
    """The node that makes the tuple of which this is an element, or None if the tuple has other users."""
    made = node.args[0] if _is_getitem(node) else None
    return made if made and all(_is_getitem(user) for user in made.users) else None


def _steps(inputs, supported):
    """For each node the number of its accelerator subgraph, from 1, or 0."""
    step = [0] * len(inputs)
    parts = split(rows(inputs, [], [{"acc": int(is_supported)} for is_supported in supported])).subgraphs
    for number, part in enumerate((p for p in parts if p.kind == "acc"), 1):
        for name in part.nodes:
            step[int(name[1:])] = number
    return step


class CapabilityBasedPartitioner(partitioner.CapabilityBasedPartitioner):
    """PyTorch's, but for propose_partitions(); min_compute_nodes (default: 2, or 1 where allows_single_node_partition
    is set) is the number of nodes that compute below which a partition is removed. With skip_horizontal_fusion, which
    asks for connected partitions, PyTorch's method is used."""

    def __init__(self, graph_module, operator_support, allows_single_node_partition=False, non_compute_ops=None,
                 allowed_single_node_partition_ops=None, skip_horizontal_fusion=False, *, min_compute_nodes=None):
        self.graph_module = graph_module
        self.operator_support = operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = non_compute_ops if non_compute_ops is not None else []
        self.allowed_single_node_partition_ops = allowed_single_node_partition_ops or []
        self.skip_horizontal_fusion = skip_horizontal_fusion
        self.min_compute_nodes = min_compute_nodes

    @functools.cached_property
    def dependency_viewer(self):
        """As in PyTorch. Its time and memory are quadratic, so it is made on demand."""
        return partitioner._DependencyViewer(self.graph_module)

    def _supported(self, nodes):
        """Whether each node is supported; an element of a tuple is if the node that makes the tuple is."""
        modules = dict(self.graph_module.named_modules())
        supported = {}
        for node in nodes:
            made = _made_by(node)
            supported[node] = supported[made] if made else bool(self.operator_support.is_node_supported(modules, node))
        return [supported[node] for node in nodes]

    def _compute(self, node):
        """The weight of a node, as in PyTorch: an operator that may stand alone counts twice."""
        if node.op != "call_function":
            return 0
        name = _get_qualified_name(node.target)
        return (name not in WITHOUT_COMPUTE.union(self.non_compute_ops)) + (name in self.allowed_single_node_partition_ops)

    def _least(self):
        if self.min_compute_nodes is not None:
            return self.min_compute_nodes
        return 0 if self.allows_single_node_partition else 2

    def _large_enough(self, partitions):
        least = self._least()
        return [p for p in partitions if p.size() > 0 and sum(map(self._compute, p.nodes)) >= least]

    def propose_partitions(self):
        if self.skip_horizontal_fusion:
            return super().propose_partitions()
        nodes = list(self.graph_module.graph.nodes)
        supported = self._supported(nodes)
        number = {node: i for i, node in enumerate(nodes)}
        inputs = [[number[n] for n in node.all_input_nodes] for node in nodes]
        last = len(nodes) - 1
        users = [[last - number[n] for n in node.users] for node in reversed(nodes)]
        earliest = _steps(inputs, supported)
        n_steps = max(earliest, default=0)
        latest = [n_steps + 1 - step for step in reversed(_steps(users, supported[::-1]))]
        compute = [self._compute(node) for node in nodes]
        least = self._least()
        # Nodes that can be in one step alone decide whether the step stays; the others move to a step that stays.
        sure = [0] * (n_steps + 2)
        for i in range(len(nodes)):
            if supported[i] and earliest[i] == latest[i]:
                sure[earliest[i]] += compute[i]
        stays = [n_steps + 1] * (n_steps + 2)
        for step in range(n_steps, 0, -1):
            stays[step] = step if sure[step] >= least else stays[step + 1]
        chosen = [0] * len(nodes)
        for i, row in enumerate(inputs):
            after = max([chosen[j] + (supported[i] and not supported[j]) for j in row], default=int(supported[i]))
            moves = supported[i] and not _made_by(nodes[i]) and stays[after] <= latest[i]
            chosen[i] = stays[after] if moves else after
        partitions = [Partition(id=step) for step in range(n_steps)]
        for i, node in enumerate(nodes):
            if supported[i]:
                partitions[chosen[i] - 1].add_node(node)
        left = self._large_enough(partitions)
        if self._least() == 0 or len(nodes) > ASKED:
            return left
        own = self._large_enough(super().propose_partitions())
        return own if len(own) < len(left) else left
