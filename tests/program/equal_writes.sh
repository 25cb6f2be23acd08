#!/bin/sh
# run --equal follows writes: random graphs beside a run on numbers, as given and in another order, and what passes
# make of them. GRAPHSPLIT: the program; GRAPHS: how many random graphs (120).
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

# same A B: 1 if they compute the same, 0 if not
same() {
    $program run --equal "$1" "$2" > out 2> err
    case $? in 0) echo 1 ;; 1) grep -c 'computes the same' out ;; *) echo error ;; esac
}

# One pair of a write and a node that reads or writes the same memory, by mutates=, by a name, through a view, an
# element, an attribute, an input and a called graph; the two in the other order differ.
pair() { # LABEL EXPECTED FIRST SECOND [REST]
    for order in 1 2; do
        {
            echo 'graph():'
            echo '    %x : [num_users=0] = placeholder[target=x]'
            echo '    %c : [num_users=0] = call_method[target=clone](args = (%x,), kwargs = {})'
            echo '    %q : [num_users=0] = call_function[target=topk](args = (%x,), kwargs = {})  # tuple(f32[2], f32[2])'
            echo '    %v : [num_users=0] = call_method[target=view](args = (%c, -1), kwargs = {})  # alias=0'
            echo '    %p : [num_users=0] = get_attr[target=state]'
            echo '    %e : [num_users=0] = call_function[target=operator.getitem](args = (%q, 0), kwargs = {})  # f32[2]'
            echo '    %k : [num_users=0] = call_function[target=operator.getitem](args = (%q, 1), kwargs = {})  # f32[2]'
            if [ $order -eq 1 ]; then
                printf '    %%a : [num_users=0] = %s\n    %%b : [num_users=0] = %s\n' "$3" "$4"
            else
                printf '    %%b : [num_users=0] = %s\n    %%a : [num_users=0] = %s\n' "$4" "$3"
            fi
            echo '    return (c, q, v, b, e, k)'
        } > $order.fx
    done
    [ "$(same 1.fx 2.fx)" = "$2" ] && [ "$(same 2.fx 1.fx)" = "$2" ] && [ "$(same 1.fx 1.fx)" = 1 ]
    verdict "$1: $2" $? err
}
call() {
    echo "call_function[target=$1](args = ($2), kwargs = {})${3:+  # $3}"
}
read=$(call f '%c,')
pair 'mutates= and a reader' 0 "$(call w '%c,' mutates=0)" "$read"
pair 'an empty mutates= and a reader' 1 "$(call w '%c,' mutates=)" "$read"
pair 'the name of a method and a reader' 0 'call_method[target=mul_](args = (%c, 2), kwargs = {})' "$read"
pair 'setitem and a reader' 0 "$(call operator.setitem '%c, 0, 1.0')" "$read"
pair 'two writers' 0 "$(call w '%c,' mutates=0)" "$(call z '%c,' mutates=0)"
pair 'writers of two tensors' 1 "$(call w '%c,' mutates=0)" "$(call z '%e,' mutates=0)"
pair 'a writer and a reader of another tensor' 1 "$(call w '%c,' mutates=0)" "$(call f '%x,')"
pair 'a write through a view' 0 "$(call w '%v,' mutates=0)" "$read"
pair 'a reader of a view' 0 "$(call w '%c,' mutates=0)" "$(call f '%v,')"
pair 'a view shows memory before and after a write' 1 "$(call w '%c,' mutates=0)" "$(call g '%c,' alias=0)"
pair 'an element and the whole' 0 "$(call w '%e,' mutates=0)" "$(call f '%q,')"
pair 'the whole and an element' 0 "$(call w '%q,' mutates=0)" "$(call f '%e,')"
pair 'two elements' 1 "$(call w '%e,' mutates=0)" "$(call f '%k,')"
pair 'an element, read again' 0 "$(call w '%e,' mutates=0)" "$(call operator.add '%q, 1')"
pair 'an input' 0 "$(call w '%x,' mutates=0)" "$(call z '%x,' mutates=0)"
pair 'an attribute' 0 "$(call w '%p,' mutates=0)" "$(call z '%p,' mutates=0)"
pair 'a list' 0 "$(call w '[%e, %c],' mutates=1)" "$read"
pair 'another of a list' 1 "$(call w '[%e, %c],' mutates=0)" "$read"

