"""Random models with IF, WHILE and CALL_ONCE in each other, some subgraphs run from several places: TensorFlow Lite
Micro must compute the same with the plan of `memory --save-tflite`, and need the arena that `memory` says.
usage: python3 tests/formats/nested.py PROGRAM COUNT DIR [MODEL.tflite...]
With models: these instead of random ones, without running them. Prints a line for each that fails, then "N models".
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
from ai_edge_litert import schema_py_generated as schema
import flatbuffers

FIXED = 64  # bytes that alignments of many small structures may add
BUILTIN = schema.BuiltinOperator
KIND = schema.TensorType
OPTIONS = {
    "ADD": schema.AddOptionsT, "CONCATENATION": schema.ConcatenationOptionsT, "IF": schema.IfOptionsT,
    "WHILE": schema.WhileOptionsT, "CALL_ONCE": schema.CallOnceOptionsT, "VAR_HANDLE": schema.VarHandleOptionsT,
}
ENUM = {
    "ADD": "AddOptions", "CONCATENATION": "ConcatenationOptions", "IF": "IfOptions", "WHILE": "WhileOptions",
    "CALL_ONCE": "CallOnceOptions", "VAR_HANDLE": "VarHandleOptions",
}


class Graph:
    def __init__(self, model, name):
        self.model, self.made = model, schema.SubGraphT()
        self.made.tensors, self.made.operators, self.made.inputs, self.made.outputs = [], [], [], []
        self.made.name = name
        self.index = len(model.subgraphs)
        model.subgraphs.append(self.made)

    def tensor(self, shape, kind=KIND.FLOAT32, values=None):
        t = schema.TensorT()
        t.shape, t.type, t.name, t.buffer = list(shape), kind, f"t{self.index}_{len(self.made.tensors)}", 0
        if values is not None:
            b = schema.BufferT()
            b.data = list(np.asarray(values).tobytes())
            t.buffer = len(self.model.buffers)
            self.model.buffers.append(b)
        self.made.tensors.append(t)
        return len(self.made.tensors) - 1

    def op(self, name, inputs, outputs, **fields):
        code = getattr(BUILTIN, name)
        codes = [c.builtinCode for c in self.model.operatorCodes]
        if code not in codes:
            c = schema.OperatorCodeT()
            c.builtinCode, c.deprecatedBuiltinCode, c.version = code, min(code, 127), 1
            self.model.operatorCodes.append(c)
            codes.append(code)
        o = schema.OperatorT()
        o.opcodeIndex, o.inputs, o.outputs = codes.index(code), inputs, outputs
        if name in OPTIONS:
            o.builtinOptionsType = getattr(schema.BuiltinOptions, ENUM[name])
            o.builtinOptions = OPTIONS[name]()
            for field, value in fields.items():
                setattr(o.builtinOptions, field, value)
        self.made.operators.append(o)
        return outputs[0] if outputs else None


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.model = schema.ModelT()
        self.model.version, self.model.description = 3, "nested"
        self.model.buffers, self.model.operatorCodes, self.model.subgraphs = [schema.BufferT()], [], []
        self.known = []  # (graph, width): from [1, width] to [1, width]
        self.left = 6
        self.trips = {}  # by the name of the condition

    def body(self, g, x, width, depth):
        """Operators from a tensor of [1, width] to one of the same shape."""
        for _ in range(self.rng.randint(1, 4)):
            kind = self.rng.choice(["abs", "add", "wide", "if", "while"])
            if kind == "if" and depth < 3 and self.left > 0:
                x = self.run_if(g, x, width, depth)
            elif kind == "while" and depth < 2 and self.left > 0:
                x = self.run_while(g, x, width, depth)
            elif kind == "wide":
                wide = g.op("CONCATENATION", [x] * 4, [g.tensor([1, 4 * width])], axis=1)
                wide = g.op("ABS", [wide], [g.tensor([1, 4 * width])])
                one = self.first(g, wide)
                x = g.op("ADD", [x, one], [g.tensor([1, width])])
            elif kind == "add":
                x = g.op("ADD", [x, x], [g.tensor([1, width])])
            else:
                x = g.op("ABS", [x], [g.tensor([1, width])])
        return x

    @staticmethod
    def first(g, x):
        """The first element; kernels that borrow memory would hide what the plan takes."""
        begin = g.tensor([2], KIND.INT32, np.zeros([2], np.int32))
        size = g.tensor([2], KIND.INT32, np.ones([2], np.int32))
        return g.op("SLICE", [x, begin, size], [g.tensor([1, 1])])

    def called(self, width, depth):
        """A graph of this width: a new one, or one that is run already."""
        fits = [i for i, w, d in self.known if w == width and d > depth]
        if fits and self.rng.random() < 0.3:
            return self.rng.choice(fits)
        self.left -= 1
        g = Graph(self.model, f"g{len(self.model.subgraphs)}")
        x = g.tensor([1, width])
        g.made.inputs, g.made.outputs = [x], [self.body(g, x, width, depth + 1)]
        self.known.append((g.index, width, depth + 1))
        return g.index

    def run_if(self, g, x, width, depth):
        zero = g.tensor([1, 1], KIND.FLOAT32, np.zeros([1, 1], np.float32))
        more = g.op("GREATER", [self.first(g, x), zero], [g.tensor([1, 1], KIND.BOOL)])
        return g.op("IF", [more, x], [g.tensor([1, width])],
                    thenSubgraphIndex=self.called(width, depth), elseSubgraphIndex=self.called(width, depth))

    def run_while(self, g, x, width, depth):
        inner = self.called(width, depth)
        cond, body = Graph(self.model, f"c{len(self.model.subgraphs)}"), None
        i = cond.tensor([1], KIND.INT32)
        cond.made.inputs = [i, cond.tensor([1, width])]
        trips = self.trips[cond.made.name] = self.rng.randint(1, 3)
        most = cond.tensor([1], KIND.INT32, np.array([trips], np.int32))
        cond.made.outputs = [cond.op("LESS", [i, most], [cond.tensor([1], KIND.BOOL)])]
        body = Graph(self.model, f"b{len(self.model.subgraphs)}")
        i, y = body.tensor([1], KIND.INT32), body.tensor([1, width])
        one = body.tensor([1], KIND.INT32, np.array([1], np.int32))
        zero = body.tensor([1], KIND.FLOAT32, np.zeros([1], np.float32))
        body.made.inputs = [i, y]
        j = body.op("ADD", [i, one], [body.tensor([1], KIND.INT32)])
        less = body.op("GREATER", [zero, zero], [body.tensor([1], KIND.BOOL)])
        y = body.op("IF", [less, y], [body.tensor([1, width])], thenSubgraphIndex=inner, elseSubgraphIndex=inner)
        body.made.outputs = [j, y]
        first = g.tensor([1], KIND.INT32, np.zeros([1], np.int32))
        outs = [g.tensor([1], KIND.INT32), g.tensor([1, width])]
        g.op("WHILE", [first, x], outs, condSubgraphIndex=cond.index, bodySubgraphIndex=body.index)
        return outs[1]

    def variable(self, g, x, width):
        init = Graph(self.model, f"i{len(self.model.subgraphs)}")
        self.assign(init, init.tensor([1, width], KIND.FLOAT32, np.ones([1, width], np.float32)))
        g.op("CALL_ONCE", [], [], initSubgraphIndex=init.index)
        handle = g.op("VAR_HANDLE", [], [g.tensor([], KIND.RESOURCE)], container="", sharedName="v")
        old = g.op("READ_VARIABLE", [handle], [g.tensor([1, width])])
        new = g.op("ADD", [old, x], [g.tensor([1, width])])
        g.op("ASSIGN_VARIABLE", [handle, new], [])
        return new

    @staticmethod
    def assign(g, value):
        handle = g.op("VAR_HANDLE", [], [g.tensor([], KIND.RESOURCE)], container="", sharedName="v")
        g.op("ASSIGN_VARIABLE", [handle, value], [])

    def make(self):
        g = Graph(self.model, "main")
        width = self.rng.choice([4, 7, 16, 33])
        x = g.tensor([1, width])
        g.made.inputs = [x]
        if self.rng.random() < 0.4:
            x = self.variable(g, x, width)
        x = self.run_if(g, x, width, 0) if self.rng.random() < 0.5 else self.run_while(g, x, width, 0)
        g.made.outputs = [g.op("ABS", [self.body(g, x, width, 0)], [g.tensor([1, width])])]
        builder = flatbuffers.Builder(1 << 16)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def micro(data):
    from tflite_micro.python.tflite_micro import runtime
    return runtime.Interpreter.from_bytes(bytes(data), arena_size=1 << 26)


def allocated(made):
    """What the interpreter says that it took: all, and its head."""
    with tempfile.TemporaryFile() as file:
        saved = os.dup(1), os.dup(2)
        os.dup2(file.fileno(), 1), os.dup2(file.fileno(), 2)
        made.print_allocations()
        os.dup2(saved[0], 1), os.dup2(saved[1], 2)
        file.seek(0)
        text = file.read().decode()
    return [int(re.search(f"allocation {word} (\\d+)", text).group(1)) for word in ("total", "head")]


def estimate(program, path):
    text = subprocess.run([*program, "memory", path], capture_output=True, text=True, check=True).stdout
    found = re.search(r"TFLM +estimate .*?(?:\((\d+) bytes\)|(\d+) B) in all on a 64-bit host", text)
    return int(found.group(1) or found.group(2))


def compare(program, path, planned, trips):
    """None, or what is wrong."""
    text = subprocess.run([*program, "read", path], capture_output=True, text=True, check=True).stdout
    said = {name: int(n) for name, n in re.findall(r" cond=(\w+) .*trips=(\d+)", text)}
    if said != trips:
        return f"trips {trips}, said {said}"
    done = subprocess.run([*program, "memory", "--porcelain", "--save-tflite", planned, path], capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr
    with open(path, "rb") as one, open(planned, "rb") as other:
        first, second = micro(one.read()), micro(other.read())
    rng = np.random.default_rng(7)
    detail = first.get_input_details(0)
    for call in range(3):
        given = (rng.standard_normal(detail["shape"])).astype(np.float32)
        results = []
        for made in (first, second):
            made.set_input(given, 0)
            made.invoke()
            results.append(made.get_output(0).tobytes())
        if results[0] != results[1]:
            return f"call {call + 1} differs"
    if "several addresses" not in done.stderr:
        arena = int(re.search(r"^arena bytes=(\d+)", done.stdout, re.M).group(1))
        if allocated(second)[1] > (arena + 15) // 16 * 16:
            return f"head {allocated(second)[1]}, arena {arena}"
    return needs(program, path, first)


def needs(program, path, made):
    all_of_it, _ = allocated(made)
    said = estimate(program, path)
    return None if abs(said - all_of_it) <= all_of_it * 0.02 + FIXED else f"needs {all_of_it}, estimate {said}"


def main(program, count, folder, models):
    failed = 0
    for seed in range(count if not models else 0):
        path = os.path.join(folder, f"nested_{seed}.tflite")
        maker = Maker(seed)
        with open(path, "wb") as file:
            file.write(maker.make())
        wrong = compare(program, path, os.path.join(folder, "nested_planned.tflite"), maker.trips)
        failed += wrong is not None
        if wrong is not None:
            print(f"{path}: {wrong}")
    for path in models:
        with open(path, "rb") as file:
            wrong = needs(program, path, micro(file.read()))
        failed += wrong is not None
        if wrong is not None:
            print(f"{path}: {wrong}")
    print(f"{(count if not models else len(models)) - failed} models")


if __name__ == "__main__":
    main(sys.argv[1].split(), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
