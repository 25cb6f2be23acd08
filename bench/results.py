"""What the runs of several programs on the same instances say: medians, ratios to the best, a line per program."""
import statistics

UNDEFINED = float("inf")


def instances(results):
    """The runs of each partitioner on each instance, a graph with k and eps: {instance: {partitioner: [run]}}."""
    table = {}
    for r in results:
        table.setdefault((r["graph"], r.get("k"), r.get("eps")), {}).setdefault(r["partitioner"], []).append(r)
    return table


def value_of(runs, key, valid_only=True):
    """The median over the seeds; infinite when fewer than half of them count."""
    good = [r[key] for r in runs if r.get(key) is not None and (r["verdict"] == "valid" or not valid_only)]
    return statistics.median(good) if 2 * len(good) > len(runs) else UNDEFINED


def ratio(value, best):
    if value == best:
        return 1.0
    return value / best if best > 0 else UNDEFINED


def ratio_to_best(table, name, key, valid_only=True):
    """The geometric mean over the instances on which both it and one valid result exist, to the best valid
    result of all; None: on none."""
    values = []
    for runs in table.values():
        best = min(value_of(r, key) for r in runs.values())
        found = ratio(value_of(runs.get(name, []), key, valid_only), best) if best < UNDEFINED else 0
        values += [found] if 0 < found < UNDEFINED else []
    return statistics.geometric_mean(values) if values else None


def runs_wanted(table, name):
    """How many runs it has, with those on graphs larger than what it had no time for."""
    most = max(len(runs.get(name, [])) for runs in table.values())
    return sum(len(runs[name]) if name in runs else most for runs in table.values())


def summary(results):
    """One line per partitioner."""
    table = instances(results)
    lines = []
    for name in dict.fromkeys(r["partitioner"] for r in results):
        mine = [r for r in results if r["partitioner"] == name]
        count = runs_wanted(table, name)
        share = {word: sum(r["verdict"] == word for r in mine) / count
                 for word in ("valid", "cyclic", "heavy", "empty")}
        lines.append({"partitioner": name, "runs": count, **share,
                      "lost": 1 - sum(share.values()),
                      "edges": ratio_to_best(table, name, "cut_edges"),
                      "bytes": ratio_to_best(table, name, "cut_bytes"),
                      "edges_any": ratio_to_best(table, name, "cut_edges", False),
                      "seconds": statistics.median(r["seconds"] for r in mine),
                      "mib": max(r["rss_kib"] for r in mine) / 1024})
    return lines
