#!/bin/sh
# The HTML report: one file that asks no network for anything, and works when it is clicked. The clicks
# happen in headless Chromium; without it they are skipped by name.
# usage: sh tests/program/report.sh
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
graphsplit=${GRAPHSPLIT:-$B/graphsplit}
model=examples/models/tflite_deeplabv3_mnv2_dm05_pascal_quant.fx
out=$B/report
. tests/check.sh
mkdir -p "$out"

# has LABEL FILE PATTERN, lacks LABEL FILE PATTERN
has() {
    grep -q -- "$3" "$2"
    verdict "$1" $?
}
lacks() {
    ! grep -q -- "$3" "$2"
    verdict "$1" $?
}

# ---- the reason for one node, as a sentence; a module as JSON ----

# why NODE SENTENCE
why() {
    $graphsplit split "--why=$1" tests/program/why.fx > "$out/why"
    has "why $1" "$out/why" "^$2\$"
}
why n 'n (size) runs on the CPU, in _run_on_cpu_0, because it yields no tensor but int, which is read outside, by c (c).'
why n 'In turn, c (c) is on the CPU because its annotation says acc=0.'
why f 'f (f) runs on acc, in _run_on_acc_1, because its annotation says acc=1.'
why g 'g (g) runs on the CPU, in _run_on_cpu_2, because it reads a non-tensor value from outside: i (item).'
$graphsplit module --assign n=0,c=0,f=1,i=1,g=1 --json tests/program/why.fx > "$out/module.json"
has "partitions of a module as JSON" "$out/module.json" '{"partition": 1, "module": "submod_1"}'
has "graphs of a module as JSON" "$out/module.json" '{"name": "main", "fingerprint": "[0-9a-f]\{32\}", "text": "graph():'
$graphsplit module --assign n=0,c=0,f=1,i=1 tests/program/why.fx 2> "$out/module.err"
has "a node without a partition is named" "$out/module.err" '%g belongs to no partition; --assign g=K puts it into one'
$graphsplit ops --for examples/models/onnx_mnist.fx --json > "$out/ops.json"
has "operator lists for a model as JSON" "$out/ops.json" '"on_accelerators": 12, "subgraphs": 1, "accelerator_subgraphs": 1'

browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v $name)
done

# open_page PAGE RESULT [SCRIPT]: the page as it stands after SCRIPT has run in it.
open_page() {
    page=$1
    if [ -n "$3" ]; then
        page=$out/clicked.html
        sed '/<\/body>/d; /<\/html>/d' "$1" > "$page"
        printf '<script>\n%s\n</script>\n</body>\n</html>\n' "$3" >> "$page"
    fi
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$out/profile" --window-size=${window:-1400},900 --virtual-time-budget=5000 --dump-dom \
        "file://$(cd "$(dirname "$page")" && pwd)/$(basename "$page")" > "$2" 2> "$out/log"
    # what the page itself holds is no proof of what it shows
    awk '/<script/ { skip = 1 } !skip { print } /<\/script>/ { skip = 0 }' "$2" > "$2.shown"
    mv "$2.shown" "$2"
}

# A graph of 10 000 nodes in 200 subgraphs.
large_graph() {
    awk 'BEGIN {
        print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[8]"
        before = "x"
        for (i = 0; i < 10000; i++) {
            target = int(i / 50) % 2 ? "torch.sort" : "torch.relu"
            print "    %n" i " : [num_users=1] = call_function[target=" target "](args = (%" before ",), kwargs = {})  # f32[8]"
            before = "n" i
        }
        print "    return " before
    }'
}

report=examples/program/report
awk -f $report/include.awk $report/report.html | awk -f $report/embed.awk | cmp -s - $report/page.c
verdict "page.c is made from report.html and view.*: see embed.awk" $?

$graphsplit split --acc-ops @examples/models/edgetpu-2019.ops --html "$out/report.html" $model > "$out/people"
verdict "the report is written" $?
lacks "it names no address" "$out/report.html" 'https*:'
lacks "it loads nothing" "$out/report.html" 'src=\|@import\|<link\|fetch(\|XMLHttp'
large_graph > "$out/large.fx"
$graphsplit split --acc-ops torch.relu --html "$out/large.html" "$out/large.fx" > "$out/people"
verdict "the report of 10 000 nodes is written" $?

