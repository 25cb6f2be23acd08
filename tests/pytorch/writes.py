"""Random networks that write: views, setitem, in-place methods, functions, operators as overloads and packets, custom
operators, out=, lists, modules, buffers, attributes of one storage and of called modules; with strings, repeated blocks,
and attributes and modules of names that passes make. Each runs after passes of graphsplit, with random
accelerator nodes, and gives the same bits, in what it returns and in what it holds.
usage: writes.py GRAPHSPLIT [WORDS BEFORE IT]...     (COUNT: networks; SEED)"""
import operator
import os
import random
import re
import subprocess
import sys

import torch
import torch.nn.functional as F

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "..", "examples", "pytorch")]
import graphsplit_fx as fx  # noqa: E402

program = sys.argv[1:]
passed = failed = written = accelerated = 0

library = torch.library.Library("graphsplit_test", "DEF")
library.define("scale_(Tensor(a!) x, float by) -> Tensor(a!)")
library.define("gather_into(Tensor x, Tensor(a!) into) -> ()")
library.define("same_(Tensor x) -> Tensor")  # a name that lies
library.define("both_(Tensor(a!) x, Tensor(b!) y, float by) -> ()")
library.define("all_(Tensor(a!)[] them, float by) -> ()")
library.impl("both_", lambda x, y, by: (x.mul_(by), y.add_(by), None)[2], "CompositeExplicitAutograd")
library.impl("all_", lambda them, by: ([t.mul_(by) for t in them], None)[1], "CompositeExplicitAutograd")
library.impl("scale_", lambda x, by: x.mul_(by), "CompositeExplicitAutograd")
library.impl("gather_into", lambda x, into: (into.add_(x), None)[1], "CompositeExplicitAutograd")
library.impl("same_", lambda x: x.clone(), "CompositeExplicitAutograd")
ops = torch.ops.graphsplit_test
TAKEN = {"submod_0": "module", "submod_1": "tensor", "_run_on_acc_0": "tensor", "_run_on_cpu_1": "module",
         "subgraph_0": "tensor", "submod_2.w": "tensor"}  # names that passes would make


class Holder(torch.nn.Module):
    def __init__(self, r):
        super().__init__()
        self.register_buffer("b", torch.rand(4, 4))
        self.register_buffer("row", self.b[1])  # shared storage
        self.w = torch.nn.Parameter(torch.rand(4, 4), requires_grad=False)
        self.relu = torch.nn.ReLU(inplace=True)
        self.leaky = torch.nn.LeakyReLU(0.5)
        self.same = torch.nn.Identity()
        self.norm = torch.nn.BatchNorm1d(4, affine=False).train()
        self.linear = torch.nn.Linear(4, 4).requires_grad_(False)
        self.inner = torch.nn.Sequential()
        self.inner.add_module("norm", torch.nn.BatchNorm1d(4, affine=False).train())
        self.flat = torch.nn.Sequential(torch.nn.Identity(), torch.nn.Hardtanh(-0.5, 0.5, inplace=True))
        for name, kind in TAKEN.items():
            owner, _, last = name.rpartition(".")
            if owner:
                self.add_module(owner, torch.nn.Module())
            if kind == "module":
                self.add_module(name, torch.nn.Hardswish(inplace=r.random() < 0.5))
            else:
                self.get_submodule(owner).register_buffer(last, torch.rand(4, 4))


