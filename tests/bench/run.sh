#!/bin/sh
# The benchmark's files: JSON as google/benchmark writes it, CSV, and figures that agree with each other; the
# same JSON of --time-json, which google/benchmark's compare.py reads ($COMPARE: its path); and the comparison of partitioners: what is not valid is told, with its cause, and the page is well-formed.
# usage: sh tests/bench/run.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/check.sh
command -v python3 > /dev/null || nothing_but "the benchmark's files (no python3 here)"
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

works "the benchmark compiles" ${CC:-cc} -std=c99 -O1 -I. -Iexamples/program -o "$out/bench" bench/bench*.c \
    examples/program/core/benchmark.c examples/program/core/impl.c examples/program/core/sys.c -lm
"$out/bench" --csv --nodes 1000 --json "$out/bench.json" > "$out/bench.csv" 2> "$out/log"
verdict "bench --json --csv" $? "$out/log"
cat > "$out/runs.py" << 'END'
import json

def medians_of(path):
    """The aggregates by name, after what holds for the runs of each."""
    result = json.load(open(path))
    assert result["context"]["json_schema_version"] == 1
    assert result["context"]["machine"] and result["context"]["date"].endswith("+00:00")
    runs, medians = {}, {}
    for entry in result["benchmarks"]:
        assert entry["time_unit"] == "ns" and entry["real_time"] == entry["cpu_time"]
        if entry["run_type"] == "iteration":
            assert entry["repetition_index"] == len(runs.get(entry["name"], []))
            runs.setdefault(entry["name"], []).append(entry["cpu_time"])
        else:
            assert entry["name"] == entry["run_name"] + "_median"
            medians[entry["run_name"]] = entry
    assert runs.keys() == medians.keys()
    for name, entry in medians.items():
        assert len(runs[name]) == entry["repetitions"] == min(entry["runs"], 25), name
        assert entry["ci_low"] <= entry["cpu_time"] <= entry["ci_high"], name
        assert entry["q1"] <= entry["cpu_time"] <= entry["q3"], name
        assert 0 <= entry["outliers"] < max(entry["runs"] / 2, 1), name
    return result, runs, medians
END
PYTHONPATH=$out python3 - "$out/bench.json" "$out/bench.csv" > "$out/log" 2>&1 << 'END'
import csv, sys
from runs import medians_of
result, runs, medians = medians_of(sys.argv[1])
assert result["context"]["seed"] == 1 and min(entry["runs"] for entry in medians.values()) >= 7
for row in csv.DictReader(open(sys.argv[2])):
    entry = medians["/".join(filter(None, [row["row"], row["kind"], row["nodes"]]))]
    assert float(row["ns"]) == entry["cpu_time"] and int(row["outliers"]) == entry["outliers"]
assert medians["kl/iid/102"]["growth"] > 1 and medians["kl/iid/12"]["growth"] == 0
END
verdict "medians, intervals, outliers, growth; CSV and JSON agree" $? "$out/log"

# ---- --time-json ----

program=${GRAPHSPLIT:-${B:-build}/graphsplit}
cp examples/models/onnx_mnist.fx "$out/a\"b.fx"
for n in 1 2 3 30; do
    $program split --time $n --time-json "$out/$n.json" "$out/a\"b.fx" > "$out/log" 2> "$out/time$n"
    verdict "--time $n --time-json" $? "$out/time$n"
done
PYTHONPATH=$out python3 - "$out" > "$out/log" 2>&1 << 'END'
import sys
from runs import medians_of
for n in (1, 2, 3, 30):
    result, runs, medians = medians_of(f"{sys.argv[1]}/{n}.json")
    (name, entry), = medians.items()
    line = next(l for l in open(f"{sys.argv[1]}/time{n}") if l.startswith("time "))
    facts = dict(word.split("=") for word in line.split()[1:])
    assert result["context"]["executable"] == "graphsplit"
    assert name == 'split/a"b.fx/' + facts["nodes"] and entry["runs"] == n == int(facts["runs"])
    assert entry["cpu_time"] == int(facts["ns"]) and entry["min"] == int(facts["min_ns"])
    assert all(entry[word] == int(facts[word]) for word in ("nodes", "edges", "bound", "used"))
    assert n == 30 or (entry["min"] == min(runs[name]) == entry["ci_low"] and max(runs[name]) == entry["ci_high"])