# A name that would end the script, if it could.
printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]\n    %%a : [num_users=1] = %s\n    return a\n' \
    'call_function[target=f</script><b>"\](args = (%x,), kwargs = {})' > "$out/hostile.fx"
$graphsplit split --html "$out/hostile.html" "$out/hostile.fx" > "$out/people"
verdict "the report of a hostile name is written" $?
lacks "no name gets out of the data" "$out/hostile.html" '</script><b>'

# 1000 subgraphs, of which every other one is one node of 23 on the accelerator; and one without callable nodes.
awk 'BEGIN {
    print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[8]"
    before = "x"
    for (i = 0; i < 11500; i++) {
        print "    %n" i " : [num_users=1] = call_function[target=" (i % 23 ? "torch.sort" : "torch.relu") "](args = (%" before ",), kwargs = {})  # f32[8]"
        before = "n" i
    }
    print "    return " before
}' > "$out/strip.fx"
printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]\n    return x\n' > "$out/empty.fx"
$graphsplit split --acc-ops torch.relu --html "$out/strip.html" "$out/strip.fx" > "$out/people" &&
    $graphsplit split --html "$out/empty.html" "$out/empty.fx" > "$out/people"
verdict "the reports of 1000 subgraphs and of none are written" $?

# Two nodes of one operator, which different types keep on the CPU.
echo 'torch.add f32' > "$out/types.ops"
{
    printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]  # i64[8]\n'
    printf '    %%y : [num_users=1] = placeholder[target=y]  # i32[8]\n'
    printf '    %%a : [num_users=1] = call_function[target=torch.add](args = (%%x,), kwargs = {})  # i64[8]\n'
    printf '    %%b : [num_users=1] = call_function[target=torch.add](args = (%%y,), kwargs = {})  # i32[8]\n'
    printf '    return (a, b)\n'
} > "$out/types.fx"
$graphsplit split --acc-ops "@$out/types.ops" --html "$out/types.html" "$out/types.fx" > "$out/people"
verdict "the report of two types is written" $?

# What is worth offloading: of two supported nodes one.
{
    printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]  # f32[4]\n'
    printf '    %%a : [num_users=1] = call_function[target=f](args = (%%x,), kwargs = {})  # f32[4] cpu=4 compute=1 acc=1\n'
    printf '    %%b : [num_users=1] = call_function[target=g](args = (%%a,), kwargs = {})  # f32[4] cpu=2 compute=1 acc=0\n'
    printf '    %%c : [num_users=1] = call_function[target=f](args = (%%b,), kwargs = {})  # f32[4] cpu=5 compute=1 acc=1\n'
    printf '    return c\n'
} > "$out/worth.fx"
$graphsplit split --minimise time --bandwidth 16 --launch 1.5 --html "$out/worth.html" "$out/worth.fx" > "$out/people"
verdict "the report of what is worth offloading is written" $?

# The run in one memory, and peaks against traffic: a and e first need 424 bytes, beside 480 as PyTorch orders them.
awk 'BEGIN {
    print "graph():\n    %x : [num_users=0] = placeholder[target=x]  # u8[16]"
    n = split("b:x:8:0 a:x:200:1 d:a:64:0 e:b,x:200:1 c:a:16:1 g:c,e:8:0", row, " ")
    for (i = 1; i <= n; i++) {
        split(row[i], f, ":"); gsub(",", ", %", f[2])
        print "    %" f[1] " : [num_users=0] = call_function[target=f](args = (%" f[2] ",), kwargs = {})  # u8[" f[3] "] acc=" f[4]
    }
    print "    return (d, g)"
}' > "$out/run.fx"
$graphsplit split --html "$out/run.html" "$out/run.fx" > "$out/people"
grep -E '^"(run|tradeoff)"' "$out/run.html" > "$out/run"
has "the report has the peak of the run and live bytes" "$out/run" '^"run":{"peak":480,"given":488,"steps":8,"live":\[16,24,224,424,416,480,288,72\]},$'
has "the report has the points of peak and traffic" "$out/run" '^"tradeoff":{"complete":1,"now":\[480,424\],"points":\[\[424,424\]\]},$'

if [ -z "$browser" ]; then
    skip "clicks in the report (no Chromium or Chrome is installed)" 27
    finish
fi

