"""Random networks of torch.export: graphs in graphs (autocast, no_grad, cond, while_loop, map, scan, nested ones), writes
in and outside of them, buffers, strings, repeated layers, and attributes of names that passes make. Each runs after
passes of graphsplit, with random accelerator nodes, and gives the same bits, in what it returns and in what it holds.
usage: exported.py GRAPHSPLIT [WORDS BEFORE IT]...     (COUNT: networks; SEED)"""
import collections
import os
import random
import re
import subprocess
import sys

try:
    import torch
    import torch.nn.functional as F
    from torch._higher_order_ops.map import map as over_rows
    from torch._higher_order_ops.scan import scan
    from torch._higher_order_ops.while_loop import while_loop
    from torch.export import export
except ImportError:
    print("skipped: networks of torch.export (this PyTorch has no torch.export with while_loop and scan)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "..", "examples", "pytorch")]
import graphsplit_fx as fx  # noqa: E402
import writes  # noqa: E402  its operators and plans

program = sys.argv[1:]
TAKEN = ["submod_%d" % i for i in range(3)] + ["_run_on_acc_0", "_run_on_acc_1", "_run_on_cpu_0", "_run_on_cpu_1",
                                                 "subgraph_0", "getitem", "true_graph_0", "body_graph_0"]
passed = failed = 0
found = collections.Counter()
ran_after = collections.Counter()


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

    def forward(self, x):
        return F.gelu(self.b(torch.einsum("ij,jk->ik", self.a(x), x)), approximate="tanh") + x


class Counting(torch.nn.BatchNorm1d):
    """Writes its statistics, whatever the mode of the network."""

    def train(self, mode=True):
        return super().train()


class Network(torch.nn.Module):
    """A row of steps, each of which takes some of the tensors before."""

    def __init__(self, r):
        super().__init__()
        self.r = r
        self.layer = torch.nn.ModuleList([Layer() for _ in range(3)])
        self.act = torch.nn.ReLU(inplace=True)
        self.norm = Counting(4)
        self.register_buffer("b", torch.rand(4, 4))
        self.taken = [name for name in TAKEN if r.random() < 0.3]
        for name in self.taken:
            kind = r.choice(["module", "parameter", "buffer"])
            if kind == "module":
                setattr(self, name, torch.nn.Linear(4, 4))
            elif kind == "parameter":
                self.register_parameter(name, torch.nn.Parameter(torch.rand(4, 4)))
            else:
                self.register_buffer(name, torch.rand(4, 4))
        kinds = r.sample(sorted(STEPS), 5) + ["plain", "layers"]
        self.kinds = sorted((r.choice(kinds) for _ in range(r.randint(2, 7))), key="loop".__eq__)  # a loop last:
        self.seeds = [r.random() for _ in self.kinds]  # torch.export fails on sizes that it leaves unknown

    def use(self, name, x):
        value = getattr(self, name)
        return value(x) if isinstance(value, torch.nn.Module) else value * x

    def forward(self, x, y):
        values = [x, y]
        for kind, seed in zip(self.kinds, self.seeds):
            r = random.Random(seed)
            values.append(STEPS[kind](self, r, r.choice(values[-2:]), r.choice(values)))
        return tuple(v for v in values[2:] if v is not x and v is not y)[-3:]


def plain(net, r, x, y):
    if net.taken and r.random() < 0.6:
        x = net.use(r.choice(net.taken), x)
    return r.choice([torch.relu, torch.sigmoid, torch.neg])(x) + r.choice([x, y]).t()


def layers(net, r, x, y):
    for layer in net.layer:
        x = layer(x)
    return x + y if r.random() < 0.3 else x


def written(net, r, x, y):
    x = x.clone() if r.random() < 0.5 else x * 2
    for _ in range(r.randint(1, 3)):
        kind = r.randrange(8)
        if kind == 0:
            x.mul_(0.5)
        elif kind == 1:
            x[r.randrange(4)] = y[0]
        elif kind == 2:
            x += y
        elif kind == 3:
            F.relu(x, inplace=True)
        elif kind == 4:
            net.act(x.view(2, 8))
        elif kind == 5:
            torch.add(x, y, out=x)
        elif kind == 6:
            writes.ops.scale_(x.t(), 0.5)
        else:
            writes.ops.gather_into(y, x)
    return x


def buffer(net, r, x, y):
    if r.random() < 0.5:
        net.b.add_(x)
        return net.b * y
    z = net.b + y
    net.b.copy_(x)
    return z


def statistics(net, r, x, y):
    x = net.norm(x)
    return x + net.norm.running_mean if r.random() < 0.5 else x


def autocast(net, r, x, y):
    with torch.autocast("cpu", torch.bfloat16):
        z = net.layer[r.randrange(3)].a(x) @ y
        if net.taken and r.random() < 0.5:
            z = net.use(net.taken[0], x) + z
    return z.float()


def no_grad(net, r, x, y):
    x = x * 1
    with torch.no_grad():
        if r.random() < 0.5:
            x.add_(y)
        z = torch.sigmoid(x) @ net.b
        if r.random() < 0.4:
            with torch.enable_grad():
                z = net.layer[0].a(z)
        if r.random() < 0.4:
            with torch.autocast("cpu", torch.bfloat16):
                z = torch.mm(z, z).float()
    return z + x if r.random() < 0.5 else z


def branch(net, r, x, y):
    inner = r.random() < 0.4

    def second(a, b):
        if inner:
            return torch.cond(b.sum() > 1, lambda c: net.layer[1].b(c), lambda c: c * 3.0, (a,))
        return net.layer[2].b(a) - b
    return torch.cond(x.sum() > r.choice([-100, 0, 100]), lambda a, b: torch.sin(a) + b, second, (x, y))


def loop(net, r, x, y):
    most = r.randint(1, 4)
    return while_loop(lambda i, a, b: i < most, lambda i, a, b: (i + 1, torch.tanh(a @ b), b * 1), (torch.tensor(0), x.clone(), y.clone()))[1]


def rows(net, r, x, y):
    factor = r.choice([2, 3])
    return over_rows(lambda row, other: torch.cos(row) * factor + other, x.clone(), y[0].clone())


def scanned(net, r, x, y):
    return scan(lambda carry, row: (carry + row, carry * row), y[0].clone(), x.clone())[1]


STEPS = {"plain": plain, "layers": layers, "written": written, "buffer": buffer, "statistics": statistics,
         "autocast": autocast, "no_grad": no_grad,
         "branch": branch, "loop": loop, "rows": rows, "scanned": scanned}


def verdict(label, good, text=""):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED: %s\n%s" % (label, text))


def check(seed):
    r = random.Random(seed)
    torch.manual_seed(seed)
    net, inputs = Network(r).eval(), (torch.rand(4, 4), torch.rand(4, 4))
    try:
        gm = fx.graph_module(export(net, inputs))
    except Exception as e:  # PyTorch's exporter has many, among them for an attribute that is named like its graphs
        found["not exported by PyTorch (%s)" % type(e).__name__] += 1
        return
    before = writes.state(gm)
    wanted = writes.execute(gm, gm, inputs, before)
    text = fx.write(gm, inputs) if r.random() < 0.7 else fx.write(gm)
    verdict("seed %d: the model holds what it held" % seed, fx.same_bits(writes.state(gm), before))
    kinds = {*re.findall(r"torch\.ops\.higher_order\.(\w+)", text)}
    found.update(kinds)
    found["networks"] += 1
    found["with graphs in them"] += bool(kinds)
    found["with graphs in graphs"] += re.search(r"(?m)^module \S+\.\S+$", text) is not None
    found["with a group"] += " group=" in text
    found["calls that write"] += len(re.findall(r" mutates=\d", text))
    back = subprocess.run([*program, "read", "--check-users", "-"], input=text, capture_output=True, text=True)
    verdict("seed %d: read as it stands: %s" % (seed, back.stderr), back.stdout == text, text)
    for plan in writes.plans(r, gm):
        out = subprocess.run([*program, *plan, "--porcelain", "-"], input=text, capture_output=True, text=True)
        if out.returncode != 0:  # nothing fits, or a parameter that several stages would write
            verdict("seed %d: %s: %s" % (seed, " ".join(plan), out.stderr), plan[0] in ("partition", "pipe", "module"), text)
            found["%s is refused" % plan[0]] += 1
            continue
        try:
            got = writes.execute(gm, fx.read(gm, out.stdout), inputs, before)
            good = writes.same(wanted, got)
        except Exception as e:  # any is a failure, and is told
            good = False
            print(repr(e))
        ran_after[plan[0]] += good
        verdict("seed %d: the same bits after %s" % (seed, " ".join(plan)), good, text + "\n" + out.stdout)


def main():
    torch.set_num_threads(1)
    first = int(os.environ.get("SEED", 1))
    for seed in range(first, first + int(os.environ.get("COUNT", 40))):
        check(seed)
        if failed > 5:
            break
    print("# exported: %s" % ", ".join("%s %d" % item for item in sorted(found.items())))
    print("# the same bits after: %s" % ", ".join("%s %d" % item for item in sorted(ran_after.items())))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
