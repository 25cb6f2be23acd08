#!/bin/sh
# Stages with groups, backward parts, CPU cores and replicas: by hand, beside all that there are (oracle.py), and
# beside the published optima of a placement benchmark. Loads are counted again
# here, from the stages that the command prints.
# usage: B=build sh tests/search/groups.sh [--table]
. "$(dirname "$0")/../elsewhere.sh"
table=${1:-}

# node NAME INPUTS NOTE: a line of graph text.
node() {
    echo "    %$1 : [num_users=1] = call_module[target=$1](args = ($2), kwargs = {})  # bytes=4 $3"
}

pipe() {
    $program pipe --policy optimal "$@" "$dir/net.fx"
}

# says LABEL WORDS OPTIONS...: some line has exactly these words.
says() {
    label=$1
    words=$2
    shift 2
    pipe "$@" > "$dir/report" 2>&1
    grep -q -- "^$words\$" "$dir/report"
    verdict "$label" $? "$dir/report"
}

# Two groups, each with the first and the last node of a path, and one more that no cut may part from both.
{
    echo 'graph():'
    node a0 '' 'compute=4 group=1'
    node b0 '' 'compute=4 group=2'
    node a1 '%a0,' 'compute=4 group=1'
    node b1 '%b0,' 'compute=4 group=2'
    echo '    return (a1, b1)'
} > "$dir/net.fx"
says "groups that lie apart" 'proof objective=8000000000 bound=8000000000 proved=1 reference=16000000000' \
    --stages 2 --keep-groups --porcelain
says "downsets are counted" 'searched         4 downsets of 2 units, all there are' --stages 2 --keep-groups
says "and in JSON" '.*"units": 2, "downsets": 4, "complete": true},' --stages 2 --keep-groups --json
says "fewer stages than devices" 'graphsplit: 2 stages instead of 3: more are no faster' --stages 3 --keep-groups
for wrong in '--cpu-cores 1 --schedule 1f1b' '--cpu-cores 0' '--policy nodes --cpu-cores 1' '--policy nodes --keep-groups'; do
    pipe --stages 2 $wrong > "$dir/report" 2>&1
    [ $? -eq 2 ]
    verdict "usage: $wrong" $? "$dir/report"
done

# Groups that depend on each other are one unit.
{
    echo 'graph():'
    node a0 '' 'compute=1 group=1'
    node b0 '%a0,' 'compute=1 group=2'
    node b1 '' 'compute=1 group=2'
    node a1 '%b1,' 'compute=1 group=1'
    node c0 '%a1, %b0' 'compute=2'
    echo '    return c0'
} > "$dir/net.fx"
says "groups in a circle" 'searched         3 downsets of 2 units, all there are' --stages 2 --keep-groups
says "and their stages" 'proof objective=4000000000 bound=4000000000 proved=1 reference=3000000000' \
    --stages 2 --keep-groups --porcelain

# Forward f0, f1, f2 and backward g2, g1, g0: what is of one group is on one device.
{
    echo 'graph():'
    node f0 '' 'compute=1 comm=0.25 group=0'
    node f1 '%f0,' 'compute=1 comm=0.25 group=1'
    node f2 '%f1,' 'compute=1 comm=0.25 group=2'
    node g2 '%f2,' 'compute=2 comm=0.25 group=2 backward=1'
    node g1 '%g2, %f1' 'compute=2 comm=0.25 group=1 module=dnn.Backward'
    node g0 '%g1, %f0' 'compute=2 comm=0.25 group=0'
    echo '    return g0'
} > "$dir/net.fx"
says "backward parts" 'proof objective=4000000000 bound=4000000000 proved=1 reference=[0-9]*' --stages 3 --keep-groups --porcelain
pipe --stages 3 --keep-groups --porcelain | grep '^stage' | tr '\n' ';' > "$dir/report"
[ "$(cat "$dir/report")" = 'stage 0 submod_0 device 0;stage 1 submod_1 device 1;stage 2 submod_2 device 2;'\
'stage 3 submod_3 device 2;stage 4 submod_4 device 1;stage 5 submod_5 device 0;' ]
verdict "a device has a forward and a backward stage" $? "$dir/report"
says "time of a stage leaves out what stays on the device" \
    '  submod_2 .* 1.25 s .* 250 ms  *0 s .* device 2' --stages 3 --keep-groups