open_page "$out/report.html" "$out/dom"
has "the picture shows the subgraphs" "$out/dom" 'class="item closed".*_run_on_acc_2'
lacks "and not what is in them" "$out/dom" '>conv_2d_37<'
open_page "$out/report.html" "$out/dom" '
const closed = [...document.querySelectorAll(".item.closed")].find(e => e.textContent.includes("acc_2"));
closed.querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }));'
has "a click opens a subgraph" "$out/dom" 'class="item leaf".*>conv_2d_37<'
open_page "$out/report.html" "$out/dom" '
const find = document.getElementById("find");
find.value = "arg_max";
find.dispatchEvent(new Event("input"));
find.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));'
has "a search finds a node and says why it is there" "$out/dom" 'no accelerator supports it'
open_page "$out/worth.html" "$out/dom" 'location.hash = "#tab=Worth";'
has "what is worth it is a tab: the time, and a curve of two points" "$out/dom" '<h2>Worth it: 10.5 s</h2>.*<circle.*at most 0 .*: 11 s.*<circle.*at most 1 .*: 10.5 s'
has "each subgraph has what it gains or loses" "$out/dom" '>a</button>.*class="loses">-500 ms<.*>c</button>.*class="saves">500 ms<'
sed 's/ cpu=[0-9]*//' "$out/worth.fx" > "$out/guess.fx"
$graphsplit split --minimise time --html "$out/guess.html" "$out/guess.fx" > "$out/people"
open_page "$out/guess.html" "$out/dom" 'location.hash = "#tab=Worth";'
has "estimates are marked, and what was assumed is there" "$out/dom" \
    '<h2>[^<]*about [^<]*(with estimates from shapes)</h2>.*<dt>bandwidth</dt><dd>100 GiB/s</dd>.*<dt>CPU rates</dt><dd>2e10,2e10 .*<dt>acc. rates</dt><dd>1e12,1e11 '
open_page "$out/report.html" "$out/dom"
lacks "without times there is no such tab" "$out/dom" 'id="tabWorth"'
open_page "$out/hostile.html" "$out/dom"
has "a hostile name is a name" "$out/dom" 'f&lt;/script&gt;'
open_page "$out/large.html" "$out/dom" '
const hit = text => [...document.querySelectorAll(".item.closed")].find(e => e.textContent.includes(text))
    .querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }));
hit("_run_on_cpu_199");
hit("_run_on_acc_180");'
has "of 10 000 nodes, those of one subgraph are shown" "$out/dom" 'class="item leaf".*>n9010<'

open_page "$out/strip.html" "$out/dom" '
const area = e => { const r = e.getBoundingClientRect(); return r.width * r.height; };
const sum = what => [...document.querySelectorAll(".strip " + what)].reduce((s, e) => s + area(e), 0);
document.getElementById("title").textContent = "green " + (100 * sum(".k1") / sum("i")).toFixed(1) + " %";'
has "the strip has the proportions of the nodes" "$out/dom" '>green 4\.[34] %<'
open_page "$out/empty.html" "$out/dom"
has "no callable nodes are no coverage" "$out/dom" '<span>no callable nodes</span>'
open_page "$out/types.html" "$out/dom" '
document.getElementById("tabWhy").dispatchEvent(new MouseEvent("click", { bubbles: true }));'
has "each reason heads its own nodes" "$out/dom" 'torch.add: [^<]*i64.*torch.add: [^<]*i32'

# What is shown at first can be read, on a phone, too: 10 pixels at least.
readable='
const size = e => parseFloat(getComputedStyle(e).fontSize) * at.k;
document.getElementById("title").textContent = "least " + Math.min(...[...document.querySelectorAll("#view text")].map(size)).toFixed(1);'
for name in large report; do
    for width in 390 1400; do
        window=$width
        open_page "$out/$name.html" "$out/dom" "$readable"
        has "text of 10 pixels at first: $name on a screen of $width" "$out/dom" '>least 1[0-9]\.'
    done
done

