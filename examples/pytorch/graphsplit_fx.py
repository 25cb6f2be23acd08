#!/usr/bin/env python3
"""PyTorch graphs to graphsplit and back.

As a library:

    gm = graphsplit_fx.graph_module(model)        # traces an nn.Module, or takes what torch.export made
    text = graphsplit_fx.write(gm, inputs)
    parts = graphsplit_fx.read(gm, module_text)  # what graphsplit printed with --porcelain, as a GraphModule
    pipe = graphsplit_fx.pipe(model, stages, inputs)  # what `graphsplit pipe` printed with --porcelain or --stages-for,
                                                      # as a Pipe of torch.distributed.pipelining (2.4 or later)

As a program (MODEL is FILE.py:FUNCTION, a function that returns a module and a tuple of inputs; a program of
torch.export, .pt2; or a module that torch.save has written, .pt, with --inputs of the first kind):

    graphsplit_fx.py print MODEL > net.fx
    graphsplit split --acc-ops ... --porcelain net.fx > net.split   (or partition, module, pipe, dedup)
    graphsplit_fx.py build MODEL net.split -o split.pt              (checks that the outputs are the same bits)

Types, views (alias=) and writes (mutates=) come from a run on copies of `inputs`; without them from what torch.export has
left, from schemas and from names. Modules share the parameters of the model that they were made from. Needs torch 1.13
or later, and nothing else."""
import argparse
import ast
import importlib.util
import inspect
import io
import operator
import os
import re
import signal
import statistics
import sys
import time

try:
    import torch
    import torch.fx
except ModuleNotFoundError:
    if __name__ != "__main__":
        raise
    sys.exit("graphsplit_fx.py: %s has no torch; run it with a Python that has" % sys.executable)

class Wrong(ValueError):
    """What a user can mend, in a sentence."""


DTYPES = {"bool": "b1", "bfloat16": "bf16"}  # the others by a pattern
WORDS = {"None": None, "True": True, "False": False, "Ellipsis": Ellipsis, "...": Ellipsis}


# ---- types ----

