"""Inputs of a .tflite model, and what reference kernels make of them: files for tests/formats/stream.c.
LiteRT's optimised kernels round once where its reference kernels, as those of TensorFlow Lite Micro, round twice.
usage: python3 tests/formats/stream_litert.py MODEL.tflite|SEED DIRECTORY [COUNT]
SEED: of a random network (tile_nets.py), which is written as net.tflite, and regions of it as regions, in random order:
FIRST..LAST, how many operators it has, and 1 if it reads the input.
Writes in, and litert and micro of the interpreters that take the model: COUNT (2) inputs or outputs each.
"""
import os
import sys

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from chain import LiteRT, Micro, random_values
from stream_regions import write_regions
from tile_nets import Net


class Reference(LiteRT):
    def __init__(self, data):
        self.made = Interpreter(model_content=data, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        self.made.allocate_tensors()
        self.details = self.made.get_input_details()
        self.outputs = [d["index"] for d in self.made.get_output_details()]


def operators_of(model):
    """For each operator its name in graph text, the values that it reads, and the one that it yields."""
    graph, seen, operators = model.subgraphs[0], {}, []
    names = {v: k.lower() for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
    for o in graph.operators:
        name = names[model.operatorCodes[o.opcodeIndex].builtinCode]
        n = seen[name] = seen.get(name, -1) + 1
        reads = {i for i in o.inputs if i >= 0 and graph.tensors[i].buffer == 0}
        operators.append((f"{name}_{n}" if n else name, reads, o.outputs[0]))
    return operators


def main(path, folder, count=2):
    if path.isdigit():
        net = Net(int(path), False, True)
        data = net.make()
        with open(os.path.join(folder, "net.tflite"), "wb") as file:
            file.write(data)
        inputs, rng = set(net.graph.inputs), np.random.default_rng(int(path))
        write_regions(operators_of(net.model), inputs, rng, os.path.join(folder, "regions"))
    else:
        with open(path, "rb") as file:
            data = file.read()
    engines = {}
    for name, engine in (("micro", Micro), ("litert", Reference)):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
        try:
            engines[name] = engine(data)
        except (ImportError, ValueError) as error:  # LiteRT refuses per-channel scales of a bias along another axis
            print(f"{name}: {str(error)[:100]}")
    rng = np.random.default_rng(1)
    details = next(iter(engines.values())).details
    given = [[random_values(rng, d) for d in details] for _ in range(int(count))]
    files = {"in": given, **{name: [engine.run(g) for g in given] for name, engine in engines.items()}}
    for name, values in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            for value in values:
                file.write(value[0].tobytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
