"""The tables that figures of bench/ fill, between their markers: that of times in examples/README.md, that against others
in README.md.
usage: readme.py BENCH README    runs BENCH --csv and writes the table of times (make bench-readme)"""
import csv
import datetime
import statistics
import subprocess
import sys

SIZES = (1000, 10000, 100000, 1000000)
# Label, cost, row and kind of build/bench.
PASSES = [
    ("Kahn's sort without branches, for comparison", "O(n + m)", "kahn", "iid"),
    ("`gsp_split_run`: accelerator nodes, fusion, phases, small removal", "O(n + m)", "split", "iid"),
    ("`gsp_split_by_tags_run`: the subgraphs as graphs", "O(n + m + args)", "split_by_tags", "iid"),
    ("`gsp_memory_plan_run`: an offset for every tensor, p pairs live together", "O(n log n + p)", "memory_plan", "iid"),
    ("`gsp_split_by_memory_run`: parts within a budget", "`max_work`", "split_by_memory", "iid"),
    ("`gsp_demote_run`: the accelerator subgraphs worth most, at most N", "`max_work`", "demote-3", "iid"),
    ("`gsp_stages_optimal_run` (an add-on): 64 stages, least time of the slowest, proved", "`max_work`", "stages_optimal-64", "iid"),
    ("`gsp_assign_run`, size: partitions by bytes, 4 devices", "O(n * devices + m)", "by-size", "iid"),
    ("`gsp_pipeline_run`: 64 stages cut, parameters moved, the module", "O(n + m + args)", "pipeline-64", "iid"),
    ("`gsp_dedup_run`: one subgraph and a call per region, the module", "O((n + m + args) log n)", "dedup", "iid"),
    ("`gsp_text_read`", "O(bytes)", "read", "iid"),
]
# Row, pass of bench/torch_passes.py, rows of build/bench that do the same, its result, what graphsplit adds, what it does better.
TORCH = [
    ("splitter", "splitter", ["split"], "equal", "reasons, several accelerators, bounds", "it is Python, where the model is"),
    ("its modules", "modules", ["split_by_tags"], "equal", "writes that keep their order", "GraphModules at once"),
    ("split_module, 8 parts", "split_module", ["split_module-8"], "equal", "an error where parts wait for each other",
     "keeps hooks and metadata"),
    ("Partitioner, size", "size", ["by-size", "split_module-8"], "equal", "parts that are proved to fit", "-"),
    ("CapabilityBasedPartitioner", "capable", ["split"], None, "the fewest partitions", "fuses them in place"),
    ("deduplication", "dedup", ["dedup"], "equal", "regions that differ in constants", "-"),
]
# Row, rule of bench/splitters.c, what graphsplit adds, what it does better.
RULES = [
    ("ONNX Runtime's rule", "ort", "fewest subgraphs, reasons", "runs the result"),
    ("TFLite's rule", "tflite", "fewest subgraphs, reasons", "runs the result"),
]
# Row, partitioner of adapters.txt, as above.
PARTS = [
    ("METIS", "metis", "parts that run in some order", "large graphs"),
    ("KaHIP, eco", "kahip", "parts that run in some order", "smaller undirected cuts"),
    ("dagP", "dagp", "pins, groups, reasons", "recursive bisection"),
]
# Row, planner of planners.txt, as above.
PLANNERS = [
    ("MiniMalloc", "minimalloc", "a proof, several memories, order", "-"),
    ("TFLM's planner", "tflm", "a search, a bound", "runs in the device"),
    ("IREE's (MLIR)", "iree", "a search, a bound", "sizes that only the run knows"),
]


def time_of(ns):
    for limit, factor, unit in ((1e5, 1e3, "us"), (1e9, 1e6, "ms"), (float("inf"), 1e9, "s")):
        if ns < limit:
            return f"{ns / factor:.2g} {unit}" if ns / factor < 10 else f"{ns / factor:.0f} {unit}"
    return ""


