#!/bin/sh
# Modes of partition and policies of pipe keep every group= together, or refuse and name two of its nodes: eval agrees
# on random graphs. GRAPHSPLIT: the program; GRAPHS: how many (40).
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

# grouped SEED: 10 to 16 calls, each of the last four before it, neighbours or any of them in groups
grouped() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        n = 10 + int(rand() * 7)
        print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[8]"
        for (i = 0; i < n; i++) {
            a = i == 0 ? "%x," : "%v" (i - 1 - int(rand() * (i < 4 ? i : 4))) ","
            if (i > 1 && rand() < 0.5) a = a " %v" (i - 1)
            group = rand() < 0.5 ? " group=" (seed % 3 ? int(i / 3) : int(rand() * 4)) : ""
            printf "    %%v%d : [num_users=1] = call_function[target=f](args = (%s), kwargs = {})  # f32[%d] compute=%d mem=1 params=%d%s\n", i, a, 1 + int(rand() * 8), 1 + int(rand() * 5), 1 + int(rand() * 9), group
        }
        print "    return v" n - 1
    }' > net.fx
}

# kept OPTIONS...: parts that eval calls valid, or an error
kept() {
    rm -f net.part
    if $program "$@" --part net.part net.fx > out 2> err; then
        $program eval --porcelain net.fx net.part > score 2> err2
        ! grep '^invalid group' score || echo "seed $seed: $*"
        echo "$1 kept" >> counts
    elif grep -q 'have the same group=' err; then
        echo "$1 refused" >> counts
    elif ! grep -q 'no device has room\|needs .* bytes\|NO_FIT\|no [0-9]* parts\|not fit\|at most\|memory' err; then
        echo "seed $seed: $* says $(tail -n 1 err)"
    fi
}
seed=1
while [ $seed -le "${GRAPHS:-40}" ]; do
    grouped $seed
    for mode in size sparse-nn cost kl heft; do
        kept partition --mode $mode --device a:260 --device b:260 --device c:260
    done
    kept partition --mode kway --parts 3
    kept partition --mode kway --parts 2 --best-effort
    $program partition --mode kway --parts 2 --best-effort --save-plan net.plan net.fx > out 2> err &&
        kept pipe --plan net.plan
    for policy in nodes params 'threshold --threshold 12' optimal 'optimal --keep-groups' 'optimal --orders 2' 'optimal --replicas'; do
        # shellcheck disable=SC2086
        kept pipe --stages 3 --policy $policy
    done
    seed=$((seed + 1))
done > wrong
[ ! -s wrong ]
verdict "every group is in one part, or the mode refuses" $? wrong
sort counts | uniq -c > table
awk '{ n[$2 $3] = $1 } END { exit !(n["partitionkept"] > 40 && n["partitionrefused"] > 10 && n["pipekept"] > 40 && n["piperefused"] > 40) }' table
verdict "both happen" $? table
cat table
finish
