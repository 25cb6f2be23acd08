"""Writes a network of random weights as a .tflite file of int8: v2, MobileNetV2 of width 0.35 for pictures of 144 x 144;
or, as MLPerf Tiny has them, vww, MobileNetV1 of width 0.25 for colour pictures of 96 x 96, or ad, the autoencoder.
usage: python3 tests/formats/tile_mobilenet.py FILE [v2|vww|ad]
"""
import sys

import flatbuffers
from ai_edge_litert import schema_py_generated as schema

from tile_nets import OPS, OPTIONS, Net

# Expansion, channels, repetitions, stride.
BLOCKS = [(1, 8, 1, 1), (6, 8, 2, 2), (6, 16, 3, 2), (6, 24, 4, 2), (6, 32, 3, 1), (6, 56, 3, 2), (6, 112, 1, 1)]
RELU6 = 3

# Channels and strides of MobileNetV1, and the widths of the autoencoder.
PAIRS = [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2), (256, 1)]
DENSE = [128, 128, 128, 128, 8, 128, 128, 128, 128, 640]


class MobileNet(Net):
    def layer(self, x, channels, kernel=1, stride=1, is_depthwise=False, activation=RELU6):
        options = schema.DepthwiseConv2DOptionsT() if is_depthwise else schema.Conv2DOptionsT()
        options.padding, options.fusedActivationFunction = 0, activation
        options.strideH = options.strideW = stride
        options.dilationHFactor = options.dilationWFactor = 1
        inputs, rows = self.shapes[x][3], -(-self.shapes[x][1] // stride)
        if is_depthwise:
            options.depthMultiplier = 1
        w, b = self.weights([1, kernel, kernel, inputs] if is_depthwise else [channels, kernel, kernel, inputs],
                            3 if is_depthwise else 0, channels, x)
        return self.add(OPS.DEPTHWISE_CONV_2D if is_depthwise else OPS.CONV_2D, [x, w, b],
                        self.value([1, rows, rows, channels]),
                        OPTIONS.DepthwiseConv2DOptions if is_depthwise else OPTIONS.Conv2DOptions, options)

    def block(self, x, expansion, channels, stride):
        inputs = self.shapes[x][3]
        y = self.layer(x, expansion * inputs) if expansion != 1 else x
        y = self.layer(y, expansion * inputs, 3, stride, True)
        y = self.layer(y, channels, activation=0)
        if stride != 1 or channels != inputs:
            return y
        options = schema.AddOptionsT()
        options.fusedActivationFunction = 0
        return self.add(OPS.ADD, [x, y], self.value(self.shapes[x]), OPTIONS.AddOptions, options)

    def pool(self, x, size):
        options = schema.Pool2DOptionsT()
        options.filterHeight = options.filterWidth = options.strideH = options.strideW = size
        options.padding, options.fusedActivationFunction = 1, 0
        return self.add(OPS.AVERAGE_POOL_2D, [x], self.value([1, 1, 1, self.shapes[x][3]], x), OPTIONS.Pool2DOptions, options)

    def write(self, first, x):
        self.graph.inputs, self.graph.outputs = [first], [x]
        builder = flatbuffers.Builder(4096)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def v2(self):
        first = self.value([1, 144, 144, 3])
        x = self.layer(first, 16, 3, 2)
        for expansion, channels, n, stride in BLOCKS:
            for i in range(n):
                x = self.block(x, expansion, channels, stride if i == 0 else 1)
        return self.write(first, self.layer(self.pool(self.layer(x, 1280), 5), 1000, activation=0))

    def vww(self):
        first = self.value([1, 96, 96, 3])
        x = self.layer(first, 8, 3, 2)
        for channels, stride in PAIRS:
            x = self.layer(self.layer(x, self.shapes[x][3], 3, stride, True), channels)
        return self.write(first, self.layer(self.pool(x, 3), 2, activation=0))

    def ad(self):
        first = x = self.value([1, 640])
        for n in DENSE:
            options = schema.FullyConnectedOptionsT()
            options.fusedActivationFunction = 0 if n == DENSE[-1] else 1
            x = self.add(OPS.FULLY_CONNECTED, [x, *self.weights([n, self.shapes[x][1]], 0, n, x)], self.value([1, n]),
                         OPTIONS.FullyConnectedOptions, options)
        return self.write(first, x)


if __name__ == "__main__":
    made = MobileNet(1, False)
    with open(sys.argv[1], "wb") as file:
        file.write(getattr(made, sys.argv[2] if len(sys.argv) > 2 else "v2")())
