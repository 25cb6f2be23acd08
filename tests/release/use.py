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
