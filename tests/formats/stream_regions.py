"""Regions of a network that emit-c --stream may be told to run by rows: for stream_litert.py and stream_onnx.py."""


def regions_of(operators, inputs):
    """All ranges of two operators or more that read one value of others, and yield one to others: FIRST..LAST, how many
    operators it has, and 1 if it reads the inputs. Of an operator its name, what it reads, and the value that it yields."""
    regions = []
    for first in range(len(operators)):
        for last in range(first + 1, len(operators)):
            made = [out for _, _, out in operators[first:last]]
            entries = set().union(*(reads for _, reads, _ in operators[first:last + 1])).difference(made)
            behind = set().union(*(reads for _, reads, _ in operators[last + 1:]))
            if len(entries) == 1 and not behind.intersection(made):
                regions.append((f"{operators[first][0]}..{operators[last][0]}", last - first + 1, int(entries == inputs)))
    return regions


def write_regions(operators, inputs, rng, path):
    """In random order, a line each."""
    regions = regions_of(operators, inputs)
    rng.shuffle(regions)
    with open(path, "w") as file:
        file.writelines(f"{name} {n} {is_first}\n" for name, n, is_first in regions)
