#!/bin/sh
# What is published, and what graphsplit reaches: a line per figure. Instances that are not there are named and skipped.
# usage: B=build sh bench/repro.sh
cd "$(dirname "$0")/.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
. tests/check.sh

# row TABLE INSTANCE OURS PUBLISHED [BOUND]: less is better. A row fails without a figure of ours.
row() {
    echo "$1 $2 $3 $4 ${5:-}" | awk '{ gap = NF > 3 && $4 > 0 ? sprintf("%+.2f %%", 100 * ($3 - $4) / $4) : "?"
        printf "%-10s %-40s %14s %14s %9s%s\n", $1, $2, $3, (NF > 3 ? $4 : ""), gap, (NF > 4 ? "  not below " $5 : "")
        exit NF < 4 }'
    verdict "$1 $2" $?
}
# rows TABLE FILE: lines of INSTANCE OURS PUBLISHED [BOUND]
rows() {
    while read -r name ours theirs bound; do
        row "$1" "$name" "$ours" "$theirs" "$bound"
    done < "$2"
}
printf '%-10s %-40s %14s %14s %9s\n' table instance ours published gap

# ---- arena heights: MiniMalloc (ASPLOS 2023) ----

for file in "$shared"/alloc/[A-K].*.csv; do
    [ -f "$file" ] || continue
    best=$($program memory --csv "$file" --exact --porcelain 2> "$out/err" |
        sed -n 's/^proof objective=\([0-9]*\) .*/\1/p')
    row MiniMalloc "$(basename "$file" .csv)" "$best" 1048576
done
[ -d "$shared/alloc" ] || skip "MiniMalloc's other instances ($shared/alloc is not there)" 9

# ---- cut edges of acyclic parts: dagP, best of ten seeds (tests/search/kway.sh has its figures) ----

if [ -d "$shared/dag" ]; then
    sh tests/search/kway.sh --table > "$out/kway" 2> "$out/err"
    awk '/^(fast|eco): graph/ { preset = substr($1, 1, length($1) - 1) }
        preset == "eco" && NF == 5 && $2 ~ /^0/ { print $1 ":k=" $3 ":" $2, $4, $5 }' "$out/kway" > "$out/rows"
    [ -s "$out/rows" ]
    verdict "the table of tests/search/kway.sh" $? "$out/kway"
    rows dagP "$out/rows"
    # METIS on the same graphs at 3 %: its parts wait for each other in a circle.
    cat > "$out/metis" << 'END'
chol16 124 371 571 693
fft7 128 199 227 312
grid32 40 64 138 210
layered1000 49 187 362 537
rand1k_w50 28 95 207 433
xf24x8 2 7 16 97
END
    awk 'FNR == NR { for (i = 2; i <= 5; i++) theirs[$1 ":k=" 2 ^ (i - 1) ":0.03"] = $i; next }
        $1 in theirs { print $1, $2, theirs[$1] }' "$out/metis" "$out/rows" > "$out/beside"
    rows METIS "$out/beside"
else
    skip "dagP's graphs ($shared/dag is not there)" 48
fi

# cut PRESET GRAPH K [IMBALANCE]: edges between acyclic parts
cut() {
    $program partition --mode kway --preset "$1" --parts "$3" --imbalance "${4:-0.03}" --porcelain "$2" 2> "$out/err" |
        sed -n 's/^proof objective=\([0-9]*\) .*/\1/p'
}
# The graphs of the benchmark, as edges.
layered() {
    "${B:-build}/bench" --edges "$1" iid |
        awk 'NR == 1 { print; next } { for (i = 5; i <= NF; i++) print $i, NR - 2 }' > "$out/layered$1.edges"
}
if [ -x "${B:-build}/bench" ]; then
    layered 10000
    while read -r k imbalance dagp metis; do
        ours=$(cut eco "$out/layered10000.edges" "$k" "$imbalance")
        row dagP "layered10000:k=$k:$imbalance" "$ours" "$dagp"
        [ -z "$metis" ] || row METIS "layered10000:k=$k:$imbalance" "$ours" "$metis"
    done << 'END'
2 0.03 31 48
4 0.03 166 153
8 0.03 383 361
16 0.03 853 848
2 0.1 31
4 0.1 136
8 0.1 360
16 0.1 817
END
    layered 100000
    while read -r k dagp metis; do
        ours=$(cut fast "$out/layered100000.edges" "$k")
        row dagP "layered100000:k=$k:0.03" "$ours" "$dagp"
        row METIS "layered100000:k=$k:0.03" "$ours" "$metis"
    done << 'END'
4 138 109
8 325 299
END
else
    skip "dagP and METIS on layered graphs (build/bench is not made)" 16