$graphsplit split --acc-ops onnx.Conv --html "$out/attributes.html" examples/models/onnx_mnist.fx > "$out/people"
open_page "$out/attributes.html" "$out/dom" 'location.hash = "#node=Convolution28";' # the event comes by itself
has "an address shows a node, with its attributes" "$out/dom" '<dt>kernel_shape</dt><dd>\[5, 5\]</dd><dt>strides</dt><dd>\[1, 1\]</dd>'
cat > "$out/dynamic.fx" << 'END'
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[s0, 16]
    %w : [num_users=1] = get_attr[target=w]  # f32[16]
    %a : [num_users=2] = call_function[target=f](args = (%x, %w), kwargs = {stride: [2, 2]})  # f32[s0, 16]
    %b : [num_users=1] = call_function[target=g](args = (%a,), kwargs = {})
    %c : [num_users=1] = call_function[target=f](args = (%a, %b), kwargs = {})  # f32[4]
    return c
END
$graphsplit split --acc-ops f --html "$out/dynamic.html" "$out/dynamic.fx" > "$out/people" 2>&1
open_page "$out/dynamic.html" "$out/dom" 'location.hash = "#node=a";'
has "a node of unknown dimensions: its bytes are a lower bound" "$out/dom" '<dt>output</dt><dd>&gt;= 64 B</dd><dt>parameters</dt><dd>64 B</dd><dt>stride</dt><dd>\[2, 2\]</dd>'
open_page "$out/dynamic.html" "$out/dom" 'openTab("Overview");'
has "what crosses is a lower bound" "$out/dom" '<b>&gt;= 128 B</b><span>3 values cross'
has "of lower bounds no percentage is known" "$out/dom" '<b>?</b><span>of the &gt;= 80 B that nodes yield'
has "and a line says so" "$out/dom" '3 values of unknown size: a dimension that is no number counts as 1'
open_page "$out/run.html" "$out/dom" 'openTab("Subgraphs");'
has "the tab of subgraphs draws the run" "$out/dom" 'The peak is 480 B; the graph.s own order: 488 B.*Live bytes by step.*last of 8 steps'
has "and peaks against traffic: a point, and this split" "$out/dom" 'in both: all of them\..*<title>peak 424 B, 424 B cross</title>.*<circle class="open".*<title>peak 480 B, 424 B cross</title>'
open_page "$out/dynamic.html" "$out/dom" 'openTab("Subgraphs");'
has "subgraphs of unknown dimensions" "$out/dom" '_run_on_cpu_1</button></td><td class="n">1</td><td class="n">&gt;= 64 B</td><td class="n">?</td>'
$graphsplit split --acc-ops f --dim s0=2 --html "$out/dynamic.html" "$out/dynamic.fx" > "$out/people" 2>&1
open_page "$out/dynamic.html" "$out/dom" 'location.hash = "#node=a";'
has "--dim mends the report" "$out/dom" '<dt>output</dt><dd>128 B</dd>'
open_page "$out/report.html" "$out/dom" '
reveal(subgraphBox[2]);
document.getElementById("title").textContent = location.hash;'
has "a subgraph that is shown is in the address" "$out/dom" '>#subgraph=_run_on_acc_2<'
open_page "$out/report.html" "$out/dom" '
document.getElementById("tabSubgraphs").click();
document.querySelectorAll("#panel th button")[1].click();
document.querySelectorAll("#panel th button")[1].click();
document.getElementById("title").textContent = location.hash + " "
    + [...document.querySelectorAll("#panel table:first-of-type tbody tr")].map(r => r.cells[1].textContent);'
has "a click on the head sorts a table, another turns it round" "$out/dom" '>#tab=Subgraphs 1,1,5,65<'
has "and says so" "$out/dom" 'aria-sort="ascending" class="n"><button[^>]*>nodes<'
has "peaks, as the command line has them" "$out/dom" '_run_on_cpu_3<.*>7\.3 MiB<.*_run_on_acc_0<.*>3\.8 MiB<'
has "minimum sizes" "$out/dom" '>6</td><td class="n">2</td><td class="n">1</td><td class="n">65</td><td class="n">92\.9 %<'
open_page "$out/report.html" "$out/dom" 'document.getElementById("tabCuts").click();'
has "subgraphs if an operator were supported" "$out/dom" '>tflite.QUANTIZE</button></td><td class="n">1</td><td class="n">2</td><td class="n">2<'
$graphsplit split --acc-ops tflite.ADD --html "$out/more.html" "$model" > "$out/people"
open_page "$out/more.html" "$out/dom"
has "what is left out of a list is counted" "$out/dom" '>and 1 more</button></td><td class="n">1 node<'

finish
