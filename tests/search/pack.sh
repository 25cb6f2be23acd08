#!/bin/sh
# `memory --csv`: plans of published instances against their best known sizes, checked again here; the
# tensors that do not fit; bad input.
# usage: B=build sh tests/search/pack.sh [--table]
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM
. tests/check.sh
table=${1:-}

# valid FILE PLAN: the tensors of the file, none overlapping, below the size that the plan tells.
valid() {
    awk -F, 'FNR == NR { if (FNR > 1) { lower[$1] = $2; upper[$1] = $3; size[$1] = $4; n++ } next }
        { split($0, word, " ") }
        word[1] == "arena" { bytes = substr(word[2], 7) }
        word[1] == "tensor" {
            at = substr(word[3], 8) + 0
            for (i in placed) if (lower[word[2]] < upper[i] + 0 && lower[i] + 0 < upper[word[2]] + 0 &&
                    at < placed[i] + size[i] && placed[i] < at + size[word[2]]) exit bad = 1
            if (at + size[word[2]] > bytes + 0) exit bad = 1
            placed[word[2]] = at
            n--
        }
        END { exit bad || n }' "$1" "$2"
}

# plan FILE PUBLISHED PROVED: not above the published size.
plan() {
    $program memory --csv "$1" --exact --porcelain > "$out/plan" 2> "$out/err" && valid "$1" "$out/plan"
    verdict "$1: a valid plan" $? "$out/err"
    ours=$(sed -n 's/^proof objective=\([0-9]*\) .*/\1/p' "$out/plan")
    [ "${ours:-0}" -gt 0 ] && [ "$ours" -le "$2" ] && grep -q "^proof .* proved=$3 " "$out/plan"
    verdict "$1: at most $2 bytes, proved=$3" $? "$out/plan"
    [ "$table" != --table ] ||
        awk -v f="${1##*/}" -v o="$ours" -v p="$2" 'BEGIN { printf "%-18s ours %8d published %8d gap %+.2f %%\n", f, o, p, (o - p) * 100 / p }'
}

plan tests/search/data/example.csv 12 1
for name in A B C D E F G H I J K; do
    file=$shared/alloc/$name.1048576.csv
    best=1048576
    proved=1
    case $name in
    C) best=1039360 ;;
    D | J) best=1039360 proved=0 ;;
    esac
    if [ -f "$file" ]; then
        plan "$file" $best $proved
    else
        skip "plan of $name ($file is not there)" 2
    fi
done

# The plan that is written reads back with the same offsets.
$program memory --csv tests/public/alloc/C.1048576.csv --exact --porcelain --save-csv "$out/saved.csv" > "$out/first" &&
    $program memory --csv "$out/saved.csv" --porcelain > "$out/second" &&
    cmp -s "$out/first" "$out/second" || diff "$out/first" "$out/second" | grep -q 'reference='
verdict "a saved plan reads back" $?

# Enough work is the same work: two runs print the same bytes. Little work is never worse than greedy.
for work in 1 1000 1000000; do
    $program memory --csv tests/public/alloc/A.1048576.csv --exact=$work --porcelain > "$out/a" &&
        $program memory --csv tests/public/alloc/A.1048576.csv --exact=$work --porcelain > "$out/b" &&
        cmp -s "$out/a" "$out/b" && valid tests/public/alloc/A.1048576.csv "$out/a" &&
        awk '/^proof/ { exit !(substr($2, 11) + 0 <= substr($5, 11) + 0) }' "$out/a"
    verdict "A with work $work" $?
done

# refuses STATUS WORDS TEXT OPTIONS...: nothing on standard output but the status, nothing written
refuses() {
    status=$1
    words=$2
    printf '%b' "$3" > "$out/in.csv"
    shift 3
    $program memory --csv "$out/in.csv" --save-csv "$out/none.csv" --porcelain "$@" > "$out/found" 2> "$out/err"
    [ $? -eq 1 ] && [ "$(cat "$out/found")" = "error $status" ] && grep -qe "$words" "$out/err" &&
        ! [ -e "$out/none.csv" ] && [ "$(wc -l < "$out/err")" -eq 1 ]
    verdict "$status: $words" $? "$out/err"
}

