"""Splits computation graphs for a CPU and accelerators.

    import graphsplit
    result = graphsplit.split(text, ["conv", "relu*"])
    print(result.subgraphs, result.text)

`split` works in this process, on the C library; `rows` makes the text of a graph of your own. `pack`, `kway` and `score`
take arrays: buffers to plan, rows of a graph to cut. `library` has every function of graphsplit.h and `api` every type and
constant, for ctypes. `run` starts the program with all its commands.
`graphsplit_fx` (it needs torch) makes graph texts of PyTorch modules, and modules of what graphsplit writes.
"""

import ctypes
import os
import subprocess
import sys
from collections import namedtuple

from . import _api as api

__version__ = api.VERSION
_here = os.path.dirname(os.path.abspath(__file__))
program = os.path.join(_here, "graphsplit.exe" if os.name == "nt" else "graphsplit")
library = ctypes.CDLL(os.path.join(_here, "_graphsplit.so"))
api.bind(library)

Subgraph = namedtuple("Subgraph", "name kind nodes")
Split = namedtuple("Split", "text subgraphs reasons")
Split.__doc__ = """What a split gives: the split module as graph text, its subgraphs in order of execution, and for
each called node the reason for its place."""


class Error(Exception):
    """A pass failed; `status` is its name, such as PARSE."""

    def __init__(self, message, status="", need=0):
        super().__init__(message)
        self.status = status
        self.need = need


def _written(write):
    """What a function of the library gives to a sink."""
    parts = []

    def sink(user, data, size):
        parts.append(ctypes.string_at(data, size))
        return 0

    write(api.gsp_sink(sink))
    return b"".join(parts).decode()


def _check(status, error, graph=None):
    if status != api.GSP_STATUS_OK:
        text = _written(lambda sink: library.gsp_error_write(error, graph, sink, None))
        raise Error(text.strip(), ctypes.string_at(library.gsp_status_name(status)).decode(), error.need)


def _arena(size):
    """An arena, and the memory that it stands on, which must live as long."""
    if size >= 1 << 8 * ctypes.sizeof(ctypes.c_size_t) - 1:
        raise Error("the bound does not fit into memory", "OVERFLOW")
    memory = ctypes.create_string_buffer(size)
    arena = api.gsp_arena()
    library.gsp_arena_init(arena, memory, size)
    return arena, memory


def _str(text):
    return ctypes.string_at(text.data, text.size).decode()


def _slice(data):
    return api.gsp_str(ctypes.cast(ctypes.c_char_p(data), ctypes.POINTER(ctypes.c_char)), len(data))


def _rule(arena, supported, error):
    """The rule of the accelerator: a function of a node's name and target, or lines of an operator file."""
    rule = api.gsp_rule()
    if callable(supported):

        def answer(user, graph, node):
            name, target = library.gsp_node_name(graph, node), library.gsp_node_target(graph, node)
            return 1 if supported(_str(name), _str(target)) else 0

        rule.kind = api.GSP_RULE_CALL
        rule.func = api.gsp_support_func(answer)
    else:
        lines = supported if isinstance(supported, str) else "\n".join(supported)
        rule.kind = api.GSP_RULE_TABLE
        rule.lines = lines.encode()  # the table points into it
        _check(library.gsp_table_read(arena, _slice(rule.lines), rule.table, error), error)
    return rule


def rows(inputs, results, attributes):
    """The text of a graph of your own, as `split` takes it. inputs: for each node the nodes that it reads, by their
    numbers, all below its own; results: nodes that the graph returns; attributes: for each node a dict, such as
    {"acc": 1, "bytes": 64}. Node 7 is called n7.
    """

    def references(nodes):
        return "".join("%%n%d, " % node for node in nodes)

    lines = ["graph():"]
    for i, (reads, of) in enumerate(zip(inputs, attributes)):
        values = " ".join("%s=%s" % item for item in of.items())
        call = "call_function[target=call](args = (%s), kwargs = {})" % references(reads)
        lines.append("    %%n%d : [num_users=1] = %s  # %s" % (i, call, values))
    return "\n".join(lines) + "\n    return (%s)\n" % references(results)


def _split(text, supported, options, size):
    arena, memory = _arena(size)
    module, error = api.gsp_module(), api.gsp_error()
    data = text.encode()
    _check(library.gsp_text_read(arena, _slice(data).data, len(data), None, module, error), error)
    graph = library.gsp_module_graph(module, 0)
    desc, result = api.gsp_split_subgraphs_desc(), api.gsp_split_subgraphs_result()
    for name, value in options.items():
        if not hasattr(desc.split, name):
            raise TypeError("gsp_split_desc has no field %s" % name)
        setattr(desc.split, name, value)
    if supported is not None:
        rule = _rule(arena, supported, error)
        accelerator = api.gsp_accelerator(ctypes.pointer(rule), 1)
        desc.support.accelerators = ctypes.pointer(accelerator)
        desc.support.n_accelerators = 1
    _check(library.gsp_split_subgraphs_run(arena, graph, desc, result, error), error, graph)
    split = result.split
    subgraphs = []
    for i in range(split.n_subgraphs):
        kind = "acc" if split.subgraph_kind[i] else "cpu"
        nodes = split.nodes[split.subgraph_begin[i]:split.subgraph_begin[i + 1]]
        names = [_str(library.gsp_node_name(graph, node)) for node in nodes]
        subgraphs.append(Subgraph("_run_on_%s_%d" % (kind, i), kind, names))
    reasons = {}
    for node in range(split.n_nodes):
        if split.subgraph_of[node] != api.GSP_NONE:
            reason = ctypes.string_at(library.gsp_reason_name(split.reason[node])).decode()
            reasons[_str(library.gsp_node_name(graph, node))] = reason
    new = result.subgraphs.module
    return Split(_written(lambda sink: library.gsp_text_write(new, None, sink, None, error)), subgraphs, reasons)


def split(text, supported=None, **options):
    """Splits a graph for a CPU and one accelerator.

    text: the graph, as `print(gm.graph)` of torch.fx writes it. supported: what the accelerator runs: lines of an
    operator file (a text, or a list such as ["conv", "relu*", "add i8,qi8"]), a function of a node's name and target,
    or None: what acc= says in the text, which wins in any case. options: fields of gsp_split_desc, such as min_size=2.
    Raises Error.
    """
    size = 65536 + 64 * len(text)
    while True:
        try:
            return _split(text, supported, options, size)
        except Error as e:
            if e.status != "NOMEM":
                raise
            size = 2 * size + e.need


def run(*arguments, text=None):
    """What the program prints for these arguments; text is its standard input, file `-`. Raises Error."""
    done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise Error(done.stderr.strip())
    return done.stdout


from .arrays import kway, pack, score  # noqa: E402, F401


def main():
    """The command `graphsplit`."""
    sys.exit(subprocess.run([program, *sys.argv[1:]]).returncode)
