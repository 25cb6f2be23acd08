"""examples/pytorch/graphsplit_fx.py: networks to text, through the passes, and back to modules that compute the
same bits. usage: check.py GRAPHSPLIT [WORDS BEFORE IT]..."""
import os
import re
import resource
import subprocess
import sys
import tempfile

import torch

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "..", "examples", "pytorch")]
import graphsplit_fx as fx  # noqa: E402
import modules  # noqa: E402
import nets  # noqa: E402

program = sys.argv[1:]
passed = failed = 0


def verdict(label, good):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED: " + label)


def graphsplit(text, *options):
    made = subprocess.run([*program, *options, "-"], input=text, capture_output=True, text=True)
    return made.stdout if made.returncode == 0 else None, made.stderr


def call(module, inputs):
    copies = {k: fresh(v) for k, v in inputs.items()} if isinstance(inputs, dict) else [fresh(v) for v in inputs]
    with torch.no_grad():
        return module(**copies) if isinstance(inputs, dict) else module(*copies)


def fresh(v):
    return v.clone() if isinstance(v, torch.Tensor) else v


def called(gm):
    return [n for n in gm.graph.nodes if n.op.startswith("call_")]


def classes(gm):
    """Operators as graphsplit calls them."""
    writer = fx.Writer(gm)
    names = []
    for n in called(gm):
        kind = type(fx.attribute(gm, n.target)) if n.op == "call_module" else None
        place = None if kind is None else "torch.nn" if kind.__module__.startswith("torch.nn.") else kind.__module__
        name = "%s.%s" % (place, kind.__name__) if kind else writer.target(n)
        if name not in names:
            names.append(name)
    return names


