# A graph of N called nodes of 0.2 to 2 seconds and 1 to 64 KiB, for devices that hold 40 % of it.
# usage: awk -v kind=branchy|nas|chain -v seed=S -v n=N -f tests/search/instance.awk
function draw(k) {
    state = (state * 16807) % 2147483647
    return int(state / 8) % k
}
function node(inputs) {
    made++
    line[made] = sprintf("call_function[target=f](args = (%s), kwargs = {})  # f32[%d] compute=%.3f",
        inputs, 256 * (1 + draw(64)), 0.2 + draw(1801) / 1000)
    count = split(inputs, part, ", ")
    for (i = 1; i <= count; i++) used[part[i]]++
    return "%n" made
}
# Two to four branches of one to four nodes between two nodes.
function branchy(    at, ends, branches, long, b, k, x) {
    at = node("%x")
    while (made < n - 1) {
        branches = 2 + draw(3)
        ends = ""
        for (b = 0; b < branches && made < n - 1; b++) {
            x = at
            long = 1 + draw(4)
            for (k = 0; k < long && made < n - 1; k++) x = node(x)
            ends = ends (ends == "" ? "" : ", ") x
        }
        at = node(ends)
    }
}
# Each node reads two of the eight before it.
function nas(    k, a, b) {
    node("%x")
    while (made < n) {
        k = made < 8 ? made : 8
        a = made - draw(k)
        b = made - draw(k)
        node(a == b ? "%n" a : "%n" a ", %n" b)
    }
}
function chain(    at) {
    at = node("%x")
    while (made < n) at = node(at)
}
BEGIN {
    state = seed * 7919 + 12345
    for (i = 0; i < 10; i++) draw(2)
    if (kind == "branchy") branchy()
    else if (kind == "nas") nas()
    else chain()
    print "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[256]"
    for (v = 1; v <= made; v++) {
        if (!used["%n" v]) ends = ends (ends == "" ? "" : ", ") "n" v
        print "    %n" v " : [num_users=" (used["%n" v] ? used["%n" v] : 1) "] = " line[v]
    }
    print "    return " (ends ~ /,/ ? "(" ends ")" : ends)
}
