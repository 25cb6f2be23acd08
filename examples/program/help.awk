# What `--help` prints of each pass as completions of a shell, or as types for TypeScript: no other list of
# passes or options is kept.
# usage: awk -v program=P -v form=bash|zsh|fish|types -f help.awk      (P: the program)

# choices VALUE: the words that a value can be, the operator lists, or nothing.
function choices(value) {
    if (value == "OPS") {
        return lists
    }
    if (value !~ /\|/) {
        return ""
    }
    gsub(/\|/, " ", value)
    return value
}

function is_file(value) {
    return value ~ /^(FILE|NODES|GRAPH|OTHER|DIR|F)$/
}

# brief TEXT: its first clause, for a list of options
function brief(text) {
    sub(/[;:,] .*/, "", text)
    gsub(/[\[\]'\\:"]/, "", text)
    return text
}

function read_lists(    command, line, word) {
    command = program " ops --porcelain"
    while ((command | getline line) > 0) {
        split(line, word, " ")
        lists = lists (lists == "" ? "" : " ") word[2]
    }
    close(command)
}

function read_passes(    command, line, word) {
    command = program " --help"
    while ((command | getline line) > 0) {
        if (line ~ /^Passes:/) {
            inside = 1
        } else if (line == "") {
            inside = 0
        } else if (inside) {
            split(line, word, " ")
            pass[++passes] = word[1]
            sub(/^ +[^ ]+ +/, "", line)
            about[word[1]] = brief(line)
        }
    }
    close(command)
}

# Options stand in lines that begin with two blanks and two dashes; --help is the last of them.
function read_options(p,    command, line, word, o) {
    command = program " " p " --help"
    while ((command | getline line) > 0 && o != "--help") {
        if (line ~ /^  --/) {
            split(line, word, " ")
            o = word[1]
            sub(/\[=.*/, "", o)
            option[p, ++options[p]] = o
            value[p, o] = line ~ /^  --[^ ]+ [^ ]/ ? word[2] : ""
            sub(/^  --[^ ]+( [^ ]+)?/, "", line)
            text[p, o] = line ~ /^ +[^ ]/ ? line : ""
            sub(/^ +/, "", text[p, o])
        } else if (o != "" && text[p, o] !~ /[;:,] / && line ~ /^ +[^ ]/) {
            sub(/^ +/, "", line)
            text[p, o] = text[p, o] (text[p, o] == "" ? "" : " ") line
        }
    }
    close(command)
}

function put_bash(    p, i, o) {
    print "_graphsplit() {"
    print "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words="
    print "    [ \"$cur\" != = ] || cur="
    print "    [ \"$prev\" != = ] || prev=${COMP_WORDS[COMP_CWORD - 2]}"
    print "    case \"$COMP_CWORD ${COMP_WORDS[1]} $prev\" in"
    printf "    1\\ *) words='help"
    for (p = 1; p <= passes; p++) {
        printf " %s", pass[p]
    }
    print " --help --version --to-fx' ;;"
    for (p = 1; p <= passes; p++) {
        for (i = 1; i <= options[pass[p]]; i++) {
            o = option[pass[p], i]
            if (choices(value[pass[p], o]) != "") {
                print "    *\\ " pass[p] "\\ " o ") words='" choices(value[pass[p], o]) "' ;;"
            }
        }
    }
    print "    *) case \"${COMP_WORDS[1]} $cur\" in"
    for (p = 1; p <= passes; p++) {
        printf "        %s\\ -*) words='", pass[p]
        for (i = 1; i <= options[pass[p]]; i++) {
            printf "%s%s", i == 1 ? "" : " ", option[pass[p], i]
        }
        print "' ;;"
    }
    print "        esac ;;"
    print "    esac"
    print "    # Without words, -o default offers files."
    print "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")"
    print "}"
    print "complete -o default -F _graphsplit graphsplit"
}

function put_zsh(    p, i, o, of, rest) {
    print "#compdef graphsplit"
    print "local -a passes=("
    for (p = 1; p <= passes; p++) {
        print "    '" pass[p] ":" about[pass[p]] "'"
    }
    print ")"
    print "if (( CURRENT == 2 )); then"
    print "    _describe pass passes"
    print "    return"
    print "fi"
    print "local pass=$words[2]"
    print "shift words"
    print "(( CURRENT-- ))"
    print "case $pass in"
    for (p = 1; p <= passes; p++) {
        print pass[p] ") _arguments \\"
        for (i = 1; i <= options[pass[p]]; i++) {
            o = option[pass[p], i]
            of = value[pass[p], o]
            rest = ""
            if (choices(of) != "") {
                rest = ":value:(" choices(of) ")"
            } else if (is_file(of)) {
                rest = ":" of ":_files"
            } else if (of != "") {
                rest = ":value:"
            }
            print "    '*" o "[" brief(text[pass[p], o]) "]" rest "' \\"
        }
        print "    '*:file:_files' ;;"
    }
    print "esac"
}

function put_fish(    p, i, o, of, rest) {
    print "complete -c graphsplit -n __fish_use_subcommand -f"
    for (p = 1; p <= passes; p++) {
        print "complete -c graphsplit -n __fish_use_subcommand -a " pass[p] " -d '" about[pass[p]] "'"
    }
    for (p = 1; p <= passes; p++) {
        for (i = 1; i <= options[pass[p]]; i++) {
            o = option[pass[p], i]
            of = value[pass[p], o]
            rest = ""
            if (choices(of) != "") {
                rest = " -x -a '" choices(of) "'"
            } else if (of != "") {
                rest = is_file(of) ? " -r -F" : " -x"
            }
            print "complete -c graphsplit -n '__fish_seen_subcommand_from " pass[p] "' -l " substr(o, 3) " -d '" \
                brief(text[pass[p], o]) "'" rest
        }
    }
}

# The options of `split` that make sense without files.
function put_types(    i, o, of, name, letters, l) {
    print "export interface SplitOptions {"
    for (i = 1; i <= options["split"]; i++) {
        o = option["split", i]
        of = value["split", o]
        if (o ~ /^--(porcelain|json|all|color|time|help)$/ || (is_file(of) && of != "NODES")) {
            continue
        }
        letters = split(substr(o, 3), letter, "-")
        name = letter[1]
        for (l = 2; l <= letters; l++) {
            name = name toupper(substr(letter[l], 1, 1)) substr(letter[l], 2)
        }
        print "    /** " brief(text["split", o]) (of == "" ? "" : ": " of) " */"
        print "    " name "?: " (of == "" ? "boolean" : of ~ /^(N|BYTES)$/ ? "number" : "string | string[]") ";"
    }
    print "}"
}

BEGIN {
    read_lists()
    read_passes()
    for (p = 1; p <= passes; p++) {
        read_options(pass[p])
    }
    if (passes == 0) {
        exit 1
    }
    if (form == "bash") {
        put_bash()
    } else if (form == "zsh") {
        put_zsh()
    } else if (form == "fish") {
        put_fish()
    } else if (form == "types") {
        put_types()
    } else {
        exit 2
    }
}