# In graph order, n0 and n1 on one device and n3 on the other take 4 bytes, but n1 of the backward part follows n3.
{
    echo 'graph():'
    node n0 '' 'bytes=2 compute=9'
    node n1 '%n0,' 'bytes=0 compute=2 backward=1'
    node n3 '%n1,' 'bytes=2 compute=2 params=1 backward=1'
    echo '    return n3'
} | sed 's/bytes=4 //' > "$dir/net.fx"
says "backward parts in graph order are no stages of devices" 'graphsplit: --memory 4: no stages on 2 devices fit' \
    --stages 2 --keep-groups --balance bytes --microbatches 4 --memory 4
says "and with room" 'proof objective=5 bound=5 proved=1 reference=[0-9]*' \
    --stages 2 --keep-groups --balance bytes --microbatches 4 --memory 5 --porcelain

# A core is slow, but pays no transfers; acc=0 runs nowhere else.
{
    echo 'graph():'
    node a '' 'compute=1 cpu=2 comm=3'
    node b '%a,' 'compute=1 cpu=2 comm=3'
    node c '%b,' 'compute=1 acc=0 cpu=2.5 comm=3'
    echo '    return c'
} > "$dir/net.fx"
says "a CPU core" 'proof objective=4000000000 bound=4000000000 proved=1 reference=3000000000' --stages 1 --cpu-cores 2 --porcelain
says "is said" 'stage 1 submod_1 cpu 1' --stages 1 --cpu-cores 2 --porcelain
sed 's/ cpu=2.5//' "$dir/net.fx" > "$dir/again"
mv "$dir/again" "$dir/net.fx"
says "a node that runs nowhere" 'graphsplit: --cpu-cores 1: no stages found; nodes with acc=0 run on CPU cores alone, and only '\
'nodes with cpu= run there' --stages 2 --cpu-cores 1

# Replicas: 12 s of work and 2 s of transfers on three devices, and 1 GB to agree on at 1 GB/s per two microbatches.
{
    echo 'graph():'
    node a '' 'compute=4 comm=1 params=0'
    node b '%a,' 'compute=8 comm=1 params=1000000000'
    echo '    return b'
} > "$dir/net.fx"
says "a stage on two devices" 'proof objective=5000000000 bound=5000000000 proved=1 reference=9000000000' \
    --stages 3 --replicas --microbatches 2 --porcelain
says "is said" 'stage 1 submod_1 devices 1-2' --stages 3 --replicas --microbatches 2 --porcelain
says "one stage on all devices" 'stage 0 submod_0 devices 0-2' --stages 3 --replicas --porcelain
says "replicas have to agree" 'proof objective=5500000000 bound=5500000000 proved=1 reference=9000000000' \
    --stages 3 --replicas --microbatches 2 --bandwidth 1000000000 --porcelain
says "their time" '  submod_1 .* 5.5 s .* devices 1-2' \
    --stages 3 --replicas --microbatches 2 --bandwidth 1000000000
says "microbatches that cannot be shared" 'stage 1 submod_1' --stages 2 --replicas --microbatches 3 --porcelain
pipe --stages 2 --replicas --schedule 1f1b > "$dir/report" 2>&1
[ $? -eq 2 ]
verdict "usage: --replicas and --schedule" $? "$dir/report"

if command -v python3 > /dev/null; then
    python3 tests/search/groups.py "$program" "$dir" 60 2 --replicas > "$dir/report" 2>&1
    verdict "60 random graphs with replicas beside all stages that there are" $? "$dir/report"
    for run in '150 1' '43 7' '34 12'; do
        python3 tests/search/groups.py "$program" "$dir" $run > "$dir/report" 2>&1
        verdict "${run% *} random graphs of seed ${run#* } beside all stages that there are" $? "$dir/report"
    done
else
    skip "random graphs (there is no python3)"
fi