END
verdict "the line of --time and the JSON agree" $? "$out/log"
yes 0 | head -n 5 > "$out/zeros"
! $program eval --time 3 --time-json "$out/eval.json" examples/models/onnx_mnist.fx "$out/zeros" > "$out/log" 2>&1 &&
    grep -q '"eval/onnx_mnist.fx/' "$out/eval.json"
verdict "parts that are not valid are measured, too" $? "$out/log"
# refused STATUS WORDS OPTION...: one sentence, and no file.
refused() {
    status=$1 words=$2
    shift 2
    $program "$@" > "$out/log" 2> "$out/err"
    [ $? -eq "$status" ] && grep -q -- "$words" "$out/err" && ! [ -s "$out/log" ] && ! [ -e "$out/none.json" ]
    verdict "refused: $*" $? "$out/err"
}
model=examples/models/onnx_mnist.fx
refused 1 "none/x.json: No such file" split --time 2 --time-json "$out/none/x.json" $model
refused 2 "got '-'" split --time 2 --time-json - $model
refused 2 "requires --time N" split --time-json "$out/none.json" $model
refused 2 "convert measures no pass" convert --time 2 --time-json "$out/none.json" $model "$out/to.fx"
cp $model "$out/model.fx"
refused 1 "model.fx is the input" split --time 2 --time-json "$out/model.fx" "$out/model.fx"
cmp -s $model "$out/model.fx"
verdict "the input stays" $?
mkdir "$out/shut" && cp "$out/1.json" "$out/shut/old.json"
$program split --time 2 --time-json "$out/shut/old.json" $model > "$out/log" 2>&1 && [ "$(ls "$out/shut")" = old.json ] &&
    grep -q '"runs": 2' "$out/shut/old.json"
verdict "an old file is replaced, and nothing stands beside it" $? "$out/log"
if [ -n "${COMPARE:-}" ]; then
    works "compare.py of google/benchmark reads it" python3 "$COMPARE" benchmarks "$out/30.json" "$out/30.json"
else
    skip "google/benchmark's compare.py (COMPARE does not name it)"
fi

# ---- partitioners side by side ----

works "measure compiles" ${CC:-cc} -std=c99 -o "$out/measure" bench/measure.c
"$out/measure" 5 'exit 3' > "$out/log" && grep -q '^3 ' "$out/log" && "$out/measure" 1 'sleep 9' > "$out/log" && grep -q '^-1 1\.' "$out/log"
verdict "measure tells exit status and time-out" $? "$out/log"

# By hand, a node per line: its kind (1 for the accelerator), the nodes that it reads.
works "splitters compiles" ${CC:-cc} -std=c99 -O1 -o "$out/splitters" bench/splitters.c
#    0 acc   1 cpu   2 acc(1)   3 cpu(0)   4 acc(3, 2)   5 acc(0, 4)
printf '%s\n' '6 6' 1 0 1 0 1 1 '1 2' '0 3' '3 4' '2 4' '0 5' '4 5' > "$out/hand"
# cuts NAME PART...: the subgraph of each node. Waves start with the CPU, epochs with node 0.
cuts() {
    name=$1
    shift
    "$out/splitters" "$name" "$out/hand" "$out/hand.part" > "$out/log" 2>&1 && [ "$(paste -s -d ' ' "$out/hand.part")" = "$*" ]
    verdict "$name cuts the graph as worked out by hand" $? "$out/hand.part"
}
cuts ort 1 0 1 2 3 3
cuts tflite 0 1 2 1 2 2
cuts tflite-ordered 0 1 2 3 4 4
cuts components 1 0 1 2 1 1

