"""Do bench/splitters.c's algorithms find what the published programs find?
ort: beside the model of its partitioning that ONNX Runtime's own wheel has (check_partitioning of
onnxruntime.tools.mobile_helpers.usability_checker; needs onnx too), for 20 sets of supported operators per model.
tflite: beside what LiteRT's XNNPACK delegate (ai-edge-litert) really took from a model.
usage: published.py SPLITTERS ort|tflite FOLDER MODEL...      (FOLDER: for scratch files)"""
import random
import subprocess
import sys


def groups_of(splitter, kinds, edges):
    """The subgraphs of the accelerator, as a set of sets of nodes."""
    graph, part = f"{FOLDER}/graph", f"{FOLDER}/part"
    with open(graph, "w", encoding="ascii") as file:
        file.write(f"{len(kinds)} {len(edges)}\n" + "".join(f"{kind:d}\n" for kind in kinds))
        file.writelines(f"{u} {v}\n" for u, v in edges)
    subprocess.run([SPLITTERS, splitter, graph, part], stdout=subprocess.DEVNULL, check=True)
    with open(part, encoding="ascii") as file:
        parts = [int(line) for line in file]
    return {frozenset(v for v, p in enumerate(parts) if p == number)
            for number in {p for p, kind in zip(parts, kinds) if kind}}


def edges_of(inputs, outputs):
    """(producer, reader) for every value read; lists of values per node."""
    made = {value: node for node, values in enumerate(outputs) for value in values}
    return [(made[value], node) for node, values in enumerate(inputs) for value in values if value in made]


class Supported:
    """What check_partitioning asks: is the operator of a node supported?"""

    def __init__(self, operators):
        self.operators = operators

    def is_op_supported(self, node):
        return node.op_type in self.operators

    @staticmethod
    def get_caveats():
        return []


def check_ort(path):
    import onnx
    from onnxruntime.tools.mobile_helpers.usability_checker import check_partitioning
    graph = onnx.load(path).graph
    operators = sorted({node.op_type for node in graph.node})
    edges = edges_of([[i for i in node.input if i] for node in graph.node], [node.output for node in graph.node])
    number = {node.output[0]: v for v, node in enumerate(graph.node)}
    groups = 0
    for seed in range(20):
        supported = {o for o in operators if random.Random(f"{o}{seed}").random() < 0.6}
        theirs = check_partitioning(graph, Supported(supported), False).supported_groups
        theirs = {frozenset(number[node.output[0]] for node in group) for group in theirs}
        assert groups_of("ort", [node.op_type in supported for node in graph.node], edges) == theirs, (path, seed)
        groups += len(theirs)
    print(f"ort: {path}: the same {groups} groups")


def check_tflite(path):
    from ai_edge_litert.interpreter import Interpreter
    interpreter = Interpreter(path)
    interpreter.allocate_tensors()
    details = interpreter._get_ops_details()
    nodes = [op for op in details if op["op_name"] != "DELEGATE"]
    inputs, outputs = ([[int(i) for i in op[key] if i >= 0] for op in nodes] for key in ("inputs", "outputs"))
    made = {value: node for node, values in enumerate(outputs) for value in values}
    theirs = set()
    for op in details[len(nodes):]:
        outside, group, stack = {int(i) for i in op["inputs"]}, set(), [int(i) for i in op["outputs"]]
        while stack:
            node = made.get(stack.pop())
            if node is not None and node not in group:
                group.add(node)
                stack += [i for i in inputs[node] if i not in outside]
        theirs.add(frozenset(group))
    assert theirs, path
    taken = set().union(*theirs)
    ours = groups_of("tflite", [node in taken for node in range(len(nodes))], edges_of(inputs, outputs))
    assert ours == theirs, (path, ours, theirs)
    print(f"tflite: {path}: the same {len(theirs)} groups, {len(taken)} of {len(nodes)} nodes")


SPLITTERS, NAME, FOLDER = sys.argv[1:4]
for model in sys.argv[4:]:
    (check_ort if NAME == "ort" else check_tflite)(model)
