"""The tables of README.md that figures of bench/ fill, between their markers.
usage: readme.py BENCH README    runs BENCH --csv and writes the table of times (make bench-readme)"""
import csv
import datetime
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
# Row, pass of bench/torch_passes.py, rows of build/bench that do the same, what the other lacks, where it is better.
TORCH = [
    ("splitter", "splitter", ["split"], "reasons, several accelerators, bounds", "it is Python, where the model is"),
    ("its modules", "modules", ["split_by_tags"], "writes that keep their order", "GraphModules at once"),
    ("split_module, 8 parts", "split_module", ["split_module-8"], "an error where parts wait for each other", "keeps hooks and metadata"),
    ("Partitioner, size", "size", ["by-size", "split_module-8"], "parts that are proved to fit", "-"),
    ("CapabilityBasedPartitioner", "capable", ["split"], "the fewest partitions", "fuses them in place"),
    ("deduplication", "dedup", ["dedup"], "regions that differ in constants", "-"),
]
# Row, rule of bench/splitters.c, as above.
RULES = [
    ("ONNX Runtime's rule", "ort", "fewest subgraphs, reasons", "runs the result"),
    ("TFLite's rule", "tflite", "fewest subgraphs, reasons", "runs the result"),
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


def against(rows, torch, cuts):
    """`torch`: nanoseconds by pass, with the version; `cuts`: runs of bench/splits.py."""
    ours = {"dedup": "block"}
    found = [(f"torch.fx: {label}", torch[name], sum(float(rows[row, ours.get(name, "iid"), 1000]["ns"]) for row in own), *words)
             for label, name, own, *words in TORCH if name in torch]
    same = {r["partitioner"]: r["pass_ns"] for r in cuts if r["graph"] == "drawn1000:coin" and "pass_ns" in r}
    found += [(label, same[name], same["graphsplit"], *words) for label, name, *words in RULES if {name, "graphsplit"} <= set(same)]
    lines = [f"| 1,000 nodes; PyTorch {torch.get('version', '(not installed)')} | takes | graphsplit | times as long | it lacks | where it is better |",
             "|---|---|---|---|---|---|"]
    for label, theirs, own, lacks, better in found:
        times = f"{theirs / own:.2g}" if theirs < 10 * own else f"{theirs / own:,.0f}"
        lines.append("| " + " | ".join([label, time_of(theirs), time_of(own), times, lacks, better]) + " |")
    return lines


def main(bench, path):
    rewrite(path, "times", times(rows_of(bench)))


if __name__ == "__main__":
    main(*sys.argv[1:])