head='id,lower,upper,size\n'
all='id,lower,upper,size,alignment,offset\n'
refuses PARSE 'in.csv:2: expected lower before upper' "${head}a,3,3,4\n"
refuses PARSE 'in.csv:3: expected lower before upper' "${head}b,0,1,1\na,5,3,4\n"
refuses PARSE 'size expects a number up to' "${head}a,0,3,18446744073709551616\n"
refuses PARSE 'size expects a number up to' "${head}a,0,3,-4\n"
refuses PARSE 'expected the columns id,lower,upper,size' 'id,lower,upper\na,0,3\n'
refuses PARSE 'expected the end of the line' "${head}a,0,3,4,5\n"
refuses PARSE 'expected a power of two' "${all}a,0,3,8,3,0\n"
refuses EMPTY 'is empty' ''
refuses ARG 'the fixed offsets of a and b make them overlap' "${all}a,0,3,8,1,0\nb,2,4,8,1,4\n"
refuses NO_FIT '2 tensors do not fit into 15 bytes: c, a (16 bytes at step 2' \
    "${head}a,0,3,8\nb,0,2,4\nc,2,5,8\nd,4,6,4\n" --capacity 15
refuses NO_FIT '1 tensor does not fit into 11 bytes: a' "${all}a,0,3,8,1,4\nb,5,9,8,1,\n" --capacity 11


# What the alignment costs is told apart, and belongs to the bound.
sed 's/i8\[1\]/i8[17]/' tests/cases/memory/returned.fx > "$out/odd.fx"
$program memory "$out/odd.fx" > "$out/log" 2> "$out/err" && grep -q '20 B (5.9 %) of it gaps to the next multiples' "$out/log"
verdict "gaps of the alignment" $? "$out/log"
$program memory --exact=1 --porcelain "$out/odd.fx" > "$out/log" 2> "$out/err" &&
    grep -qx 'proof objective=337 bound=337 proved=1 reference=337' "$out/log"
verdict "the bound counts rounded sizes" $? "$out/log"

# Gaps: the bytes of a tensor are free for others. stretches FILE PLAN: step by step, a tensor has its
# bytes in its lifetime except for gaps, at one offset, and nothing else has them then.
stretches() {
    awk 'FNR == NR { if (FNR == 1) next
            split($0, cell, ",")
            for (s = cell[2]; s < cell[3] + 0; s++) { live[cell[1], s]; size[cell[1]] = cell[4] }
            n = split(cell[5], gap, " ")
            for (g = 1; g <= n; g++) { split(gap[g], end, "-"); for (s = end[1]; s < end[2] + 0; s++) delete live[cell[1], s] }
            next }
        $1 == "tensor" { at = substr($3, 8) + 0
            if ($2 in offset && offset[$2] != at) exit bad = 1
            offset[$2] = at
            for (s = substr($5, 7) + 0; s <= substr($6, 6) + 0; s++) {
                if (!(($2, s) in live)) exit bad = 1
                delete live[$2, s]
                for (b = at; b < at + size[$2]; b++) if (taken[s, b]++) exit bad = 1
            } }
        END { for (x in live) bad = 1; exit bad }' "$1" "$2"
}
gaps='id,lower,upper,size,gaps\n'
printf "${gaps}a,0,10,8,2-8\nb,2,8,8,\nc,3,5,4,\nd,0,12,1,1-2 3-9  10-11\ne,1,2,5,\n" > "$out/gaps.csv"
$program memory --csv "$out/gaps.csv" --exact --porcelain --save-csv "$out/saved.csv" > "$out/plan" 2> "$out/err" &&
    stretches "$out/gaps.csv" "$out/plan" &&
    grep -qx 'proof objective=13 bound=13 proved=1 reference=[0-9]*' "$out/plan"
verdict "gaps: a proved plan" $? "$out/plan"
$program memory --csv "$out/saved.csv" --porcelain > "$out/again" &&
    grep ^tensor "$out/plan" | sort > "$out/a" && grep ^tensor "$out/again" | sort | cmp - "$out/a" &&
    grep -q '^d,0,12,1,1,[0-9]*,1-2 3-9 10-11 $' "$out/saved.csv"
