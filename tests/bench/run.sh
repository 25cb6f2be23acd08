#!/bin/sh
# The benchmark's files: JSON as google/benchmark writes it, CSV, and figures that agree with each other.
# usage: sh tests/bench/run.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/check.sh
command -v python3 > /dev/null || nothing_but "the benchmark's files (no python3 here)"
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

works "the benchmark compiles" ${CC:-cc} -std=c99 -O1 -I. -o "$out/bench" bench/bench.c -lm
"$out/bench" --csv --nodes 1000 --json "$out/bench.json" > "$out/bench.csv" 2> "$out/log"
verdict "bench --json --csv" $? "$out/log"
python3 - "$out/bench.json" "$out/bench.csv" > "$out/log" 2>&1 << 'END'
import csv, json, sys
result = json.load(open(sys.argv[1]))
assert result["context"]["json_schema_version"] == 1 and result["context"]["seed"] == 1
runs, medians = {}, {}
for entry in result["benchmarks"]:
    assert entry["time_unit"] == "ns" and entry["real_time"] == entry["cpu_time"]
    if entry["run_type"] == "iteration":
        runs.setdefault(entry["name"], []).append(entry["cpu_time"])
    else:
        assert entry["name"] == entry["run_name"] + "_median"
        medians[entry["run_name"]] = entry
assert runs.keys() == medians.keys()
for name, entry in medians.items():
    assert len(runs[name]) == entry["repetitions"] >= 7, name
    assert entry["ci_low"] <= entry["cpu_time"] <= entry["ci_high"], name
    assert entry["q1"] <= entry["cpu_time"] <= entry["q3"], name
    assert 0 <= entry["outliers"] < entry["runs"] / 2, name
for row in csv.DictReader(open(sys.argv[2])):
    entry = medians["/".join(filter(None, [row["row"], row["kind"], row["nodes"]]))]
    assert float(row["ns"]) == entry["cpu_time"] and int(row["outliers"]) == entry["outliers"]
assert medians["kl/iid/102"]["growth"] > 1 and medians["kl/iid/12"]["growth"] == 0
END
verdict "medians, intervals, outliers, growth; CSV and JSON agree" $? "$out/log"
finish