READS = [
    ("call_function", torch.relu, "t"), ("call_function", torch.sigmoid, "t"), ("call_function", torch.add, "tt"),
    ("call_function", operator.mul, "tt"), ("call_method", "clone", "t"), ("call_function", torch.ops.aten.sub.Tensor, "tt"),
    ("call_module", "leaky", "t"), ("call_module", "same", "t"), ("call_module", "norm", "t"), ("call_function", ops.same_, "t"),
    ("call_function", torch.einsum, "ett"), ("call_function", torch.nn.functional.pad, "tpm"), ("call_function", F.gelu, "tA"),
    ("call_module", "submod_0", "t"), ("call_module", "_run_on_cpu_1", "t"), ("call_module", "inner.norm", "t"),
    ("call_module", "inner", "t"), ("call_module", "linear", "t"), ("call_function", F.linear, "tt"),
]
VIEWS = [
    ("call_method", "t", "t"), ("call_method", "view", "t44"), ("call_method", "detach", "t"), ("call_function", operator.getitem, "ts"),
    ("call_function", torch.transpose, "t01"), ("call_method", "contiguous", "t"), ("call_method", "float", "t"),
    ("call_function", torch.chunk, "t2"), ("call_function", getattr, "td"), ("call_function", torch.ops.aten.alias, "t"),
    ("call_function", torch.broadcast_tensors, "tt"),
]
WRITES = [
    ("call_method", "mul_", "tf"), ("call_method", "add_", "tt"), ("call_method", "copy_", "tt"), ("call_method", "zero_", "t"),
    ("call_function", operator.setitem, "tif"), ("call_function", operator.setitem, "tst"), ("call_function", operator.iadd, "tt"),
    ("call_function", operator.imul, "tf"), ("call_function", torch.relu_, "t"), ("call_function", F.relu, "tT"),
    ("call_function", F.hardtanh, "tK"), ("call_function", torch.ops.aten.add_.Tensor, "tt"), ("call_function", torch.ops.aten.mul_, "tt"),
    ("call_function", torch.add, "ttO"), ("call_function", torch.ops.aten.mul.out, "ttO"), ("call_module", "relu", "t"),
    ("call_module", "flat", "t"), ("call_function", ops.scale_, "tf"), ("call_function", ops.scale_.default, "tf"),
    ("call_function", ops.gather_into, "tt"), ("call_function", ops.gather_into.default, "tt"),
    ("call_function", torch._foreach_add_, "lf"), ("call_method", "__iadd__", "tt"), ("call_function", operator.isub, "tt"),
    ("call_function", operator.itruediv, "tf"), ("call_function", operator.imul, "tt"), ("call_function", F.leaky_relu, "tfT"),
    ("call_function", torch.div, "ttOR"), ("call_method", "__setitem__", "tif"),
    ("call_function", torch.ops.aten.copy_.default, "tt"), ("call_module", "submod_0", "t"),
    ("call_function", F.batch_norm, "tvvN"), ("call_function", torch.ops.aten.native_batch_norm.default, "t__vvTff"),
    ("call_function", ops.both_, "ttf"), ("call_function", ops.all_.default, "lf"),
    ("call_function", ops.all_, "lf"), ("call_method", "index_fill_", "t0xf"), ("call_method", "masked_fill_", "tbf"),
    ("call_function", torch.ops.aten.index_put_.default, "tjt"), ("call_function", operator.setitem, "tbf"),
]

KEYWORDS = {"O": ("out", None), "K": ("inplace", True), "A": ("approximate", "tanh"), "R": ("rounding_mode", "floor"), "N": ("training", True)}


class Network:
    """A graph that grows by calls that run."""

    def __init__(self, r):
        self.r, self.holder = r, Holder(r)
        self.graph, self.block = torch.fx.Graph(self.holder), None
        self.inputs = (torch.rand(4, 4), torch.rand(4, 4))
        self.values, before = {}, state(self.holder)
        for name, value in zip("xy", self.inputs):
            self.values[self.graph.placeholder(name)] = value.clone()
        held = ["b", "row", "w", "b", "norm.running_mean", "norm.running_var", "inner.norm.running_mean", "linear.weight"] + [name for name, kind in TAKEN.items() if kind == "tensor"]
        for name in r.sample(held, r.randint(0, 5)):
            self.values[self.graph.get_attr(name)] = fx.attribute(self.holder, name)
        for _ in range(r.randint(3, 14)):
            self.call(*r.choice(r.choice([READS, VIEWS, WRITES])))
        if r.random() < 0.4:
            self.repeat(r.random(), r.randint(2, 4))
        for _ in range(r.randint(1, 4)):
            self.call(*r.choice(r.choice([READS, VIEWS, WRITES])))
        tensors = [n for n, v in self.values.items() if isinstance(v, torch.Tensor)]
        self.graph.output(tuple(r.sample(tensors, min(len(tensors), r.randint(1, 4)))))
        self.gm = torch.fx.GraphModule(self.holder, self.graph)
        restore(self.holder, before)

    def repeat(self, seed, times):
        """The same calls again and again, each time on what the last made."""
        r, last = self.r, self.tensor()
        for _ in range(times):
            self.r, self.block = random.Random(seed), [last]
            for _ in range(self.r.randint(2, 5)):
                self.call(*self.r.choice(self.r.choice([READS, READS, VIEWS, WRITES])))
            last = self.block[-1]
        self.r, self.block = r, None

    def tensor(self):
        return self.r.choice(self.block or [n for n, v in self.values.items() if isinstance(v, torch.Tensor)])

    def argument(self, letter):
        r = self.r
        return {"t": self.tensor, "f": lambda: r.choice([0.5, 2.0]), "i": lambda: r.randint(0, 3), "4": lambda: 4, "0": lambda: 0,
                "1": lambda: 1, "2": lambda: 2, "s": lambda: r.choice([slice(1, 3), slice(0, 2), (slice(None), 1), 2]),
                "d": lambda: "data", "T": lambda: True, "e": lambda: r.choice(["ij,jk->ik", "ij,ij->ij"]),
                "p": lambda: (0, 0), "m": lambda: "constant", "l": lambda: [self.tensor(), self.tensor()], "_": lambda: None,
                "v": lambda: r.choice([n for n, v in self.values.items() if getattr(v, "shape", None) == (4,)] or [None]),
                "x": lambda: self.made(torch.arange, r.randint(1, 4)), "j": lambda: [self.made(torch.arange, r.randint(1, 4))],
                "b": lambda: self.made(torch.ge, self.tensor(), 0.5)}[letter]()

    def made(self, target, *args):
        node = self.graph.call_function(target, args)
        self.values[node] = target(*[self.values.get(a, a) if isinstance(a, torch.fx.Node) else a for a in args])
        return node

    def call(self, op, target, letters):
        args = tuple(self.argument(c) for c in letters if c not in KEYWORDS)
        kwargs = {}
        for c in letters:
            if c in KEYWORDS:
                key, value = KEYWORDS[c]
                kwargs[key] = self.tensor() if value is None else value
        value = torch.fx.node.map_arg((args, kwargs), lambda n: self.values[n])
        try:  # shapes may not fit, and expanded memory cannot be written
            with torch.no_grad():
                a, k = value
                if "O" in letters and torch.broadcast_shapes(a[0].shape, a[1].shape) != k["out"].shape:
                    return  # would give `out` other memory
                made = getattr(a[0], target)(*a[1:], **k) if op == "call_method" else (
                    self.holder.get_submodule(target) if op == "call_module" else target)(*a, **k)
        except (RuntimeError, IndexError, TypeError, ValueError):
            return
        node = self.graph.create_node(op, target, args, kwargs)
        self.values[node] = made
        if self.block is not None and isinstance(made, torch.Tensor):
            self.block.append(node)
        if isinstance(made, (tuple, list)):
            for i in range(len(made)):
                item = self.graph.call_function(operator.getitem, (node, i))
                self.values[item] = made[i]