def type_of(value):
    """f32[1, 3], tuple(f32[1], int), int: a value, real or symbolic, as annotation."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):  # a tensor, or metadata of one
        name = str(value.dtype).replace("torch.", "")
        short = re.match(r"(q?[ufic])[a-z]*(\d+)", name)  # float32 f32, quint8 qu8, float8_e4m3fn f8
        sizes = [re.sub(r"\W+", "_", str(d)).strip("_") for d in value.shape]  # s0, 2*s0 + 1
        sizes = [d if d.isdigit() or d[0].isalpha() else "s_" + d for d in sizes]
        dtype = DTYPES.get(name) or (short.group(1) + short.group(2) if short else name)
        return "%s[%s]" % (dtype, ", ".join(sizes))
    if isinstance(value, dict):
        return "tuple(%s)" % ", ".join(map(type_of, value.values())) if value else "dict"
    if isinstance(value, (tuple, list)):
        kind = "list" if isinstance(value, list) else "tuple"
        return "%s(%s)" % (kind, ", ".join(map(type_of, value))) if value else kind
    names = {"SymInt": "int", "SymFloat": "float", "SymBool": "bool", "NoneType": "none"}
    name = names.get(type(value).__name__, type(value).__name__)
    return name if name in ("int", "float", "bool", "str", "none") else "any"


def byte_count(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def storage_of(value):
    """What tensors that share memory have in common, fake ones of torch.export too; None for other values."""
    if not isinstance(value, torch.Tensor) or value.numel() == 0:
        return None
    try:
        return value.untyped_storage()._cdata if hasattr(value, "untyped_storage") else value.storage().data_ptr()
    except NotImplementedError:  # a tensor of torch.vmap, in the graph of a higher-order operator
        return None


def leaves(value):
    """Arguments one by one, as graphsplit counts their positions."""
    if isinstance(value, slice):
        value = (value.start, value.stop, value.step)
    if isinstance(value, (tuple, list, dict)):
        inner = value.values() if isinstance(value, dict) else value
        return [leaf for v in inner for leaf in leaves(v)]
    return [value]


def tensors_in(value):
    return [t for t in leaves(value) if isinstance(t, torch.Tensor)]


def version_of(tensor):
    """Grows with each write to its memory, through views, too."""
    return 0 if tensor.is_inference() else tensor._version


class Recorder(torch.fx.Interpreter):
    """Runs a graph; keeps types, the arguments that are viewed and those that are written, by their flattened positions,
    modules that write what they hold, and the median of the seconds that nodes took."""

    def __init__(self, gm, runs=0):
        super().__init__(gm)
        self.types, self.views, self.seconds, self.runs = {}, {}, {}, runs
        self.writes, self.stateful = {}, set()

    def run_node(self, n):
        if n.op == "output" or not n.op.startswith("call"):
            value = super().run_node(n)
            self.types[n] = type_of(value)
            return value
        arguments = [tensors_in(self.env[a]) if isinstance(a, torch.fx.Node) else [] for a in leaves((n.args, n.kwargs))]
        held = attribute(self.module, n.target) if n.op == "call_module" else None
        held = list(held.parameters()) + list(held.buffers()) if isinstance(held, torch.nn.Module) else []
        copied = held or re.search("norm|fused|moving", str(n.target))  # kernels that count no version
        before = [[(version_of(t), t.clone() if copied else None) for t in a] for a in arguments + [held]]
        value = super().run_node(n)
        changed = [any(version_of(t) != v or c is not None and not same_bits(t, c) for t, (v, c) in zip(a, old))
                   for a, old in zip(arguments + [held], before)]
        if changed.pop():
            self.stateful.add(n)
        by_name = written(self.module, n) if container_write(n) or bodies_run(self.module, n)[0] else []
        self.writes[n] = sorted(set(by_name) | {i for i, c in enumerate(changed) if c})
        taken = []
        for _ in range(self.runs if not self.writes[n] and n not in self.stateful else 0):
            start = time.perf_counter()
            super().run_node(n)
            taken.append(time.perf_counter() - start)
        if taken:
            self.seconds[n] = statistics.median(taken)
        self.types[n] = type_of(value)
        own = set(map(storage_of, tensors_in(value))) - {None}
        self.views[n] = [i for i, a in enumerate(arguments) if own & set(map(storage_of, a))]
        return value


def recorded(n):
    return next((n.meta[k] for k in ("val", "example_value", "tensor_meta") if n.meta.get(k) is not None), None)


def recorded_views(gm):
    """The same from what torch.export has left."""
    storages = {n: set(map(storage_of, tensors_in(recorded(n)))) - {None} for n in gm.graph.nodes}
    return {n: [i for i, a in enumerate(leaves((n.args, n.kwargs)))
                if isinstance(a, torch.fx.Node) and storages[n] & storages[a]]
            for n in gm.graph.nodes if n.op.startswith("call")}


# ---- writing ----

def attribute(root, path):
    for atom in path.split("."):
        root = getattr(root, atom)
    return root


def schemas(target):
    """Of an operator of torch.ops: an overload has one, a packet one for each overload."""
    if hasattr(target, "_schema"):
        return [target._schema]
    if hasattr(target, "overloads") and hasattr(target, "_qualified_op_name"):
        return [getattr(target, name)._schema for name in target.overloads()]
    return []


def named_in_place(name):
    """mul_, iadd_, __iadd__, but not __exit__."""
    bare = name[2:-2] if name.startswith("__") and name.endswith("__") else ""
    if bare:
        return bare in ("setitem", "delitem") or bare.startswith("i") and hasattr(operator, "__%s__" % bare[1:])
    return re.fullmatch(r"\w*[A-Za-z0-9]_", name) is not None


def container_write(n):
    """Whether it may write a list or a dict, which count no versions."""
    name = n.target if n.op == "call_method" else getattr(n.target, "__name__", "")
    return n.op != "call_module" and re.fullmatch(r"(__)?(setitem|delitem|setattr|iadd|iconcat|ior|imul)(__)?", name) is not None


def has_inplace(n):
    """Whether a function of Python gets inplace=True, by keyword or by position."""
    if n.kwargs.get("inplace") is True:
        return True
    try:
        given = inspect.signature(n.target).bind(*n.args, **n.kwargs).arguments
    except (TypeError, ValueError):
        return False
    return given.get("inplace") is True


def norm_writes(n):
    """The arguments that a function of normalisation writes in training, which schemas and names do not say."""
    name = getattr(n.target, "__name__", "")
    if not re.search("(batch|instance)_norm", name):
        return []
    found = schemas(n.target) or schemas(getattr(torch.ops.aten, name, None))
    try:
        names = list(inspect.signature(n.target).parameters) if not schemas(n.target) else [a.name for a in found[0].arguments]
    except ValueError:
        names = [a.name for a in found[0].arguments] if found else []
    given = dict(zip(names, n.args), **n.kwargs)
    modes = [given[k] for k in ("training", "train", "use_input_stats") if k in given] + ["instance" in name]
    at = [(names.index(k), k) for k in ("running_mean", "running_var") if k in given and modes[0]]
    return [i if i < len(n.args) else k for i, k in at]


def written_arguments(gm, n):
    """The arguments that a node writes, by index or by name, from schemas and names alone."""
    first = [0] if n.args else list(n.kwargs)[:1]
    if n.op == "call_method":
        return (first if named_in_place(n.target) else []) + [k for k in n.kwargs if k == "out"]
    if n.op == "call_module":
        return first if any(getattr(m, "inplace", False) is True for m in attribute(gm, n.target).modules()) else []
    if n.op != "call_function":
        return []
    if schemas(n.target):
        writes = [(i, a.name) for s in schemas(n.target) for i, a in enumerate(s.arguments)
                  if a.alias_info is not None and a.alias_info.is_write]
        keys = [key for i, name in writes for key in ([i] if i < len(n.args) else [name] if name in n.kwargs else [])]
        return keys + [key for key in norm_writes(n) if key not in keys]
    name = getattr(n.target, "__name__", "")
    of_operator = getattr(n.target, "__module__", "") == "_operator"
    in_place = name in ("setitem", "delitem") or (
        name.startswith("i") and hasattr(operator, "__%s__" % name)) if of_operator else named_in_place(name)
    in_place = in_place or n.target is setattr or has_inplace(n)
    return (first if in_place else []) + [k for k in n.kwargs if k == "out"] + norm_writes(n)


def bodies_run(gm, n):
    """The graphs among the arguments of a higher-order operator, and the position of the first of their inputs."""
    flat = leaves((n.args, n.kwargs)) if n.op == "call_function" else []
    found = [(i, attribute(gm, a.target)) for i, a in enumerate(flat) if isinstance(a, torch.fx.Node) and a.op == "get_attr"]
    found = [(i, body) for i, body in found if isinstance(body, torch.fx.GraphModule)]
    after = found[-1][0] + 1 if found else 0
    while found and after < len(flat) and isinstance(flat[after], str):  # invoke_subgraph names its graph
        after += 1
    return [body for _, body in found], after


def written_by_bodies(bodies, after):
    """The flattened positions of the inputs that graphs write, also through views."""
    positions = set()
    for body in bodies:
        views, inputs = recorded_views(body), [n for n in body.graph.nodes if n.op == "placeholder"]
        shown = {n: {after + i} for i, n in enumerate(inputs)}  # positions whose memory a node shows
        for n in body.graph.nodes:
            if n.op.startswith("call"):
                flat, at = leaves((n.args, n.kwargs)), written(body, n)
                shown[n] = set().union(*[shown.get(flat[i], ()) for i in views.get(n) or at])
                positions.update(*[shown.get(flat[i], ()) for i in at])
    return positions


def written(gm, n):
    """The flattened positions of the nodes that a node writes, from schemas, names and the graphs that it runs."""
    bodies, after = bodies_run(gm, n)
    if bodies:
        flat = leaves((n.args, n.kwargs))
        return [i for i in sorted(written_by_bodies(bodies, after)) if i < len(flat) and isinstance(flat[i], torch.fx.Node)]
    positions, at = [], 0
    wanted = written_arguments(gm, n)
    for key, value in list(enumerate(n.args)) + list(n.kwargs.items()):
        for leaf in leaves(value):
            if key in wanted and isinstance(leaf, torch.fx.Node):
                positions.append(at)
            at += 1
    return positions


# May return an argument, or a view of it, without a schema that says so.
RETURNING = set("""alpha_dropout atleast_1d atleast_2d atleast_3d bfloat16 bool broadcast_tensors cartesian_prod cpu cuda double
    dropout dropout1d dropout2d dropout3d einsum feature_dropout float getitem half int long meshgrid short sum_to_size to type
    type_as""".split())
VIEWING_MODULES = (torch.nn.Identity, torch.nn.Flatten, torch.nn.Unflatten, torch.nn.modules.dropout._DropoutNd, torch.nn.Sequential)


def shown_by_name(gm, n):
    """The flattened positions of the arguments whose memory a call may show, from schemas and names alone."""
    at = written(gm, n)
    name = n.target if n.op == "call_method" else getattr(n.target, "__name__", "")
    if at:
        return [] if re.fullmatch("(__)?(setitem|delitem|setattr)(__)?", name) or norm_writes(n) else at
    flat = leaves((n.args, n.kwargs))
    nodes = [i for i, a in enumerate(flat) if isinstance(a, torch.fx.Node)]
    if n.op == "call_module":
        module = attribute(gm, n.target)
        viewing = isinstance(module, torch.nn.Module) and all(isinstance(m, VIEWING_MODULES) for m in module.modules())
        return nodes[:1] if viewing else []
    if n.target is getattr:
        return nodes[:1] if flat[1] in ("data", "T", "mT", "H", "mH", "real", "imag") else []
    found = schemas(n.target) or schemas(getattr(torch.ops.aten, name, None))
    viewing = any(a.alias_info is not None and not a.alias_info.is_write for s in found for a in s.arguments)
    return nodes if name in RETURNING else nodes[:1] if viewing else []


def may_write_held(gm, n):
    """Whether a call may write what its module holds: statistics, in training."""
    module = attribute(gm, n.target) if n.op == "call_module" else None
    return isinstance(module, torch.nn.Module) and any(m.training and m._buffers for m in module.modules())


def looks_written(n):
    """Whether graphsplit may take the name of a call for that of a write, unless an empty mutates= says no."""
    if n.op == "call_module":
        return False
    name = n.target if n.op == "call_method" else getattr(n.target, "__name__", "")
    if schemas(n.target):
        name = schemas(n.target)[0].name.split("::")[-1]
        overload = getattr(n.target, "_overloadname", "")
        if overload in ("out", "values", "dim_values", "dim_max", "dim_min", "values_stable") or overload.endswith("_out"):
            return True
    return named_in_place(name) or bool({"out", "inplace"} & set(n.kwargs)) or container_write(n) or has_inplace(n) \
        or getattr(n.target, "__module__", "") == "_operator" and hasattr(operator, "__i%s__" % name[1:])


def untold(gm, writes, views, stateful):
    """The barriers, for what mutates= and alias= cannot tell: calls that write memory that a module holds and something
    else shows, or memory that some call views through another argument than its first."""
    known, memory = {}, {}  # two forests: nodes that share memory, as the text tells, and in truth

    def root(forest, n):
        while forest.setdefault(n, n) is not n:
            n = forest[n]
        return n

    unclear, holders, first = [], {}, {}
    for n in gm.graph.nodes:
        flat = leaves((n.args, n.kwargs))
        shown = [flat[i] for i in views.get(n, [])]
        if len({root(known, a) for a in shown}) > 1:
            unclear.append(n)
        for a in shown:
            memory[root(memory, n)] = root(memory, a)
        if shown:
            known[root(known, n)] = root(known, shown[0])
        value = attribute(gm, n.target) if n.op in ("get_attr", "call_module") else None
        tensors = [value] if isinstance(value, torch.Tensor) else []
        if isinstance(value, torch.nn.Module):
            tensors = list(value.parameters()) + list(value.buffers())
        for storage in set(map(storage_of, tensors)) - {None}:
            holders.setdefault(storage, []).append(n)
            if n.op == "get_attr":  # storage= tells
                for forest in (known, memory):
                    forest[root(forest, n)] = root(forest, first.setdefault(storage, n))
    written_memory = {root(memory, leaves((n.args, n.kwargs))[i]) for n, at in writes.items() for i in at}

    def writers(roots):
        return {n for n, at in writes.items() if roots & {root(memory, leaves((n.args, n.kwargs))[i]) for i in at}}

    barriers = writers({root(memory, n) for n in unclear} & written_memory)
    for nodes in holders.values():
        called = [n for n in nodes if n.op == "call_module"]
        read = [n for n in nodes if n.op == "get_attr"]
        if called and len(nodes) > 1 and (stateful & set(called) or {root(memory, n) for n in read} & written_memory):
            barriers |= writers({root(memory, n) for n in read}) | stateful & set(called)
    return barriers


class Writer:
    """The text of a graph and of those that it runs, and what its words stand for: `functions` by target, `objects` by
    token. Targets of attributes and modules are paths from the root, of which `path` leads to this graph."""

    def __init__(self, gm):
        self.gm, self.functions, self.objects = gm, {"operator.getitem": operator.getitem}, {}
        self.path = ""

    def body(self, target):
        """The writer of a graph that this one runs."""
        made = Writer(attribute(self.gm, target))
        made.functions, made.objects, made.path = self.functions, self.objects, self.path + target + "."
        return made

    def bodies(self):
        """The writers of all graphs that this one runs, and that these run, each once."""
        found, left = {}, [self]
        while left:
            writer = left.pop(0)
            for n in writer.gm.graph.nodes:
                if n.op == "get_attr" and writer.path + n.target + "." not in found and \
                        isinstance(attribute(writer.gm, n.target), torch.fx.GraphModule):
                    made = found[writer.path + n.target + "."] = writer.body(n.target)
                    left.append(made)
        return list(found.values())

    def known(self, table, name, value):
        """A name for a value that no other value has."""
        i, free = 0, name
        while free in table and table[free] is not value and table[free] != value:
            i, free = i + 1, "%s_%d" % (name, i + 1)
        table[free] = value
        return free

    def target(self, n):
        if n.op != "call_function":
            return (self.path if n.op in ("get_attr", "call_module") else "") + str(n.target)
        if hasattr(n.target, "_schema"):  # torch.ops.aten.add.Tensor
            name = "torch.ops." + str(n.target)
        else:
            module = getattr(n.target, "__module__", None) or "torch"
            module = {"_operator": "operator", "torch._C._nn": "torch.nn.functional"}.get(module, module)
            name = "%s.%s" % (module, getattr(n.target, "__name__", type(n.target).__name__))
        return self.known(self.functions, re.sub(r"[^\w.]", "_", name), n.target)

    def value(self, a, bare=False):
        def many(values, inner=bare):
            return ", ".join(self.value(v, inner) for v in values)

        if isinstance(a, torch.fx.Node):
            return a.name if bare else "%" + a.name
        if isinstance(a, tuple):
            return "(%s%s)" % (many(a), "," if len(a) == 1 else "")
        if isinstance(a, list):
            return "[%s]" % many(a)
        if isinstance(a, dict):
            key = repr if bare else str
            return "{%s}" % ", ".join("%s: %s" % (key(k), self.value(v, bare)) for k, v in a.items())
        if isinstance(a, slice):
            return "slice(%s)" % many((a.start, a.stop, a.step), True)
        if isinstance(a, (str, int, float)) or a is None or a is Ellipsis:
            return repr(a)
        name = str(a) if re.fullmatch(r"[A-Za-z_][\w.:]*", str(a)) else "object_of_" + type(a).__name__
        return self.known(self.objects, name, a)

    def memory(self, n):
        """What a call writes, and the argument that it shows."""
        written_at, shown = self.writes.get(n, []), self.views.get(n, [])
        notes = ["mutates=" + ",".join(map(str, written_at))] if written_at or looks_written(n) else []
        return notes + ["alias=%d" % i for i in shown[:1]]

    def notes(self, n, types, seconds, bandwidth, shared):
        notes = [types.get(n, "")]
        tensors, memory = [], []
        if n.op == "get_attr":
            value = attribute(self.gm, n.target)
            notes = [type_of(value)]
            if n in shared:
                notes.append("storage=%s" % shared[n])
        elif n.op == "call_module":
            module = attribute(self.gm, n.target)
            kind = type(module)
            tensors = list(module.parameters()) + list(module.buffers())
            place = "torch.nn" if kind.__module__.startswith("torch.nn.") else kind.__module__
            notes += ["module=%s.%s" % (place, kind.__name__), "params=%d" % byte_count(tensors)]
        if n.op.startswith("call"):
            memory = self.memory(n)
        if n in self.barriers:
            notes.append("barrier=1")
        if n in seconds:
            notes.append("compute=%.9g" % seconds[n])
        if bandwidth and n.op.startswith("call"):
            moved = byte_count(tensors) + sum(type_bytes(types.get(m, "")) for m in [n] + n.all_input_nodes)
            notes.append("mem=%.9g" % (moved / bandwidth))
        stack = list((n.meta.get("nn_module_stack") or {}).items())
        if stack and n.op.startswith("call") and n.op != "call_module":
            path = stack[-1][1][0] if isinstance(stack[-1][1], tuple) else stack[-1][0]
            path = re.sub(r"^L\['self'\]\.?|^L__self__+", "", str(path))
            if re.fullmatch(r"[\w.]+", path):
                notes.append("scope=" + path)
        notes = [note for note in notes[:1] + memory + notes[1:] if note]
        return "  # " + " ".join(notes) if notes else ""

    def line(self, n):
        if n.op == "output":
            return "    return " + self.value(n.args[0], True)
        head = "    %%%s : [num_users=%d] = %s[target=%s]" % (n.name, len(n.users), n.op, self.target(n))
        if n.op == "placeholder":
            return head + ("(default=%s)" % self.value(n.args[0]) if n.args else "")
        if n.op == "get_attr":
            return head
        return head + "(args = %s, kwargs = %s)" % (self.value(tuple(n.args)), self.value(dict(n.kwargs)))

    def text(self, record=None, bandwidth=0):
        bodies = self.bodies()
        texts = [self.graph_text(record, bandwidth)] + ["module %s\n%s" % (w.path[:-1], w.graph_text()) for w in bodies]
        return ("module main\n" if bodies else "") + "".join(texts)

    def graph_text(self, record=None, bandwidth=0):
        storages = {}
        for n in self.gm.graph.nodes:
            value = attribute(self.gm, n.target) if n.op == "get_attr" else None
            if isinstance(value, torch.Tensor):
                storage = value.untyped_storage() if hasattr(value, "untyped_storage") else value.storage()
                storages.setdefault(storage.data_ptr(), []).append(n)
        shared = {n: i for i, nodes in enumerate(storages.values()) if len(nodes) > 1 for n in nodes}
        record = record or Recorder(self.gm)
        if not record.types:
            values = {n: recorded(n) for n in self.gm.graph.nodes}
            record.types = {n: "" if value is None else type_of(value) for n, value in values.items()}
            calls = [n for n in self.gm.graph.nodes if n.op.startswith("call")]
            record.views = recorded_views(self.gm)
            record.writes = {n: written(self.gm, n) for n in calls}
            record.stateful = {n for n in calls if may_write_held(self.gm, n)}
            for n in calls:
                if values[n] is None or len(record.writes[n]) == 1 and not container_write(n):
                    record.views[n] = record.views[n] or shown_by_name(self.gm, n)
        self.views, self.writes = record.views, record.writes
        self.barriers = untold(self.gm, self.writes, self.views, record.stateful)
        lines = ["graph():"]
        for n in self.gm.graph.nodes:
            notes = "" if n.op == "output" else self.notes(
                n, record.types, record.seconds, bandwidth, shared)
            lines.append(self.line(n) + notes)
        return "\n".join(lines) + "\n"


def type_bytes(text):
    total = 0
    for dtype, dims in re.findall(r"(\w+)\[([^\]]*)\]", text):
        size = max(int((re.search(r"\d+$", dtype) or [8])[0]) // 8, 1)
        for d in re.findall(r"\d+(?=,|$)", dims):
            size *= int(d)
        total += size
    return total


def graph_module(model):
    """A GraphModule of a module; of an exported program, the one that has its parameters."""
    if hasattr(model, "graph_signature") and hasattr(model, "module"):
        model = model.module()
    if not isinstance(model, torch.nn.Module):
        raise Wrong("a model is an nn.Module or a program of torch.export, not %s" % type(model).__name__)
    gm = model
    if not isinstance(model, torch.fx.GraphModule):
        try:
            gm = torch.fx.symbolic_trace(model)
        except Exception as e:  # whatever the model does that cannot be traced
            raise Wrong("torch.fx cannot trace it (%s); torch.export may, into a .pt2" % e) from e
    for n in list(gm.graph.nodes):
        if n.op == "call_module" and n.target == "_guards_fn" and not n.users:  # checks of inputs, since torch 2.9
            gm.graph.erase_node(n)
    return gm


def positional(gm, inputs):
    """Inputs in the order of the placeholders, for a dict too."""
    placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
    if isinstance(inputs, (tuple, list)) and len(inputs) <= len(placeholders):
        return tuple(inputs)
    if not isinstance(inputs, dict):
        raise Wrong("inputs are a tuple of at most %d, or a dict by name" % len(placeholders))
    left = dict(inputs)
    values = [left.pop(n.target, n.args[0] if n.args else None) for n in placeholders]
    if left:
        raise Wrong("the graph has no input %s" % ", ".join(left))
    return tuple(values)


def held_tensors(gm):
    """Parameters, buffers and other tensors that calls may write."""
    held = list(gm.parameters()) + list(gm.buffers())
    return held + tensors_in([attribute(gm, n.target) for n in gm.graph.nodes if n.op == "get_attr"])


def ran(gm, run, inputs):
    """What `run`, which stands for `gm`, makes of copies of the inputs. What gm holds is afterwards as before."""
    values = tuple(v.detach().clone() if isinstance(v, torch.Tensor) else v for v in positional(gm, inputs))
    kept = [(t, t.detach().clone()) for t in held_tensors(gm)]
    try:
        with torch.no_grad():
            return run(*values)
    except Exception as e:
        raise Wrong("it does not run on these inputs: %s" % e) from e
    finally:
        with torch.no_grad():
            for t, old in kept:
                if not same_bits(t, old):
                    t.copy_(old)


def write(model, inputs=None, runs=0, bandwidth=0):
    """Annotated graph text. `inputs`: a tuple, or a dict by name; with `runs` nodes are timed (compute=), with
    `bandwidth` (bytes per second) the time to move their inputs and outputs (mem=)."""
    gm = graph_module(model)
    if inputs is None:
        return Writer(gm).text(bandwidth=bandwidth)
    record = Recorder(gm, runs)
    ran(gm, record.run, inputs)
    return Writer(gm).text(record, bandwidth)


# ---- reading ----

class Reader:
    """Values of graph text: nodes from `env`, tokens that are no literals from `objects`."""

    def __init__(self, text, env, objects):
        self.text, self.at, self.env, self.objects = text, 0, env, objects

    def expect(self, what):
        if not self.text.startswith(what, self.at):
            raise Wrong("expected '%s', got '%s'" % (what, self.text[self.at:self.at + 40]))
        self.at += len(what)

    def many(self, end, bare, one):
        values = []
        while not self.text.startswith(end, self.at):
            values.append(one(bare))
            self.at = re.compile("(, ?)?").match(self.text, self.at).end()
        self.expect(end)
        return values

    def token(self):
        start, depth = self.at, 0
        while self.at < len(self.text) and not self.text.startswith(", ", self.at):
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.text[self.at], 0)
            if depth < 0 or (self.text.startswith(",)", self.at) and depth == 0):
                break
            self.at += 1
        return self.text[start:self.at]

    def string(self):
        m = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"").match(self.text, self.at)
        self.at = m.end()
        return ast.literal_eval(m.group())

    def item(self, bare):
        if self.text[self.at:self.at + 1] in ("'", '"'):
            key = self.string()
        else:
            m = re.compile(r"[^:]*").match(self.text, self.at)
            key, self.at = m.group(), m.end()
        self.expect(": ")
        return key, self.value(bare)

    def value(self, bare=False):
        rest = self.text[self.at:]
        for opening, end, make, one in (("(", ")", tuple, self.value), ("[", "]", list, self.value),
                                        ("{", "}", dict, self.item), ("slice(", ")", lambda v: slice(*v), self.value)):
            if rest.startswith(opening):
                self.at += len(opening)
                return make(self.many(end, bare or opening == "slice(", one))
        if rest[:1] in ("'", '"'):
            return self.string()
        word = self.token()
        name = word[1:] if word.startswith("%") else word
        if (word != name or bare) and name in self.env:
            return self.env[name]
        for table in (WORDS, self.objects):
            if word in table:
                return table[word]
        for number in (int, float):
            try:
                return number(word)
            except ValueError:
                pass
        raise Wrong("'%s' is neither a node nor a value of the model" % word)


LINE = re.compile(r"    %(\w+) : .*?\[num_users=\d+\] = (\w+)\[target=([^\]]+)\](.*)")


def module_texts(text):
    """The lines of the graphs by name, and the lines `qualname NEW = OLD`."""
    graphs, old_of, lines = {}, {}, None
    for line in text.splitlines():
        words = line.split()
        if line.startswith("module "):
            lines = graphs.setdefault(words[1], [])
        elif line.startswith("qualname "):
            old_of[words[1]] = words[3]
        elif line.startswith("graph():") and not graphs:
            lines = graphs.setdefault("main", [])
        elif lines is not None and line.startswith("    "):
            lines.append(line)
    if "main" not in graphs:
        raise Wrong("the text holds no module: is it what graphsplit printed with --porcelain?")
    return graphs, old_of


class Builder:
    def __init__(self, gm, text):
        self.gm = gm
        self.writer = Writer(gm)
        self.writer.text()  # learns functions and objects
        self.graphs, self.old_of = module_texts(text)
        self.writer.objects.update({name: name for name in self.graphs})
        self.made = {}
        self.flat = {}  # a_b: the attributes a.b of the model
        for n in gm.graph.nodes:
            if n.op in ("get_attr", "call_module"):
                self.flat.setdefault(n.target.replace(".", "_"), set()).add(n.target)

    def found(self, graph, target):
        """What a target of a submodule is in the model."""
        old = self.old_of.get("%s.%s" % (graph, target))
        for name in (old, target):
            try:
                return attribute(self.gm, name)
            except AttributeError:
                pass
        flat = target[len("moved_"):] if target.startswith("moved_") else target
        olds = self.flat.get(flat, ())
        if len(olds) != 1:
            what = "one of " + ", ".join(sorted(olds)) if olds else "nothing"
            raise Wrong("%s of %s is %s of the model" % (target, graph, what))
        return attribute(self.gm, next(iter(olds)))

    def target(self, graph, op, target, attributes):
        if op == "call_function":
            if target not in self.writer.functions:
                raise Wrong("'%s' is no function that the model calls" % target)
            return self.writer.functions[target]
        if op in ("call_module", "get_attr"):
            attributes[target] = self.module(target) if target in self.graphs else self.found(graph, target)
        return target

    def nodes_before(self, name):
        """The nodes, by name, of the graph of the model that a graph of the text was made from."""
        try:
            before = attribute(self.gm, name)
        except AttributeError:
            before = self.gm
        return {n.name: n for n in (before if isinstance(before, torch.fx.GraphModule) else self.gm).graph.nodes}

    def module(self, name):
        """The GraphModule of a graph of the text, one however often it is called."""
        if name in self.made:
            return self.made[name]
        graph, env, attributes, invoked = torch.fx.Graph(), {}, {}, []
        nodes = self.nodes_before(name)
        for line in self.graphs[name]:
            if line.startswith("    return "):
                graph.output(Reader(line[len("    return "):], env, self.writer.objects).value(True))
                continue
            m = LINE.match(line)
            if m is None:
                raise Wrong("this is no line of a graph: " + line)
            node, op, target, rest = m.groups()
            reader = Reader(rest, env, self.writer.objects)
            args, kwargs = (), {}
            if op == "placeholder" and rest.startswith("(default="):
                reader.expect("(default=")
                args = (reader.value(),)
            elif op.startswith("call_"):
                reader.expect("(args = ")
                args = reader.value()
                reader.expect(", kwargs = ")
                kwargs = reader.value()
            if target == "torch.ops.higher_order.invoke_subgraph":  # new in torch 2; a call everywhere
                invoked.append(args[0])
                op, target, args = "call_module", args[0].target, args[2:]
            env[node] = graph.create_node(op, self.target(name, op, target, attributes), args, kwargs, node)
            if node in nodes and nodes[node].op == op:
                env[node].meta = dict(nodes[node].meta)
        for holder in dict.fromkeys(invoked):
            if not holder.users:
                graph.erase_node(holder)
        if name == "main" and hasattr(self.gm.graph, "_codegen"):  # keeps dicts and the like as inputs and outputs
            graph.set_codegen(self.gm.graph._codegen)
        self.made[name] = torch.fx.GraphModule(attributes, graph, type(self.gm).__name__ if name == "main" else name)
        self.made[name].training = self.gm.training
        return self.made[name]


def read(model, text):
    """The module of `text` as a GraphModule over the functions, modules and parameters of `model`."""
    gm = graph_module(model)
    try:
        return Builder(gm, text).module("main")
    except (AssertionError, AttributeError, LookupError, RuntimeError, TypeError) as e:
        raise Wrong("this is no text of a module: %s" % e) from e


# ---- pipelines ----

def layer_counts(text, kinds="EtmL"):
    """Layers per stage: of DeepSpeed's list of partitions, or those of some kinds of Megatron's layout string."""
    if text.startswith("["):
        bounds = ast.literal_eval(text)
        return [b - a for a, b in zip(bounds, bounds[1:])]
    text = re.sub(r"\(([^)]*)\)\*(\d+)", lambda f: f.group(1) * int(f.group(2)), text.replace(",", ""))
    text = re.sub(r"(.)\*(\d+)", lambda f: f.group(1) * int(f.group(2)), text)
    return [sum(map(stage.count, kinds)) for stage in text.split("|")]


def split_spec(model, text):
    """What --stages-for printed, as a split spec. Lists of layers are of a Sequential; Megatron's may count an
    embedding before its layers and a head behind them."""
    from torch.distributed.pipelining import SplitPoint
    if text.startswith("{"):
        found = re.findall(r'("(?:[^"\\]|\\.)*"): SplitPoint\.(BEGINNING|END)', text)
        return {ast.literal_eval(path): SplitPoint[point] for path, point in found}
    if not re.fullmatch(r"\[[\d, ]+\]|[EtmL|*()\d, ]+", text):
        raise Wrong("these are no stages: %s" % text[:40])
    names = [name for name, _ in model.named_children()]
    counts = layer_counts(text)
    if "t" in text and layer_counts(text, "t") != counts and sum(layer_counts(text, "t")) == len(names):
        counts = layer_counts(text, "t")
    if not isinstance(model, torch.nn.Sequential) or sum(counts) != len(names) or 0 in counts:
        raise Wrong("stages of %s layers need a Sequential of %d" % ("+".join(map(str, counts)), sum(counts)))
    return {names[sum(counts[:i])]: SplitPoint.BEGINNING for i in range(1, len(counts))}


def pipe(model, text, inputs):
    """A Pipe: its build_stage() gives what the schedules of torch.distributed.pipelining run. `inputs`: a microbatch."""
    text = text.strip()
    if "\n" in text:  # modules
        from torch.distributed.pipelining._IR import Pipe
        parts = read(model, text)
        calls = [n for n in parts.graph.nodes if n.op == "call_module"]
        for i, node in enumerate(calls):  # by the names that a Pipe looks for
            parts.add_module("submod_pp_%d" % i, parts.get_submodule(node.target))
            parts.delete_submodule(node.target)
            node.target = "submod_pp_%d" % i
        parts.recompile()
        return Pipe(parts, len(calls), False, None)
    from torch.distributed.pipelining import pipeline
    spec = split_spec(model, text)
    made = pipeline(model, tuple(inputs), split_spec=spec)
    for path in spec:  # pipeline() leaves its marks in the model, and a second call would find them
        for name in ("forward", "_orig_forward"):
            model.get_submodule(path).__dict__.pop(name, None)
    return made


def same_bits(a, b):
    """Whether two results are the same, tensors bit for bit: NaN is NaN, and -0 is not 0."""
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        bits = [t.detach().cpu().clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8) for t in (a, b)]
        return a.dtype == b.dtype and a.shape == b.shape and torch.equal(*bits)
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same_bits(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and len(a) == len(b) and all(map(same_bits, a, b))
    return a == b


# ---- program ----

def load(spec):
    """FILE.py:FUNCTION, .pt2 or .pt: a model, and inputs or None."""
    path, _, function = spec.rpartition(":")
    if path.endswith(".py"):
        found = importlib.util.spec_from_file_location("model", path)
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        if not callable(getattr(module, function, None)):
            raise Wrong("%s has no function '%s'" % (path, function))
        made = getattr(module, function)()
        return made if isinstance(made, tuple) else (made, None)
    if not spec.endswith((".pt", ".pt2")):
        raise Wrong("a model is FILE.py:FUNCTION, FILE.pt2 or FILE.pt")
    open(spec, "rb").close()  # says it better than torch
    if spec.endswith(".pt2") and not hasattr(torch, "export"):
        raise Wrong("this torch (%s) has no torch.export" % torch.__version__)
    try:
        if spec.endswith(".pt"):
            return torch.load(spec, weights_only=False), None  # runs code of the file
        program = torch.export.load(spec)
    except Exception as e:  # pickle, zip and torch have many
        raise Wrong("torch cannot load it: %s" % e) from e
    example = getattr(program, "example_inputs", None)
    return program, example[0] if example and not example[1] else None


def save(parts, path):
    """Written beside its place and renamed: whoever reads sees the old file or the new one."""
    content = io.BytesIO()  # torch tells no reason when it cannot write
    torch.save(parts, content)
    real = os.path.realpath(path)
    there = os.path.exists(real)
    if there and not os.path.isfile(real):  # a device
        with open(real, "wb") as f:
            f.write(content.getbuffer())
        return
    made = "%s.%d.tmp" % (real, os.getpid())
    f = open(made, "xb")
    try:
        with f:
            f.write(content.getbuffer())
        if there:
            os.chmod(made, os.stat(real).st_mode & 0o777)
        os.replace(made, real)
    except BaseException:
        os.remove(made)
        raise


def main():
    about, _, rest = __doc__.partition("\n\n")
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=about, epilog=rest, formatter_class=style)
    commands = parser.add_subparsers(dest="command", required=True, metavar="print|build")
    printing = commands.add_parser("print", help="the annotated graph text of a model")
    building = commands.add_parser("build", help="what graphsplit printed, as a GraphModule, checked against the model")
    for command in (printing, building):
        command.add_argument("model", metavar="MODEL", help="FILE.py:FUNCTION, FILE.pt2 or FILE.pt")
        command.add_argument("--inputs", metavar="FILE.py:FUNCTION", help="a tuple of inputs, or a dict by name")
    printing.add_argument("--runs", type=int, default=0, metavar="N", help="time every node N times: compute=")
    printing.add_argument("--bandwidth", type=float, default=0, metavar="BYTES_PER_S", help="of memory: mem=")
    building.add_argument("split", metavar="SPLIT", help="what graphsplit printed with --porcelain")
    building.add_argument("-o", dest="output", metavar="FILE.pt", help="where torch.save writes it")
    options = parser.parse_args()
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever reads the output may stop
    at = options.model  # what a failure is about
    try:
        model, inputs = load(at)
        gm = graph_module(model)
        if options.inputs:
            at = options.inputs
            inputs = load(at)
            inputs = inputs[0] if inputs[1] is None else inputs
        if options.command == "print":
            sys.stdout.write(write(gm, inputs, options.runs, options.bandwidth))
            return 0
        at = options.split
        with open(at) as f:
            parts = read(gm, f.read())
        count = sum(isinstance(m, torch.fx.GraphModule) for m in parts.children())
        print("%d part%s" % (count, "" if count == 1 else "s"))
        if inputs is not None:
            same = same_bits(ran(gm, gm, inputs), ran(gm, parts, inputs))
            print("outputs are the same bits" if same else "OUTPUTS DIFFER")
            if not same:
                return 1
        if options.output:
            at = options.output
            try:
                save(parts, at)
            except OSError as e:
                raise OSError(e.errno, e.strerror, at) from e
    except OSError as e:
        sys.exit("%s: %s" % (e.filename or at, e.strerror or e))
    except (Wrong, SyntaxError, UnicodeDecodeError) as e:
        sys.exit("%s: %s" % (at, " ".join(str(e).split())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