# Buffers by hand. TFLM: 0 (6 bytes) at 0, 1 (4) at 0 since 0 is gone, 2 (3) above both, 3 (2) above 1 and below 2. IREE:
# 0 at 0, 2 at 6, 1 at 0, 3 at 4, the gap.
works "planners compiles" ${CC:-cc} -std=c99 -O1 -o "$out/planners" bench/planners.c
printf '%s\n' id,lower,upper,size 0,0,4,6 1,4,9,4 2,2,8,3 3,6,9,2 > "$out/buffers.csv"
# plans NAME OFFSET...: by id
plans() {
    name=$1
    shift
    "$out/planners" "$name" "$out/buffers.csv" "$out/plan.csv" > "$out/log" 2>&1 &&
        [ "$(sed -n 's/.*,//;2,$p' "$out/plan.csv" | paste -s -d ' ')" = "$*" ]
    verdict "$name plans as worked out by hand" $? "$out/plan.csv"
}
plans tflm 0 0 6 4
plans iree 0 0 6 4
# What the greedy rule is known to reach on MiniMalloc's instances.
while read -r instance height; do
    if ! [ -f "$shared/alloc/$instance.1048576.csv" ]; then
        skip "tflm on $instance ($shared/alloc/$instance.1048576.csv is not there)"
        continue
    fi
    "$out/planners" tflm "$shared/alloc/$instance.1048576.csv" "$out/plan.csv" > "$out/log" 2>&1 &&
        [ "$(awk -F, 'NR > 1 && $4 + $5 > top { top = $4 + $5 } END { print top }' "$out/plan.csv")" = "$height" ]
    verdict "tflm on $instance: $height" $? "$out/log"
done << 'END'
A 1352704
E 1435648
K 1352704
END

# What the published programs find, where they are.
models=$shared/models
# published NAME MODULES MODEL...
published() {
    name=$1 modules=$2
    shift 2
    if ! [ -f "$1" ]; then
        skip "$name beside what is published ($1 is not there)"
    elif ! python3 -c "import $modules" > /dev/null 2>&1; then
        skip "$name beside what is published (this python3 has no $modules)"
    else
        works "$name finds what is published" python3 tests/bench/published.py "$out/splitters" "$name" "$out" "$@"
    fi
}
published ort onnx,onnxruntime "$models/onnx/mnist.onnx" "$models/onnx/yunet_n_320.onnx" "$models/onnx/light_inception_v1.onnx"
published tflite ai_edge_litert "$models/tflite/deeplabv3_mnv2_dm05_pascal_quant.tflite" \
    "$models/tflite/torchaudio_conformer.tflite" "$models/tflite/keyword_scrambled_8bit.tflite"

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
cat > "$out/cutters" << 'END'
one     | fx    | true  | sed 's/.*/0/' {names} > {part}; echo 5 > {ns}
brief   | kinds | true  | echo 0 > {part}
broken  | kinds | true  | false
missing | kinds | false | true
END
cat > "$out/plans" << 'END'
piled   | csv | true  | sed '1s/$/,offset/; 2,$s/$/,0/' {graph} > {part}
partial | csv | true  | head -3 {graph} > {part}
failing | csv | true  | false
missed  | csv | false | true
END
{ echo 12 11; seq 0 10 | awk '{ print $1, $1 + 1 }'; } > "$out/chain.edges"
awk 'BEGIN { print 81, 144
    for (i = 0; i < 81; i++) { if (i % 9 < 8) print i, i + 1; if (i < 72) print i, i + 9 } }' > "$out/grid.edges"
python3 bench/peers.py --quick --k 2 --seconds 1 --program "${GRAPHSPLIT:-${B:-build}/graphsplit}" --measure "$out/measure" \
    --adapters "$out/adapters" --splitters "$out/cutters" --splitters-program "$out/splitters" \
    --planners "$out/plans" --planners-program "$out/planners" --only tflm,iree,piled,partial,failing,missed,order,stages,turns,heavy,empty,short,words,fails,nothing,slow,absent,graphsplit,graphsplit-best,ort,tflite,components,one,brief,broken,missing \
    --graph "$out/chain.edges" --graph "$out/grid.edges" --graph tests/formats/data/fine-grained.random.spmv_N4_nzP0d5.txt \
    --graph examples/models/onnx_mnist.fx --bench "$out/bench.json" --out "$out/peers" > "$out/table" 2>&1