def rewrite(path, name, lines):
    """Puts lines between <!-- NAME --> and <!-- end of NAME -->."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    head, rest = text.split(begin)
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])


def rows_of(bench, *options):
    """The rows of build/bench by name, kind and power of ten; a row is unique but for the sort, whose last counts."""
    text = subprocess.run([bench, "--csv", *options], capture_output=True, text=True, check=True).stdout
    return {(r["row"], r["kind"], int(r["nodes"]) // 100 * 100): r for r in csv.DictReader(text.splitlines())}


def times(rows):
    lines = [f"| pass, {datetime.date.today():%d %B %Y} | time for n nodes, m edges | 10^3 | 10^4 | 10^5 | 10^6 | bound, bytes per node |",
             "|---|---|---|---|---|---|---|"]
    for label, cost, name, kind in PASSES:
        found = [rows.get((name, kind, n)) for n in SIZES]
        cells = ["" if r is None else f"{float(r['mb_per_s']):.0f} MB/s" if name == "read" else time_of(float(r["ns"]))
                 for r in found]
        bound = 0.0 if name == "read" else float(found[-1]["bound_per_node"])
        lines.append("| " + " | ".join([label, cost, *cells, f"{bound:.0f}" if bound else ""]) + " |")
    return lines


def memory_of(kib):
    return next(f"{kib / factor:.0f} {unit}" for factor, unit in ((1024, "MiB"), (1, "KiB")) if kib >= factor)


def row(label, theirs, own, result, *words):
    """`theirs`, `own`: nanoseconds and KiB, 0 for memory that is not measured."""
    cells = [time_of(ns) + (", " + memory_of(kib) if kib else "") for ns, kib in (theirs, own)]
    times = theirs[0] / own[0]
    text = f"{times:,.0f}" if times >= 10 else f"{times:.1f}" if times >= 0.67 else f"1/{1 / times:,.0f}"
    return "| " + " | ".join([label, *cells, text, result, *words]) + " |"


def against(rows, torch, cuts):
    """`torch`: nanoseconds by pass, with the version and KiB; `cuts`: runs of bench/splits.py. A result is a number of
    subgraphs of the accelerator where it is not equal."""
    lines = [f"| other tool (PyTorch {torch.get('version', 'not installed')}) | takes | graphsplit takes | ratio | its result "
             "| graphsplit adds | what it does better |", "|---|---|---|---|---|---|---|"]
    same = {r["partitioner"]: r for r in cuts if r["graph"] == "drawn1000:coin" and "pass_ns" in r}
    found = {"capable": "torch-capable", **{name: name for _, name, *_ in RULES}}
    best = same.get("graphsplit-best", {}).get("acc_subgraphs")
    counts = {name: f"{same[key]['acc_subgraphs']} subgraphs for {best}" for name, key in found.items() if key in same}
    ours = {"dedup": "block"}
    for label, name, own, result, *words in TORCH:
        if name in torch:
            mine = [rows[key, ours.get(name, "iid"), 1000] for key in own]
            need = max(float(r["bound_per_node"]) for r in mine) * 1000 / 1024
            lines.append(row("torch.fx: " + label, (torch[name], torch.get("kib", 0)), (sum(float(r["ns"]) for r in mine), need),
                             result or counts.get(name, ""), *words))
    for label, name, *words in RULES:
        if {name, "graphsplit"} <= set(same):
            lines.append(row(label, (same[name]["pass_ns"], 0), (same["graphsplit"]["pass_ns"], 0), counts[name], *words))
    return lines


def cut_beside(table, name, own="kway"):
    """Pairs of runs of both on each instance: how many, medians of time and memory, the share of cyclic results, and
    its cut edges as a multiple of the own valid cut."""
    pairs = [(a, b) for runs in table.values() if {name, own} <= set(runs) for a, b in zip(runs[name], runs[own])]
    cuts = [(a["cut_edges"], b["cut_edges"]) for a, b in pairs if a["cut_edges"] and b["cut_edges"] and b["verdict"] == "valid"]
    if not cuts:
        return None
    cost = [(statistics.median(1e9 * p[i]["cpu_seconds"] for p in pairs), statistics.median(p[i]["rss_kib"] for p in pairs))
            for i in (0, 1)]
    return (len(pairs), *cost, sum(a["verdict"] == "cyclic" for a, _ in pairs) / len(pairs),
            statistics.geometric_mean(a / b for a, b in cuts))


def against_searches(table, planners):
    """Rows of partitioners and planners, whole processes on all instances of both. `table`: instances of
    bench/results.py; `planners`: the summary of bench/plans.py."""
    lines = []
    for label, name, *words in PARTS:
        beside = cut_beside(table, name)
        if beside:
            count, theirs, own, cyclic, cut = beside
            lines.append(row(f"{label}: {count} cuts", theirs, own,
                             f"{cut:.2f} of our cut edges, {100 * cyclic:.0f} % unrunnable", *words))
    by_name = {line["planner"]: line for line in planners}
    mine = by_name.get("graphsplit")
    for label, name, *words in PLANNERS:
        if name in by_name and mine:
            line = by_name[name]
            over = "no plan" if line["over"] is None else f"{line['over']:+.1f} % bytes" if line["over"] > 0.05 else "equal bytes"
            lines.append(row(f"{label}: {line['runs']} plans", (line["ns"], 1024 * line["mib"]), (mine["ns"], 1024 * mine["mib"]), over, *words))
    return lines


def main(bench, path):
    rewrite(path, "times", times(rows_of(bench)))


if __name__ == "__main__":
    main(*sys.argv[1:])
