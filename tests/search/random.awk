# A random graph of layers that differ in constants, twice: in `literal` as a person has it, and in
# `given` with each constant as an input. -v seed=N -v literal=FILE -v given=FILE
function random(n) { return int(rand() * n) }
# constant(TYPE): one of a few
function constant(type) {
    return type == "int" ? random(4) - 1 : type == "float" ? (random(2) ? "1e-05" : "0.5") : random(2) ? "True" : "False"
}
function put(name, target, literals, givens) {
    literal_lines = literal_lines sprintf("    %%%s : [num_users=1] = call_function[target=%s](args = (%s)  # f32[4]\n", name, target, literals)
    given_lines = given_lines sprintf("    %%%s : [num_users=1] = call_function[target=%s](args = (%s)  # f32[4]\n", name, target, givens)
}
# value(TYPE, TEXT): appends the constant to l and, as an input, to g
function value(type, text) {
    given_inputs = given_inputs sprintf("    %%c%d : [num_users=1] = placeholder[target=c%d]  # %s\n", inputs, inputs, type)
    l = l text
    g = g "%c" inputs++
}
function both(text) {
    l = l text
    g = g text
}
BEGIN {
    srand(seed)
    split("int float bool", types, " ")
    length_of = 2 + random(4)
    for (step = 0; step < length_of; step++) {
        reads[step] = random(step + 1)
        shape[step] = random(4)
        for (k = 0; k < 2; k++) {
            type[step, k] = types[1 + random(3)]
            fixed[step, k] = random(2) ? constant(type[step, k]) : ""
        }
    }
    last = "x"
    layers = 2 + random(4)
    for (layer = 0; layer < layers; layer++) {
        name[0] = last
        for (step = 0; step < length_of; step++) {
            name[step + 1] = "n" layer "_" step
            l = g = ""
            both("%" name[step] ", %" name[reads[step]])
            for (k = 0; k < 2; k++) {
                now = fixed[step, k] != "" ? fixed[step, k] : constant(type[step, k])
                both(k == 0 ? shape[step] == 1 ? ", [mean, " : shape[step] == 2 ? ", slice(None, " : ", " \
                            : shape[step] == 3 ? "), kwargs = {dim: " : ", ")
                value(type[step, k], now)
            }
            both(shape[step] == 1 ? "]" : shape[step] == 2 ? ")" : "")
            both(shape[step] == 3 ? "}" : "), kwargs = {}")
            # names in a slice have no %
            gsub(/slice\(None, %c/, "slice(None, c", g)
            if (shape[step] == 2) {
                g = bare_last(g)
            }
            put(name[step + 1], "f" step % 3, l, g)
        }
        last = name[length_of]
        if (random(3) == 0) {
            l = g = ""
            both("%" last ", ")
            value("int", constant("int"))
            both("), kwargs = {}")
            put("between" layer, "between", l, g)
            last = "between" layer
        }
    }
    head = "graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[4]\n"
    printf "%s%s    return %s\n", head, literal_lines, last > literal
    printf "graph():\n%s%s%s    return %s\n", given_inputs, substr(head, 10), given_lines, last > given
}
# The last name in a slice loses its %, too.
function bare_last(text,  at) {
    at = match(text, /, %c[0-9]+\)\), kwargs/)
    return substr(text, 1, at + 1) substr(text, at + 3)
}
