"""Random networks of ONNX for tests/formats/stream.c, and what ONNX Runtime makes of them.
usage: python3 tests/formats/stream_onnx.py FIRST COUNT DIRECTORY
Writes models that are refused, and a folder of each number: net.onnx; regions, in random order: FIRST..LAST, how many operators it has, and 1 if it
reads the input; in and runtime: two inputs, and the outputs; unit, of numbers of 8 bits: by how much outputs may differ.
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from stream_regions import write_regions
from tile_onnx import Net as Tiled
from tile_onnx import session

QUANTISED = ["Conv", "Add", "Mul", "Concat", "MaxPool", "GlobalAveragePool", "LeakyRelu", "Sigmoid", "Gemm", "Reshape", "Resize"]
EXACT = ["QuantizeLinear", "DequantizeLinear", "QLinearConv", "QLinearConcat", "QLinearLeakyRelu", "QLinearGlobalAveragePool",
         "QGemm", "MaxPool", "Reshape", "Flatten", "Resize", "Relu"]


class Net(Tiled):
    """Floats of two dimensions; every third ends in neurons, one with more weights than stay in memory; parameters as
    raw bytes, as lists, in a Constant, or in a file of their own. Two of five have numbers of 8 bits, one of them without
    operators that round otherwise than ONNX Runtime does."""

    def __init__(self, seed):
        super().__init__(seed)
        self.is_quantised, self.n_axes, self.ends = False, 2, seed % 3 == 1
        self.is_scaled, self.is_exact = seed % 5 > 2, seed % 5 == 4
        self.form, self.hidden = 3 if self.is_scaled else seed % 4, [160, 160] if seed == 7 else []

    def pointwise(self, x):
        """What a group of operators begins with."""
        channels = self.shapes[x][1]
        out = int(self.rng.integers(channels, 4 * channels + 1))
        y = self.add("Conv", [x, self.weight(out, channels, 1, 1)], [1, out, *self.shapes[x][2:]])
        return self.pool(y) if self.rng.integers(0, 2) else self.conv(y)

    def pool(self, x):
        y = super().pool(x)
        if self.is_exact and y != x:
            node = self.nodes[-1]
            kept = [a for a in node.attribute if a.name != "count_include_pad"]
            node.op_type = "MaxPool"
            del node.attribute[:]
            node.attribute.extend(kept)
        return y

    def residual(self, x):
        return self.join(x) if self.is_exact else super().residual(x)

    def point(self, x):
        if self.is_exact:
            return self.add("LeakyRelu", [x], self.shapes[x], alpha=float(self.rng.uniform(0, 1)))
        kind = self.rng.integers(0, 4)
        if kind == 0:
            return self.add("Sub", [self.weight(1, self.shapes[x][1], 1, 1), x], self.shapes[x])
        if kind == 1:
            return self.add("Add", [x, x], self.shapes[x])
        return super().point(x)

    def resize(self, x):
        if max(self.shapes[x][2:]) > 20:
            return x
        factors = [int(n) for n in self.rng.choice([1, 2, 3], 2)]
        shape = [*self.shapes[x][:2], *(n * f for n, f in zip(self.shapes[x][2:], factors))]
        inputs = [x, self.constant([], np.float32), self.constant([1, 1, *factors], np.float32)]
        self.is_resized = True
        return self.add("Resize", inputs, shape, mode="nearest", coordinate_transformation_mode="asymmetric",
                        nearest_mode="floor")

    def mean(self, x):
        """Of bands of rows, of all columns or of some, and of padding beside them."""
        size, pad = self.shapes[x][2:], int(self.rng.integers(0, 2))
        kernel = [n // int(self.rng.integers(1, min(n, most) + 1)) for n, most in zip(size, (3, 4))]
        pad = pad if kernel[1] > 1 else 0
        made = [size[0] // kernel[0], (size[1] + 2 * pad) // kernel[1]]
        return self.add("AveragePool", [x], [1, self.shapes[x][1], *made], kernel_shape=kernel, strides=kernel,
                        pads=[0, pad, 0, pad], count_include_pad=int(self.rng.integers(0, 2)))

    def neurons(self, x):
        channels, is_short = self.shapes[x][1], self.rng.integers(0, 3) == 0 and not self.is_scaled
        if is_short:
            x = self.add("ReduceMean", [x], [1, channels], axes=[2, 3], keepdims=0)
        elif self.rng.integers(0, 2) and not self.is_scaled:
            x = self.add("ReduceMean", [x], [1, channels, 1, 1], axes=[-1, -2])
        else:
            x = self.add("GlobalAveragePool", [x], [1, channels, 1, 1])
        if self.rng.integers(0, 2) and not is_short:
            x = self.add("Flatten", [x], [1, channels])
        elif not is_short:
            x = self.add("Reshape", [x, self.constant([1, -1], np.int64)], [1, channels])
        for n in [*self.hidden, 5]:
            x = self.add("Gemm", [x, self.weight(n, self.shapes[x][1]), self.weight(n)], [1, n], transB=1)
        return x

    def reform(self):
        """Other forms of the same parameters."""
        kept = []
        for tensor in self.weights:
            if self.form == 1 and tensor.data_type == TensorProto.FLOAT:
                values = np.frombuffer(tensor.raw_data, np.float32)
                tensor.ClearField("raw_data")
                tensor.float_data.extend(values.tolist())
            if self.form == 2 and self.rng.integers(0, 2):
                self.nodes.insert(0, helper.make_node("Constant", [], [tensor.name], value=tensor))
            else:
                kept.append(tensor)
        self.weights = kept

    def make(self):
        x = first = self.name([1, int(self.rng.integers(1, 5)), *map(int, self.rng.integers(7, 30, 2))])
        steps = [self.conv, self.pool, self.point, self.residual, self.join, self.resize, self.pointwise]
        for _ in range(int(self.rng.integers(3, 10))):
            x = steps[self.rng.choice(7, p=[0.3, 0.1, 0.15, 0.15, 0.1, 0.05, 0.15])](x)
        if x != first and not self.ends and not self.is_exact and self.rng.integers(0, 2):
            x = self.mean(x)
        x = self.neurons(x) if self.ends else self.add("Relu", [x], self.shapes[x])
        self.reform()
        ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, self.shapes[n]) for n in (first, x)]
        graph = helper.make_graph(self.nodes, "net", ends[:1], ends[1:], self.weights)
        opset = helper.make_opsetid("", 13 if self.is_resized or self.is_scaled else int(self.rng.choice([9, 11, 13])))
        return helper.make_model(graph, opset_imports=[opset], ir_version=6)


def operators_of(model):
    """For each operator its name, the values that it reads, and the one that it yields."""
    constants = {n.output[0] for n in model.graph.node if n.op_type == "Constant"}
    parameters = constants.union(w.name for w in model.graph.initializer)
    nodes = [n for n in model.graph.node if n.op_type != "Constant"]
    return [(n.name, set(n.input) - parameters - {""}, n.output[0]) for n in nodes]


class Samples(CalibrationDataReader):
    def __init__(self, values):
        self.values = iter(values)

    def get_next(self):
        return next(self.values, None)


def quantised(net, model, path):
    """With operators of 8 bits, as the tool of ONNX Runtime makes them; weights of 7 bits, whose products no kernel of
    that cuts off."""
    samples = Samples({"t1": net.rng.normal(0, 1, net.shapes["t1"]).astype(np.float32)} for _ in range(2))
    onnx.save(model, path)
    quantize_static(path, path, samples, QuantFormat.QOperator, QUANTISED, bool(net.rng.integers(0, 2)), True,
                    net.rng.choice([QuantType.QInt8, QuantType.QUInt8]), QuantType.QInt8)
    made = onnx.load(path)
    for node in made.graph.node:
        node.name = node.output[0]
    onnx.save(made, path)
    return made


def unit_of(model):
    """The scale of the last numbers of 8 bits; 0 if all operators are equal to those of ONNX Runtime."""
    scales = {w.name: float(numpy_helper.to_array(w)) for w in model.graph.initializer if not w.dims and w.data_type == 1}
    last = [n.input[1] for n in model.graph.node if n.op_type == "DequantizeLinear"][-1]
    return 0 if all(n.op_type in EXACT for n in model.graph.node) else scales[last]


def write(seed, folder, count=2):
    os.makedirs(folder, exist_ok=True)
    net, path = Net(seed), os.path.join(folder, "net.onnx")
    model = net.make()
    is_outside = net.form == 0 and not net.is_scaled and not net.is_resized and not net.ends  # shapes have to be in the file
    if net.is_scaled:
        model = quantised(net, model, path)
        with open(os.path.join(folder, "unit"), "w") as file:
            file.write(f"{unit_of(model):.9e}")
    else:
        onnx.save(model, path, save_as_external_data=is_outside, location="net.bin", size_threshold=0)
    write_regions(operators_of(model), {"t1"}, net.rng, os.path.join(folder, "regions"))
    made = session(path)
    given = [{i.name: net.rng.normal(0, 1, i.shape).astype(np.float32) for i in made.get_inputs()} for _ in range(count)]
    for name, values in ("in", [next(iter(g.values())) for g in given]), ("runtime", [made.run(None, g)[0] for g in given]):
        with open(os.path.join(folder, name), "wb") as file:
            for value in values:
                file.write(value.tobytes())


def refused(name, folder):
    """A network of one operator on a value and `w`, of which something is wrong."""
    shape, values = [1, 2, 6, 5, 1] if name == "deep" else [1, 2, 6, 5], np.full([1, 2, 1, 1], 3, np.float32)
    w = numpy_helper.from_array(np.full_like(values, np.inf) if name == "infinite" else values, "w")
    nodes, parameters = [helper.make_node("Mul", ["t", "w"], ["y"])], [w]
    if name == "parameters":
        w.name = "v"
        nodes.insert(0, helper.make_node("Neg", ["v"], ["w"], name="w"))
    elif name == "filled":
        parameters = [numpy_helper.from_array(np.array(w.dims, np.int64), "v")]
        nodes.insert(0, helper.make_node("ConstantOfShape", ["v"], ["w"]))
    elif name == "short":
        w.raw_data = w.raw_data[:4]
    elif name == "several":
        nodes = [helper.make_node("Split", ["t"], ["y", "z"], axis=1)]
    elif name == "dilated":
        nodes = [helper.make_node("Conv", ["t", "w"], ["y"], dilations=[0, 0])]
    elif name == "tall":
        shape = [1, 2, 1 << 30, 1]
        parameters = [numpy_helper.from_array(np.full(s, 2, np.float32), n) for n, s in (("w", [8, 2, 1, 1]), ("v", [8, 1, 3, 3]))]
        nodes = [helper.make_node("Conv", ["t", "w"], ["a"]),
                 helper.make_node("Conv", ["a", "v"], ["y"], group=8, pads=[1, 1, 1, 1])]
    elif name == "missing":
        w.data_location = TensorProto.EXTERNAL
        w.ClearField("raw_data")
        w.external_data.add(key="location", value="none.bin")
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape if n == "t" else None) for n in ("t", "y")]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], parameters)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=6)
    with open(os.path.join(folder, f"{name}.onnx"), "wb") as file:
        file.write(model.SerializeToString())


def main(first, count, folder):
    for name in ("parameters", "filled", "infinite", "short", "several", "missing", "deep", "dilated", "tall"):
        os.makedirs(folder, exist_ok=True)
        refused(name, folder)
    for seed in range(int(first), int(first) + int(count)):
        write(seed, os.path.join(folder, str(seed)))


if __name__ == "__main__":
    main(*sys.argv[1:])
