"""Writes a random convolutional network as a .tflite file: odd sizes, strides, dilations, both paddings, asymmetric
pads, pools, residual sums, joined channels.
usage: python3 tests/formats/tile_nets.py SEED int8|float FILE
       python3 tests/formats/tile_nets.py SEED int8 FILE rows
       python3 tests/formats/tile_nets.py --pools|--fused FILE   writes tests/formats/data/pools.tflite, fused.tflite
rows: no operator that makes rows larger; LEAKY_RELU, and sums and differences with constants
"""
import sys

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

OPS, OPTIONS, TYPES = schema.BuiltinOperator, schema.BuiltinOptions, schema.TensorType


class Net:
    def __init__(self, seed, is_float, only_rows=False):
        self.only_rows = only_rows
        self.rng = np.random.default_rng(seed)
        self.is_float = is_float
        self.model, self.graph = schema.ModelT(), schema.SubGraphT()
        self.model.version, self.model.subgraphs = 3, [self.graph]
        self.model.buffers, self.model.operatorCodes, self.model.description = [schema.BufferT()], [], "tiles"
        self.graph.tensors, self.graph.operators, self.graph.name = [], [], "main"
        self.shapes = []

    def tensor(self, shape, kind, quantisation=None, data=None):
        made = schema.TensorT()
        made.name, made.shape, made.type, made.buffer = f"t{len(self.shapes)}", list(shape), kind, 0
        if quantisation is not None:
            scales, zeros, axis = quantisation
            q = schema.QuantizationParametersT()
            q.scale, q.zeroPoint, q.quantizedDimension = scales, zeros, axis
            made.quantization = q
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(data.tobytes(), np.uint8)
            made.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        self.graph.tensors.append(made)
        self.shapes.append(tuple(shape))
        return len(self.shapes) - 1

    def value(self, shape, like=None):
        """A tensor of activations; `like`: with the same scale as that one."""
        if self.is_float:
            return self.tensor(shape, TYPES.FLOAT32)
        if like is not None:
            q = self.graph.tensors[like].quantization
            return self.tensor(shape, TYPES.INT8, (q.scale, q.zeroPoint, 0))
        scale = float(np.float32(self.rng.uniform(0.02, 0.08)))
        return self.tensor(shape, TYPES.INT8, ([scale], [int(self.rng.integers(-100, 100))], 0))

    def add(self, code, inputs, output, kind=OPTIONS.NONE, options=None):
        codes = [c.builtinCode for c in self.model.operatorCodes]
        if code not in codes:
            one = schema.OperatorCodeT()
            one.builtinCode = one.deprecatedBuiltinCode = code
            one.version = 2
            self.model.operatorCodes.append(one)
            codes.append(code)
        made = schema.OperatorT()
        made.opcodeIndex, made.inputs, made.outputs = codes.index(code), inputs, [output]
        made.builtinOptionsType, made.builtinOptions = kind, options
        self.graph.operators.append(made)
        return output

    def weights(self, shape, axis, channels, source):
        if self.is_float:
            return (self.tensor(shape, TYPES.FLOAT32, None, self.rng.normal(0, 0.4, shape).astype(np.float32)),
                    self.tensor([channels], TYPES.FLOAT32, None, self.rng.normal(0, 1, channels).astype(np.float32)))
        scales = self.rng.uniform(0.005, 0.02, channels).astype(np.float32)
        source_scale = np.float32(self.graph.tensors[source].quantization.scale[0])
        w = self.tensor(shape, TYPES.INT8, (list(map(float, scales)), [0] * channels, axis),
                        self.rng.integers(-127, 128, shape).astype(np.int8))
        b = self.tensor([channels], TYPES.INT32, (list(map(float, scales * source_scale)), [0] * channels, 0),
                        self.rng.integers(-500, 500, channels).astype(np.int32))
        return w, b

    def window(self, options, x, kernel, dilation=(1, 1)):
        """Padding and strides that leave something; the height and width of the result, or None."""
        stride = [int(self.rng.choice([1, 1, 1, 2, 2, 3])) if dilation == (1, 1) else 1 for _ in range(2)]
        options.padding = int(self.rng.integers(0, 2))
        options.strideH, options.strideW = stride
        size = []
        for i in range(2):
            rows, span = self.shapes[x][1 + i], (kernel[i] - 1) * dilation[i] + 1
            size.append(-(-rows // stride[i]) if options.padding == 0 else (rows - span) // stride[i] + 1)
        return size if min(size) >= 1 else None

    def conv(self, x, is_depthwise=False, channels=None, same=False, like=None, kernel=None):
        given = kernel
        kernel = given or [int(self.rng.choice([1, 1, 2, 3, 3, 3, 5])) for _ in range(2)]
        dilation = tuple(int(self.rng.choice([1, 1, 2])) for _ in range(2))
        options = schema.DepthwiseConv2DOptionsT() if is_depthwise else schema.Conv2DOptionsT()
        if same:
            kernel, dilation = given or [3, int(self.rng.choice([1, 3]))], (1, 1)
        size = self.window(options, x, kernel, dilation)
        if same:
            options.padding, options.strideH, options.strideW, size = 0, 1, 1, self.shapes[x][1:3]
        if size is None:
            return x
        options.dilationHFactor, options.dilationWFactor = dilation
        options.fusedActivationFunction = int(self.rng.choice([0, 1, 3]))
        inputs = self.shapes[x][3]
        if is_depthwise:
            options.depthMultiplier = int(self.rng.integers(1, 3)) if inputs < 6 else 1
            channels = inputs * options.depthMultiplier
            w, b = self.weights([1, *kernel, channels], 3, channels, x)
        else:
            channels = channels or int(self.rng.integers(1, 9))
            w, b = self.weights([channels, *kernel, inputs], 0, channels, x)
        y = self.value([1, *size, channels], like)
        return self.add(OPS.DEPTHWISE_CONV_2D if is_depthwise else OPS.CONV_2D, [x, w, b], y,
                        OPTIONS.DepthwiseConv2DOptions if is_depthwise else OPTIONS.Conv2DOptions, options)

    def average(self, x, stride):
        options = schema.Pool2DOptionsT()
        options.padding, options.strideH, options.strideW, options.filterHeight, options.filterWidth = 0, stride, stride, 3, 3
        size = [-(-n // stride) for n in self.shapes[x][1:3]]
        return self.add(OPS.AVERAGE_POOL_2D, [x], self.value([1, *size, self.shapes[x][3]], x), OPTIONS.Pool2DOptions, options)

    def pool(self, x):
        options = schema.Pool2DOptionsT()
        kernel = [int(self.rng.integers(1, 4)) for _ in range(2)]
        size = self.window(options, x, kernel)
        is_most = self.rng.integers(0, 2) == 1
        if size is None:
            return x
        options.filterHeight, options.filterWidth, options.fusedActivationFunction = *kernel, 0
        y = self.value([1, *size, self.shapes[x][3]], x)
        return self.add(OPS.MAX_POOL_2D if is_most else OPS.AVERAGE_POOL_2D, [x], y, OPTIONS.Pool2DOptions, options)

    def mean(self, x):
        """Of bands of rows, of all columns or of some."""
        options = schema.Pool2DOptionsT()
        rows, columns = self.shapes[x][1:3]
        options.filterHeight = rows // int(self.rng.integers(1, min(rows, 3) + 1))
        options.filterWidth = columns // int(self.rng.integers(1, min(columns, 4) + 1))
        options.strideH, options.strideW = options.filterHeight, options.filterWidth
        options.padding = 1
        y = self.value([1, rows // options.strideH, columns // options.strideW, self.shapes[x][3]], x)
        return self.add(OPS.AVERAGE_POOL_2D, [x], y, OPTIONS.Pool2DOptions, options)

    def pad(self, x):
        pads = np.zeros((4, 2), np.int32)
        pads[1:3] = self.rng.integers(0, 3, (2, 2))
        n = self.tensor([4, 2], TYPES.INT32, None, pads)
        shape = [a + int(p.sum()) for a, p in zip(self.shapes[x], pads)]
        return self.add(OPS.PAD, [x, n], self.value(shape, x), OPTIONS.PadOptions, schema.PadOptionsT())

    def resize(self, x):
        """Larger by powers of two, and by 3 and 5 now and then, which tiles are made of without interpolation alone."""
        is_nearest = self.rng.integers(0, 2) == 1
        factors = [int(n) for n in self.rng.choice([1, 2, 2, 3, 4, 5], 2)]
        return x if max(self.shapes[x][1:3]) > 20 else self.larger(x, is_nearest, factors)

    def larger(self, x, is_nearest, factors):
        options = schema.ResizeNearestNeighborOptionsT() if is_nearest else schema.ResizeBilinearOptionsT()
        options.alignCorners, options.halfPixelCenters = False, bool(self.rng.integers(0, 2))
        shape = [1, *(n * f for n, f in zip(self.shapes[x][1:3], factors)), self.shapes[x][3]]
        sizes = self.tensor([2], TYPES.INT32, None, np.array(shape[1:3], np.int32))
        return self.add(OPS.RESIZE_NEAREST_NEIGHBOR if is_nearest else OPS.RESIZE_BILINEAR, [x, sizes],
                        self.value(shape, x),
                        OPTIONS.ResizeNearestNeighborOptions if is_nearest else OPTIONS.ResizeBilinearOptions, options)

    def residual(self, x):
        y = self.conv(x, channels=self.shapes[x][3], same=True)
        if self.rng.integers(0, 2):
            y = self.conv(y, channels=self.shapes[x][3], same=True)
        options = schema.AddOptionsT()
        options.fusedActivationFunction = int(self.rng.choice([0, 1]))
        return self.add(OPS.ADD, [x, y], self.value(self.shapes[x]), OPTIONS.AddOptions, options)

    def join(self, x):
        y = self.conv(x, channels=2, same=True, like=x)
        options = schema.ConcatenationOptionsT()
        options.axis, options.fusedActivationFunction = 3, 0
        shape = [*self.shapes[x][:3], self.shapes[x][3] + self.shapes[y][3]]
        return self.add(OPS.CONCATENATION, [x, y], self.value(shape, x), OPTIONS.ConcatenationOptions, options)

    def leaky(self, x):
        options = schema.LeakyReluOptionsT()
        options.alpha = float(np.float32(self.rng.uniform(0.01, 1.5)))
        return self.add(OPS.LEAKY_RELU, [x], self.value(self.shapes[x]), OPTIONS.LeakyReluOptions, options)

    def shift(self, x):
        """A sum or a difference with a constant, which may be the first operand."""
        is_sum = self.rng.integers(0, 3) == 0
        shape = [[1], [self.shapes[x][3]], [1, 1, 1, self.shapes[x][3]]][self.rng.integers(0, 3)]
        quantisation = [float(np.float32(self.rng.uniform(0.02, 0.08)))], [int(self.rng.integers(-100, 100))], 0
        inputs = [x, self.tensor(shape, TYPES.INT8, quantisation, self.rng.integers(-128, 128, shape).astype(np.int8))]
        options = schema.AddOptionsT() if is_sum else schema.SubOptionsT()
        options.fusedActivationFunction = int(self.rng.choice([0, 1]))
        return self.add(OPS.ADD if is_sum else OPS.SUB, inputs[:: self.rng.choice([1, -1])], self.value(self.shapes[x]),
                        OPTIONS.AddOptions if is_sum else OPTIONS.SubOptions, options)

    def pack(self, x):
        self.graph.outputs = [x]
        builder = flatbuffers.Builder(4096)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def pools(self):
        """Averages with padding, and both resizes by 3."""
        x = self.value([1, 18, 12, 2])
        self.graph.inputs = [x]
        x = self.average(self.average(self.conv(x, channels=8, same=True), 1), 2)
        x = self.average(self.larger(x, True, [3, 3]), 3)
        return self.pack(self.larger(self.conv(x, channels=1, same=True), False, [3, 3]))

    def fused(self):
        """A wide value between pointwise convolutions, which may run again."""
        x = self.value([1, 12, 12, 2])
        self.graph.inputs = [x]
        x = self.conv(x, channels=24, same=True, kernel=[1, 1])
        return self.pack(self.conv(self.conv(x, True, same=True), channels=2, same=True, kernel=[1, 1]))

    def make(self):
        size = [int(self.rng.integers(7, 30)) for _ in range(2)]
        x = self.value([1, *size, int(self.rng.integers(1, 5))])
        self.graph.inputs = [x]
        steps = [self.conv, lambda t: self.conv(t, True), self.pool, self.pad, self.residual, self.join]
        steps += [self.leaky, self.shift] if self.only_rows else [self.resize]
        for _ in range(int(self.rng.integers(3, 10))):
            shares = [0.25, 0.25, 0.1, 0.05, 0.15, 0.1, 0.05, 0.05] if self.only_rows else [0.25, 0.15, 0.2, 0.05, 0.15, 0.1, 0.1]
            x = steps[self.rng.choice(len(shares), p=shares)](x)
        if self.only_rows and self.graph.inputs != [x] and self.rng.integers(0, 2) == 1:
            x = self.mean(x)
        while self.graph.inputs == [x] or max(self.shapes[x][1:3]) > 6:
            made = self.conv(x, True)
            x = self.conv(x, channels=4) if made == x else made
        return self.pack(x)


if __name__ == "__main__":
    if sys.argv[1] in ("--pools", "--fused"):
        made = Net(5, False).pools() if sys.argv[1] == "--pools" else Net(5, False).fused()
    else:
        made = Net(int(sys.argv[1]), sys.argv[2] == "float", sys.argv[4:] == ["rows"]).make()
    with open(sys.argv[2] if sys.argv[1].startswith("--") else sys.argv[3], "wb") as file:
        file.write(made)
