# Fails when all calls of a subgraph give it one constant at one place, or give a constant where another
# call of it gives a value of another kind.
/invoke_subgraph\]\(args = / {
    calls++
    text = substr($0, index($0, "(args = (") + 9)
    n = split(substr(text, 1, index(text, "), kwargs") - 1), arg, ", ")
    for (i = 3; i <= n; i++) {
        key = arg[1] " " i
        number = arg[i] ~ /^%/ ? "value" : arg[i]
        differs[key] = differs[key] || (key in first && first[key] != number)
        if (!(key in first)) {
            first[key] = number
        }
    }
}
END {
    for (key in first) {
        if (first[key] != "value" && !differs[key]) {
            print key ": " first[key]
            exit 1
        }
    }
}