def thirds(gm):
    nodes = called(gm)
    return ",".join("%s=%d" % (n.name, 3 * i // len(nodes)) for i, n in enumerate(nodes))


def plans(gm):
    names = classes(gm)
    yield "split", "--acc-ops", ",".join(names[::2])
    yield "split", "--acc-ops", ",".join(names[1::2]), "--skip-fusion", "--allow-non-tensor"
    two = ["--accelerator", "one=" + ",".join(names[::3]), "--accelerator", "two=" + ",".join(names[1::3])]
    yield ("split", *two, "--return-tuple")
    yield "split",
    yield "module", "--assign", thirds(gm)
    yield "module", "--assign", thirds(gm), "--keep-original-order"
    yield "partition", "--device", "a:6000", "--device", "b:64MiB"
    devices = ["--device", "a:64MiB", "--device", "b:64MiB"]
    mapped = ["--partition-devices", "0=0", "--partition-devices", "1=1", "--partition-devices", "2=0"]
    yield ("partition", "--mode", "aot", *devices, "--assign", thirds(gm), *mapped)
    yield "pipe", "--stages", "2"
    yield "pipe", "--stages", "3", "--policy", "optimal"
    yield "dedup",
    yield "dedup", "--lift-constants"


def check_network(function):
    return check_plans(function.__name__, *function(), slice(None), 8)


def check_plans(name, model, inputs, some, enough):
    """Text and back as it stands, and after some of the plans, of which the network has enough."""
    gm = fx.graph_module(model)
    wanted = call(model, inputs)
    text = fx.write(gm, inputs)
    back, errors = graphsplit(text, "read", "--check-users")
    verdict("%s: read as it stands %s" % (name, errors), back == text)
    runs = 0
    for plan in list(plans(gm))[some]:
        out, errors = graphsplit(text, *plan, "--porcelain")
        if out is None:  # a placement that this network does not have
            verdict("%s: %s: %s" % (name, " ".join(plan), errors), plan[0] in ("partition", "module", "pipe"))
            continue
        runs += 1
        try:
            parts = fx.read(gm, out)
            good = fx.same_bits(call(parts, inputs), wanted)
            training = parts.training
        except Exception as e:  # any is a failure, and is told
            good, training, parts = False, None, gm
            print("%s: %r" % (name, e))
        verdict("%s: the same bits after %s" % (name, " ".join(plan)), good)
        verdict("%s: %s turns nothing to training" % (name, plan[0]), training is False)
        sharing = {p.data_ptr() for p in model.parameters()} >= {p.data_ptr() for p in parts.parameters()}
        verdict("%s: the parameters are those of the model, %s" % (name, plan[0]), sharing)
    verdict("%s: %d of the plans exist" % (name, runs), runs >= enough)
    return text


def check_modules():
    """Modules of PyTorch's own tests, each after two of the plans in turn, of which one splits or deduplicates."""
    count = 0
    for count, (name, gm, inputs) in enumerate(modules.graphs(True), 1):
        check_plans(name, gm, inputs, slice(count % 6, None, 6), 1)
    print("graphs of PyTorch's test modules: %d" % count)
    return modules.report()


def check_text(texts):
    text = texts["residual"]
    verdict("types and classes", "call_module[target=layers.0.conv](args = (%stem,), kwargs = {})"
            "  # f32[2, 8, 10, 10] module=torch.nn.Conv2d params=2336" in text)
    verdict("parameters", "get_attr[target=layers.1.scale]  # f32[1]" in text)
    verdict("a default", "placeholder[target=mask](default=None)  # none" in text)
    verdict("infinity", "value: inf" in texts["keywords"] and "min: -1e-05" in texts["keywords"])
    verdict("strings", "'bhnd,bhmd->bhnm'" in texts["attention"] and "'text': \"it's\"" in texts["outputs"])
    verdict("several values", "# tuple(f32[3, 2], f32[3, 2])" in texts["outputs"])
    verdict("of several types", "# tuple(f32[3, 2], i64[3, 2])" in texts["outputs"])
    verdict("slices", "slice(floordiv, None, None)" in texts["slices"])
    verdict("shared storage", texts["constants"].count(" storage=") == 2)
    verdict("what is written", texts["in_place"].count(" mutates=0 alias=0") == 3)
    verdict("integers", "i64[2, 3]" in texts["recurrent"] and "b1[2, 3]" in texts["recurrent"])
    found = re.findall(r"%(\w+) : .* alias=(\d)", texts["views"])
    verdict("views: %s" % found, [n for n, _ in found] == ["t", "view", "getitem", "expand_as", "t_1", "getitem_1"])
    found = re.findall(r"%(getitem\w*) : .* alias=(\d)", texts["outputs"])
    verdict("elements are views of their tuple: %s" % found, len(found) == 5 and {at for _, at in found} == {"0"})
    copied = graphsplit(re.sub(" alias=0", "", texts["views"]), "memory", "--porcelain")[0]
    plan = graphsplit(texts["views"], "memory", "--porcelain")[0]
    arenas = [int(re.search(r"arena bytes=(\d+)", out).group(1)) for out in (plan, copied)]
    verdict("views take no memory: %s" % arenas, arenas[0] < arenas[1])
    timed = fx.write(*nets.perceptron(), runs=3, bandwidth=1e9)
    verdict("seconds", timed.count(" compute=") == 4 and "mem=7.68e-07" in timed)
    devices = ["--device", "a:1MiB", "--device", "b:1MiB"]
    verdict("seconds are read", graphsplit(timed, "partition", "--mode", "cost", *devices)[0])
    untyped = fx.write(nets.perceptron()[0])
    verdict("without inputs no types", "f32" not in untyped and graphsplit(untyped, "read")[0] == untyped)
    found = graphsplit(texts["twins"], "dedup", "--porcelain")[0]
    numbered = graphsplit(texts["numbered"], "dedup", "--lift-constants", "--porcelain")[0]
    verdict("80 layers that differ by a number are one subgraph", numbered.count("(%subgraph_0, subgraph_0, ") == 80)
    verdict("what repeats is found", found.startswith("region subgraph_0 0 : ") and "module subgraph_0" in found)


def refuses(label, words, model, text):
    try:
        fx.read(model, text)
        verdict(label + ": not refused", False)
    except ValueError as e:
        verdict("%s: %s" % (label, e), words in str(e))


def check_refusals():
    model, inputs = nets.residual()
    good = graphsplit(fx.write(model, inputs), "pipe", "--stages", "2", "--porcelain")[0]
    refuses("no module", "holds no module", model, "error NO_FIT\n")
    refuses("a line", "no line of a graph", model, good.replace("num_users", "users", 1))
    refuses("another model", "of the model", nets.perceptron()[0], good)
    refuses("a node", "neither a node", model, good.replace("return head", "return heads"))
    refuses("a function", "no function that the model calls", model, good.replace("operator.add]", "operator.sub]"))
    refuses("an operation", "this is no text of a module", model, good.replace(" = call_function[", " = call_nothing[", 1))
    refuses("a bracket", "expected", model, good.replace(", kwargs = {})", ", kwargs = {", 1))


def run(*words, **how):
    script = os.path.join(here, "..", "..", "examples", "pytorch", "graphsplit_fx.py")
    return subprocess.run([sys.executable, "-B", script, *words], capture_output=True, text=True, **how)


def no_room():
    """Files end after 512 bytes, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))


def content(path):
    with open(path, "rb") as f:
        return f.read()


def check_bits():
    column, zeros = torch.tensor([[1.0, 2.0], [3.0, 4.0]])[:, 0], torch.tensor([0.0, -0.0])
    verdict("same bits of a column", fx.same_bits(column, torch.tensor([1.0, 3.0])))
    verdict("same bits of one element of a column", fx.same_bits(column[:1], torch.tensor([1.0])))
    verdict("other bits of -0", not fx.same_bits(zeros, zeros.flip(0)) and zeros.equal(zeros.flip(0)))


def check_program(directory):
    net = os.path.join(here, "nets.py") + ":attention"
    printed = run("print", net)
    verdict("print " + printed.stderr, printed.stdout == fx.write(*nets.attention()))
    path, saved = os.path.join(directory, "net.split"), os.path.join(directory, "split.pt")
    with open(path, "w") as f:
        operators = "torch.nn.Linear,torch.functional.einsum"
        f.write(graphsplit(printed.stdout, "split", "--acc-ops", operators, "--porcelain")[0])
    built = run("build", net, path, "-o", saved)
    same = built.returncode == 0 and "outputs are the same bits" in built.stdout
    verdict("build: %s%s" % (built.stdout, built.stderr), same)
    loaded = torch.load(saved, weights_only=False)
    model, inputs = nets.attention()
    verdict("what was saved", fx.same_bits(call(loaded, inputs), call(model, inputs)))
    link, old = os.path.join(directory, "link.pt"), content(saved)
    os.symlink("split.pt", link)
    full = run("build", net, path, "-o", link, preexec_fn=no_room)
    verdict("a full disk: %s, %s" % (full.stderr, os.listdir(directory)), full.returncode == 1 and
            full.stderr == link + ": File too large\n" and content(saved) == old and
            sorted(os.listdir(directory)) == ["link.pt", "net.split", "split.pt"])
    built = run("build", net, path, "-o", link)
    verdict("a link stays: " + built.stderr, built.returncode == 0 and os.path.islink(link) and len(content(saved)) > 512)
    verdict("a model of no kind", run("print", "net.onnx").stderr.startswith("net.onnx: a model is "))
    verdict("--help", "FILE.py:FUNCTION" in run("--help").stdout)


MODELS = """import torch


class Either(torch.nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


def either(): return Either(), (torch.ones(3),)
def relu(): return torch.nn.ReLU(), (torch.ones(3),)
def many(): return torch.nn.ReLU(), (torch.ones(3), torch.ones(3))
def bare(): return torch.nn.ReLU(), torch.ones(3)
def other(): return torch.nn.ReLU(), {"other": torch.ones(3)}
def narrow(): return torch.nn.Linear(2, 2), (torch.ones(3),)
def five(): return 5
"""


def check_mistakes(directory):
    """What users can mend is told in one line, without a traceback."""
    models = os.path.join(directory, "models.py")
    for name, content in (("models.py", MODELS), ("broken.py", "def f(:"), ("broken.pt", "no"), ("empty.split", "")):
        with open(os.path.join(directory, name), "w") as f:
            f.write(content)
    good = os.path.join(directory, "good.split")
    with open(good, "w") as f:
        f.write(graphsplit(run("print", models + ":relu").stdout, "split", "--porcelain")[0])
    for words, options in (
            ("none.py: No such file", ["print", os.path.join(directory, "none.py:f")]),
            ("none.pt: No such file", ["print", os.path.join(directory, "none.pt")]),
            ("has no function 'nope'", ["print", models + ":nope"]),
            ("a model is FILE.py:FUNCTION", ["print", models]),
            ("invalid syntax", ["print", os.path.join(directory, "broken.py:f")]),
            ("torch cannot load it", ["print", os.path.join(directory, "broken.pt")]),
            ("torch.fx cannot trace it (", ["print", models + ":either"]),
            ("not int", ["print", models + ":five"]),
            ("a tuple of at most 1", ["print", models + ":many"]),
            ("a tuple of at most 1", ["print", models + ":bare"]),
            ("the graph has no input other", ["print", models + ":other"]),
            ("it does not run on these inputs", ["print", models + ":narrow"]),
            ("none.py: No such file", ["print", models + ":relu", "--inputs", os.path.join(directory, "none.py:f")]),
            ("none.split: No such file", ["build", models + ":relu", os.path.join(directory, "none.split")]),
            ("empty.split: the text holds no module", ["build", models + ":relu", os.path.join(directory, "empty.split")]),
            ("good.split: ", ["build", models + ":narrow", good, "-o", os.path.join(directory, "x.pt")]),
            ("none/x.pt: No such file", ["build", models + ":relu", good, "-o", os.path.join(directory, "none/x.pt")])):
        made = run(*options)
        told = made.returncode == 1 and words in made.stderr and made.stderr.count("\n") == 1
        verdict("%s: exit %d, %s" % (" ".join(options), made.returncode, made.stderr), told)


def check_readme(directory):
    """The commands of examples/README.md, as they stand there, and what they are said to print."""
    root = os.path.join(here, "..", "..")
    with open(os.path.join(root, "examples", "README.md")) as f:
        block = f.read().partition("### PyTorch\n")[2].partition("```\n")[2].partition("```")[0].splitlines()
    os.symlink(os.path.abspath(os.path.join(root, "examples")), os.path.join(directory, "examples"))
    words = [os.path.abspath(w) if os.path.exists(w) else w for w in program]
    for name, command in (("python3", [sys.executable, "-B"]), ("graphsplit", words)):
        with open(os.path.join(directory, name), "w") as f:
            f.write('#!/bin/sh\nexec %s "$@"\n' % " ".join(command))
        os.chmod(f.name, 0o755)
    script = "\n".join(line[2:] for line in block if line.startswith("$ "))
    path = {**os.environ, "PATH": directory + ":" + os.environ["PATH"]}
    made = subprocess.run(["sh", "-e", "-c", script], cwd=directory, env=path, capture_output=True, text=True)
    shown = [line for line in block if not line.startswith("$ ")]
    verdict("examples/README.md: %s%s" % (made.stdout, made.stderr), len(shown) == 2 and made.stdout.splitlines() == shown)


def check_export(directory):
    """torch.export, new in torch 2: the program, with its inputs in a tree, and symbolic sizes."""
    if not hasattr(torch, "export") or not hasattr(torch.export, "export"):
        print("skipped: torch.export (torch %s has none)" % torch.__version__)
        return 1
    for function in (nets.residual, nets.attention, nets.constants, nets.perceptron, nets.outputs, nets.keywords):
        model, inputs = function()
        named = inputs if isinstance(inputs, dict) else {}
        program = torch.export.export(model, () if named else tuple(inputs), named)
        text = fx.write(program)
        back, errors = graphsplit(text, "read", "--check-users")
        verdict("export: %s is read as it stands %s" % (function.__name__, errors), back == text)
        verdict("export: types of %s" % function.__name__, "# f32[" in text and "torch.ops.aten." in text)
        gm = fx.graph_module(program)
        for plan in list(plans(gm))[:6]:
            out, errors = graphsplit(text, *plan, "--porcelain")
            same = out is not None and fx.same_bits(call(fx.read(gm, out), inputs), call(model, inputs))
            verdict("export: %s after %s %s" % (function.__name__, " ".join(plan), errors), same)
    model, inputs = nets.perceptron()
    program = torch.export.export(model, inputs, dynamic_shapes=({0: torch.export.Dim("batch")},))
    text = fx.write(program)
    back, errors = graphsplit(text, "read", "--check-users")
    verdict("export: a symbolic size\n" + text, "f32[s" in text and back == text)
    saved, split = os.path.join(directory, "net.pt2"), os.path.join(directory, "export.split")
    torch.export.save(program, saved)
    printed = run("print", saved)
    with open(split, "w") as f:
        f.write(graphsplit(printed.stdout, "pipe", "--stages", "2", "--porcelain")[0])
    built = run("build", saved, split)
    verdict("export: %s%s" % (built.stdout, built.stderr), "2 parts\noutputs are the same bits" in built.stdout)
    return 0


def aot_graphs(model, inputs):
    """The graphs that AOTAutograd makes of a model, forward and backward, each with what it was called with."""
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd
    made = []

    def keep(gm, example):
        def called_with(*args):
            made.append((gm, [a.detach().clone() if isinstance(a, torch.Tensor) else a for a in args]))
            return gm(*args)
        return make_boxed_func(called_with)
    torch._dynamo.reset()
    found = torch.compile(model, backend=aot_autograd(fw_compiler=keep, bw_compiler=keep), fullgraph=True)(*inputs)
    found.sum().backward()
    return made


def check_aot():
    if not hasattr(torch, "compile"):
        print("skipped: graphs of AOTAutograd (torch %s has none)" % torch.__version__)
        return 1
    for function in (nets.residual, nets.attention, nets.perceptron, nets.twins):
        model, inputs = function()
        graphs = aot_graphs(model, inputs)
        verdict("aot: %s has %d graphs" % (function.__name__, len(graphs)), len(graphs) == 2)
        for (gm, args), side in zip(graphs, ("forward", "backward")):
            label = "aot: %s, %s" % (function.__name__, side)
            text = fx.write(gm, args)
            back, errors = graphsplit(text, "read", "--check-users")
            verdict("%s is read as it stands %s" % (label, errors), back == text and "torch.ops.aten." in text)
            for plan in list(plans(gm))[:6]:
                out, errors = graphsplit(text, *plan, "--porcelain")
                same = out is not None and fx.same_bits(call(fx.read(gm, out), args), call(gm, args))
                verdict("%s after %s %s" % (label, " ".join(plan), errors), same)
    return 0


torch.set_num_threads(1)
texts = {function.__name__: check_network(function) for function in nets.FUNCTIONS}
check_text(texts)
check_bits()
check_refusals()
with tempfile.TemporaryDirectory() as made:
    check_program(made)
    check_mistakes(made)
    check_readme(made)
    skipped = check_export(made) + check_aot() + check_modules()
print("%d passed, %d failed%s" % (passed, failed, ", %d skipped" % skipped if skipped else ""))
sys.exit(failed != 0)
