# Joins the parts of a manifest to one module again: main calls them one after the other.
# awk -v dir=DIR -v source=GRAPH.fx -f join.awk DIR/manifest.json
# The names outside are those of the manifest; what is read before it is there ends the program. Main
# returns what the graph that was cut returns, or, where there is one, what the whole does.

# The strings of the array behind a key, into list[1..]; returns how many.
function strings(line, key, list,    at, text, n) {
    at = index(line, "\"" key "\": [")
    text = substr(line, at + length(key) + 5)
    text = substr(text, 1, index(text, "]") - 1)
    gsub(/"/, "", text)
    n = split(text, list, /, */)
    return at == 0 ? 0 : n
}

function field(line, key,    at, text) {
    at = index(line, "\"" key "\": \"")
    text = substr(line, at + length(key) + 5)
    return substr(text, 1, index(text, "\"") - 1)
}

function fail(what) {
    print "join.awk: " what > "/dev/stderr"
    failed = 1
    exit 1
}

# A part as a graph of its own, with the graphs that it calls. Its return into `returned`.
function read_part(file,    line, name, body) {
    if (file in module_of) {
        return
    }
    name = module_of[file] = "part_" ++n_graphs
    while ((getline line < (dir "/" file)) > 0) {
        if (line ~ /^module /) {
            name = line == "module main" ? name : substr(line, 8)
            continue
        }
        body = body line "\n"
        if (line ~ /^    return /) {
            if (name == module_of[file]) {
                returned[file] = substr(line, 12)
            }
            add_graph(name, body)
            body = ""
        }
    }
    close(dir "/" file)
}

# Graphs of one name are the same, whichever parts call them.
function add_graph(name, body) {
    if (name in body_of && body_of[name] != body) {
        fail("there are two graphs " name)
    }
    graphs = graphs (name in body_of ? "" : "module " name "\n" body)
    body_of[name] = body
}

/^\{"model"/ {
    n = strings($0, "inputs", list)
    for (i = 1; i <= n; i++) {
        print_later = print_later "    %" list[i] " : [num_users=0] = placeholder[target=" list[i] "]\n"
        there[list[i]] = 1
    }
    n = strings($0, "outputs", list)
    for (i = 1; i <= n; i++) {
        wanted[i] = list[i]
    }
    n_wanted = n
}

# What main of the whole returns, by the names outside, into `whole`.
/^ "whole"/ {
    text = substr($0, index($0, "\"bind\": {") + 9)
    while (match(text, /"[^"]*": "[^"]*"/)) {
        split(substr(text, RSTART + 1, RLENGTH - 2), pair, /": "/)
        outside[pair[1]] = pair[2]
        text = substr(text, RSTART + RLENGTH)
    }
    while ((getline line < (dir "/" field($0, "whole"))) > 0 && line !~ /^    return /) {
    }
    close(dir "/" field($0, "whole"))
    text = substr(line, 12)
    whole = "    return "
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*|'[^']*'/)) {
        word = substr(text, RSTART, RLENGTH)
        whole = whole substr(text, 1, RSTART - 1) (word in outside ? outside[word] : word)
        text = substr(text, RSTART + RLENGTH)
    }
    whole = whole text
}

/^  \{"name"/ {
    file = field($0, "file")
    read_part(file)
    n = strings($0, "inputs", list)
    given = ""
    for (i = 1; i <= n; i++) {
        if (!(list[i] in there)) {
            fail(field($0, "name") " reads " list[i] ", which is not there yet")
        }
        given = given (i > 1 ? ", " : "") "%" list[i]
    }
    given = given (n == 1 ? "," : "")
    n = strings($0, "outputs", list)
    bare = returned[file] !~ /^[(\[]/
    call = bare ? list[1] : "call_" ++n_calls
    print_later = print_later "    %" call " : [num_users=0] = call_module[target=" module_of[file] \
        "](args = (" given "), kwargs = {})\n"
    for (i = 1; i <= n; i++) {
        if (list[i] in there) {
            fail(list[i] " is made twice")
        }
        there[list[i]] = 1
        if (!bare) {
            print_later = print_later "    %" list[i] " : [num_users=0] = call_function" \
                "[target=operator.getitem](args = (%" call ", " i - 1 "), kwargs = {})\n"
        }
    }
}

END {
    if (failed) {
        exit 1
    }
    for (i = 1; i <= n_wanted; i++) {
        if (!(wanted[i] in there)) {
            fail("no part gives " wanted[i])
        }
    }
    line = whole
    while (whole == "" && (getline line < source) > 0 && line !~ /^    return /) {
    }
    printf "module main\ngraph():\n%s%s\n%s", print_later, line, graphs
}
