"""Plants wrong kernels in random .tflite models that LiteRT computes for a delegate, and asks `graphsplit bisect` for them.
The delegate has a list of operators and refuses any model with another one.

usage: python3 planted.py PROGRAM FOLDER [COUNT]     (ai-edge-litert, flatbuffers, numpy)
"""

import glob
import os
import random
import sys
import urllib.parse

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as tflite
from ai_edge_litert.interpreter import Interpreter, OpResolverType

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "program"))
import planted  # pylint: disable=wrong-import-position

CODES = ["ADD", "SUB", "MUL", "RELU", "LOGISTIC", "SPLIT", "CONCATENATION", "TANH"]
REFUSED = "TANH"  # is in models, and not on the delegate's list


def pack(model):
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def add_tensor(model, name, shape, data=None, kind=tflite.TensorType.FLOAT32):
    tensor = tflite.TensorT()
    tensor.name, tensor.shape, tensor.type = name, list(shape), kind
    tensor.buffer = 0
    if data is not None:
        buffer = tflite.BufferT()
        buffer.data = numpy.frombuffer(data.tobytes(), "u1")
        model.buffers.append(buffer)
        tensor.buffer = len(model.buffers) - 1
    model.subgraphs[0].tensors.append(tensor)
    return len(model.subgraphs[0].tensors) - 1


def code_of(model, name):
    value = getattr(tflite.BuiltinOperator, name)
    for i, code in enumerate(model.operatorCodes):
        if max(code.builtinCode, code.deprecatedBuiltinCode) == value:
            return i
    code = tflite.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = value
    code.version = 1
    model.operatorCodes.append(code)
    return len(model.operatorCodes) - 1


def make_op(model, name, inputs, outputs):
    op = tflite.OperatorT()
    op.opcodeIndex, op.inputs, op.outputs = code_of(model, name), inputs, outputs
    options = {"ADD": ("AddOptions", tflite.AddOptionsT), "SUB": ("SubOptions", tflite.SubOptionsT),
               "MUL": ("MulOptions", tflite.MulOptionsT), "SPLIT": ("SplitOptions", tflite.SplitOptionsT),
               "CONCATENATION": ("ConcatenationOptions", tflite.ConcatenationOptionsT)}.get(name)
    if options is not None:
        op.builtinOptionsType = getattr(tflite.BuiltinOptions, options[0])
        op.builtinOptions = options[1]()
    if name == "SPLIT":
        op.builtinOptions.numSplits = 2
    return op


def make_model(path, seed):
    """1 to 30 operators on 2 by 3 numbers (RELU hides differences of negatives); what nobody reads is an output. Names are
    OPERATOR:TENSOR, TENSOR the first output."""
    dice = random.Random(seed)
    model = tflite.ModelT()
    model.version, model.operatorCodes, model.buffers = 3, [], [tflite.BufferT()]
    graph = tflite.SubGraphT()
    graph.tensors, graph.operators = [], []
    model.subgraphs = [graph]
    values = [add_tensor(model, "x/in:0", (2, 3))]
    graph.inputs = list(values)
    weights = numpy.random.default_rng(seed).uniform(-0.7, 0.7, (2, 3)).astype("f4")
    values.append(add_tensor(model, "w", (2, 3), weights))
    axis = add_tensor(model, "axis", (), numpy.array(0, "i4"), tflite.TensorType.INT32)
    names, unread = [], []

    def put(name, inputs, outputs):
        graph.operators.append(make_op(model, name, inputs, outputs))
        names.append(name + ":" + graph.tensors[outputs[0]].name)

    for i in range(dice.randint(1, 30)):
        kind = dice.choice([code for code in CODES if code != "CONCATENATION"])
        args = [dice.choice(values[-4:])]
        if kind in ("ADD", "SUB", "MUL"):
            args.append(dice.choice(values) if kind == "ADD" else values[1])
        out = add_tensor(model, f"n{i}/out:0", (2, 3))
        if kind == "SPLIT":  # and put together again
            halves = [add_tensor(model, f"n{i}/{half}", (1, 3)) for half in "ab"]
            put(kind, [axis, args[0]], halves)
            put("CONCATENATION", halves, [out])
        else:
            put(kind, args, [out])
        unread = [value for value in unread if value not in args] + [out]
        values.append(out)
    graph.outputs = unread
    with open(path, "wb") as file:
        file.write(pack(model))
    return names


def plant(model, fault):
    """Adds 1 to all outputs of the last node of a fault, if the model holds all of its nodes."""
    graph = model.subgraphs[0]
    names = {graph.tensors[op.outputs[0]].name.decode(): op for op in graph.operators}
    fault = [name.split(":", 1)[1] for name in fault]
    if not fault or not all(name in names for name in fault):
        return
    op = names[fault[-1]]
    one = add_tensor(model, "one", (), numpy.array(1, "f4"))
    at = list(graph.operators).index(op) + 1
    op.outputs = list(op.outputs)
    for k, wrong in enumerate(list(op.outputs)):
        right = add_tensor(model, f"right{k}", graph.tensors[wrong].shape)
        op.outputs[k] = right
        graph.operators.insert(at, make_op(model, "ADD", [right, one], [wrong]))


def run(fault, path, inputs, outputs):
    with open(path, "rb") as file:
        model = tflite.ModelT.InitFromObj(tflite.Model.GetRootAsModel(file.read(), 0))
    # The reference is the whole model; the delegate sees pieces.
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
    if fault and getattr(tflite.BuiltinOperator, REFUSED) in [codes[op.opcodeIndex] for op in model.subgraphs[0].operators]:
        raise ValueError("the delegate refuses " + REFUSED)
    plant(model, fault)
    interpreter = Interpreter(model_content=pack(model), num_threads=1,
                              experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    runner = interpreter.get_signature_runner("serving_default")
    values = {urllib.parse.unquote(os.path.basename(file)[:-4]): numpy.load(file) for file in glob.glob(inputs + "/*.npy")}
    for name, value in runner(**values).items():
        numpy.save(f"{outputs}/{urllib.parse.quote(name, safe='')}.npy", value)


if __name__ == "__main__":
    sys.exit(planted.main(make_model, run, "net.tflite",
                          ["--acc-ops", ",".join("tflite." + code for code in CODES if code != REFUSED)],
                          lambda name: not name.startswith(REFUSED)))
