# %% [markdown]
# # Split a model
# Cells for Jupyter, VS Code or Spyder; or run the file. Needs the package `graphsplit` alone.

# %% A graph: rows of inputs, and what stands in each row
import graphsplit

names = ["x", "conv", "relu", "nms", "scale"]
rows = graphsplit.rows([[], [0], [1], [2], [3]], [4], [{}, {"acc": 1}, {"acc": 1}, {"acc": 0}, {"acc": 1}])
print(rows)

# %% What runs where, and why
result = graphsplit.split(rows)
for subgraph in result.subgraphs:
    print(subgraph.name, subgraph.kind, [names[int(node[1:])] for node in subgraph.nodes])
print({names[int(node[1:])]: reason for node, reason in result.reasons.items()})

# %% A subgraph of one node is not worth its launch
print([subgraph.nodes for subgraph in graphsplit.split(rows, min_size=2).subgraphs])

# %% The same by the program, with all that it prints
print(graphsplit.run("split", "--more", "-", text=rows))
