"""Runs the pieces that --emit wrote of a .tflite file one after the other, and the file itself, in an interpreter.
Both have to yield the same bytes, call after call, since state lasts.
usage: python3 tests/formats/chain.py litert|micro MODEL.tflite [DIR|MODEL.tflite...]
Prints a line for each directory or other model: "DIR: equal ...", or what differs. With none: runs the model alone.
"""
import json
import os
import sys

import numpy as np
from ai_edge_litert import schema_py_generated as schema

CALLS = 3
MICRO_ARENA = 1 << 22


class LiteRT:
    """Without delegates, which would take other subgraphs of the pieces than of the whole."""

    def __init__(self, data):
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        self.made = Interpreter(model_content=data, experimental_op_resolver_type=kernels)
        self.made.allocate_tensors()
        self.details = self.made.get_input_details()
        self.outputs = [d["index"] for d in self.made.get_output_details()]

    def run(self, values):
        for detail, value in zip(self.details, values):
            self.made.set_tensor(detail["index"], value)
        self.made.invoke()
        return [self.made.get_tensor(i).copy() for i in self.outputs]


class Micro:
    """TensorFlow Lite for Microcontrollers."""

    def __init__(self, data):
        from tflite_micro.python.tflite_micro import runtime

        graph = schema.Model.GetRootAs(data, 0).Subgraphs(0)
        self.made = runtime.Interpreter.from_bytes(bytes(data), arena_size=MICRO_ARENA)
        self.details = [self.made.get_input_details(i) for i in range(graph.InputsLength())]
        self.n_outputs = graph.OutputsLength()

    def run(self, values):
        for i, value in enumerate(values):
            self.made.set_input(value, i)
        self.made.invoke()
        return [self.made.get_output(i).copy() for i in range(self.n_outputs)]


class Piece:
    """A model whose inputs and outputs have the names of its signature."""

    def __init__(self, engine, path):
        with open(path, "rb") as file:
            data = file.read()
        model = schema.Model.GetRootAs(data, 0)
        graph, named = model.Subgraphs(0), model.SignatureDefs(0)
        assert model.SignatureDefsLength() == 1 and named.SignatureKey() == b"serving_default"
        ins = {named.Inputs(i).TensorIndex(): named.Inputs(i).Name().decode() for i in range(named.InputsLength())}
        outs = {named.Outputs(i).TensorIndex(): named.Outputs(i).Name().decode() for i in range(named.OutputsLength())}
        self.inputs = [ins[graph.Inputs(i)] for i in range(graph.InputsLength())]
        self.outputs = [outs[graph.Outputs(i)] for i in range(graph.OutputsLength())]
        self.made = engine(data)

    def run(self, known):
        known.update(zip(self.outputs, self.made.run([known[name] for name in self.inputs])))


def random_values(rng, detail):
    shape, dtype = detail["shape"], np.dtype(detail["dtype"])
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        small = dtype.itemsize < 4
        return rng.integers(least if small else 0, most if small else 2, shape, dtype, endpoint=True)
    return rng.standard_normal(shape).astype(dtype)


def compare(engine, data, folder):
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    whole = engine(data)
    pieces = [Piece(engine, os.path.join(folder, p["file"])) for p in manifest["pieces"] if "graph" in p]
    rng = np.random.default_rng(7)
    for call in range(CALLS):
        given = [random_values(rng, detail) for detail in whole.details]
        known = dict(zip(manifest["inputs"], given))
        for piece in pieces:
            piece.run(known)
        for name, value in zip(manifest["outputs"], whole.run(given)):
            if value.dtype != known[name].dtype or value.tobytes() != known[name].tobytes():
                return f"call {call + 1} of {len(pieces)} pieces: {name} differs"
    return f"equal, {len(pieces)} pieces"


def compare_models(engine, data, path):
    with open(path, "rb") as file:
        whole, other = engine(data), engine(file.read())
    rng = np.random.default_rng(7)
    for call in range(CALLS):
        given = [random_values(rng, detail) for detail in whole.details]
        if [v.tobytes() for v in whole.run(given)] != [v.tobytes() for v in other.run(given)]:
            return f"call {call + 1}: outputs differ"
    return "equal, 1 model"


def main(engine, model, folders):
    engine = {"litert": LiteRT, "micro": Micro}[engine]
    with open(model, "rb") as file:
        data = file.read()
    if not folders:
        whole = engine(data)
        whole.run([random_values(np.random.default_rng(7), detail) for detail in whole.details])
    for folder in folders:
        how = compare_models if folder.endswith(".tflite") else compare
        print(f"{folder}: {how(engine, data, folder)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