def verdict(label, good, text=""):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED: %s\n%s" % (label, text))


def plans(r, gm):
    calls = [n.name for n in gm.graph.nodes if n.op.startswith("call")]
    some = ",".join(r.sample(calls, r.randint(1, len(calls))))
    yield ["split", "--acc-nodes", some]
    yield ["split", "--acc-nodes", some, "--start", "best"]
    yield ["pipe", "--stages", str(r.randint(2, 3))]
    yield ["dedup"]
    yield ["dedup", "--lift-constants"]
    yield ["module", "--keep-original-order", "--assign", ",".join("%s=%d" % (n, 3 * i // len(calls)) for i, n in enumerate(calls))]
    yield ["partition", "--device", "a:600", "--device", "b:600", "--device", "c:1M"]


def state(holder):
    return {k: v.clone() for k, v in holder.state_dict().items()}


def restore(holder, before):
    for k, v in holder.state_dict().items():
        v.copy_(before[k])


def execute(holder, run, inputs, before):
    """What it returns, and what it holds afterwards; then it holds what it held before."""
    with torch.no_grad():
        values = [v.clone() for v in inputs]
        results = run(*values)
        results = [t.clone() for t in results], values, state(holder)
        restore(holder, before)
    return results


def same(a, b):
    return fx.same_bits(a[0], b[0]) and fx.same_bits(a[1], b[1]) and fx.same_bits(a[2], b[2])


def check(seed):
    global accelerated, written
    r = random.Random(seed)
    torch.manual_seed(seed)
    net = Network(r)
    gm, inputs, holder = net.gm, net.inputs, net.holder
    before = state(holder)
    wanted = execute(holder, gm, inputs, before)
    text = fx.write(gm, inputs) if seed % 3 else fx.write(gm)  # without inputs: by schemas and names
    verdict("seed %d: the model holds what it held" % seed, fx.same_bits(state(holder), before))
    written += text.count(" mutates=") - text.count(" mutates= ") - text.count(" mutates=\n")
    verdict("seed %d: no group" % seed, " group=" not in text, text)
    for plan in plans(r, gm):
        made = subprocess.run([*program, *plan, "--porcelain", "-"], input=text, capture_output=True, text=True)
        if made.returncode != 0:  # nothing fits, or a parameter that several stages would write
            verdict("seed %d: %s: %s" % (seed, " ".join(plan), made.stderr), plan[0] in ("partition", "pipe", "module"), text)
            continue
        if plan[0] == "split":
            accelerated += len(made.stdout.partition("\n")[0].split()) - 1
        try:
            got = execute(holder, fx.read(gm, made.stdout), inputs, before)
            good = same(wanted, got)
        except (RuntimeError, fx.Wrong) as e:
            good = False
            print(e)
        verdict("seed %d: the same bits after %s" % (seed, " ".join(plan)), good, text + "\n" + made.stdout)


def main():
    first = int(os.environ.get("SEED", 1))
    count = int(os.environ.get("COUNT", 60))
    for seed in range(first, first + count):
        check(seed)
        if failed > 5:
            break
    print("# writes: %d calls that write, in %d networks; %d nodes on the accelerator" % (written, count, accelerated))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