# planned FILE DEVICES BYTES BATCHES RATE: the time per sample with replicas, in seconds; nothing if it is not proved.
planned() {
    $program pipe --stages "$2" --memory "$3" --microbatches "$4" --bandwidth "$5" --policy optimal --replicas --porcelain "$1" |
        awk '$1 == "proof" && $4 == "proved=1" { sub(/objective=/, "", $2); printf "%.6g\n", $2 / 1e9 }'
}

# Piper's own planner printed these, with pipelines and replicas alone.
[ "$table" = --table ] && printf '%-32s %9s %10s\n' 'time per sample of' ours published
while read -r name devices bytes batches rate theirs; do
    ours=$(planned "tests/search/data/$name" "$devices" "$bytes" "$batches" "$rate")
    [ "$ours" = "$theirs" ]
    verdict "$name on $devices devices of $bytes bytes: $ours, Piper says $theirs" $?
    [ "$table" = --table ] && [ "$name" != small.json ] &&
        printf '%-32s %9s %10s\n' "${name%.*}:$devices:${bytes%000000000}GB" "$ours" "$theirs"
done << 'END'
piper_bert32a100.fx 10 80000000000 1920 25000000000 0.0977274
piper_bert32a100.fx 10 20000000000 1920 25000000000 0.116334
piper_bert32a100.fx 7 22000000000 1920 25000000000 0.165666
piper_resnet.fx 10 80000000000 7680 25000000000 46.2381
piper_resnet.fx 7 20000000000 7680 25000000000 66.2855
piper_resnet.fx 4 17000000000 7680 25000000000 126.416
small.json 3 1000 4 2 6.25
small.json 2 33 4 2 9.75
END

$program read tests/search/data/small.json > "$dir/small.fx" && $program read "$dir/small.fx" | cmp -s - "$dir/small.fx"
verdict "small.json as graph text, which is read as the same" $? "$dir/small.fx"

# refused SENTENCE SCRIPT: small.json changed by sed.
refused() {
    sed "$2" tests/search/data/small.json > "$dir/no.json"
    $program pipe --stages 2 "$dir/no.json" > "$dir/report" 2>&1
    [ $? -eq 1 ] && grep -qF -- "no.json:$1" "$dir/report"
    verdict "refused: $1" $? "$dir/report"
}
refused '1:1: an instance of Piper requires maxDevices, maxMemoryPerDevice, mbsInBatch, bandwidth, nodes and edges' 's/mbsInBatch/mbs/'
refused '1:1: expected an instance of Piper: an object with nodes and edges' '1s/{/[/'
refused "2:17: expected a number from 0 to 10^18, got '-3, " '2s/3/-3/'
refused '4:5: a layer requires id and, for one device in TMPCs, timePerSample, parameterSize, memoryUsageA and memoryUsageB' 's/"1":/"4":/'
refused '7:5: the id of the layer is given twice' 's/"id": 5,/"id": 7,/'
refused '11:5: the edge has an end that is no layer' '11s/7/8/'
refused '11:5: the edge leads from a layer to itself' '11s/7/3/'
refused '12:5: the edge is given twice' '12s/5/3/'
refused '11:5: the edges form a cycle' '11s/"sourceId": 7, "destId": 3/"sourceId": 5, "destId": 3/'
refused '11:5: an edge requires sourceId, destId and communicationCost' '11s/communicationCost/cost/'
refused '15:1: expected a comma or the end of the list' '$d'
refused "15:3: expected the end of the file, got '1'" '$s/$/ 1/'
refused '2:17: expected a colon behind the key' '2s/:/ /'
refused '2:3: expected a string' '2s/"//'

if [ ! -d "$shared/models/cost" ]; then
    nothing_but "published optima (looked for in $shared/models/cost)"
fi

figure() {
    awk -v key="$1" '$1 == key { print $2 }' "$figures"
}

