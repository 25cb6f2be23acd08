"""Random networks, or models that are given, and their tiled models in ONNX Runtime, of random networks also with
tiles of the input as inputs: the outputs have to be equal, of floats within the rounding of its kernels.
usage: python3 tests/formats/tile_onnx.py PROGRAM FIRST COUNT DIRECTORY [MODEL.onnx...]
Prints what differs, then "N networks, M models in tiles, K of them with another bit".
"""
import csv
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

PADS = ["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]


class Net:
    """Odd sizes, strides, dilations, groups, pads of every side, sums, joined channels; every third quantises values
    and weights of 8 bits by QuantizeLinear and DequantizeLinear, every fourth is of one dimension."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.weights, self.shapes, self.n = [], [], {}, 0
        self.is_resized = False
        self.is_quantised, self.n_axes = seed % 3 == 0, 1 if seed % 4 == 1 else 2

    def name(self, shape):
        self.n += 1
        self.shapes[f"t{self.n}"] = list(shape)
        return f"t{self.n}"

    def add(self, op, inputs, shape, **attributes):
        out = self.name(shape)
        self.nodes.append(helper.make_node(op, inputs, [out], name=out, **attributes))
        return out

    def weight(self, *shape):
        self.n += 1
        self.weights.append(numpy_helper.from_array(self.rng.normal(0, 0.5, shape).astype(np.float32), f"w{self.n}"))
        return f"w{self.n}"

    def constant(self, values, kind):
        self.n += 1
        self.weights.append(numpy_helper.from_array(np.array(values, kind), f"w{self.n}"))
        return f"w{self.n}"

    def scaled(self, shape):
        """Weights of 8 bits with a scale per channel."""
        scales = self.constant(self.rng.uniform(0.003, 0.01, shape[0]), np.float32)
        zeros = self.constant([0] * shape[0], np.int8)
        inputs = [self.constant(self.rng.integers(-127, 128, shape), np.int8), scales, zeros]
        return self.add("DequantizeLinear", inputs, shape, axis=0)

    def quantise(self, x):
        scale, zero = self.constant(0.05, np.float32), self.constant(int(self.rng.integers(-20, 20)), np.int8)
        y = self.add("QuantizeLinear", [x, scale, zero], self.shapes[x])
        return self.add("DequantizeLinear", [y, scale, zero], self.shapes[x])

    def window(self, x, is_pool=False):
        """Attributes, and the height and width of the result; None if nothing is left."""
        rng, rows = self.rng, self.shapes[x][2:]
        kernel = [int(rng.choice([1, 2, 3, 3, 5])) for _ in rows]
        strides = [int(rng.choice([1, 1, 2, 3])) for _ in rows]
        dilations = [1 if is_pool else int(rng.choice([1, 1, 2])) for _ in rows]
        auto, pads, size = PADS[rng.integers(0, len(PADS))], [0] * 2 * len(rows), []
        spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
        if auto == "NOTSET":
            pads = [int(rng.integers(0, (k + 1) // 2 if is_pool else k)) for k in kernel * 2]
        elif auto != "VALID" and (dilations != [1, 1] or any(s > k for s, k in zip(strides, kernel))):
            return None
        for i in range(len(rows)):
            both = pads[i] + pads[len(rows) + i]
            size.append(-(-rows[i] // strides[i]) if "SAME" in auto else (rows[i] + both - spans[i]) // strides[i] + 1)
        if min(size) < 1:
            return None
        made = {"kernel_shape": kernel, "strides": strides}
        made.update({"pads": pads} if auto == "NOTSET" else {"auto_pad": auto})
        if not is_pool:
            made["dilations"] = dilations
        return made, size

    def conv(self, x, same=False):
        channels, found = self.shapes[x][1], self.window(x)
        if same:
            found = {"kernel_shape": [3] * self.n_axes, "pads": [1, 1] * self.n_axes}, self.shapes[x][2:]
        if found is None:
            return x
        groups = int(self.rng.choice([1, channels]))
        out = channels if same or groups > 1 else int(self.rng.integers(1, 9))
        kernel = [out, channels // groups, *found[0]["kernel_shape"]]
        inputs = [x, self.scaled(kernel) if self.is_quantised else self.weight(*kernel)]
        if self.rng.integers(0, 2):
            inputs.append(self.weight(out))
        return self.add("Conv", inputs, [1, out, *found[1]], group=groups, **found[0])

    def pool(self, x):
        found = self.window(x, True)
        if found is None:
            return x
        op = ["MaxPool", "AveragePool"][self.rng.integers(0, 2)]
        if op == "AveragePool":
            found[0]["count_include_pad"] = int(self.rng.integers(0, 2))
        return self.add(op, [x], [1, self.shapes[x][1], *found[1]], **found[0])

    def point(self, x):
        channels, ones = self.shapes[x][1], [1] * self.n_axes
        op = ["Relu", "Sigmoid", "LeakyRelu", "PRelu", "Mul", "BatchNormalization"][self.rng.integers(0, 6)]
        more = {"PRelu": [(channels, *ones)], "Mul": [(1, channels, *ones)], "BatchNormalization": [(channels,)] * 3}
        inputs = [x] + [self.weight(*shape) for shape in more.get(op, [])]
        if op == "BatchNormalization":
            self.n += 1
            variance = np.abs(self.rng.normal(1, 0.2, channels)).astype(np.float32) + np.float32(0.1)
            self.weights.append(numpy_helper.from_array(variance, f"w{self.n}"))
            inputs.append(f"w{self.n}")
        return self.add(op, inputs, self.shapes[x])

    def resize(self, x):
        if self.n_axes == 1 or max(self.shapes[x][2:]) > 20:
            return x
        factors = [int(n) for n in self.rng.choice([1, 2, 2, 3, 4, 5], 2)]
        mode = {"mode": ["nearest", "linear"][self.rng.integers(0, 2)],
                "coordinate_transformation_mode": ["half_pixel", "asymmetric"][self.rng.integers(0, 2)]}
        shape = [*self.shapes[x][:2], *(n * f for n, f in zip(self.shapes[x][2:], factors))]
        self.is_resized = True
        inputs = [x, self.constant([], np.float32), self.constant([1, 1, *factors], np.float32)]
        if self.rng.integers(0, 2):
            inputs = [*inputs[:2], self.constant([], np.float32), self.constant(shape, np.int64)]
        return self.add("Resize", inputs, shape, **mode)

    def residual(self, x):
        y = self.conv(x, True)
        y = self.add("Relu", [y], self.shapes[y]) if self.rng.integers(0, 2) else y
        return self.add("Add", [x, y], self.shapes[x])

    def join(self, x):
        y = self.conv(x, True)
        return self.add("Concat", [x, y], [1, 2 * self.shapes[x][1], *self.shapes[x][2:]], axis=1)

    def make(self):
        x = first = self.name([1, int(self.rng.integers(1, 5)), *map(int, self.rng.integers(7, 30, self.n_axes))])
        steps = [self.conv, self.pool, self.point, self.residual, self.join, self.resize]
        for _ in range(int(self.rng.integers(3, 10))):
            x = steps[self.rng.choice(6, p=[0.35, 0.15, 0.15, 0.15, 0.1, 0.1])](x)
            x = self.quantise(x) if self.is_quantised else x
        x = self.add("Relu", [x], self.shapes[x])
        ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, self.shapes[n]) for n in (first, x)]
        graph = helper.make_graph(self.nodes, "net", ends[:1], ends[1:], self.weights)
        opset = helper.make_opsetid("", 13 if self.is_quantised or self.is_resized else int(self.rng.choice([9, 11, 13])))
        model = helper.make_model(graph, opset_imports=[opset], ir_version=int(self.rng.choice([3, 6])))
        if model.ir_version < 4:
            infos = [helper.make_tensor_value_info(w.name, w.data_type, w.dims) for w in self.weights]
            model.graph.input.extend(infos)
        return model


def tile(program, path, *words):
    made = subprocess.run([*program, "memory", "--tile", "--porcelain", *words, path], capture_output=True, text=True)
    if "--stream-input" in words and ("cannot run in tiles since it" in made.stderr or "no region" in made.stderr):
        return ""
    if made.returncode != 0:
        raise SystemExit(f"{path}: {made.stderr}")
    return made.stdout


def session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options)


def inputs(path, seed):
    rng = np.random.default_rng(seed)
    return {i.name: rng.normal(0, 1, i.shape).astype(np.float32) for i in session(path).get_inputs()}


def stream_inputs(path, said, given):
    """Tiles of the input in the order of lines `stream NAME rows=A..B columns=C..D`."""
    tiles = []
    (whole,) = given.values()
    for line in said.splitlines():
        if line.startswith("stream ") and ".." in line:
            at = dict(word.split("=") for word in line.split()[2:])
            parts = [slice(*map(int, at[k].split(".."))) if k in at else slice(None) for k in ("rows", "columns")]
            tiles.append(whole[(slice(None), slice(None), *parts[4 - whole.ndim :])])
    names = [i.name for i in session(path).get_inputs()]
    assert len(names) == len(tiles), said
    return dict(zip(names, tiles))


def check(program, path, folder, seed):
    table, tiled = os.path.join(folder, "curve.csv"), os.path.join(folder, "tiled.onnx")
    tile(program, path, "--tile-csv", table)
    with open(table) as file:
        rows = [row for row in csv.DictReader(file) if row["tiles"]]
    peaks = {}
    for row in rows:  # several choices may take the same arena
        peaks[int(row["arena"])] = max(int(row["peak"]), peaks.get(int(row["arena"]), 0))
    arenas = sorted(peaks)
    n = other = 0
    given = inputs(path, seed)
    expected = session(path).run(None, given)
    for budget in arenas[:: max(1, (len(arenas) + 2) // 3)]:
        said = tile(program, path, "--fit", str(budget), "--emit-model", tiled)
        if "tile " not in said:
            continue
        n += 1
        other += differs(expected, tiled, given, f"{path}, seed {seed} --fit {budget}")
        promised = peaks[int(said[said.index("\narena bytes=") :].split()[1].split("=")[1])]
        if peak_of(program, tiled) > promised:
            print(f"{path}, seed {seed} --fit {budget}: peak {peak_of(program, tiled)} where {promised} is promised")
    said = tile(program, path, "--stream-input", "--emit-model", tiled) if len(given) == 1 else ""
    if said:
        n += 1
        other += differs(expected, tiled, stream_inputs(tiled, said, given), f"{path}, seed {seed} --stream-input")
    return n, other


def peak_of(program, path):
    said = subprocess.run([*program, "memory", "--porcelain", path], capture_output=True, text=True).stdout
    return int(next(line for line in said.splitlines() if line.startswith("peak ")).split()[1].split("=")[1])


def differs(expected, path, given, words):
    onnx.checker.check_model(path)
    pairs = list(zip(expected, session(path).run(None, given)))
    if not all(a.shape == b.shape and np.allclose(a, b, 1e-4, 1e-4) for a, b in pairs):
        print(f"{words}: outputs differ")
    return any(a.tobytes() != b.tobytes() for a, b in pairs)


def main(program, first, count, folder, *models):
    n = other = 0
    path = os.path.join(folder, "net.onnx")
    for seed in range(int(first), int(first) + int(count)):
        onnx.save(Net(seed).make(), path)
        made = check(program.split(), path, folder, seed)
        n, other = n + made[0], other + made[1]
    for model in models:
        made = check(program.split(), model, folder, 7)
        n, other = n + made[0], other + made[1]
    print(f"{int(count) + len(models)} networks, {n} models in tiles, {other} of them with another bit")


if __name__ == "__main__":
    main(*sys.argv[1:])
