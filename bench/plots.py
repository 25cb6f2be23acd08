"""One HTML page of plots from the JSON of bench/peers.py, of build/bench --json, or of both: performance
profiles (Dolan and More 2002) and log-log plots of time. It opens from disk and needs no network.
usage: plots.py PAGE.html FILE.json..."""
import html
import json
import math
import statistics
import sys

import plans
import results as figures
import splits

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 600, 360, 76, 18, 14, 46
DASHES = ["", "9 4", "2 3"]

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --rule: #d8dee4; --page: #fff; --card: #f6f8fa;
  --c0: #0b62a8; --c1: #c4500a; --c2: #0a7d55; --c3: #b0418b; --c4: #8a6d00; --c5: #2f8fd0; --c6: #6b3fa0;
  --c7: #6e7781; --c8: #b42318; --c9: #007c82; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa6b2; --rule: #30363d; --page: #0d1117; --card: #161b22;
  --c0: #58a6ff; --c1: #ff9452; --c2: #3fcf94; --c3: #f08cc8; --c4: #e3c341; --c5: #9ad7ff; --c6: #bc9bff;
  --c7: #b1bac4; --c8: #ff7b72; --c9: #4fd6d6; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--page); margin: 2em auto;
  max-width: 1240px; padding: 0 1em; }
