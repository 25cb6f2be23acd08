#!/bin/sh
# The benchmark's files: JSON as google/benchmark writes it, CSV, and figures that agree with each other; and
# the comparison of partitioners: what is not valid is told, with its cause, and the page is well-formed.
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

# ---- partitioners side by side ----

works "measure compiles" ${CC:-cc} -std=c99 -o "$out/measure" bench/measure.c
"$out/measure" 5 'exit 3' > "$out/log" && grep -q '^3 ' "$out/log" && "$out/measure" 1 'sleep 9' > "$out/log" && grep -q '^-1 1\.' "$out/log"
verdict "measure tells exit status and time-out" $? "$out/log"
cat > "$out/adapters" << 'END'
# Parts by turns wait for each other in a circle.
turns   | fx    | true  | seq 0 $(({n} - 1)) | awk '{ print $1 % {k} }' > {part}
heavy   | edges | true  | awk 'NR > 1 { n = n < $2 ? $2 : n } END { for (i = 0; i <= n; i++) print i == n }' {graph} > {part}
empty   | hgr   | true  | seq {n} | sed 's/.*/0/' > {part}
short   | graph | true  | echo 0 > {part}
words   | grf   | true  | echo zero > {part}
fails   | fx    | true  | echo 0 > {part}; false
nothing | fx    | true  | true
slow    | fx    | true  | sleep 9
absent  | fx    | false | true
END
{ echo 12 11; seq 0 10 | awk '{ print $1, $1 + 1 }'; } > "$out/chain.edges"
python3 bench/peers.py --quick --k 2 --seconds 1 --program "${GRAPHSPLIT:-${B:-build}/graphsplit}" --measure "$out/measure" \
    --adapters "$out/adapters" --only order,stages,turns,heavy,empty,short,words,fails,nothing,slow,absent \
    --graph "$out/chain.edges" --graph tests/convert/data/fine-grained.random.spmv_N4_nzP0d5.txt \
    --graph examples/models/onnx_mnist.fx --bench "$out/bench.json" --out "$out/peers" > "$out/table" 2>&1
verdict "bench/peers.py" $? "$out/table"
grep -q '^skipped: absent (' "$out/table" && grep -q '^turns  *3    0.0%  100.0%' "$out/table"
verdict "the table" $? "$out/table"
python3 - "$out/peers" > "$out/log" 2>&1 << 'END'
import csv, json, re, sys, xml.etree.ElementTree
result = json.load(open(sys.argv[1] + "/peers.json"))
runs = {e["name"]: e for e in result["benchmarks"] if e["run_type"] == "iteration"}
wanted = {"order": "valid", "stages": "valid", "turns": "cyclic", "heavy": "heavy", "empty": "empty",
          "short": "short", "words": "unreadable", "fails": "none", "nothing": "none", "slow": "time"}
for name, verdict in wanted.items():
    entry = runs[name + "/chain/k:2/eps:0.1"]
    assert entry["verdict"] == verdict, entry
    assert entry.get("error_occurred", False) == (verdict in ("short", "unreadable", "none", "time")), entry
assert runs["order/chain/k:2/eps:0.1"]["cut_edges"] == 1
assert runs["turns/chain/k:2/eps:0.1"]["cut_edges"] == 11
assert not any(name.startswith(("absent", "slow/onnx_mnist/k:4")) for name in runs)
rows = list(csv.DictReader(open(sys.argv[1] + "/peers.csv")))
assert len(rows) == len(runs) and all(
    runs[f"{r['partitioner']}/{r['graph']}/k:{r['k']}/eps:{r['eps']}"]["verdict"] == r["verdict"] for r in rows)
page = open(sys.argv[1] + "/index.html").read()
drawings = re.findall(r"<svg.*?</svg>", page, re.S)
assert len(drawings) > 40 and "http" not in page and "nan" not in page and "inf" not in page
for drawing in drawings:
    xml.etree.ElementTree.fromstring(drawing)
assert "turns: best 0 %, any 0 %" in page and "turns: best 0 %, any 100 %" in page
END
verdict "every cause in JSON and CSV; the page" $? "$out/log"
finish
