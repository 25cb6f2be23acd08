"""A model of the test's own, with affinities, as HETERO cuts and runs it. The CPU plugin under a second name is the
accelerator."""
import sys

import figures
import numpy as np
import openvino
from openvino import opset13 as op

sys.path.insert(0, "examples/hosts")
from openvino_host import computing, set_affinities, sources, subgraphs  # noqa: E402

OPERATORS = ("Convolution", "Relu", "Add")


def network():
    """Convolutions, with an operator that the accelerator lacks on every second skip connection."""
    x = op.parameter([1, 8, 16, 16], np.float32, name="x")
    weight = op.constant(np.random.default_rng(1).standard_normal((8, 8, 3, 3)).astype(np.float32) / 8)
    y = x
    for i in range(6):
        z = op.relu(op.convolution(y, weight, [1, 1], [1, 1], [1, 1], [1, 1]))
        y = op.add(z, op.erf(y) if i % 2 else y)
    return openvino.Model([op.exp(y)], [x], "network")


def supported(node):
    return node.get_type_name() in OPERATORS


def first_that_takes(model):
    """HETERO's own affinities for such an accelerator: every node to the first device that takes it."""
    device = {n.get_friendly_name(): "CPU" for n in model.get_ordered_ops()}
    device.update({n.get_friendly_name(): "ACC_CPU" for n in computing(model) if supported(n)})
    for node in model.get_ordered_ops():
        if node.get_type_name() in ("Parameter", "Constant"):
            reader = next(iter(node.outputs()[0].get_target_inputs())).get_node()
            device[node.get_friendly_name()] = device[reader.get_friendly_name()]
        node.get_rt_info()["affinity"] = device[node.get_friendly_name()]


def judged(who, model, parts, milliseconds):
    names = {n.get_friendly_name(): n for n in computing(model)}
    inputs = {name: [s.get_friendly_name() for s in sources(n)] for name, n in names.items()}
    size = {name: n.output(0).get_element_type().size * int(np.prod(n.output(0).get_shape())) for name, n in names.items()}
    part_of = {n.get_friendly_name(): i for i, (_, nodes) in enumerate(parts) for n in nodes}
    assert len(part_of) == len(names) and figures.ordered(inputs, part_of)
    return figures.row("openvino", who, inputs, part_of, size, milliseconds, [kind for kind, _ in parts])


def submodels(core, model):
    compiled = core.compile_model(model, "HETERO:ACC_CPU,CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return int(compiled.get_property("HETERO_NUMBER_OF_SUBMODELS")), compiled


def main():
    core = openvino.Core()
    core.register_plugin("openvino_intel_cpu_plugin", "ACC_CPU")
    x = np.random.default_rng(2).standard_normal((1, 8, 16, 16)).astype(np.float32)
    whole = core.compile_model(network(), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(x)[0]
    model = network()
    first_that_takes(model)
    (theirs, _), milliseconds = figures.timed(submodels, core, model)
    print("%-12s %-11s %3d submodels %44.2f ms with compilation" % ("openvino", "HETERO", theirs, milliseconds))
    for options in ({}, {"min_size": 2}):
        model = network()
        parts, milliseconds = figures.timed(lambda: set_affinities(model, supported, "ACC_CPU", "CPU", **options))
        judged("min_size=2" if options else "graphsplit", model, parts, milliseconds)
        ours, compiled = submodels(core, model)
        print("%-12s %-11s %3d submodels" % ("openvino", "of these", ours))
        assert ours == len(parts), "HETERO cuts otherwise: %d submodels, %d subgraphs" % (ours, len(parts))
        assert ours < theirs if options else ours <= theirs
        assert np.allclose(compiled(x)[0], whole, rtol=1e-4), "outputs differ"
    assert subgraphs(network(), lambda node: False) and len(subgraphs(network(), lambda node: False)) == 1


main()
