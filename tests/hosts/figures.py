"""What tests of hosts print: the host's answer and graphsplit's, judged alike."""
import time


def timed(function, *arguments):
    """The result, and the least milliseconds of five runs."""
    least = None
    for _ in range(5):
        start = time.perf_counter()
        result = function(*arguments)
        spent = 1000 * (time.perf_counter() - start)
        least = spent if least is None else min(least, spent)
    return result, least


def crossing(inputs, part_of, size):
    """Values that another part than their own reads, once per reading part, and their bytes. inputs: values that each
    node reads; part_of: the part of each computed node; size: bytes of a value."""
    copies = {(value, part_of[node]) for node in part_of for value in inputs[node]
              if value in part_of and part_of[value] != part_of[node]}
    return len(copies), sum(size[value] for value, _ in copies)


def ordered(inputs, part_of):
    """True if parts can run one after the other."""
    reads = {}
    for node, part in part_of.items():
        reads.setdefault(part, set()).update(part_of[v] for v in inputs[node] if v in part_of and part_of[v] != part)
    while reads:
        ready = [part for part, other in reads.items() if not other & reads.keys()]
        if not ready:
            return False
        for part in ready:
            del reads[part]
    return True


def row(host, who, inputs, part_of, size, milliseconds, kinds):
    """Prints a line and returns (subgraphs of the accelerator, copies, bytes); kinds: 1 for its parts."""
    copies, moved = crossing(inputs, part_of, size)
    count = len({part for part in part_of.values() if kinds[part]})
    print("%-12s %-11s %3d subgraphs %3d copies %8d bytes %8.2f ms" % (host, who, count, copies, moved, milliseconds))
    return count, copies, moved
