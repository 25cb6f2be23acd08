"""graphsplit as a Partitioner and as a memory planning algorithm of ExecuTorch.

    from executorch_host import GraphsplitPartitioner, graphsplit_plan

    supported = lambda node: node.target is exir_ops.edge.aten.add.Tensor
    program = to_edge_transform_and_lower(exported, partitioner=[GraphsplitPartitioner("XnnpackBackend", supported)])
    suite = MemoryPlanningAlgorithmSuite(algo_list=[greedy, graphsplit_plan])  # it takes the smaller plan
    program.to_executorch(ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(suite)))

Needs the Python package of graphsplit (`sh examples/integrate/packages.sh DIRECTORY python`) and executorch 1.5 or later."""
import re

import graphsplit
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.backend.utils import tag_constant_data
from executorch.exir.memory_planning import MemoryAlgoResult, SpecAllocResult
from graphsplit import graphsplit_fx


# ---- adapter ----
def subgraphs(graph_module, supported):
    """Lists of the nodes that the backend runs as one, in order of execution, with the least bytes between them;
    supported is a function of a node."""
    nodes = {node.name: node for node in graph_module.graph.nodes}
    chosen = ",".join(name for name, node in nodes.items() if node.op == "call_function" and supported(node))
    lines = graphsplit.run("split", "--order", "min-traffic", "--acc-nodes", chosen, "--porcelain", "-",
                           text=graphsplit_fx.write(graph_module))
    return [[nodes[name] for name in line.split()[3:]] for line in lines.splitlines()
            if line.startswith("subgraph ") and line.split()[2] == "acc"]


class GraphsplitPartitioner(Partitioner):
    def __init__(self, backend, supported, compile_specs=()):
        super().__init__()
        self.delegation, self.supported = DelegationSpec(backend, list(compile_specs)), supported

    def partition(self, exported_program):
        tags = {}
        for i, part in enumerate(subgraphs(exported_program.graph_module, self.supported)):
            tags["graphsplit_%d" % i] = self.delegation
            for node in part:
                node.meta["delegation_tag"] = "graphsplit_%d" % i
        tag_constant_data(exported_program)  # weights that one part alone reads go with it
        return PartitionResult(tagged_exported_program=exported_program, partition_tags=tags)


def graphsplit_plan(alignment, specs, graph_module, graph_signature, extra_padding=0):
    """One arena per memory: offsets of all tensors from their lifetimes."""
    sizes = list(getattr(graph_module, "input_mem_buffer_sizes", None) or [0, 0])
    result = MemoryAlgoResult({}, sizes)
    own = [spec for spec in specs if spec.storage_base is None]
    for memory in sorted({spec.mem_id or 1 for spec in own}):
        mine = [spec for spec in own if (spec.mem_id or 1) == memory]
        sizes.extend([0] * (memory + 1 - len(sizes)))
        rows = ["id,lower,upper,size,alignment"]
        for i, spec in enumerate(mine):
            spec.realign(alignment)
            rows.append("%d,%d,%d,%d,%d" % (i, spec.lifetime[0], spec.lifetime[1] + 1, spec.allocated_memory, alignment))
        lines = graphsplit.run("memory", "--csv", "--exact", "--porcelain", "-", text="\n".join(rows) + "\n")
        at = {int(i): int(offset) for i, offset in re.findall(r"^tensor (\d+) offset=(\d+)", lines, re.M)}
        start = -(-sizes[memory] // alignment) * alignment
        for i, spec in enumerate(mine):
            result.spec_dict[spec] = SpecAllocResult(memory, 0, start + at[i])
        sizes[memory] = start + int(re.search(r"^arena bytes=(\d+)", lines, re.M)[1]) + extra_padding
    later = [spec for spec in specs if spec.storage_base is not None]
    while later:  # a view, possibly of a view
        ready = [spec for spec in later if spec.storage_base in result.spec_dict]
        for spec in ready:
            spec.realign(alignment)
            base = result.spec_dict[spec.storage_base]
            result.spec_dict[spec] = SpecAllocResult(base.mem_id, 0, base.mem_offset + spec.storage_base_offset)
        later = [spec for spec in later if spec not in result.spec_dict]
    return result
# ---- end of adapter ----
