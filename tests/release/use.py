"""Uses the installed Python package: use.py GRAPH, or use.py --sizes TEXT with lines `struct size`."""

import ctypes
import re
import sys

import graphsplit

if sys.argv[1] == "--sizes":
    for line in sys.argv[2].splitlines():
        name, size = line.split()
        assert ctypes.sizeof(getattr(graphsplit.api, name)) == int(size), name
    sys.exit(0)

with open(sys.argv[1]) as file:
    text = file.read()
result = graphsplit.split(text, ["torch.relu"])
porcelain = graphsplit.run("split", "--porcelain", "--acc-ops", "torch.relu", "-", text=text)
want = [(m[1], m[2], m[3].split()) for m in re.finditer(r"^subgraph (\S+) (\S+) (.*)$", porcelain, re.M)]
assert len(want) > 1 and [tuple(s) for s in result.subgraphs] == want, (result.subgraphs, want)
assert [line[7:] for line in result.text.splitlines() if line.startswith("module ")][1:] == [w[0] for w in want]
assert set(result.reasons.values()) == {"SUPPORTED", "UNSUPPORTED"}
assert graphsplit.split(text, lambda name, target: target == "torch.relu") == result
try:
    graphsplit.split("graph(:\n")
    assert False, "no error"
except graphsplit.Error as e:
    assert e.status == "PARSE" and str(e) == "PARSE: expected 'graph():', line 1, column 7", e
# A graph of one's own, and an option of the split.
rows = graphsplit.rows([[], [0], [1], [0, 2]], [3], [{"acc": 1}, {"acc": 0}, {"acc": 1, "bytes": 8}, {"acc": 1}])
assert [s.nodes for s in graphsplit.split(rows).subgraphs] == [["n0"], ["n1"], ["n2", "n3"]], rows
assert [s.nodes for s in graphsplit.split(rows, min_size=2).subgraphs] == [["n0", "n1"], ["n2", "n3"]]
try:
    graphsplit.split(rows, least=2)
    assert False, "no error"
except TypeError as e:
    assert str(e) == "gsp_split_desc has no field least", e
# A graph that is larger than the first guess of its memory.
big = "graph():\n    %x0 : [num_users=1] = placeholder[target=x]\n"
for i in range(3000):
    big += "    %%x%d : [num_users=1] = call_method[target=f](args = (%%x%d,), kwargs = {})\n" % (i + 1, i)
assert len(graphsplit.split(big + "    return x3000\n", "f").subgraphs[0].nodes) == 3000

# Buffers to plan: the load is the least, an overlap and a value that does not fit are told, a fixed one stays.
sizes, first, last = [64, 32, 32, 64, 16], [0, 1, 2, 3, 0], [1, 2, 3, 4, 4]
plan = graphsplit.pack(sizes, first, last)
assert (plan.bytes, plan.lower_bound, plan.proved, plan.stopped) == (112, 112, True, False), plan
for i in range(5):
    for j in range(i):
        apart = plan.offsets[i] >= plan.offsets[j] + sizes[j] or plan.offsets[j] >= plan.offsets[i] + sizes[i]
        assert apart or first[i] > last[j] or first[j] > last[i], (i, j, plan)
fixed = graphsplit.pack(sizes, first, last, offsets=[128, 64, 96, 0, 192], fixed=[0, 0, 1, 0, 0])
assert fixed.offsets[2] == 96 and fixed.bytes == 128, fixed
assert graphsplit.pack([7, 9], [0, 0], [0, 0], aligns=[1, 8]).bytes == 16
for bad, message in (
    (lambda: graphsplit.pack([8, 8], [0, 0], [0, 0], offsets=[0, 0]), "overlap"),
    (lambda: graphsplit.pack([8], [1], [0]), "begin, tensor 0"),
    (lambda: graphsplit.pack([8], [0], [-1]), "last has a value below 0"),
    (lambda: graphsplit.pack([8], [0, 1], [0]), "first has 2 values, expected 1"),
    (lambda: graphsplit.pack([8], [0], [0], fixed=[1]), "fixed buffers need offsets"),
    (lambda: graphsplit.kway([0, 0, 1], [1], 2), "in a cycle, at, node 1"),
    (lambda: graphsplit.kway([0, 0, 1, 2], [0, 1], 4), "NO_FIT"),
):
    try:
        bad()
        assert False, message
    except (graphsplit.Error, ValueError) as e:
        assert message in str(e), (message, e)
assert graphsplit.pack([0, 8, 0], [0, 0, 1], [2, 2, 1]).bytes == 8 and graphsplit.pack([], [], []).bytes == 0
many = [16 * (i * 7919 % 977 + 1) for i in range(1000)], [i * 31 % 700 for i in range(1000)]
many += ([first + i * i % 290 for i, first in enumerate(many[1])],)
calls = []
whole = graphsplit.pack(*many, max_work=1 << 20, progress=lambda work: calls.append(work))
assert len(calls) > 2 and calls == sorted(calls) and not whole.stopped and whole.bytes < 1.3 * whole.lower_bound, (whole, calls)
early = graphsplit.pack(*many, max_work=1 << 20, progress=lambda work: True)
assert early.stopped and whole.bytes <= early.bytes, early

# A graph to cut: two chains of 20 nodes in two parts need no edge; the figures are those of the assignment.
indptr = [0, 0] + list(range(1, 20)) + [19] + list(range(20, 39))
indices = [i for i in range(19)] + [20 + i for i in range(19)]
parts = graphsplit.kway(indptr, indices, 2)
figures = graphsplit.score(indptr, indices, parts.part_of, imbalance=0.03)
assert parts.cut == figures.cut_edges == 0 and figures.valid and figures.load == [20, 20] and figures.limit == 20, (parts, figures)
assert graphsplit.kway([0, 1, 2, 2], [1, 2], 3, users=True).part_of == [0, 1, 2]
assert graphsplit.kway([0, 0, 1, 2], [0, 1], 2, value_bytes=[9, 1, 9], weight=[2, 2, 4]).cut == 1
try:
    import numpy
except ImportError:
    numpy = None
if numpy:
    again = graphsplit.pack(numpy.array(sizes), numpy.array(first), numpy.array(last))
    assert isinstance(again.offsets, numpy.ndarray) and list(again.offsets) == plan.offsets
    again = graphsplit.kway(numpy.array(indptr), numpy.array(indices), 2)
    assert isinstance(again.part_of, numpy.ndarray) and list(again.part_of) == parts.part_of