verdict "gaps: a saved plan reads back" $? "$out/saved.csv"
awk 'BEGIN { srand(3); print "id,lower,upper,size,gaps"
    for (i = 0; i < 60; i++) { begin = int(rand() * 80); end = begin + 1 + int(rand() * 40); at = begin + 1; list = ""
        while (at < end - 1 && rand() < 0.7) { from = at + int(rand() * 3); to = from + 1 + int(rand() * 9)
            if (to >= end) break
            list = list from "-" to " "; at = to + 1 }
        print "t" i "," begin "," end "," 1 + int(rand() * 9) "," list } }' > "$out/gaps.csv"
for work in 1 100000; do
    $program memory --csv "$out/gaps.csv" --exact=$work --porcelain > "$out/plan" 2> "$out/err" &&
        stretches "$out/gaps.csv" "$out/plan"
    verdict "gaps: a random plan with work $work" $? "$out/err"
done
# Steps before bytes are reused: b takes those of a after two more, and the gap of c ends before c is live again.
printf "${gaps}a,0,2,8,\nb,4,6,8,\nc,10,20,4,12-15\nd,13,15,4,\n" > "$out/reuse.csv"
for case in 0:8 1:8 2:8 3:16 4294967295:24; do
    $program memory --csv "$out/reuse.csv" --exact --porcelain --reuse-after "${case%:*}" > "$out/plan" 2> "$out/err" &&
        grep -q "^proof objective=${case#*:} bound=${case#*:} proved=1 " "$out/plan"
    verdict "--reuse-after $case" $? "$out/plan"
done
$program memory --reuse-after 2 tests/cases/chain.fx > "$out/plan" 2> "$out/err"
[ $? -eq 2 ] && grep -q -- '--reuse-after requires --csv' "$out/err"
verdict "--reuse-after of a graph" $? "$out/err"
refuses NO_FIT '2 tensors do not fit into 11 bytes: b, c (12 bytes at step 3; any one less and they fit)' \
    "${gaps}a,0,10,8,2-8\nb,2,8,8,\nc,3,5,4,\n" --capacity 11
refuses PARSE 'in.csv:2: expected ascending gaps inside the lifetime' "${gaps}a,0,10,8,0-3\n"
refuses PARSE 'in.csv:2: expected ascending gaps inside the lifetime' "${gaps}a,0,10,8,3-5 4-6\n"
refuses PARSE 'in.csv:2: expected ascending gaps inside the lifetime' "${gaps}a,0,10,8,3-10\n"
refuses PARSE 'in.csv:2: expected ascending gaps inside the lifetime' "${gaps}a,0,10,8,3\n"
refuses PARSE 'without a window' "${gaps}a,0,10,8,3-5@0:4\n"
refuses PARSE 'gaps, together and apart, of one arena' "${gaps}a,0,10,8,3-5\n" --memory sram:1K
refuses LIMIT 'is open, --exact=WORK searches longer' "$(cat tests/public/alloc/A.1048576.csv)" --capacity 1048576 --exact=100

