"""Modules of PyTorch's own tests, as torch.testing._internal has them: those of torch.nn with the inputs of module_db,
and the models of its tests of quantization, pruning and parallel training. graphs() gives them as graphs."""
import collections
import importlib
import importlib.util
import sys
import types
import unittest
from unittest import mock

import torch
import torch.fx
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_map

FILES = ["common_quantization", "common_pruning", "common_dist_composable", "distributed._tensor.common_dtensor", "common_fsdp"]
# What models take that bring no inputs: the first of these on which one runs.
SHAPES = [(2, 5), (2, 8), (2, 7), (2, 10), (2, 1), (2, 100), (1, 1, 12, 12), (1, 2, 5, 5), (1, 3, 12, 12), (1, 3, 32, 32), (2, 4, 16), (5, 2, 8)]
skipped = collections.defaultdict(list)  # names by reason


class Deep(torch.fx.Tracer):
    """Traces modules of torch.nn, too."""

    def is_leaf_module(self, module, name):
        return False


def internal(name):
    """A module of torch.testing._internal, or None if it cannot be imported. It reads the program's arguments, which are
    hidden from it. Where expecttest is not installed, a stand-in has the two names that it takes from there."""
    if not importlib.util.find_spec("expecttest"):
        sys.modules["expecttest"] = types.ModuleType("expecttest")
        sys.modules["expecttest"].__spec__ = importlib.util.spec_from_loader("expecttest", None)
        vars(sys.modules["expecttest"]).update(TestCase=unittest.TestCase, ACCEPT=False)
    try:
        with mock.patch.object(sys, "argv", sys.argv[:1]):
            return importlib.import_module("torch.testing._internal." + name)
    except Exception as e:  # an older PyTorch in a later Python has many
        skipped["cannot be imported (%s)" % type(e).__name__].append(name)


def called(module, args, kwargs):
    """A graph that calls a module twice, since one node cannot be split, and its inputs."""
    graph, inputs = torch.fx.Graph(), []

    def placeholder(value):
        if not isinstance(value, torch.Tensor):
            return value
        inputs.append(value)
        return graph.placeholder("x%d" % len(inputs))
    args, kwargs = tree_map(placeholder, (tuple(args), kwargs))
    graph.output(tuple([graph.call_module("module", args, kwargs) for _ in range(2)]))
    root = torch.nn.Module()
    root.module = module
    return torch.fx.GraphModule(root, graph).eval(), tuple(inputs)


def traced(tracer, gm, inputs):
    """What a graph's modules call: traced by symbols; where they ask for values, by values, as calls of aten."""
    try:
        return torch.fx.GraphModule(gm, tracer.trace(gm)).eval()
    except Exception:  # whatever a module does that cannot be traced
        with torch.no_grad():
            return make_fx(gm)(*inputs).eval()


def running(tries):
    """The first of several makers whose module runs on its inputs, as a graph of calls with inputs; or None."""
    for make in tries:
        torch.manual_seed(1)
        try:
            module, args, kwargs = make()
            with torch.no_grad():
                module.eval()(*args, **kwargs)  # a lazy module learns its sizes
        except Exception:  # sizes are not its own
            continue
        return called(module, args, kwargs)


def nn_modules():
    """Names of the modules of module_db, and makers of them."""
    file = internal("common_modules")
    for info in file.module_db if file else ():
        torch.manual_seed(1)
        many = info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=False)
        yield info.name, [lambda i=i, kind=info.module_cls: (kind(*i.constructor_input.args, **i.constructor_input.kwargs),
                                                             i.forward_input.args, i.forward_input.kwargs) for i in many]


def makers(file, kind):
    """Makers of a model, from no argument, a device, a width or a record of sizes."""
    record = [(file.ModelArgs(),)] if hasattr(file, "ModelArgs") else []
    for sizes in [(), ("cpu",), (8,), *record]:
        if hasattr(kind, "get_example_inputs"):
            yield lambda: [(made, made.get_example_inputs(), {}) for made in [kind(*sizes)]][0]
            continue
        for shape in SHAPES:
            yield lambda: (kind(*sizes), (torch.randn(shape),), {})
        yield lambda: (kind(*sizes), (torch.randint(8, (2, 16)),), {})


def test_models():
    """Names of the models of PyTorch's tests, and makers of them."""
    for name in FILES:
        file = internal(name)
        for kind in list(vars(file).values()) if file else ():
            if isinstance(kind, type) and issubclass(kind, torch.nn.Module) and kind.__module__ == file.__name__:
                yield "%s.%s" % (name.rpartition(".")[2], kind.__name__), makers(file, kind)


def graphs(calls):
    """Names, graphs and inputs: modules of torch.nn and models traced, and with `calls` those of torch.nn called, too."""
    for found, tracer in ((nn_modules(), Deep()), (test_models(), torch.fx.Tracer())):
        for name, tries in found:
            made = running(tries)
            if made is None:
                skipped["runs on no inputs that are known"].append(name)
                continue
            gm, inputs = made
            if calls and isinstance(tracer, Deep):
                yield name, gm, inputs
            try:
                gm = traced(tracer, gm, inputs)
            except Exception as e:  # whatever a module does
                skipped["cannot be traced (%s)" % type(e).__name__].append(name)
                continue
            if any(n.op.startswith("call_") for n in gm.graph.nodes):
                yield name + " traced", gm, inputs
            else:
                skipped["calls nothing"].append(name)


def report():
    """Prints names and reasons of what graphs() left out; returns how many there are."""
    for reason, names in skipped.items():
        print("skipped: PyTorch's test modules: %s: %s" % (reason, " ".join(names)))
    return sum(map(len, skipped.values()))