# What is written and not returned: an input and an attribute.
for of in x p; do
    printf 'graph():\n    %%x : [num_users=1] = placeholder[target=x]\n    %%p : [num_users=1] = get_attr[target=p]\n' > none.fx
    {
        cat none.fx
        printf '    %%w : [num_users=0] = call_function[target=w](args = (%%%s,), kwargs = {})  # mutates=0\n' $of
        echo '    return x'
    } > writes.fx
    sed 's/mutates=0/mutates=/' writes.fx > none.fx
    [ "$(same writes.fx none.fx)" = 0 ] && [ "$(same writes.fx writes.fx)" = 1 ]
    verdict "what is written to %$of counts" $? err
done

# Called graphs: the write and the reader in one each, and attributes of one storage.
cat > called.fx << 'END'
module main
graph():
    %x : [num_users=1] = placeholder[target=x]
    %c : [num_users=2] = call_method[target=clone](args = (%x,), kwargs = {})
    %s : [num_users=0] = call_module[target=one](args = (%c,), kwargs = {})
    %t : [num_users=1] = call_module[target=two](args = (%c,), kwargs = {})
    return t
module one
graph():
    %a : [num_users=1] = placeholder[target=a]
    %p : [num_users=1] = get_attr[target=p]  # storage=s
    %w : [num_users=0] = call_function[target=w](args = (%a, %p), kwargs = {})  # mutates=0,1
    return None
module two
graph():
    %a : [num_users=1] = placeholder[target=a]
    %q : [num_users=1] = get_attr[target=q]  # storage=s
    %r : [num_users=1] = call_function[target=f](args = (%q,), kwargs = {})
    return r
END
awk '/%s :/ { held = $0; next } { print } held != "" { print held; held = "" }' called.fx > turned.fx
[ "$(same called.fx turned.fx)" = 0 ] && [ "$(same called.fx called.fx)" = 1 ]
verdict "called graphs: attributes of one storage" $? err
sed 's/storage=s/storage=t/; :a; n; ba' called.fx | sed 's/%q : \(.*\)storage=[st]/%q : \1storage=u/' > apart.fx
awk '/%s :/ { held = $0; next } { print } held != "" { print held; held = "" }' apart.fx > turned.fx
[ "$(same apart.fx turned.fx)" = 1 ]
verdict "called graphs: attributes of two storages" $? err

