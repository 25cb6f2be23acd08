"""Compares partitioners on the same graphs in one run (make bench-peers).

Every partitioner of adapters.txt gets every graph as a file and writes a file of parts (bench/splits.py does the
same with splitters between CPU and accelerator, bench/plans.py with memory planners); `graphsplit eval` judges the parts: cut edges, cut bytes, imbalance, and whether the parts wait for each other in a circle,
which makes a result useless for a graph that is to run. Time is that of the whole process, from start to the
file of parts, and memory its largest resident set: hosts such as Python pay for their start.

Writes peers.json (as google/benchmark does: its compare.py compares two runs), peers.csv and index.html
into --out, and a table. The graphs are networks and HyperDAGs of this tree (examples/models/ORIGINS.md,
tests/formats/data/ORIGINS.md), a grid, an FFT and a Cholesky factorisation made here, and, unless --quick,
dag/, hyperdag/ and models/fx/ of the folder that GRAPHSPLIT_SHARED names: half of them and a fourth of the lists of
operators, with one imbalance, unless --all. --readme writes the table of README.md that compares passes: those of
PyTorch itself, if this Python has it (bench/torch_passes.py), and the rules of others, on a layered graph of 1,000
nodes, all measured in this run."""
import argparse
import csv
import datetime
import itertools
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import time

import plans
import plots
import readme
import splits
from graphs import BENCH, Graph, graph_files
from results import UNDEFINED, instances, summary


# ---- runs ----

class Adapter:
    def __init__(self, line):
        self.name, self.format, self.needs, self.command = [word.strip() for word in line.split("|", 3)]
        self.most = UNDEFINED  # nodes; after it ran out of time, larger graphs are not tried


def adapters_of(paths):
    lines = [line for path in paths for line in open(path, encoding="utf-8")]
    return [Adapter(line) for line in lines if line.strip() and not line.startswith("#")]


class Run:
    def __init__(self, options):
        self.options = options
        self.folder = os.path.join(os.path.abspath(options.out), "files")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.program = os.path.abspath(options.program)
        self.tmp = os.path.join(self.folder, "tmp")

    def output(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"peers.py: {done.stderr.strip()}")
        return done.stdout

    def fill(self, command, words):
        words = dict(words, bench=BENCH, graphsplit=self.program, python=sys.executable, tmp=self.tmp,
                     splitters=os.path.abspath(self.options.splitters_program),
                     planners=os.path.abspath(self.options.planners_program))
        for word, value in words.items():
            command = command.replace("{" + word + "}", str(value))
        return command

    def timed(self, command, words, part):
        """What a command took; with a verdict if it left no file of parts."""
        shutil.rmtree(self.tmp, ignore_errors=True)
        os.makedirs(self.tmp)
        if os.path.exists(part):
            os.remove(part)
        with open(os.path.join(self.folder, "log"), "w", encoding="utf-8") as log:
            done = subprocess.run([self.options.measure, str(self.options.seconds),
                                   "{ " + self.fill(command, dict(words, part=part)) + "\n} > /dev/null"],
                                  stdout=subprocess.PIPE, stderr=log, text=True, check=True)
        status, wall, user, system, kib = [float(word) for word in done.stdout.split()]
        result = {"seconds": wall, "cpu_seconds": user + system, "rss_kib": int(kib)}
        if status != 0 or not os.path.exists(part):
            result["verdict"] = "time" if status == -1 else "none"
        return result

    def once(self, adapter, graph, k, eps, seed):
        """One result: what it took, and what the judge says of it."""
        part = os.path.join(self.folder, "result.part")
        words = {"graph": graph.file(adapter.format), "k": k, "eps": eps, "n": graph.nodes,
                 "permille": round(1000 * eps), "seed": seed, "bytes": graph.bytes}
        result = {"partitioner": adapter.name, "graph": graph.name, "nodes": graph.nodes,
                  "edges": graph.edges, "k": k, "eps": eps, "seed": seed, "cut_edges": None,
                  "cut_bytes": None, "imbalance": None, **self.timed(adapter.command, words, part)}
        if "verdict" not in result:
            result.update(self.judge(graph.file("fx"), part, k, eps))
        return result

    def evaluated(self, *arguments):
        return subprocess.run([self.program, "eval", *arguments], capture_output=True, text=True, check=False)

    def judge(self, graph, part, k, eps):
        done = self.evaluated("--json", "--parts", str(k), "--imbalance", str(eps), graph, part)
        if done.returncode > 1:
            return {"verdict": "unreadable", "why": done.stderr.strip()}
        facts = json.loads(done.stdout)
        if facts["lines"] != facts["wanted"]:
            return {"verdict": "short"}
        causes = {"cyclic": "cycle", "empty": "empty", "heavy": "over"}
        verdict = [word for word, fact in causes.items() if facts[fact]]
        return {"verdict": "valid" if facts["valid"] else (verdict + ["invalid"])[0],
                "cut_edges": facts["cut_edges"], "cut_bytes": facts["cut_bytes"],
                "imbalance": facts["imbalance"]}


