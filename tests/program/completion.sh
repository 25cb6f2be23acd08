#!/bin/sh
# Completions of bash, zsh and fish, made from --help, give what --help lists.
# usage: sh tests/program/completion.sh
cd "$(dirname "$0")/../.." || exit 1
program=${GRAPHSPLIT:-${B:-build}/graphsplit}
out=$PWD/${B:-build}/completion-test
rm -rf "$out"
mkdir -p "$out" || exit 1
. tests/check.sh

for shell in bash zsh fish; do
    awk -v program="$program" -v form=$shell -f examples/program/help.awk > "$out/graphsplit.$shell"
    verdict "completion for $shell" $?
done
passes=$($program --help | awk '/^Passes:/ { inside = 1; next } inside && NF == 0 { exit } inside { print $1 }')

# listed PASS: the options that its help lists
listed() {
    $program "$1" --help | awk '/^  --/ { sub(/\[=.*/, "", $1); print $1 } $1 == "--help" { exit }' | sort
}

# The answers of a shell to the words of a command line, the last of which is completed.
cat > "$out/ask.bash" << 'END'
source "$1"
COMP_WORDS=(graphsplit "${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_graphsplit
printf '%s\n' "${COMPREPLY[@]}"
END
ask_bash() {
    bash "$out/ask.bash" "$out/graphsplit.bash" "$@" | sort
}
ask_fish() {
    fish --no-config -c "source '$out/graphsplit.fish'; complete -C 'graphsplit $*'" | cut -f 1 | sort
}
# A zsh in a terminal of its own, whose matches go to a file.
mkdir -p "$out/zsh"
cp "$out/graphsplit.zsh" "$out/zsh/_graphsplit"
cat > "$out/zsh/rc" << 'END'
fpath=($here $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a found
    [[ "${@[1,(i)(-|--)]}" == *-(O|A|D)\ * ]] || { builtin compadd -A found "$@"; print -rl -- $found >> $here/found; }
    builtin compadd "$@"
}
zle -C ask complete-word _main_complete
bindkey '^X' ask
print ready
END
cat > "$out/ask.zsh" << 'END'
zmodload zsh/zpty
zmodload zsh/zselect
zpty z zsh -f -i
zpty -w z "here=$1; source $1/rc"
zpty -r z line '*ready*'
zpty -w -n z "graphsplit $2"$'\x18'
for (( i = 0; i < 100; i++ )) [[ -s $1/found ]] || zselect -t 5
zpty -w -n z $'\x15'
zpty -w z 'print do""ne'
zpty -r z line '*done*'
zpty -d z
END
ask_zsh() {
    : > "$out/zsh/found"
    timeout 20 zsh -f "$out/ask.zsh" "$out/zsh" "$*"
    sort -u "$out/zsh/found"
}

# answers SHELL WORDS...: the answer has every line of $out/wanted
answers() {
    asked=$1
    shift
    "ask_$asked" "$@" > "$out/given"
    comm -23 "$out/wanted" "$out/given" > "$out/log"
    [ -s "$out/wanted" ] && ! [ -s "$out/log" ]
    verdict "$asked: graphsplit $*" $? "$out/log"
}

for shell in bash zsh fish; do
    if ! command -v $shell > /dev/null; then
        skip "completion in $shell (the shell is not installed)"
        continue
    fi
    works "$shell reads it" $shell -n "$out/graphsplit.$shell"
    echo "$passes" | sort > "$out/wanted"
    answers $shell ''
    for pass in $passes; do
        listed "$pass" > "$out/wanted"
        [ $shell = bash ] || [ "$pass" = split ] || continue
        answers $shell "$pass" --
    done
    printf 'demote\nerror\n' > "$out/wanted"
    answers $shell split --limit-policy ''
    $program ops --porcelain | awk '{ print $2 }' | sort > "$out/wanted"
    answers $shell split --acc-ops ''
done
finish
