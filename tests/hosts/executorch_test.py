"""A model of the test's own: lowered through GraphsplitPartitioner, run, and planned, beside ExecuTorch's own answers."""
import sys
import warnings

warnings.filterwarnings("ignore")
import figures  # noqa: E402
import executorch.backends.xnnpack.xnnpack_preprocess  # noqa: E402,F401 (registers the backend)
import torch  # noqa: E402
from executorch.exir import ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower  # noqa: E402
from executorch.exir.backend.canonical_partitioners.pattern_op_partitioner import (  # noqa: E402
    generate_partitions_from_list_of_nodes)
from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite, greedy  # noqa: E402
from executorch.exir.passes import MemoryPlanningPass  # noqa: E402
from executorch.runtime import Runtime  # noqa: E402
from torch.fx.passes.operator_support import OperatorSupportBase  # noqa: E402

sys.path.insert(0, "examples/hosts")
from executorch_host import GraphsplitPartitioner, graphsplit_plan, subgraphs  # noqa: E402


class Network(torch.nn.Module):
    """Convolutions of several widths, with an operator that XNNPACK lacks on half of the skip connections."""

    def __init__(self):
        super().__init__()
        widths = [3, 5, 9, 7, 11, 6, 13, 4]
        self.layers = torch.nn.ModuleList(torch.nn.Conv2d(a, b, 3, padding=1) for a, b in zip(widths, widths[1:]))
        self.skips = torch.nn.ModuleList(torch.nn.Conv2d(a, b, 1) for a, b in zip(widths, widths[1:]))

    def forward(self, x):
        for i, (layer, skip) in enumerate(zip(self.layers, self.skips)):
            y = torch.relu(layer(x))
            x = y + (torch.erf(skip(x)) if i % 2 else skip(x))
        return torch.cat([x, torch.erf(x)], 1)


def supported(node):
    return node.op == "call_function" and any(word in str(node.target) for word in ("convolution", "relu", "add"))


class Support(OperatorSupportBase):
    def is_node_supported(self, submodules, node):
        return supported(node)


def split(exported):
    program = to_edge(exported).exported_program()
    nodes = [node for node in program.graph.nodes if node.op == "call_function"]
    inputs = {node: node.all_input_nodes for node in nodes}
    size = {node: node.meta["val"].numel() * node.meta["val"].element_size() for node in nodes}
    answers = []
    for who, function in (("ExecuTorch", lambda: [list(p.nodes) for p in generate_partitions_from_list_of_nodes(
            program.graph_module, op_support=Support())]),
            ("graphsplit", lambda: subgraphs(program.graph_module, supported))):
        parts, milliseconds = figures.timed(function)
        assert sorted(n.name for part in parts for n in part) == sorted(n.name for n in nodes if supported(n)), who
        part_of = {node: i for i, part in enumerate(parts) for node in part}
        kinds = {i: 1 for i in range(len(parts))}
        for node in nodes:  # the runtime calls operators outside of delegates one by one
            kinds[part_of.setdefault(node, node)] = int(supported(node))
        assert figures.ordered(inputs, part_of), who
        answers.append(figures.row("executorch", who, inputs, part_of, size, milliseconds, kinds))
    assert answers[1][0] <= answers[0][0], "more delegates than CapabilityBasedPartitioner proposes"
    assert answers[1][2] <= answers[0][2], "more bytes cross between them"


def lower(exported, algorithm):
    lowered = to_edge_transform_and_lower(exported, partitioner=[GraphsplitPartitioner("XnnpackBackend", supported)])
    calls = [n for n in lowered.exported_program().graph.nodes if "call_delegate" in str(n.target)]
    return len(calls), lowered.to_executorch(ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(MemoryPlanningAlgorithmSuite(algo_list=[algorithm]))))


def arena(exported, algorithm):
    """Bytes of the plan of the program without delegates."""
    program = to_edge(exported).to_executorch(ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(MemoryPlanningAlgorithmSuite(algo_list=[algorithm]))))
    return program.executorch_program.execution_plan[0].non_const_buffer_sizes[1], program


def same(program, model, x):
    method = Runtime.get().load_program(program.buffer).load_method("forward")
    return torch.allclose(method.execute([x])[0], model(x), atol=1e-4)


def main():
    torch.manual_seed(1)
    model, x = Network().eval(), torch.randn(1, 3, 16, 16)
    exported = torch.export.export(model, (x,))
    split(exported)
    delegates, program = lower(exported, graphsplit_plan)
    assert delegates == len(subgraphs(to_edge(exported).exported_program().graph_module, supported))
    assert same(program, model, x), "lowered outputs differ"
    theirs, _ = arena(exported, greedy)
    ours, program = arena(exported, graphsplit_plan)
    print("executorch   plan: greedy %d bytes, graphsplit %d bytes; %d delegates run" % (theirs, ours, delegates))
    assert ours <= theirs and same(program, model, x)


main()