# random SEED: net.fx, the same nodes as turned.fx in another order, and 1 if both compute the same numbers
random() {
    awk -v seed="$1" '
        function pick(n) { return int(rand() * n) }
        function mix(h, x) { return (h * 7919 + x * 104729 + 12345) % 1048573 }
        function tensor() { do { t = pick(n) } while (kind[t] == "q" || kind[t] == "w"); return t }
        function line(k) { return sprintf("    %%%s : [num_users=0] = %s%s", name[k], text[k], note[k] == "" ? "" : "  # " note[k]) }
        # The numbers that the graph returns, and those of its inputs and attributes.
        function computes(order,    i, k, m, all, mem, state, n_mem) {
            for (i = 0; i < n; i++) {
                k = order[i]
                if (kind[k] == "x") { mem[k] = n_mem++; state[mem[k]] = 1 }
                else if (kind[k] == "p") {
                    if (!((k2 = "p" target[k]) in mem)) { mem[k2] = n_mem++; state[mem[k2]] = 2 + target[k] }
                    mem[k] = mem[k2]
                } else if (kind[k] == "f") { mem[k] = n_mem++; state[mem[k]] = mix(mix(3, state[mem[a[k]]]), state[mem[b[k]]]) }
                else if (kind[k] == "v") mem[k] = mem[a[k]]
                else if (kind[k] == "w" || kind[k] == "i") {
                    state[mem[a[k]]] = mix(mix(k, state[mem[a[k]]]), kind[k] == "w" ? state[mem[b[k]]] : 5)
                    mem[k] = mem[a[k]]
                } else if (kind[k] == "q") {
                    for (m = 0; m < 2; m++) { mem[k "," m] = n_mem++; state[mem[k "," m]] = mix(6 + m, state[mem[a[k]]]) }
                } else if (kind[k] == "e") mem[k] = mem[a[k] "," b[k]]
            }
            all = 9
            for (k = 0; k < n; k++) if (kind[k] != "q" && kind[k] != "w") all = mix(all, state[mem[k]])
            return all
        }
        BEGIN {
            srand(seed)
            size = 6 + pick(14)
            for (n = 0; n < size; ) {
                r = n < 2 ? 0 : pick(14)
                kind[n] = r == 0 ? "x" : r < 2 ? "p" : r < 6 ? "f" : r < 8 ? "v" : r < 10 ? "w" : r < 12 ? "i" : r < 13 ? "q" : "e"
                if (kind[n] == "e") {
                    for (q = n - 1; q >= 0 && kind[q] != "q"; q--) { }
                    if (q < 0) continue
                    a[n] = q; b[n] = pick(2)
                } else if (kind[n] != "x" && kind[n] != "p") { a[n] = tensor(); b[n] = tensor() }
                name[n] = kind[n] n
                named = seed % 2 # names tell what the text does not
                one = "%" name[a[n]]; two = "%" name[b[n]]
                if (kind[n] == "x") text[n] = "placeholder[target=x" n "]"
                if (kind[n] == "p") { target[n] = pick(2); text[n] = "get_attr[target=p" target[n] "]" }
                if (kind[n] == "f") text[n] = "call_function[target=f](args = (" one ", " two "), kwargs = {})"
                if (kind[n] == "v") { text[n] = "call_method[target=view](args = (" one ", -1), kwargs = {})"; note[n] = named ? "" : "alias=0" }
                if (kind[n] == "w") { text[n] = "call_function[target=operator.setitem](args = (" one ", " n ", " two "), kwargs = {})"; note[n] = named ? "" : "mutates=0" }
                if (kind[n] == "i") { text[n] = "call_method[target=add_](args = (" one ", " n "), kwargs = {})"; note[n] = named ? "" : "mutates=0 alias=0" }
                if (kind[n] == "q") { text[n] = "call_function[target=torch.topk](args = (" one ",), kwargs = {})"; note[n] = "tuple(f32[2], f32[2])" }
                if (kind[n] == "e") { text[n] = "call_function[target=operator.getitem](args = (" one ", " b[n] "), kwargs = {})"; note[n] = "f32[2]" }
                n++
            }
            for (i = 0; i < n; i++) given[i] = turned[i] = i
            for (step = 0; step < 6; step++) {
                i = pick(n - 1)
                k = turned[i]; m = turned[i + 1]
                if (kind[k] == "x" && kind[m] == "x") continue # inputs have an order
                if (index(text[m] ",", "%" name[k] ",") || index(text[m], "%" name[k] ")")) continue
                turned[i] = m; turned[i + 1] = k
            }
            for (k = 0; k < n; k++) if (kind[k] != "q" && kind[k] != "w") all = all ", " name[k]
            print "graph():" > "net.fx"; print "graph():" > "turned.fx"
            for (i = 0; i < n; i++) { print line(i) > "net.fx"; print line(turned[i]) > "turned.fx" }
            print "    return (" substr(all, 3) ",)" > "net.fx"; print "    return (" substr(all, 3) ",)" > "turned.fx"
            print computes(given) == computes(turned) ? 1 : 0
        }'
}
seed=1
while [ $seed -le "${GRAPHS:-120}" ]; do
    expected=$(random $seed)
    got=$(same net.fx turned.fx)
    echo "$expected $got" >> table
    [ "$got" = "$expected" ] || echo "seed $seed: $got for $expected"
    for pass in 'split --acc-ops f' 'module' 'pipe --stages 2' 'partition --mode kway --parts 2 --best-effort' dedup; do
        case $pass in module) options="--assign $(awk '/ = call_/ { sub("%", "", $1); printf "%s%s=%d", n++ ? "," : "", $1, (n > 4) }' net.fx)" ;; *) options= ;; esac
        # shellcheck disable=SC2086
        if $program $pass $options --porcelain net.fx > made.fx 2> log; then
            [ "$(same made.fx net.fx)" = 1 ] || echo "seed $seed: $pass"
            echo "$pass" >> passes
        fi
    done
    seed=$((seed + 1))
done > wrong
[ ! -s wrong ]
verdict "random graphs, as given, in another order and after passes" $? wrong
awk '{ n[$1]++ } END { print n[1] " equal, " n[0] " different"; exit n[1] < NR / 5 || n[0] < NR / 5 }' table > counts
verdict "both kinds are among them" $? counts
cat counts
sort passes | uniq -c
finish