# load PORCELAIN GRAPH: the greatest load of a device or core, to six digits: compute= of its nodes (a core: cpu=) and, on
# a device, comm= once of every value that enters and of every one that leaves. Nothing if a group is torn, or a device
# has more than `bytes`.
load() {
    awk -v bytes="$bytes" 'FNR == NR {
            if ($1 == "stage") place["module " $3] = NF > 3 ? $4 " " $5 : "device " $2
            if ($1 == "module") at = place[$0]
            else if (at != "" && / = call_module\[/) on[substr($1, 2)] = at
            next
        }
        / = call_module\[/ {
            name = substr($1, 2)
            for (i = 2; i <= NF; i++) {
                split($i, part, "=")
                value[part[1]] = part[2]
                if (part[1] == "comm") comm[name] = part[2]
                if (part[1] == "params") size[on[name]] += part[2]
                if (part[1] == "group" && group[part[2]] != "" && group[part[2]] != on[name]) torn = 1
                if (part[1] == "group") group[part[2]] = on[name]
            }
            sum[on[name]] += on[name] ~ /^cpu/ ? value["cpu"] : value["compute"]
            args = $0
            sub(/.*\(args = \(/, "", args)
            sub(/\), kwargs.*/, "", args)
            n = split(args, input, /[%, ]+/)
            for (i = 1; i <= n; i++) {
                if (input[i] != "" && on[input[i]] != on[name]) {
                    pays[on[name] SUBSEP input[i]] = 1
                    pays[on[input[i]] SUBSEP input[i]] = 1
                }
            }
        }
        END {
            for (pair in pays) {
                split(pair, part, SUBSEP)
                if (part[1] !~ /^cpu/) sum[part[1]] += comm[part[2]]
            }
            for (s in sum) if (sum[s] > most) most = sum[s]
            for (s in size) if (s !~ /^cpu/ && size[s] > bytes) torn = 1
            if (!torn) printf "%.6g\n", most
        }' "$1" "$2"
}

[ "$table" = --table ] && printf '%-32s %9s %10s\n' 'load of the slowest of' ours published
for figures in "$shared"/models/cost/throughput_*.figures; do
    graph=${figures%.figures}.fx
    name=$(basename "$graph" .fx)
    bytes=$(figure bytes_each)
    optimum=$(figure contiguous_optimum)
    [ -n "$optimum" ] || continue
    $program pipe --stages "$(figure accelerators)" --policy optimal --keep-groups --cpu-cores "$(figure cpu_cores)" \
        --memory "$bytes" --porcelain "$graph" > "$dir/plan"
    ours=$(load "$dir/plan" "$graph")
    [ "$ours" = "$optimum" ] && grep -q '^proof .* proved=1 ' "$dir/plan"
    verdict "$name: $ours, published is $optimum" $?
    [ "$table" = --table ] && printf '%-32s %9s %10s\n' "${name#throughput_}" "$ours" "$optimum"
done
# Nobody has published an optimum of this one. The bound divides units between devices and a core at will.
for stages in 4 6 8 12; do
    $program pipe --stages $stages --policy optimal --keep-groups --cpu-cores 1 --memory 17185374208 --porcelain \
        tests/search/data/inceptionv3_inference.fx | grep '^proof' > "$dir/proof"
    sed 's/[a-z]*=//g' "$dir/proof" | awk '{ exit !($2 > 0 && $2 <= 1.1 * $3) }'
    verdict "Inception-v3 in $stages stages: a certificate within 10 %" $? "$dir/proof"
done
[ "$table" = --table ] || finish

# With more work the bound is the optimum. It takes ten seconds.
$program pipe --stages 6 --policy optimal --keep-groups --cpu-cores 1 --memory 17185374208 --max-work 1000000000 \
    --porcelain tests/search/data/inceptionv3_inference.fx > "$dir/plan"
bytes=17185374208
ours=$(load "$dir/plan" tests/search/data/inceptionv3_inference.fx)
bound=$(awk '$1 == "proof" { sub(/bound=/, "", $3); printf "%.6g\n", $3 / 1e9 }' "$dir/plan")
[ "$ours" = 51.5519 ] && [ "$bound" = 51.5519 ]
verdict "Inception-v3: $ours, and the bound is $bound" $?
printf '%-32s %9s %10s\n' layer_inceptionv3:bound "$ours" "$bound"
finish
