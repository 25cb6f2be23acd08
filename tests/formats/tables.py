"""Compares the tables of pieces that --emit wrote with those of their .tflite file, by the schema of LiteRT: every
operator with its options, every tensor with its quantisation and data, what each piece says of itself.
usage: python3 tests/formats/tables.py MODEL.tflite [DIR...]     prints a line for each directory
       python3 tests/formats/tables.py --make MODEL.tflite       writes a model of tables that are rare
       python3 tests/formats/tables.py --branches MODEL.tflite   writes tests/formats/data/branches.tflite
"""
import json
import os
import sys

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

PLACES = {"inputs", "outputs", "intermediates", "opcodeIndex", "buffer", "name", "debugMetadataIndex"}
LARGE = {"largeCustomOptionsOffset", "largeCustomOptionsSize"}


def plain(value):
    """Objects as nested lists, without what only numbers other tables."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "__dict__"):
        return {k: plain(v) for k, v in vars(value).items() if k not in PLACES | LARGE and v is not None}
    return value


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    return schema.ModelT.InitFromPackedBuf(data, 0), data


def bytes_of(buffer, data):
    if buffer.offset > 1:
        return data[buffer.offset : buffer.offset + buffer.size]
    return b"" if buffer.data is None else bytes(buffer.data)


def facts(model, data):
    """Of every operator what it is, under its first output."""
    graph, found = model.subgraphs[0], {}

    def tensor(index):
        if index < 0:
            return None
        t = graph.tensors[index]
        return t.name or b"t%d" % index, plain(t), bytes_of(model.buffers[t.buffer], data)

    for o in graph.operators:
        if o.largeCustomOptionsOffset > 1:
            end = o.largeCustomOptionsOffset + o.largeCustomOptionsSize
            o.customOptions = np.frombuffer(data[o.largeCustomOptionsOffset : end], np.uint8)
        lists = [None if v is None else [tensor(i) for i in v] for v in (o.inputs, o.outputs, o.intermediates)]
        key = lists[1][0][0] if lists[1] else b""
        assert key not in found
        found[key] = plain(model.operatorCodes[o.opcodeIndex]), plain(o), lists
    return found


def runtime(model, data):
    named = {m.name: bytes_of(model.buffers[m.buffer], data) for m in model.metadata or []}
    return named.get(b"min_runtime_version")


def compare(whole, whole_data, folder):
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    left = facts(whole, whole_data)
    n = len(left)
    for part in (p for p in manifest["pieces"] if "graph" in p):
        piece, data = load(os.path.join(folder, part["file"]))
        if len(piece.subgraphs) != 1 or runtime(piece, data) != runtime(whole, whole_data):
            return f"{part['name']}: other subgraphs, or another version of the runtime"
        if piece.version != whole.version or (whole.description or b"") not in piece.description:
            return f"{part['name']}: another version or description"
        for i, buffer in enumerate(piece.buffers):
            if bytes_of(buffer, data) == b"" and i > 0:
                return f"{part['name']}: buffer {i} is empty"
        for key, what in facts(piece, data).items():
            if left.pop(key) != what:
                return f"{part['name']}: {key} differs"
    return f"same, {n} operators" if not left else f"without {list(left)}"


def tensor(name, buffer=0, kind=schema.TensorType.FLOAT32, shape=(2, 2)):
    t = schema.TensorT()
    t.name, t.buffer, t.type, t.shape, t.hasRank = name, buffer, kind, list(shape), True
    return t


def indices(made, values):
    made.values = values
    return made


def sparse():
    s, dense, rows = schema.SparsityParametersT(), schema.DimensionMetadataT(), schema.DimensionMetadataT()
    dense.denseSize = 2
    rows.format = schema.DimensionType.SPARSE_CSR
    rows.arraySegmentsType, rows.arrayIndicesType = 2, 3
    rows.arraySegments = indices(schema.Uint16VectorT(), [0, 1, 2])
    rows.arrayIndices = indices(schema.Uint8VectorT(), [0, 1])
    s.traversalOrder, s.blockMap, s.dimMetadata = [0, 1], [1], [dense, rows]
    return s


def quantised():
    q, custom = schema.QuantizationParametersT(), schema.CustomQuantizationT()
    custom.custom = [1, 2, 3, 4, 5]
    q.min, q.max, q.scale, q.zeroPoint = [-1.0], [2.0], [0.5, 0.25], [3, -4]
    q.quantizedDimension, q.detailsType, q.details = 1, 1, custom
    return q


def operator(code, ins, outs, kind=0, options=None, kind2=0, options2=None):
    o = schema.OperatorT()
    o.opcodeIndex, o.inputs, o.outputs = code, ins, outs
    o.builtinOptionsType, o.builtinOptions = kind, options
    o.builtinOptions2Type, o.builtinOptions2 = kind2, options2
    return o


def make(path):
    model, graph = schema.ModelT(), schema.SubGraphT()
    t = [tensor("in"), tensor("w", 1), tensor("far", 2), tensor("sum"), tensor("", shape=[4]), tensor("padded")]
    t += [tensor("own"), tensor("handle", 0, schema.TensorType.RESOURCE)]
    t[1].sparsity, t[3].quantization, t[0].shapeSignature = sparse(), quantised(), [-1, 2]
    reshape, pad, handle = schema.ReshapeOptionsT(), schema.StablehloPadOptionsT(), schema.VarHandleOptionsT()
    reshape.newShape = [4]
    pad.edgePaddingLow, pad.edgePaddingHigh, pad.interiorPadding = [1, 1 << 40], [2], []
    handle.container, handle.sharedName = "box", "name"
    options = schema.BuiltinOptions
    graph.operators = [
        operator(0, [0, 1], [3], options.AddOptions, schema.AddOptionsT()),
        operator(1, [3, -1], [4], options.ReshapeOptions, reshape),
        operator(2, [4], [5], 0, None, schema.BuiltinOptions2.StablehloPadOptions, pad),
        operator(3, [5, 2], [6]),
        operator(4, [], [7], options.VarHandleOptions, handle),
    ]
    graph.operators[0].mutatingVariableInputs = [False, True]
    graph.operators[1].customOptions = [9, 8, 7]
    graph.operators[3].intermediates = [4]
    graph.tensors, graph.inputs, graph.outputs, graph.name = t, [0], [6], "main"
    for code, name in ((0, None), (22, None), (195, None), (32, "mine"), (142, None)):
        c = schema.OperatorCodeT()
        c.deprecatedBuiltinCode, c.builtinCode, c.customCode, c.version = min(code, 127), code, name, 5
        model.operatorCodes = (model.operatorCodes or []) + [c]
    model.buffers = [schema.BufferT() for _ in range(4)]
    model.buffers[1].data, model.buffers[3].data = [1] * 16, list(b"1.14.0\0\0")
    metadata = schema.MetadataT()
    metadata.name, metadata.buffer = "min_runtime_version", 3
    model.metadata, model.subgraphs, model.version, model.description = [metadata], [graph], 3, "A net"
    size = 8
    for _ in range(2):
        model.buffers[2].offset, model.buffers[2].size = size, 16
        graph.operators[3].largeCustomOptionsOffset, graph.operators[3].largeCustomOptionsSize = size + 16, 5
        b = flatbuffers.Builder(1024)
        b.Finish(model.Pack(b), b"TFL3")
        size = len(b.Output())
    with open(path, "wb") as file:
        file.write(bytes(b.Output()) + bytes(range(16)) + b"large")


def branches(path):
    """Two wide tensors, each of which a sum makes small, both wide ones first."""
    model, graph = schema.ModelT(), schema.SubGraphT()
    wide, one = (1, 32), (1, 1)
    graph.tensors = [tensor(n, shape=s) for n, s in (("x", (1, 8)), ("a", wide), ("b", wide), ("sa", one), ("sb", one), ("y", one))]
    graph.tensors += [tensor("axis", 1, schema.TensorType.INT32, (1,))]
    options, join, total = schema.BuiltinOptions, schema.ConcatenationOptionsT(), schema.ReducerOptionsT()
    join.axis, total.keepDims = 1, True
    graph.operators = [
        operator(0, [0, 0, 0, 0], [1], options.ConcatenationOptions, join),
        operator(0, [0, 0, 0, 0], [2], options.ConcatenationOptions, join),
        operator(1, [1, 6], [3], options.ReducerOptions, total),
        operator(1, [2, 6], [4], options.ReducerOptions, total),
        operator(2, [3, 4], [5], options.AddOptions, schema.AddOptionsT()),
    ]
    graph.inputs, graph.outputs, graph.name = [0], [5], "main"
    for number in (2, 74, 0):
        c = schema.OperatorCodeT()
        c.deprecatedBuiltinCode, c.builtinCode, c.version = number, number, 1
        model.operatorCodes = (model.operatorCodes or []) + [c]
    model.buffers = [schema.BufferT() for _ in range(2)]
    model.buffers[1].data = [1, 0, 0, 0]
    model.subgraphs, model.version = [graph], 3
    b = flatbuffers.Builder(1024)
    b.Finish(model.Pack(b), b"TFL3")
    with open(path, "wb") as file:
        file.write(bytes(b.Output()))


def main(model, folders):
    if model in ("--make", "--branches"):
        {"--make": make, "--branches": branches}[model](*folders)
        return
    whole, data = load(model)
    for folder in folders:
        print(f"{folder}: {compare(whole, data, folder)}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
