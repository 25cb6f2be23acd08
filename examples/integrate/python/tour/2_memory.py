# %% [markdown]
# # Plan memory
# Buffers with sizes and lifetimes get offsets in one arena, with a proof where the search ends.

# %% Five buffers
import graphsplit

sizes, first, last = [64, 32, 32, 64, 16], [0, 1, 2, 3, 0], [1, 2, 3, 4, 4]
plan = graphsplit.pack(sizes, first, last)
print(plan.offsets, plan.bytes, "bytes,", "least" if plan.proved else "at least %d" % plan.lower_bound)

# %% The arena as a picture: a line per 16 bytes, a column per step
for offset in range(plan.bytes - 16, -1, -16):
    line = ""
    for step in range(5):
        here = [i for i in range(5) if first[i] <= step <= last[i] and plan.offsets[i] <= offset < plan.offsets[i] + sizes[i]]
        line += "abcde"[here[0]] if here else "."
    print("%4d %s" % (offset, line))

# %% A buffer that has its place already, and multiples of 64
print(graphsplit.pack(sizes, first, last, offsets=[128, 64, 96, 0, 192], fixed=[0, 0, 1, 0, 0]).offsets)
print(graphsplit.pack(sizes, first, last, aligns=[64] * 5).bytes)