def all_results(run, adapters):
    options = run.options
    graphs = [Graph(run, name, path, run.folder) for name, path in graph_files(options, run.folder).items()]
    results = []
    for graph in sorted(graphs, key=lambda g: g.nodes):
        pairs = [(k, eps) for k in options.k for eps in options.eps if graph.allows(k, eps)]
        for (k, eps), adapter in itertools.product(pairs, adapters):
            for seed in range(1, options.seeds + 1 if "{seed}" in adapter.command else 2):
                if graph.nodes > adapter.most:
                    break
                result = run.once(adapter, graph, k, eps, seed)
                results.append(result)
                if result["verdict"] == "time":
                    adapter.most = graph.nodes - 1
        if sys.stderr.isatty():
            print(f"\r{graph.name:60}", end="", file=sys.stderr)
    return results


# ---- reports ----

def print_table(results):
    print(f"{'partitioner':14}{'runs':>6}{'valid':>8}{'cyclic':>8}{'heavy':>8}{'empty':>8}{'lost':>8}"
          f"{'edges':>8}{'bytes':>8}{'any':>8}{'ms':>9}{'MiB':>8}")
    for line in summary(results):
        cells = [f"{100 * line[w]:7.1f}%" for w in ("valid", "cyclic", "heavy", "empty", "lost")]
        cells += [f"{line[w]:8.2f}" if line[w] else f"{'-':>8}" for w in ("edges", "bytes", "edges_any")]
        print(f"{line['partitioner']:14}{line['runs']:6}{''.join(cells)}{1e3 * line['seconds']:9.1f}"
              f"{line['mib']:8.1f}")
    print("edges, bytes: cut of valid results, as a multiple of the best valid cut, geometric mean; any: edges, "
          "invalid results too.\nheavy: a part above the limit; lost: no result, out of time or not readable. "
          "ms: median of whole processes.")


def machine():
    model = "unknown"
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), model)
    return model


def context(options):
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    return {"date": now, "executable": "bench/peers.py", "num_cpus": os.cpu_count(), "machine": machine(),
            "system": f"{platform.system()} {platform.machine()}", "seeds": list(range(1, options.seeds + 1)),
            "eps": options.eps, "time_limit_seconds": options.seconds, "json_schema_version": 1}


def benchmark_entries(results):
    """Every run, then the median of its instance. Times in ms."""
    entries = []
    for (graph, k, eps), partitioners in instances(results).items():
        for name, runs in partitioners.items():
            base = {"run_name": f"{name}/{graph}" + (f"/k:{k}/eps:{eps}" if k else ""), "threads": 1, "iterations": 1, "time_unit": "ms",
                    "repetitions": len(runs)}
            for i, r in enumerate(runs):
                counters = {key: r[key] for key in r if r[key] is not None and not key.endswith("seconds")}
                lost = {} if r["cut_edges"] is not None or "height" in r else {
                    "error_occurred": True, "error_message": r.get("why", r["verdict"])}
                entries.append({"name": base["run_name"], **base, "run_type": "iteration",
                                "repetition_index": i, **lost, "real_time": 1e3 * r["seconds"],
                                "cpu_time": 1e3 * r["cpu_seconds"], **counters})
            entries.append({"name": base["run_name"] + "_median", **base, "run_type": "aggregate",
                            "aggregate_name": "median", "aggregate_unit": "time",
                            "real_time": 1e3 * statistics.median(r["seconds"] for r in runs),
                            "cpu_time": 1e3 * statistics.median(r["cpu_seconds"] for r in runs)})
    return entries