fi
awk 'BEGIN { n = 1024; print 11 * n, 20 * n
    for (l = 0; l < 10; l++) for (i = 0; i < n; i++) {
        print l * n + i, (l + 1) * n + i
        print l * n + i, (l + 1) * n + (int(i / 2 ^ l) % 2 ? i - 2 ^ l : i + 2 ^ l) } }' > "$out/fft10.edges"
while read -r k dagp; do
    row dagP "fft10:k=$k:0.03" "$(cut eco "$out/fft10.edges" "$k")" "$dagp"
done << 'END'
2 1488
4 1834
8 2299
16 3103
END

# ---- makespan with one partition at a time per device, per mille of max(critical path, work / devices): the
# mean of three graphs of the same kinds as the published ones, and drawn anew ----

sh tests/search/heft.sh --table > "$out/heft" 2> "$out/err"
awk '$1 == "heft:" { least = $8 > $9 ? $8 : $9; sum[$2 ":" $3] += 1000 * $5 / least / 3 }
    END { for (k in sum) printf "%s %.0f\n", k, sum[k] }' "$out/heft" > "$out/makespans"
while read -r name theirs; do
    row makespan "$name" "$(sed -n "s/^$name //p" "$out/makespans")" "$theirs"
done << 'END'
branchy:64KiB 1085
branchy:640KiB 1004
nas:64KiB 1035
nas:640KiB 1011
chain:64KiB 1008
chain:640KiB 1000
END

# ---- load of the slowest stage: Tarnawski et al. 2020, contiguous optimum ----

if [ -d "$shared/models/cost" ]; then
    sh tests/search/groups.sh --table > "$out/stages" 2> "$out/err"
    awk 'NF == 3 && $3 ~ /^[0-9.]+$/' "$out/stages" > "$out/rows"
    [ -s "$out/rows" ]
    verdict "the table of tests/search/groups.sh" $? "$out/stages"
    rows stages "$out/rows"
    # The other placements of the same paper; its local search need not keep stages contiguous.
    while read -r name ours theirs; do
        for who in local_search_10 expert pipedream; do
            figure=$(sed -n "s/^$who //p" "$shared/models/cost/throughput_$name.figures" 2> "$out/err")
            [ -z "$figure" ] || row placement "$name:$who" "$ours" "$figure"
        done
    done < "$out/rows"
else
    skip "the graphs of the placement benchmark ($shared/models/cost is not there)" 9
fi

# ---- splits: what remains of the traffic (per mille), what of the time saved is lost (per cent), and what of the
# time with all offloaded remains (per mille; the published instances had other transfers, hence the bound) ----

if [ -d "$shared/models/cost" ]; then
    sh tests/search/flow.sh --table > "$out/flow" 2> "$out/err"
    sed -n 's/^| //p' "$out/flow" > "$out/rows"
    [ -s "$out/rows" ]
    verdict "the table of tests/search/flow.sh" $? "$out/flow"
    while read -r table name ours theirs; do
        row "$table" "$name" "$ours" "$theirs"
    done < "$out/rows"
    sh tests/search/worth.sh --table > "$out/worth" 2> "$out/err"
    sed -n 's/^| offload //p' "$out/worth" > "$out/rows"
    [ -s "$out/rows" ]
    verdict "the table of tests/search/worth.sh" $? "$out/worth"
    rows offload "$out/rows"
else
    skip "splits of these graphs ($shared/models/cost is not there)" 38
fi

# ---- subgraphs of layered graphs, half supported: PyTorch, and TFLite, which starts with either kind ----

if [ -x "${B:-build}/bench" ]; then
    while read -r n pytorch tflite; do
        "${B:-build}/bench" --text "$n" iid > "$out/layered.fx"
        row subgraphs "layered$n:PyTorch" "$($program split --porcelain "$out/layered.fx" | grep -c '^subgraph')" "$pytorch"
        [ -z "$tflite" ] || row subgraphs "layered$n:TFLite" \
            "$($program split --start best --porcelain "$out/layered.fx" | grep -c '^subgraph')" "$tflite"
    done << 'END'
100 6
300 14
1000 41 40
3000 118
10000 404 403
100000 3847 3846
END
else
    skip "subgraphs of layered graphs (build/bench is not made)" 9
fi

# ---- the tables of README ----

echo
if [ -x "${B:-build}/bench" ]; then
    "${B:-build}/bench" --quick > "$out/bench" 2> "$out/err"
    verdict "the table of times: make bench" $? "$out/err"
    cat "$out/bench"
else
    skip "the table of times (build/bench is not made)"
fi
if command -v arm-none-eabi-gcc > /dev/null && command -v clang > /dev/null; then
    sh bench/size.sh > "$out/size" 2> "$out/err"
    verdict "the table of sizes: bench/size.sh" $? "$out/err"
    cat "$out/size"
else
    skip "the table of sizes (it takes arm-none-eabi-gcc and clang)"
fi
finish