# Sets of one address, which take the largest size while one of them is live, and pairs that never overlap:
# the least arena of small files by trial. Tensors in the order of their offsets in a best plan, each as low as
# the tensors before it allow, give that plan; so all orders are tried.
: > "$out/refused"
cat > "$out/sets.awk" <<'END'
function meet(a, b,   i, j) {
    if (apart[a, b] || apart[b, a]) return 1
    for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
        if (root[i] == a && root[j] == b && lower[i] < upper[j] && lower[j] < upper[i]) return 1
    return 0
}
function place(k,   i, j, at, moved, top) { # tries all orders of the roots from the k-th on
    if (k > m) {
        top = 0
        for (i = 1; i <= m; i++) if (offset[i] + bytes[i] > top) top = offset[i] + bytes[i]
        if (top < best) best = top
        return
    }
    for (i = 1; i <= m; i++) if (!used[i]) {
        at = 0
        do {
            moved = 0
            for (j = 1; j <= m; j++) if (used[j] && conflict[i, j] && at < offset[j] + bytes[j] && offset[j] < at + bytes[i]) {
                at = offset[j] + bytes[j]
                moved = 1
            }
        } while (moved)
        used[i] = 1; offset[i] = at
        place(k + 1)
        used[i] = 0
    }
}
FNR == NR {
    if (FNR > 1) { split($0, c, ","); n++; lower[n] = c[2] + 0; upper[n] = c[3] + 0; size[n] = c[4] + 0; join[n] = c[5]; far[n] = c[6]; root[n] = n }
    next
}
FNR == 1 {
    for (i = 1; i <= n; i++) if (join[i] != "") {
        a = root[i]; b = root[join[i] + 1]
        for (j = 1; j <= n; j++) if (root[j] == b) root[j] = a
    }
    for (i = 1; i <= n; i++) if (far[i] != "") apart[root[i], root[far[i] + 1]] = 1
    for (i = 1; i <= n; i++) if (root[i] == i) {
        of[++m] = i
        for (j = 1; j <= n; j++) if (root[j] == i && size[j] > bytes[m]) bytes[m] = size[j]
    }
    for (i = 1; i <= m; i++) for (j = 1; j <= m; j++) conflict[i, j] = i != j && meet(of[i], of[j])
    best = 1e9
    place(1)
}
$1 == "tensor" { plan[$2 + 1] = substr($3, 8) + 0 }
$1 == "proof" { proof = $2 " " $4 }
END {
    for (i = 1; i <= n; i++) for (j = 1; j < i; j++) {
        if (root[i] == root[j] && plan[i] != plan[j]) exit 1
        near = lower[i] < upper[j] && lower[j] < upper[i] || apart[root[i], root[j]] || apart[root[j], root[i]]
        if (root[i] != root[j] && near && plan[i] < plan[j] + size[j] && plan[j] < plan[i] + size[i]) exit 1
    }
    if (proof != "objective=" best " proved=1") { print proof ", least " best; exit 1 }
}
END
seed=1
while [ $seed -le 80 ]; do
    awk -v seed=$seed 'BEGIN { srand(seed); print "id,lower,upper,size,together,apart"
        for (i = 0; i < 7; i++) { begin = int(rand() * 12); set = rand() < 0.3 && i > 0 ? int(rand() * i) : ""
            other = set == "" && i > 0 && rand() < 0.4 ? int(rand() * i) : ""
            print i "," begin "," begin + 1 + int(rand() * 6) "," 1 + int(rand() * 9) "," set "," other } }' > "$out/sets.csv"
    $program memory --csv "$out/sets.csv" --exact --porcelain > "$out/plan" 2> "$out/err" || echo "$seed: error"
    if grep -q 'cannot be apart from itself or its own address' "$out/err"; then
        echo refused >> "$out/refused"
    else
        awk -f "$out/sets.awk" "$out/sets.csv" "$out/plan" || echo "seed $seed"
    fi
    seed=$((seed + 1))
done > "$out/wrong"
grep -v ': error$' "$out/wrong" > "$out/log"
[ ! -s "$out/log" ] && [ "$(wc -l < "$out/refused")" -lt 20 ]
verdict "together and apart: the least arena of 80 files" $? "$out/log"
sets='id,lower,upper,size,together,apart\n'
printf "${sets}a,0,4,64,d,\nb,2,6,32,,\nc,4,8,64,,e\nd,6,9,64,,\ne,10,12,16,,b;c\n" > "$out/sets.csv"
$program memory --csv "$out/sets.csv" --porcelain --save-csv "$out/saved.csv" > "$out/plan" &&
    $program memory --csv "$out/saved.csv" --porcelain | grep ^tensor > "$out/again" &&
    grep ^tensor "$out/plan" | cmp - "$out/again" && grep -q '^e,10,12,16,1,[0-9]*,,b;c$' "$out/saved.csv"
verdict "together and apart: a saved plan reads back" $? "$out/saved.csv"
refuses ARG "the tensor 'a' is together with what is not the id of one tensor: 'z'" "${sets}a,0,4,64,z,\n"
refuses ARG "the tensor 'a' is apart from what is not the id of one tensor: 'b'" "${sets}a,0,4,64,,b\nb,0,1,2,,\nb,2,3,2,,\n"
refuses ARG "the tensor 'b' cannot be apart from itself or its own address: 'a'" "${sets}a,0,4,64,b,\nb,0,1,2,,a\n"
refuses ARG "the tensor 'a' is fixed at another offset than 'b'" \
    'id,lower,upper,size,offset,together\na,0,4,8,0,b\nb,4,6,8,16,\n'
refuses LIMIT 'leaves no room for 1 pairs of the column apart' "${sets}a,0,4294967295,1,,b\nb,0,1,2,,\n"
refuses NO_FIT '2 tensors do not fit into 20 bytes' "${sets}a,0,4,16,,b\nb,5,6,8,,\n" --capacity 20
finish