def write_files(options, results):
    with open(os.path.join(options.out, "peers.json"), "w", encoding="utf-8") as file:
        json.dump({"context": context(options), "benchmarks": benchmark_entries(results)}, file, indent=1)
    keys = ["partitioner", "graph", "nodes", "edges", "k", "eps", "seed", "verdict", "cut_edges", "cut_bytes",
            "imbalance", "subgraphs", "acc_subgraphs", "height", "load", "pass_ns", "seconds", "cpu_seconds", "rss_kib"]
    with open(os.path.join(options.out, "peers.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, keys, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(results)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="graphs of this tree, imbalance 0.1")
    parser.add_argument("--all", action="store_true", help="all graphs and lists of operators, imbalances 0.03 and 0.1")
    parser.add_argument("--readme", help="the file whose table is written")
    parser.add_argument("--bench-program", default="build/bench", help="the program of bench/bench.c, for --readme")
    parser.add_argument("--out", default="build/peers", help="folder of the results")
    parser.add_argument("--adapters", action="append", default=[], help="a file of further partitioners")
    parser.add_argument("--splitters", action="append", default=[], help="a file of further splitters")
    parser.add_argument("--planners", action="append", default=[], help="a file of further memory planners")
    parser.add_argument("--only", help="names of partitioners and splitters, by commas")
    parser.add_argument("--graph", action="append", help="a graph instead of all; may be repeated")
    parser.add_argument("--k", default="2,8", help="numbers of parts, by commas; default 2,8")
    parser.add_argument("--eps", help="imbalances, by commas; default 0.03")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each partitioner on each instance; default 1")
    parser.add_argument("--seconds", type=int, help="the time limit of a run; default 30")
    parser.add_argument("--program", default="build/graphsplit")
    parser.add_argument("--measure", default="build/measure")
    parser.add_argument("--splitters-program", default="build/splitters", help="the program of bench/splitters.c")
    parser.add_argument("--planners-program", default="build/planners", help="the program of bench/planners.c")
    parser.add_argument("--bench", help="JSON of build/bench, for the page to draw as well")
    options = parser.parse_args()
    options.k = [int(k) for k in options.k.split(",")]
    options.eps = [float(e) for e in (options.eps or ("0.1" if options.quick else "0.03,0.1" if options.all else "0.03")).split(",")]
    options.seconds = options.seconds or (2 if options.quick else 30)
    return options


def usable(run, path, others):
    """The adapters of a file of this folder and of others that are wanted, and whose needs are met."""
    found = []
    for adapter in adapters_of([os.path.join(BENCH, path), *others]):
        if run.options.only and adapter.name not in run.options.only.split(","):
            continue
        if subprocess.run(["sh", "-c", run.fill(adapter.needs, {})], capture_output=True, check=False).returncode:
            print(f"skipped: {adapter.name} (not on this machine)")
        else:
            found.append(adapter)
    return found


def torch_passes(bench):
    """Nanoseconds by pass on 1,000 nodes, and the version; nothing where this Python has no PyTorch."""
    done = subprocess.run([sys.executable, os.path.join(BENCH, "torch_passes.py"), bench],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if done.returncode != 0:
        print("skipped: passes of PyTorch (not on this machine)")
    lines = [line.split() for line in done.stdout.splitlines()]
    return {name: value if name == "version" else float(value) for name, n, value in lines if n in ("0", "1000")}


def write_readme(options, results, cuts, heights):
    rows = readme.rows_of(options.bench_program, "--nodes", "1000")
    table = readme.against(rows, torch_passes(options.bench_program), cuts)
    table += readme.against_searches(instances(results), plans.summary(heights))
    readme.rewrite(options.readme, "against", table)
    print("\n".join(table))


def processor_seconds():
    return sum(use.ru_utime + use.ru_stime
               for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def main():
    begin = time.monotonic()
    options = arguments()
    run = Run(options)
    results = all_results(run, usable(run, "adapters.txt", options.adapters))
    cuts = splits.all_results(run, usable(run, "splitters.txt", options.splitters))
    heights = plans.all_results(run, usable(run, "planners.txt", options.planners))
    write_files(options, results + cuts + heights)
    plots.write(os.path.join(options.out, "index.html"),
                [os.path.join(options.out, "peers.json"), *filter(None, [options.bench])])
    print_table(results)
    splits.print_table(cuts)
    plans.print_table(heights)
    if options.readme:
        write_readme(options, results, cuts, heights)
    print(f"took {processor_seconds():.0f} s of the processor, {time.monotonic() - begin:.0f} s by the clock")
    print(f"wrote {options.out}/index.html, peers.json, peers.csv")


if __name__ == "__main__":
    main()
