"""Memory planners side by side, the third part of bench/peers.py.

Every planner of planners.txt gives the buffers of each instance, placed in MiniMalloc's benchmark (tests/public), their
offsets; height is the end of the highest buffer, and a plan in which two buffers share bytes while both live is not
valid. The load, the most bytes that live at a time, is a lower bound of the height."""
import csv
import glob
import os
import statistics

import graphs


def buffers_of(path):
    with open(path, encoding="ascii", newline="") as file:
        return [{key: int(value) for key, value in row.items() if key in ("id", "lower", "upper", "size", "offset")}
                for row in csv.DictReader(file)]


def load_of(buffers):
    changes = sorted([(b["lower"], b["size"]) for b in buffers] + [(b["upper"], -b["size"]) for b in buffers])
    live, most = 0, 0
    for _, change in changes:
        live += change
        most = max(most, live)
    return most


def overlap(a, b):
    return a["lower"] < b["upper"] and b["lower"] < a["upper"] and \
        a["offset"] < b["offset"] + b["size"] and b["offset"] < a["offset"] + a["size"]


def judge(buffers, part):
    plan = buffers_of(part)
    key = ("id", "lower", "upper", "size")
    if sorted(tuple(b[k] for k in key) for b in plan) != sorted(tuple(b[k] for k in key) for b in buffers) or \
            any("offset" not in b for b in plan):
        return {"verdict": "short"}
    if any(overlap(a, b) for i, a in enumerate(plan) for b in plan[:i]):
        return {"verdict": "overlap"}
    return {"verdict": "valid", "height": max((b["offset"] + b["size"] for b in plan), default=0)}


def once(run, planner, path, buffers):
    part, ns = (os.path.join(run.folder, name) for name in ("result.part", "result.ns"))
    if os.path.exists(ns):
        os.remove(ns)
    name = os.path.basename(path).split(".")[0]
    capacity = os.path.basename(path).split(".")[1]
    result = {"partitioner": planner.name, "graph": name, "nodes": len(buffers), "edges": 0, "cut_edges": None,
              "load": load_of(buffers), **run.timed(planner.command, {"graph": path, "ns": ns, "capacity": capacity}, part)}
    if "verdict" not in result:
        result.update(judge(buffers, part))
    if os.path.exists(ns) and os.path.getsize(ns):
        with open(ns, encoding="ascii") as file:
            result["pass_ns"] = float(file.read())
    return result


def all_results(run, planners):
    paths = sorted(glob.glob(graphs.shared_folder() + "/alloc/[A-K].*.csv"))
    return [once(run, planner, path, buffers_of(path))
            for path in paths[:2 if run.options.quick else None] for planner in planners]


def summary(results):
    """One line per planner; `over`: per cent above the least height of all on the same instance, the mean."""
    least = {}
    for r in results:
        if r["verdict"] == "valid":
            least[r["graph"]] = min(r["height"], least.get(r["graph"], r["height"]))
    lines = []
    for name in dict.fromkeys(r["partitioner"] for r in results):
        mine = [r for r in results if r["partitioner"] == name]
        valid = [r for r in mine if r["verdict"] == "valid"]
        lines.append({"planner": name, "runs": len(mine), "valid": len(valid),
                      "over": statistics.mean(100 * (r["height"] / least[r["graph"]] - 1) for r in valid) if valid else None,
                      "load": statistics.mean(100 * (r["height"] / r["load"] - 1) for r in valid) if valid else None,
                      "ns": statistics.median(r.get("pass_ns", 1e9 * r["seconds"]) for r in mine),
                      "mib": max(r["rss_kib"] for r in mine) / 1024})
    return lines


HEADS = ["planner", "runs", "valid", "over least", "over load", "ms", "MiB"]


def cells(line):
    over = [f"{line[key]:.2f}%" if line[key] is not None else "-" for key in ("over", "load")]
    return [line["planner"], str(line["runs"]), str(line["valid"]), *over, f"{line['ns'] / 1e6:.3f}", f"{line['mib']:.1f}"]


def print_table(results):
    if results:
        print("\nmemory planners")
        for row in [HEADS, *map(cells, summary(results))]:
            print("".join(f"{cell:>12}" for cell in row))
        print("over least: mean height above the least plan of all; over load: above the most bytes that live at a time.")
