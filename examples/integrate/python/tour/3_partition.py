# %% [markdown]
# # Partition a graph
# Acyclic parts of equal load from arrays of rows, as in scipy.sparse, and figures of any assignment.

# %% A grid of 6 x 6 nodes; each reads the one above and the one to its left
import graphsplit

n = 6
rows = [[v - n] * (v >= n) + [v - 1] * (v % n > 0) for v in range(n * n)]
indptr, indices = [0], []
for row in rows:
    indices += row
    indptr.append(len(indices))

# %% Three parts
parts = graphsplit.kway(indptr, indices, 3)
for y in range(n):
    print(" ".join(str(part) for part in parts.part_of[y * n : y * n + n]))
print("cut edges:", parts.cut)

# %% Stripes for comparison, and an assignment whose parts wait for each other in a circle
stripes = [v // (2 * n) for v in range(n * n)]
print(graphsplit.score(indptr, indices, stripes).cut_edges)
checkers = [(v // n + v % n) % 2 for v in range(n * n)]
print("valid" if graphsplit.score(indptr, indices, checkers).valid else "parts in a circle")
