"""A model of the test's own: the provider of provider.cpp takes its subgraphs, beside the grouping that ONNX Runtime's own
providers use (written anew in bench/splitters.c). usage: onnxruntime_test.py PROVIDER SPLITTERS DIRECTORY"""
import ctypes
import subprocess
import sys

import figures
import numpy as np
import onnx
import onnxruntime
from onnx import helper

OPERATORS = ("Relu", "Add")


def network():
    """Adds of a chain, where every third value passes an operator that the provider lacks."""
    nodes, last = [], "x"
    for i in range(12):
        y, z = "y%d" % i, "z%d" % i
        nodes.append(helper.make_node("Relu", [last], [y], name="relu%d" % i))
        other = last
        if i % 3 == 2:
            other = "t%d" % i
            nodes.append(helper.make_node("Erf", [last], [other], name="erf%d" % i))
        nodes.append(helper.make_node("Add", [y, other], [z], name="add%d" % i))
        last = z
    shape = [1, 8, 16, 16]
    make = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "network", [make("x", 1, shape)], [make(last, 1, shape)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def grouping(splitters, directory, nodes, inputs):
    """The subgraphs of ONNX Runtime's grouping, and milliseconds."""
    at = {node.name: i for i, node in enumerate(nodes)}
    edges = ["%d %d" % (at[v], at[n.name]) for n in nodes for v in inputs[n.name]]
    with open(directory + "/network.graph", "w") as file:
        kinds = " ".join(str(int(n.op_type in OPERATORS)) for n in nodes)
        file.write("%d %d\n%s\n%s\n" % (len(nodes), len(edges), kinds, "\n".join(edges)))
    out = subprocess.run([splitters, "ort", directory + "/network.graph", directory + "/network.part"], check=True,
                         capture_output=True, text=True).stdout
    with open(directory + "/network.part") as file:
        parts = file.read().split()
    return {n.name: parts[i] for n, i in zip(nodes, range(len(nodes)))}, int(out.split()[-1]) / 1e6


def main(provider, splitters, directory):
    model = network()
    nodes = list(model.graph.node)
    made_by = {node.output[0]: node.name for node in nodes}
    inputs = {node.name: list(dict.fromkeys(made_by[v] for v in node.input if v in made_by)) for node in nodes}
    size = dict.fromkeys(inputs, 4 * 8 * 16 * 16)
    kind = {node.name: int(node.op_type in OPERATORS) for node in nodes}

    onnxruntime.set_default_logger_severity(3)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    x = np.random.default_rng(1).standard_normal((1, 8, 16, 16)).astype(np.float32)
    whole = onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, {"x": x})[0]
    onnxruntime.register_execution_provider_library("graphsplit", provider)
    devices = [d for d in onnxruntime.get_ep_devices() if d.ep_name == "GraphsplitTest"]
    options.add_provider_for_devices(devices, {})
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    got = session.run(None, {"x": x})[0]
    library = ctypes.CDLL(provider)
    library.provider_subgraphs.restype, library.provider_milliseconds.restype = ctypes.c_char_p, ctypes.c_double
    first = []  # a later call, after fusion, has the other nodes alone
    for line in library.provider_subgraphs().decode().splitlines():
        first += [line.split()] if all(name in inputs for name in line.split()) else []

    own = {name: i for i, names in enumerate(first) for name in names}
    assert set(own) == {name for name in kind if kind[name]}, "the subgraphs have other nodes"
    theirs, milliseconds = grouping(splitters, directory, nodes, inputs)
    results = []
    for who, part_of, spent in (("grouping", theirs, milliseconds), ("graphsplit", own, library.provider_milliseconds())):
        part_of = {name: part_of[name] if kind[name] else name for name in kind}
        assert figures.ordered(inputs, part_of), who
        results.append(figures.row("onnxruntime", who, inputs, part_of, size, spent,
                                   {part: kind[name] for name, part in part_of.items()}))
    assert results[1][0] <= results[0][0]
    assert np.array_equal(got, whole), "outputs differ"


main(*sys.argv[1:])
