"""Writes a .tflite model with the structure of MoveNet: a MobileNetV2 backbone, a feature pyramid, four heads, and the
choice of a person on top; int8, random weights.

usage: python3 movenet.py FILE     (flatbuffers, numpy, ai-edge-litert for the schema)
"""

import sys

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as t


class Net:
    def __init__(self):
        self.rng = numpy.random.default_rng(1)
        self.buffers, self.tensors, self.operators, self.codes = [t.BufferT()], [], [], []

    def tensor(self, name, shape, dtype=t.TensorType.INT8, scale=(0.05,), zero=0, data=None):
        made = t.TensorT()
        made.name, made.shape, made.type = name, list(shape), dtype
        made.buffer = 0
        if data is not None:
            buffer = t.BufferT()
            buffer.data = numpy.frombuffer(data.tobytes(), "u1")
            made.buffer = len(self.buffers)
            self.buffers.append(buffer)
        if scale is not None:
            made.quantization = t.QuantizationParametersT()
            made.quantization.scale = [float(x) for x in scale]
            made.quantization.zeroPoint = [zero] * len(scale)
        self.tensors.append(made)
        return len(self.tensors) - 1

    def run(self, code, inputs, output, options=None):
        kind = getattr(t.BuiltinOperator, code)
        if kind not in self.codes:
            self.codes.append(kind)
        made = t.OperatorT()
        made.opcodeIndex, made.inputs, made.outputs = self.codes.index(kind), list(inputs), [output]
        if options is not None:
            made.builtinOptions = options
            made.builtinOptionsType = getattr(t.BuiltinOptions, type(options).__name__[:-1])
        self.operators.append(made)
        return output

    def shape(self, x):
        return list(self.tensors[x].shape)

    def like(self, x, name, shape):
        made = self.tensor(name, shape)
        self.tensors[made].quantization = self.tensors[x].quantization
        return made

    def conv(self, x, n, size=1, stride=1, relu=True, depthwise=False):
        _, high, wide, n_in = self.shape(x)
        n = n_in if depthwise else n
        shape = [1, size, size, n] if depthwise else [n, size, size, n_in]
        at = f"{len(self.operators)}"
        scale = self.rng.uniform(0.001, 0.004, n)
        weights = self.tensor("w" + at, shape, scale=scale, data=self.rng.integers(-127, 128, shape, "i1"))
        self.tensors[weights].quantization.quantizedDimension = 3 if depthwise else 0
        bias = self.tensor("b" + at, [n], t.TensorType.INT32, scale * 0.05, data=self.rng.integers(-500, 500, n, "i4"))
        out = self.tensor("t" + at, [1, -(-high // stride), -(-wide // stride), n], zero=-128 if relu else 0)
        options = t.DepthwiseConv2DOptionsT() if depthwise else t.Conv2DOptionsT()
        options.strideH = options.strideW = stride
        options.dilationHFactor = options.dilationWFactor = 1
        options.padding = t.Padding.SAME
        options.fusedActivationFunction = getattr(t.ActivationFunctionType, "RELU6" if relu else "NONE")
        if depthwise:
            options.depthMultiplier = 1
        return self.run("DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", [x, weights, bias], out, options)

    def add(self, a, b):
        options = t.AddOptionsT()
        return self.run("ADD", [a, b], self.tensor(f"t{len(self.operators)}", self.shape(a)), options)

    def bottleneck(self, x, n, stride, widen=6):
        made = self.conv(self.conv(x, self.shape(x)[3] * widen), 0, 3, stride, depthwise=True)
        made = self.conv(made, n, relu=False)
        return self.add(x, made) if stride == 1 and self.shape(x)[3] == n else made

    def twice(self, x):
        _, high, wide, n = self.shape(x)
        size = self.tensor(f"s{len(self.operators)}", [2], t.TensorType.INT32, None, data=numpy.array([2 * high, 2 * wide], "i4"))
        out = self.like(x, f"t{len(self.operators)}", [1, 2 * high, 2 * wide, n])
        options = t.ResizeBilinearOptionsT()
        options.halfPixelCenters = True
        return self.run("RESIZE_BILINEAR", [x, size], out, options)

    def reshape(self, x, shape):
        size = self.tensor(f"s{len(self.operators)}", [len(shape)], t.TensorType.INT32, None, data=numpy.array(shape, "i4"))
        options = t.ReshapeOptionsT()
        options.newShape = shape
        return self.run("RESHAPE", [x, size], self.like(x, f"t{len(self.operators)}", shape), options)

    def write(self, path, x, outputs):
        graph = t.SubGraphT()
        graph.name, graph.tensors, graph.operators, graph.inputs, graph.outputs = "main", self.tensors, self.operators, [x], outputs
        model = t.ModelT()
        model.version, model.description, model.subgraphs, model.buffers = 3, "MoveNet-like, random weights", [graph], self.buffers
        model.operatorCodes = []
        names = {getattr(t.BuiltinOperator, name): name for name in dir(t.BuiltinOperator) if name[0] != "_"}
        for kind in self.codes:
            code = t.OperatorCodeT()
            code.builtinCode, code.deprecatedBuiltinCode, code.version = kind, min(kind, 127), 1 if kind == t.BuiltinOperator.RESHAPE else 3 if "CONV" in names[kind] else 2
            model.operatorCodes.append(code)
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(model.Pack(builder), b"TFL3")
        with open(path, "wb") as file:
            file.write(builder.Output())


def main():
    net = Net()
    x = net.tensor("image", [1, 96, 96, 3])
    at = net.conv(net.conv(net.conv(x, 16, 3, 2), 0, 3, depthwise=True), 8, relu=False)
    levels = []
    for n, stride, times in ((12, 2, 2), (16, 2, 3), (32, 2, 3), (48, 1, 2)):
        for i in range(times):
            at = net.bottleneck(at, n, stride if i == 0 else 1)
        levels.append(at)
    top = net.conv(levels[3], 24, relu=False)
    for level in (levels[1], levels[0]):
        side = net.conv(level, 24, relu=False)
        top = net.conv(net.conv(net.add(net.twice(top), side), 0, 3, depthwise=True), 24)
    heads = [net.conv(net.conv(net.conv(top, 0, 3, depthwise=True), 32), n, relu=False) for n in (1, 17, 34, 34)]
    _, high, wide, _ = net.shape(top)
    center = net.run("LOGISTIC", [heads[0]], net.tensor("center", net.shape(heads[0]), scale=(1 / 256,), zero=-128))
    heat = net.run("LOGISTIC", [heads[1]], net.tensor("heat", net.shape(heads[1]), scale=(1 / 256,), zero=-128))
    axis = net.tensor("axis", [], t.TensorType.INT32, None, data=numpy.array(1, "i4"))
    best = t.ArgMaxOptionsT()
    best.outputType = t.TensorType.INT32
    flat = net.reshape(center, [1, high * wide])
    person = net.run("ARG_MAX", [flat, axis], net.tensor("person", [1], t.TensorType.INT32, None), best)
    rows = t.GatherOptionsT()
    outputs = [heat]
    for head, name in ((heads[2], "keypoints"), (heads[3], "offsets")):
        picked = net.run("GATHER", [net.reshape(head, [high * wide, 34]), person], net.tensor(name + "_8", [1, 34]), rows)
        outputs.append(net.run("DEQUANTIZE", [picked], net.tensor(name, [1, 34], t.TensorType.FLOAT32, None), t.DequantizeOptionsT()))
    net.write(sys.argv[1], x, outputs)


main()
