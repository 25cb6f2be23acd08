"""A model of the test's own: the index lists of examples/tflite/delegate.c beside the delegates that LiteRT makes for
XNNPACK. usage: litert_test.py DELEGATE LIST DIRECTORY"""
import re
import subprocess
import sys

import figures
import flatbuffers
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

OPERATORS = schema.BuiltinOperator
SIZE = 16 * 16 * 8


def network():
    """Multiplications and additions; every third skip connection passes an operator that XNNPACK lacks."""
    codes = [OPERATORS.MUL, OPERATORS.ADD, OPERATORS.FLOOR_MOD]
    operators, count, last = [], 1, 0
    for i in range(12):
        def add(code, inputs):
            nonlocal count
            operators.append((code, inputs, count))
            count += 1
            return count - 1
        product = add(OPERATORS.MUL, [last, last])
        last = add(OPERATORS.ADD, [product, add(OPERATORS.FLOOR_MOD, [last, product]) if i % 3 == 2 else last])
    return codes, operators, count, last


def written(codes, operators, count, last, path):
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.buffers, model.subgraphs = 3, [schema.BufferT()], [graph]
    model.operatorCodes = []
    for code in codes:
        one = schema.OperatorCodeT()
        one.builtinCode = one.deprecatedBuiltinCode = code
        one.version = 1
        model.operatorCodes.append(one)
    graph.tensors, graph.operators, graph.inputs, graph.outputs = [], [], [0], [last]
    for i in range(count):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type, tensor.buffer = "t%d" % i, [1, 16, 16, 8], schema.TensorType.FLOAT32, 0
        graph.tensors.append(tensor)
    options = {OPERATORS.MUL: (schema.BuiltinOptions.MulOptions, schema.MulOptionsT),
               OPERATORS.ADD: (schema.BuiltinOptions.AddOptions, schema.AddOptionsT),
               OPERATORS.FLOOR_MOD: (schema.BuiltinOptions.FloorModOptions, schema.FloorModOptionsT)}
    for code, inputs, output in operators:
        one = schema.OperatorT()
        one.opcodeIndex, one.inputs, one.outputs = codes.index(code), inputs, [output]
        one.builtinOptionsType, one.builtinOptions = options[code][0], options[code][1]()
        graph.operators.append(one)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    with open(path, "wb") as file:
        file.write(bytes(builder.Output()))


def prepared(path):
    interpreter = Interpreter(model_path=path, num_threads=1)
    interpreter.allocate_tensors()
    return interpreter


def inside(delegated, operators, made_by):
    """The operators that a delegate has taken: all between its outputs and its inputs."""
    found, waiting = set(), list(delegated["outputs"])
    while waiting:
        tensor = waiting.pop()
        if tensor in made_by and tensor not in delegated["inputs"] and made_by[tensor] not in found:
            found.add(made_by[tensor])
            waiting += operators[made_by[tensor]][1]
    return found


def main(delegate, listed, directory):
    path = directory + "/litert.tflite"
    network_of_ours = network()
    written(*network_of_ours, path)
    operators = network_of_ours[1]
    made_by = {output: i for i, (_, _, output) in enumerate(operators)}
    inputs = {i: list(dict.fromkeys(made_by[t] for t in reads if t in made_by))
              for i, (_, reads, _) in enumerate(operators)}
    size = dict.fromkeys(inputs, 4 * SIZE)

    interpreter, host_time = figures.timed(prepared, path)
    theirs = {}
    for one in interpreter._get_ops_details():
        if one["op_name"] == "DELEGATE":
            theirs.update(dict.fromkeys(inside(one, operators, made_by), one["index"]))
    lists, own_time = figures.timed(lambda: subprocess.run([delegate, path, listed], check=True, capture_output=True,
                                                           text=True).stdout)
    ours = {int(i): number for number, line in enumerate(re.findall(r"^delegate \{(.*) \}$", lists, re.M))
            for i in line.split()}
    results = []
    for who, part_of, spent in (("LiteRT", theirs, host_time), ("graphsplit", ours, own_time)):
        units = {i: ("delegate", part_of[i]) if i in part_of else i for i in inputs}
        assert figures.ordered(inputs, units), who
        kinds = {unit: int(isinstance(unit, tuple)) for unit in units.values()}
        results.append(figures.row("litert", who, inputs, units, size, spent, kinds))
    assert set(ours) == set(theirs) and results[0] == results[1], "other delegates than LiteRT makes"


main(*sys.argv[1:])