h1 { font-size: 1.5em; margin-bottom: 0; } h2 { font-size: 1.15em; margin: 1.8em 0 .4em; }
h3 { font-size: 1em; margin: 0 0 .3em; } p { max-width: 56em; margin: .3em 0 .8em; } .soft { color: var(--soft); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 520px), 1fr)); gap: 16px; }
figure { margin: 0; padding: 12px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
svg { width: 100%; height: auto; display: block; } svg text { font: 13px system-ui, sans-serif; fill: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin-top: 6px; font-size: 13px; }
.legend span { display: inline-flex; align-items: center; gap: 6px; white-space: nowrap; }
.legend svg { width: 34px; height: 12px; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 10px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { color: var(--soft); font-weight: 600; }
.bad { color: var(--soft); text-decoration: line-through; } .best { font-weight: 700; }
""" + "".join(f".s{i} {{ --s: var(--c{i}); }}\n" for i in range(10)) + """
.line { fill: none; stroke: var(--s); stroke-width: 2.2; stroke-linejoin: round; }
.dot { fill: var(--s); stroke: var(--card); stroke-width: .7; } .range { stroke: var(--s); stroke-width: 1.4; }
.grid { stroke: var(--rule); } .axis { stroke: var(--soft); }
"""


class Axis:
    """Values to pixels, by logarithm or evenly."""

    def __init__(self, values, pixels, log=True, base=10):
        self.log, self.base, self.pixels = log, base, pixels
        self.low, self.high = min(values), max(values)
        if log:
            self.low = base ** math.floor(math.log(self.low, base) + 1e-9)
            self.high = base ** math.ceil(math.log(self.high, base) - 0.02)  # 100,002 nodes are 10^5
            self.high = self.high if self.high > self.low else self.low * base

    def at(self, value):
        value = min(max(value, self.low), self.high)
        share = (math.log(value / self.low) / math.log(self.high / self.low) if self.log else
                 (value - self.low) / (self.high - self.low))
        return round(self.pixels[0] + share * (self.pixels[1] - self.pixels[0]), 1)

    def ticks(self):
        if not self.log:
            return [self.low + i * (self.high - self.low) / 5 for i in range(6)]
        count = round(math.log(self.high / self.low, self.base))
        return [self.low * self.base ** i for i in range(count + 1)]


def axes(x, y, x_name, y_name, x_text, y_text):
    left, right, bottom, top = *x.pixels, *y.pixels
    parts = []
    for value in x.ticks():
        at = x.at(value)
        parts.append(f'<path class="grid" d="M{at} {top}V{bottom}"/>'
                     f'<text x="{at}" y="{bottom + 18}" text-anchor="middle">{x_text(value)}</text>')
    for value in y.ticks():
        at = y.at(value)
        parts.append(f'<path class="grid" d="M{left} {at}H{right}"/>'
                     f'<text x="{left - 7}" y="{at + 4.5}" text-anchor="end">{y_text(value)}</text>')
    parts.append(f'<path class="axis" d="M{left} {bottom}H{right}" />'
                 f'<text x="{(left + right) / 2}" y="{bottom + 38}" text-anchor="middle">{x_name}</text>'
                 f'<text transform="translate(14 {(top + bottom) / 2}) rotate(-90)" text-anchor="middle">'
                 f'{y_name}</text>')
    return "".join(parts)


def marker(shape, x, y, title=""):
    """Circle, square, triangle, diamond: a second sign beside the colour."""
    r = 3.4
    paths = [f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0",
             f"M{x - r} {y - r}h{2 * r}v{2 * r}h{-2 * r}z",
             f"M{x} {y - 1.3 * r}l{1.2 * r} {2.2 * r}h{-2.4 * r}z",
             f"M{x} {y - 1.4 * r}l{1.4 * r} {1.4 * r}l{-1.4 * r} {1.4 * r}l{-1.4 * r} {-1.4 * r}z"]
    return f'<path class="dot" d="{paths[shape % 4]}"><title>{html.escape(title)}</title></path>'


def legend(entries, dots):
    """entries: (number of the series, words)."""
    parts = []
    for i, words in entries:
        sign = marker(i, 17, 6) if dots else ""
        parts.append(f'<span class="s{i % 10}"><svg viewBox="0 0 34 12"><path class="line" d="M0 6H34" '
                     f'stroke-dasharray="{DASHES[i % 3]}"/>{sign}</svg>{html.escape(words)}</span>')
    return f'<div class="legend">{"".join(parts)}</div>'


def figure(title, body, entries, dots):
    return (f'<figure><h3>{html.escape(title)}</h3><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="{html.escape(title)}">{body}</svg>{legend(entries, dots)}</figure>')


def count_text(value):
    """10, 10^4, ...: powers of ten as people write them."""
    power = round(math.log10(value))
    return f"{value:g}" if value < 1000 else f'10<tspan dy="-5" font-size="10">{power}</tspan>'


def time_text(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size * 0.999:
            return f"{ns / size:.4g} {unit}"
    return f"{ns:.4g} ns"


# ---- performance profiles ----

def profile(title, table, names, key, valid_only, cap=8):
    """For each partitioner, the share of the instances on which it is within a factor of the best, up to cap."""
    x = Axis([1, cap], (LEFT, WIDTH - RIGHT), base=2)
    y = Axis([0, 100], (HEIGHT - BOTTOM, TOP), log=False)
    body, ends = axes(x, y, "at most this many times the best", "% of the instances", "{:g}".format,
                      "{:.0f}".format), []
    for i, name in enumerate(names):
        ratios = []
        for runs in table.values():
            values = {n: figures.value_of(r, key, valid_only) for n, r in runs.items()}
            best = min(values.values())
            if best < figures.UNDEFINED and values.get(name, figures.UNDEFINED) < figures.UNDEFINED:
                ratios.append(figures.ratio(values[name], best))
        at, path = 0, f"M{x.at(1)} {y.at(0)}"
        for factor in sorted(ratios):
            at += 1
            if factor <= cap:
                path += f"H{x.at(factor)}V{y.at(100 * at / len(table))}"
        within = 100 * sum(f <= 1 for f in ratios) / len(table)
        solved = 100 * len(ratios) / len(table)
        ends.append((i, within, f"{name}: best {within:.0f} %, any {solved:.0f} %"))
        body += (f'<path class="line s{i % 10}" stroke-dasharray="{DASHES[i % 3]}" d="{path}H{x.at(cap)}">'
                 f'<title>{html.escape(name)}</title></path>')
    ends.sort(key=lambda end: -end[1])
    return figure(title, body, [(i, words) for i, _, words in ends], False)


# ---- log-log plots ----

def exponent(points):
    """The slope of the least squares line through the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (statistics.fmean(c) for c in zip(*logs))
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread if spread > 0 else None


def log_log(title, names, series, x_name, y_name, fit):
    """series: {name: [(x, y, low, high, words)]}, y in ns or MiB; a line through the points, or the fitted one."""
    every = [p for points in series.values() for p in points]
    x = Axis([p[0] for p in every], (LEFT, WIDTH - RIGHT))
    y = Axis([v for p in every for v in p[2:4]], (HEIGHT - BOTTOM, TOP))
    body = axes(x, y, x_name, y_name, count_text, time_text if y_name == "time" else "{:g}".format)
    entries = []
    for i, name in enumerate(names):  # the same sign in every plot
        points = sorted(series.get(name, []))
        if not points:
            continue
        slope = exponent([p[:2] for p in points])
        entries.append((i, name if slope is None or y_name != "time" else f"{name}: n^{slope:.2f}"))
        ends = [p[:2] for p in points]
        if fit and slope is not None:
            mean_x, mean_y = (math.exp(statistics.fmean(math.log(p[c]) for p in points)) for c in (0, 1))
            ends = [(p, mean_y * (p / mean_x) ** slope) for p in (points[0][0], points[-1][0])]
        line = "L".join(f"{x.at(a)} {y.at(b)}" for a, b in ends)
        body += f'<g class="s{i % 10}"><path class="line" stroke-dasharray="{DASHES[i % 3]}" d="M{line}"/>'
        for a, b, low, high, words in points:
            if high > low and not fit:
                body += f'<path class="range" d="M{x.at(a)} {y.at(low)}V{y.at(high)}"/>'
            body += marker(i, x.at(a), y.at(b), f"{name}, {words}")
        body += "</g>"
    return figure(title, body, entries, True)


def peer_points(results, names, key, scale):
    """The median of each partitioner on each graph."""
    series = {}
    for name in names:
        by_graph = {}
        for r in results:
            if r["partitioner"] == name and r["verdict"] not in ("time", "none"):
                by_graph.setdefault((r["graph"], r["nodes"] + r["edges"]), []).append(scale * r[key])
        series[name] = [(size, statistics.median(v), min(v), max(v), graph)
                        for (graph, size), v in by_graph.items()]
    return series


# ---- the page ----

def summary_table(results):
    heads = ["", "runs", "valid", "cyclic", "heavy", "empty", "lost", "edges", "bytes", "edges, any", "ms", "MiB"]
    rows = []
    for line in figures.summary(results):
        cells = [f"{100 * line[w]:.1f} %" for w in ("valid", "cyclic", "heavy", "empty", "lost")]
        cells += [f"{line[w]:.2f}" if line[w] else "-" for w in ("edges", "bytes", "edges_any")]
        cells += [f"{1e3 * line['seconds']:.1f}", f"{line['mib']:.1f}"]
        rows.append([html.escape(line["partitioner"]), str(line["runs"]), *cells])
    return table_of(heads, rows)


def table_of(heads, rows):
    head = "".join(f"<th>{h}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'


def instance_table(table, names):
    rows = []
    for (graph, k, eps), runs in table.items():
        best = min(figures.value_of(r, "cut_edges") for r in runs.values())
        row = [f"{html.escape(graph)}, k = {k}, {100 * eps:g} %"]
        for name in names:
            valid = figures.value_of(runs.get(name, []), "cut_edges")
            any_cut = figures.value_of(runs.get(name, []), "cut_edges", False)
            kind = "bad" if valid == figures.UNDEFINED else "best" if valid == best else ""
            value = any_cut if kind == "bad" else valid
            row.append(f'<span class="{kind}">{value:g}</span>' if value < figures.UNDEFINED else "-")
        rows.append(row)
    return ("<details><summary>Cut edges on every instance (struck out: not valid; bold: the best valid)</summary>"
            + table_of(["instance", *map(html.escape, names)], rows) + "</details>")


def peers_section(data):
    results = [e for e in data["benchmarks"] if e["run_type"] == "iteration"]
    for r in results:
        r["seconds"] = r["real_time"] / 1e3
    kinds = {partitioners_section: [r for r in results if "k" in r],
             splitters_section: [r for r in results if "k" not in r and "load" not in r],
             planners_section: [r for r in results if "load" in r]}
    return "".join(section(found, data["context"]) for section, found in kinds.items() if found)


def planners_section(results, c):
    table = figures.instances(results)
    names = list(dict.fromkeys(r["partitioner"] for r in results))
    for r in results:
        r["verdict"] = r.get("verdict") or ("valid" if "height" in r else "none")
    rows = [[html.escape(cell) for cell in plans.cells(line)] for line in plans.summary(results)]
    charts = [profile("Height, valid plans", table, names, "height", True, 2),
              profile("Time of the process, any plan", table, names, "seconds", False, 1024)]
    return f"""<h2>Memory planners</h2>
<p class="soft">{len(table)} instances of MiniMalloc's benchmark, {machine_words(c)}</p>{table_of(["", *plans.HEADS[1:]], rows)}
<p class="soft">over least: mean height above the least plan of all on the same instance; over load: above the most bytes that
live at a time, which no plan undercuts. tflm, iree: the published rules, written anew.</p>
<div class="charts">{"".join(charts)}</div>"""


def splitters_section(results, c):
    table = figures.instances(results)
    names = list(dict.fromkeys(r["partitioner"] for r in results))
    rows = [[html.escape(cell) for cell in splits.cells(line)] for line in splits.summary(results)]
    known = [r for r in results if "pass_ns" in r]
    charts = [profile("Subgraphs, valid splits", table, names, "subgraphs", True, 16),
              profile("Bytes between subgraphs, valid splits", table, names, "cut_bytes", True, 4),
              profile("Time of the splitting alone, any split", table, names, "pass_ns", False, 256),
              log_log("Time of the splitting alone by size", names, peer_points(known, names, "pass_ns", 1),
                      "nodes + edges", "time", True)]
    return f"""<h2>Splits between CPU and accelerator</h2>
<p class="soft">{len(table)} instances, {machine_words(c)}</p>{table_of(["", *splits.HEADS[1:]], rows)}
<p class="soft">subgraphs and accelerator: how many in all, and on the accelerator; bytes: what crosses between subgraphs;
multiples of the best valid result, geometric mean. cyclic: subgraphs wait for each other in a circle; mixed: one has nodes of
both kinds. ort, tflite: ONNX Runtime's and TFLite's published algorithms, written anew; components: connected nodes of
a kind.</p><div class="charts">{"".join(charts)}</div>"""


def partitioners_section(results, c):
    table = figures.instances(results)
    names = list(dict.fromkeys(r["partitioner"] for r in results))
    charts = [profile("Cut edges, valid results", table, names, "cut_edges", True),
              profile("Cut bytes, valid results", table, names, "cut_bytes", True),
              profile("Cut edges, cyclic and heavy results too", table, names, "cut_edges", False),
              profile("Time of the process, any result", table, names, "seconds", False, 256)]
    times = [log_log("Time of the process by size", names, peer_points(results, names, "seconds", 1e9),
                     "nodes + edges", "time", True),
             log_log("Largest resident set by size, MiB", names, peer_points(results, names, "rss_kib", 1 / 1024),
                     "nodes + edges", "MiB", True)]
    return f"""<h2>Partitioners on the same graphs</h2>
<p class="soft">{len(table)} instances; imbalance {words_of(c["eps"])}; seeds {words_of(c["seeds"])}; time limit
{c["time_limit_seconds"]} s; {machine_words(c)}</p>{summary_table(results)}
<p class="soft">Judged by <code>graphsplit eval</code>. cyclic: parts wait for each other in a circle; heavy: a part is
above the limit; lost: no result. edges and bytes: cut of valid results as a multiple of the best valid cut, geometric
mean over the instances that have both. Time and memory are those of whole processes.</p>
<h2>Performance profiles</h2>
<p class="soft">A point (x, y): on y % of the instances the result is at most x times the best of all. A partitioner without
a valid result on an instance never reaches it. "best" is the left end; "any" is its share of
instances with a result that counts, however far from the best.</p><div class="charts">{"".join(charts)}</div>
<h2>Growth</h2><p class="soft">A point is the median on one graph; a line is the least squares fit of the logarithms.
On small graphs the start of the process dominates.</p>
<div class="charts">{"".join(times)}</div>{instance_table(table, names)}"""


FAMILIES = {
    "Splits": ["kahn", "support", "split", "split_by_tags", "split_module-8", "split_module-n/16", "preview"],
    "Text, drawing, score": ["kahn", "read", "write", "draw", "score-8"],
    "Running": ["kahn", "exec-direct", "exec", "exec-release", "exec_plan"],
    "Stages and pipelines": ["kahn", "stages_even-64", "stages_optimal-64", "stages_optimal-carried", "pipeline-64",
                             "pipeline-64-train"],
    "Memory": ["kahn", "liveness", "memory_plan", "split_by_memory"],
    "Repeated regions": ["kahn", "regions", "dedup"],
    "Order of writes": ["dependences", "order"],
    "Partitions": ["kahn", "by-size", "sparse", "aot", "by-cost", "kl"],
}


def passes_section(data):
    series = {}
    for e in data["benchmarks"]:
        name, *kind = e["run_name"].rsplit("/", 2)[:2]
        if e["run_type"] == "aggregate" and kind in (["iid"], ["block"], ["write"]):
            name += ", blocks" if kind == ["block"] else ""
            series.setdefault(name, []).append(
                (e["nodes"], e["cpu_time"], e["q1"], e["q3"],
                 f"{e['nodes']} nodes: {time_text(e['cpu_time'])}, {e['runs']} runs, {e['outliers']} outliers"))
    charts = []
    for title, names in FAMILIES.items():
        shown = {name: points for name, points in series.items() if name.split(", ")[0] in names}
        if shown:
            charts.append(log_log(title, list(shown), shown, "nodes", "time", False))
    return f"""<h2>Passes on layered random graphs</h2><p class="soft">{machine_words(data["context"])}. Points: medians;
strokes: from the first to the third quartile; exponents: least squares. kahn: a bare topological sort of the
same rows.</p><div class="charts">{"".join(charts)}</div>"""


def words_of(values):
    return ", ".join(f"{v:g}" for v in values)


def machine_words(c):
    words = [c["machine"], f"{c['num_cpus']} processors", c.get("system"), c.get("compiler"), c["date"]]
    return html.escape(", ".join(word for word in words if word))


def write(page, files):
    sections = []
    for path in files:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        sections.append((peers_section if "peers" in data["context"]["executable"] else passes_section)(data))
    with open(page, "w", encoding="utf-8") as file:
        file.write('<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" '
                   'content="width=device-width"><title>graphsplit: partitioners compared</title>\n'
                   f"<style>{STYLE}</style>\n<h1>graphsplit: figures</h1>\n{''.join(sections)}\n</html>\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    write(sys.argv[1], sys.argv[2:])
