#!/bin/sh
# Compares a run of the benchmark with the stored one. What compares between machines is the time in bare
# Kahn sorts and the bytes per node; a row fails when it is SLACK percent (default 50) above the baseline,
# or takes more bytes.
# usage: sh bench/compare.sh [NEW.csv]          without a file: runs build/bench --csv --quick
#        sh bench/compare.sh --store            makes bench/baseline.csv anew
B=${B:-build}
if [ "$1" = --store ]; then
    exec "$B/bench" --csv > bench/baseline.csv
fi
new=$1
if [ -z "$new" ]; then
    new=$B/bench.csv
    "$B/bench" --csv --quick > "$new" || exit 1
fi
awk -F , -v slack="${SLACK:-50}" '
    FNR == 1 { next }
    { key = $1 " " $2 " " $3 }
    FNR == NR { sorts[key] = $6; used[key] = $8; next }
    !(key in sorts) { printf "%-28s new row\n", key; next }
    {
        bad = ""
        change = sorts[key] > 0 ? 100 * ($6 - sorts[key]) / sorts[key] : 0
        if (change > slack) bad = "  FAILED: slower"
        if ($8 > used[key] + 0.05) bad = bad "  FAILED: more memory"
        printf "%-28s %8.2f -> %8.2f Kahn sorts (%+.0f %%)  %7.1f -> %7.1f bytes per node%s\n",
            key, sorts[key], $6, change, used[key], $8, bad
        if (bad != "") failed++; else passed++
    }
    END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }' bench/baseline.csv "$new"