verdict "bench/peers.py" $? "$out/table"
grep -q '^skipped: absent (' "$out/table" && grep -q '^skipped: missing (' "$out/table" && grep -q '^turns  *4  *0.0%  *100.0%' "$out/table"
verdict "the table" $? "$out/table"
# Which planner is the least depends on whether graphsplit's search ends within the second.
if [ -f "$shared/alloc/A.1048576.csv" ]; then
    grep -q '^skipped: missed (' "$out/table" && grep -q '^ *[a-z]*  *2  *[12]  *0\.00% ' "$out/table" &&
        grep -q '^ *tflm  *2  *2  *[0-9.]*%  *32\.23% ' "$out/table" && grep -q '^ *piled  *2  *0  *-  *- ' "$out/table"
    verdict "the table of planners" $? "$out/table"
else
    skip "the table of planners ($shared/alloc/A.1048576.csv is not there)"
fi
python3 - "$out/peers" "$shared/alloc/A.1048576.csv" > "$out/log" 2>&1 << 'END'
import csv, json, os, re, sys, xml.etree.ElementTree
result = json.load(open(sys.argv[1] + "/peers.json"))
runs = {e["name"]: e for e in result["benchmarks"] if e["run_type"] == "iteration"}
wanted = {"order": "valid", "stages": "valid", "turns": "cyclic", "heavy": "heavy", "empty": "empty",
          "short": "short", "words": "unreadable", "fails": "none", "nothing": "none", "slow": "time"}
cutters = {"graphsplit": "valid", "graphsplit-best": "valid", "ort": "valid", "tflite": "valid", "one": "mixed",
           "brief": "short", "broken": "none"}
for name, verdict in cutters.items():
    entry = runs[name + "/chain:coin"]
    assert entry["verdict"] == verdict and ("pass_ns" in entry) == (name not in ("brief", "broken")), entry
kinds = [int(k) for k in open(sys.argv[1] + "/files/chain.coin.kinds").read().split()[2:14]]
changes = sum(a != b for a, b in zip(kinds, kinds[1:]))
assert changes > 0 and all(runs[n + "/chain:coin"]["subgraphs"] == changes + 1 for n in cutters if cutters[n] == "valid")
assert {e["graph"].split(":")[1] for e in runs.values() if "subgraphs" in e and "mnist" in e["graph"]} >= {"xnnpack"}
assert runs["components/grid:coin"]["verdict"] == "cyclic"
for name, verdict in wanted.items():
    entry = runs[name + "/chain/k:2/eps:0.1"]
    assert entry["verdict"] == verdict, entry
    assert entry.get("error_occurred", False) == (verdict in ("short", "unreadable", "none", "time")), entry
assert runs["order/chain/k:2/eps:0.1"]["cut_edges"] == 1
planners = {"tflm": "valid", "iree": "valid", "piled": "overlap", "partial": "short", "failing": "none"}
if os.path.exists(sys.argv[2]):
    for name, verdict in planners.items():
        entry = runs[name + "/A"]
        assert (entry["verdict"], entry.get("error_occurred", False)) == (verdict, verdict != "valid"), entry
    assert runs["tflm/A"]["height"] == 1352704 and runs["tflm/A"]["load"] == 1048576
assert runs["turns/chain/k:2/eps:0.1"]["cut_edges"] == 11
assert not any(name.startswith(("absent", "slow/onnx_mnist/k:4")) for name in runs)
rows = list(csv.DictReader(open(sys.argv[1] + "/peers.csv")))
assert len(rows) == len(runs) and all(
    runs[f"{r['partitioner']}/{r['graph']}" + (f"/k:{r['k']}/eps:{r['eps']}" if r["k"] else "")]["verdict"]
    == r["verdict"] for r in rows)
page = open(sys.argv[1] + "/index.html").read()
drawings = re.findall(r"<svg.*?</svg>", page, re.S)
assert len(drawings) > 40 and "http" not in page and "nan" not in page and "inf" not in page
for drawing in drawings:
    xml.etree.ElementTree.fromstring(drawing)
assert "turns: best 0 %, any 0 %" in page and "turns: best 0 %, any 100 %" in page
END
verdict "every cause in JSON and CSV; the page" $? "$out/log"
finish
