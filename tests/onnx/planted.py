"""Plants wrong operators in random ONNX models that ONNX Runtime computes, and asks `graphsplit-onnx bisect` for them: one
of all, or two that are wrong only if a piece holds both. This program runs the pieces: loading ONNX Runtime for each
takes longer than all the rest.

usage: python3 planted.py PROGRAM FOLDER [COUNT]     (onnx, onnxruntime)
"""

import glob
import math
import os
import random
import subprocess
import sys
import threading
import urllib.parse

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

# A command that hands its words over, and waits for the answer.
ASK = "printf '%%s\\n' '%s' {model} {inputs} {outputs} > ask; read answer < answer; [ \"$answer\" = done ]"


def make_model(path, seed):
    """1 to 30 operators on 3 by 3 numbers, none of which hides a difference (a sum with a negative does); what nobody reads is an output."""
    dice = random.Random(seed)
    weights = numpy.random.default_rng(seed).uniform(-0.7, 0.7, (3, 3)).astype("f4")
    nodes, names, unread = [], ["x/in:0", "w"], []
    for i in range(dice.randint(1, 30)):
        kind = dice.choice(["LeakyRelu", "Add", "Sub", "MatMul", "Split"])
        recent = dice.choice(names[-4:])
        args = {"Add": [recent, dice.choice(names)], "Sub": [recent, "w"], "MatMul": [recent, "w"]}.get(kind, [recent])
        outs = [f"n{i}/a", f"n{i}/b"] if kind == "Split" else [f"n{i}/out:0"]
        if kind == "Split":  # and put together again, or not
            nodes.append(helper.make_node(kind, [args[0], "sizes"], outs, name=f"n{i}", axis=0))
            nodes.append(helper.make_node("Concat", outs, [f"c{i}/out:0"], name=f"c{i}", axis=0))
            outs = [f"c{i}/out:0"]
        else:
            more = {"alpha": 0.5} if kind == "LeakyRelu" else {}
            nodes.append(helper.make_node(kind, args, outs, name=f"n{i}", **more))
        unread = [name for name in unread if name not in args] + outs
        names += outs
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [3, 3])
    graph = helper.make_graph(nodes, "net", [value("x/in:0")], [value(name) for name in unread],
                              [numpy_helper.from_array(weights, "w"),
                               numpy_helper.from_array(numpy.array([1, 2], "i8"), "sizes")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return [node.name for node in nodes]


def plant(model, fault):
    """Adds 1 to all outputs of the last node of a fault, if the model holds all of its nodes."""
    nodes = {node.name: node for node in model.graph.node}
    if not fault or not all(name in nodes for name in fault):
        return
    model.graph.initializer.append(numpy_helper.from_array(numpy.array(1, "f4"), "one"))
    node = nodes[fault[-1]]
    at = list(model.graph.node).index(node) + 1
    for k, name in enumerate(list(node.output)):
        node.output[k] = name + " right"
        model.graph.node.insert(at, helper.make_node("Add", [name + " right", "one"], [name]))


def run(fault, path, inputs, outputs):
    model = onnx.load(path)
    plant(model, fault)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    values = {urllib.parse.unquote(os.path.basename(file)[:-4]): numpy.load(file) for file in glob.glob(inputs + "/*.npy")}
    for out, value in zip(session.get_outputs(), session.run(None, values)):
        numpy.save(f"{outputs}/{urllib.parse.quote(out.name, safe='')}.npy", value)


def serve():
    while True:
        with open("ask", encoding="utf-8") as file:
            words = file.read().split("\n")
        if words[0] == "end":
            return
        try:
            run(words[0].split(), *words[1:4])
            answer = "done"
        except Exception as error:  # the command fails, and this says why
            print(error, file=sys.stderr)
            answer = "failed"
        with open("answer", "w", encoding="utf-8") as file:
            file.write(answer + "\n")


def bisect(program, path, fault):
    found = subprocess.run([program, "bisect", "--porcelain", "--tolerance", "0", "--run", ASK % " ".join(fault),
                            "--engine", ASK % "", path], capture_output=True, text=True, check=False)
    lines = found.stdout.splitlines()
    return int(lines[0].split()[1]) if lines and lines[0].startswith("runs ") else 0, lines[1:], found.stderr


def main():
    program = os.path.abspath(sys.argv[1])
    os.makedirs(sys.argv[2], exist_ok=True)
    os.chdir(sys.argv[2])
    for name in ("ask", "answer"):
        if not os.path.exists(name):
            os.mkfifo(name)
    threading.Thread(target=serve, daemon=True).start()
    passed = failed = 0
    for seed in range(int(sys.argv[3]) if len(sys.argv) > 3 else 100):
        names = make_model("net.onnx", seed)
        text = subprocess.run([program, "read", "--main", "net.onnx"], capture_output=True, text=True, check=True).stdout
        # The nodes of the text are those of the file, in their order.
        calls = [line.split()[0][1:] for line in text.splitlines() if "= call_" in line and "getitem]" not in line]
        places = list(range(len(names)))
        dice = random.Random(seed)
        faults = [[dice.choice(places)]] + ([sorted(dice.sample(places, 2))] if len(places) > 1 else [])
        for fault in faults:
            runs, found, why = bisect(program, "net.onnx", [names[i] for i in fault])
            wanted = ["culprit " + " ".join(calls[i] for i in fault)]
            most = len(fault) * (2 * math.log2(len(names)) + 4)
            if found == wanted and runs <= most + 1e-9 and len(calls) == len(names):
                passed += 1
            else:
                failed += 1
                print(f"FAIL seed {seed}, {len(names)} nodes: planted {wanted}, found {found} in {runs} runs {why}")
    with open("ask", "w", encoding="utf-8") as file:
        file.write("end\n")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
