"""Plants wrong custom kernels in random ONNX models that ONNX Runtime computes, and asks `graphsplit-onnx bisect` for them.

usage: python3 planted.py PROGRAM FOLDER [COUNT]     (onnx, onnxruntime, onnxruntime-extensions)
"""

import glob
import os
import random
import sys
import urllib.parse

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime_extensions import PyCustomOpDef, get_library_path, onnx_op

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "program"))
import planted  # pylint: disable=wrong-import-position

# The right kernels. A wrong one adds 1 to all outputs.
KERNELS = {"LeakyRelu": (1, 1, lambda x: numpy.where(x < 0, x * numpy.float32(0.5), x)),
           "Relu": (1, 1, lambda x: numpy.maximum(x, 0)),
           "Add": (2, 1, lambda x, y: x + y),
           "Sub": (2, 1, lambda x, y: x - y),
           "MatMul": (2, 1, lambda x, y: x @ y),
           "Concat": (2, 1, lambda x, y: numpy.concatenate([x, y])),
           "Split": (2, 2, lambda x, sizes: numpy.split(x, [int(sizes[0])]))}


def register(name, n_inputs, n_outputs, kernel):
    number = PyCustomOpDef.dt_float
    inputs = [number, PyCustomOpDef.dt_int64] if name == "Split" else [number] * n_inputs

    @onnx_op(op_type="Wrong" + name, inputs=inputs, outputs=[number] * n_outputs)
    def wrong(*args):
        result = kernel(*args)
        return tuple(x + 1 for x in result) if n_outputs > 1 else result + 1

    return wrong


WRONG = [register(name, *kernel) for name, kernel in KERNELS.items()]


def make_model(path, seed):
    """1 to 30 operators on 3 by 3 numbers (a Relu hides differences of negatives); what nobody reads is an output."""
    dice = random.Random(seed)
    weights = numpy.random.default_rng(seed).uniform(-0.7, 0.7, (3, 3)).astype("f4")
    nodes, names, unread = [], ["x/in:0", "w"], []
    for i in range(dice.randint(1, 30)):
        kind = dice.choice(["LeakyRelu", "Relu", "Add", "Sub", "MatMul", "Split"])
        recent = dice.choice(names[-4:])
        args = {"Add": [recent, dice.choice(names)], "Sub": [recent, "w"], "MatMul": [recent, "w"]}.get(kind, [recent])
        outs = [f"n{i}/a", f"n{i}/b"] if kind == "Split" else [f"n{i}/out:0"]
        if kind == "Split":  # and put together again
            nodes.append(helper.make_node(kind, [args[0], "sizes"], outs, name=f"n{i}", axis=0))
            nodes.append(helper.make_node("Concat", outs, [f"c{i}/out:0"], name=f"c{i}", axis=0))
            outs = [f"c{i}/out:0"]
        else:
            more = {"alpha": 0.5} if kind == "LeakyRelu" else {}
            nodes.append(helper.make_node(kind, args, outs, name=f"n{i}", **more))
        unread = [name for name in unread if name not in args] + outs
        names += outs
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [3, 3])
    graph = helper.make_graph(nodes, "net", [value("x/in:0")], [value(name) for name in unread],
                              [numpy_helper.from_array(weights, "w"),
                               numpy_helper.from_array(numpy.array([1, 2], "i8"), "sizes")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return [node.name for node in nodes]


def plant(model, fault):
    """The last node of a fault gets the wrong kernel, if the model holds all of its nodes."""
    nodes = {node.name: node for node in model.graph.node}
    if not fault or not all(name in nodes for name in fault):
        return
    node = nodes[fault[-1]]
    node.op_type, node.domain = "Wrong" + node.op_type, "ai.onnx.contrib"
    del node.attribute[:]
    model.opset_import.append(helper.make_opsetid("ai.onnx.contrib", 1))


def run(fault, path, inputs, outputs):
    model = onnx.load(path)
    plant(model, fault)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.register_custom_ops_library(get_library_path())
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    values = {urllib.parse.unquote(os.path.basename(file)[:-4]): numpy.load(file) for file in glob.glob(inputs + "/*.npy")}
    for out, value in zip(session.get_outputs(), session.run(None, values)):
        numpy.save(f"{outputs}/{urllib.parse.quote(out.name, safe='')}.npy", value)


if __name__ == "__main__":
    sys.exit(planted.main(make_model, run, "net.onnx"))
