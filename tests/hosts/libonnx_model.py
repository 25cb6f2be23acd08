"""Writes a model whose nodes stand in an order that needs much memory: all branches begin before one ends. usage:
libonnx_model.py FILE"""
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

random = np.random.default_rng(1)
weights, nodes = [], []


def convolution(name, source, channels_in, channels_out):
    weights.append(numpy_helper.from_array(random.standard_normal((channels_out, channels_in, 3, 3)).astype("float32"),
                                           name + "_w"))
    return helper.make_node("Conv", [source, name + "_w"], [name], pads=[1, 1, 1, 1], kernel_shape=[3, 3],
                            strides=[1, 1], dilations=[1, 1], group=1)


BRANCHES = range(4)
nodes += [convolution("wide%d" % i, "x", 2, 16) for i in BRANCHES]
nodes += [helper.make_node("Relu", ["wide%d" % i], ["relu%d" % i]) for i in BRANCHES]
nodes += [convolution("thin%d" % i, "relu%d" % i, 16, 2) for i in BRANCHES]
last = "thin0"
for i in BRANCHES[1:]:
    nodes.append(helper.make_node("Add", [last, "thin%d" % i], ["sum%d" % i]))
    last = "sum%d" % i
make = helper.make_tensor_value_info
graph = helper.make_graph(nodes, "branches", [make("x", 1, [1, 2, 16, 16])], [make(last, 1, [1, 2, 16, 16])], weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7), sys.argv[1])
