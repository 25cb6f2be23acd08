#!/bin/sh
# The program ends, or the disk is full, at any call that changes files: the old files or the new ones
# stand, never some of each, and the next run leaves nothing behind.
# usage: sh tests/program/stop.sh [PROGRAM MODEL OLD NEW NEWER]     lists of operators; the sets they give differ
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || set -- "${B:-build}/graphsplit" tests/cases/chain.fx torch.relu,torch.tanh torch.cos torch.sin,torch.tanh
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
input=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
of_old=$3
of_new=$4
of_newer=$5
. tests/check.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
[ -z "$RUN" ] && ${CC:-cc} -shared -fPIC -o "$dir/stop.so" tests/program/stop.c -ldl 2> /dev/null ||
    nothing_but "programs that stop at a write (no C compiler here makes a library to preload, or an emulator runs the program)"
cd "$dir" || exit 1
LD_PRELOAD=$dir/stop.so STOP_AT=0 STOP_LOG=count "$program" split --emit probe "$input" > out 2>&1 && [ -s count ] &&
    [ "$(cat count)" -gt 0 ] || nothing_but "programs that stop at a write (a library cannot be preloaded to this program)"

old() { "$program" split --acc-ops "$of_old" "$@" "$input"; }
new() { "$program" split --acc-ops "$of_new" "$@" "$input"; }
newer() { "$program" split --acc-ops "$of_newer" "$@" "$input"; }

# set_of DIR: the files that its manifest lists
set_of() {
    if [ -e "$1/manifest.json" ]; then
        grep -o '"\(file\|data\|whole\)": "[^"]*"' "$1/manifest.json" | sed 's/.*: "\(.*\)"/\1/' | while read -r file; do
            echo "== ${file##*/}"
            cat "$1/$file" 2>&1
        done
    fi
}
for set in old new newer; do
    $set --emit "$set" --save-plan "$set.plan" > out 2>&1
    set_of "$set" > "$set.set"
done
: > no.set
for set in new newer; do
    ! cmp -s old.set $set.set && ! cmp -s old.plan $set.plan
    verdict "old and $set differ" $?
done

# calls COMMAND...: how many calls change files
calls() {
    LD_PRELOAD=$dir/stop.so STOP_AT=0 STOP_LOG=count "$@" > out 2> err
    cat count
}

# stopped HOW AT COMMAND...
stopped() {
    how=$1
    at=$2
    shift 2
    (LD_PRELOAD=$dir/stop.so STOP_HOW=$how STOP_AT=$at "$@") > out 2> err
}

# one_of LABEL SET FIRST SECOND: the set of `here` is one of two
one_of() {
    set_of here > here.set
    cmp -s here.set "$2.set" || cmp -s here.set "$3.set"
    verdict "$1: neither the $2 set nor the $3 one stands" $? out
}

# tidy LABEL SET COMMAND...: the run after it leaves its set, and nothing else but a file that is not of it
tidy() {
    label=$1
    set=$2
    shift 2
    "$@" > out 2> err
    verdict "$label: the run after it" $? err
    set_of here > here.set
    cmp here.set "$set.set" > out 2>&1 && [ "$(cd here && ls -A)" = "$({ cd "$set" && ls -A && cat "../$set.mine"; } | sort)" ]
    verdict "$label: $(cd here && ls -A | tr '\n' ' ')" $? out
}
echo mine > new.mine
echo mine > newer.mine
export LC_ALL=C

# start SET: `here` is such a directory
start() {
    rm -rf here
    [ "$1" = no ] || { cp -r "$1" here && echo mine > here/mine; }
}

# over SET WHERE: stopped at each call of a run that replaces it
over() {
    before=$1
    where=$2
    start $before
    n=$(calls new --emit here)
    for at in $(seq 1 "$n"); do
        start $before
        stopped kill "$at" new --emit here
        one_of "killed at call $at of $n over $before set$where" $before new
        [ $before = old ] || { mkdir -p here && echo mine > here/mine; }
        tidy "killed at call $at of $n over $before set$where" new new --emit here
        start $before
        stopped fail "$at" new --emit here
        code=$?
        one_of "call $at of $n fails over $before set$where" $before new
        [ $code -ne 0 ] || cmp -s here.set new.set
        verdict "call $at of $n fails over $before set$where: exit 0 means the new set" $? err
        [ $before = old ] || [ $code -eq 0 ] || [ ! -e here ]
        verdict "call $at of $n fails: nothing is left of it" $? err
    done
}
over no ""
over old ""
export STOP_LINKS=no
over old ", where a file has one name"
unset STOP_LINKS

# Over a set that is in the stage still.
for at in $(seq 1 "$n"); do
    start old
    stopped kill "$at" new --emit here
    ! grep -qs '"file": ".graphsplit-0/' here/manifest.json || break
done
grep -q '"file": ".graphsplit-0/' here/manifest.json
verdict "a set stands in the stage" $?
model=here/$(sed -n 's/.*"file": "\(.graphsplit-0[^"]*\)".*/\1/p' here/manifest.json | head -n 1)
! "$program" split --emit here "$model" > out 2> err && grep -q 'is the input and was written' err && [ -f "$model" ]
verdict "it is no input for that directory" $? err
rm -rf staged && mv here staged
for at in $(seq 1 $((n + 10))); do
    rm -rf here && cp -r staged here
    stopped kill "$at" newer --emit here
    one_of "killed at call $at over a set in the stage" new newer
    rm -rf again && cp -r here again
    tidy "killed at call $at over a set in the stage" newer newer --emit here
    rm -rf here && mv again here
    tidy "killed at call $at over a set in the stage, and the set before" new new --emit here
done

# A link is no stage.
start old
mkdir precious && echo mine > precious/file && ln -s ../precious here/.graphsplit-0
! new --emit here > out 2> err && grep -q 'cannot write here/.graphsplit-0' err && [ -f precious/file ] && [ "$(ls precious)" = file ]
verdict "a link is no stage" $? err
one_of "a link is no stage" old old

# One file.
cp old.plan my.plan
n=$(calls new --save-plan my.plan)
for at in $(seq 1 "$n"); do
    for how in kill fail; do
        cp old.plan my.plan
        stopped $how "$at" new --save-plan my.plan
        code=$?
        cmp -s my.plan old.plan || cmp -s my.plan new.plan
        verdict "$how at call $at of $n: neither the old plan nor the new one" $? my.plan
        [ $code -ne 0 ] || cmp -s my.plan new.plan
        verdict "$how at call $at of $n: exit 0 means the new plan" $?
        [ $how = kill ] || [ "$(echo my.plan*)" = my.plan ]
        verdict "$how at call $at of $n: nothing is left of it" $?
        rm -f my.plan*
    done
done
cp old.plan my.plan && ln -s my.plan link.plan && chmod 640 my.plan
new --save-plan link.plan > out 2> err && [ -L link.plan ] && cmp my.plan new.plan && [ -n "$(find my.plan -perm 640)" ]
verdict "a link and permissions stay" $? err
rm link.plan && ln -s later.plan second.link && mkdir links && ln -s ../second.link links/link.plan
new --save-plan links/link.plan > out 2> err && [ -L links/link.plan ] && [ -L second.link ] && cmp later.plan new.plan
verdict "a link to a file that is not there yet stays, and names the new file" $? err
ln -s round.plan round.plan
! new --save-plan round.plan > out 2> err && grep -q 'cannot write' err && [ -L round.plan ]
verdict "a link to itself stays" $? err
if [ "$(id -u)" -ne 0 ]; then
    chmod 440 my.plan
    ! old --save-plan my.plan > out 2> err && grep -q 'cannot write' err && cmp -s my.plan new.plan
    verdict "a protected file stays" $? err
fi

# A signal at each call: the old set, the new one or none, nothing else, and the status of that signal.
for before in no old; do
    start $before
    n=$(calls new --emit here)
    for at in $(seq 1 "$n"); do
        for number in 1 2 15; do
            start $before
            stopped $number "$at" new --emit here
            code=$?
            one_of "signal $number at call $at of $n over $before set" $before new
            [ $code -eq $((128 + number)) ] && [ -z "$(find here -name '.graphsplit-*' 2> /dev/null)" ] &&
                { [ $before = old ] || [ -e here/manifest.json ] || [ ! -e here ]; }
            verdict "signal $number at call $at of $n over $before set: status $code, nothing half made" $? err
        done
    done
done
cp old.plan my.plan
n=$(calls new --save-plan my.plan)
for at in $(seq 1 "$n"); do
    cp old.plan my.plan
    stopped 15 "$at" new --save-plan my.plan
    [ $? -eq 143 ] && { cmp -s my.plan old.plan || cmp -s my.plan new.plan; } && [ "$(echo my.plan*)" = my.plan ]
    verdict "signal 15 at call $at of $n: the old plan or the new one" $? err
done

# Several files, and a directory of values: each is the old one, the new one, or none as before.
for pass in "pipe --stages 2 --save-plan a --part b" "partition --mode kway --parts 2 --save a --part b --save-plan c" \
    "run --outputs d"; do
    rm -rf several && mkdir several && cd several || exit 1
    # shellcheck disable=SC2086
    n=$(calls "$program" $pass "$input")
    cd .. && rm -rf several.new && mv several several.new && rm -f several.new/count several.new/out several.new/err
    for at in $(seq 1 "$n"); do
        for before in no old; do
            for how in fail 15; do
                rm -rf several && mkdir several && cd several || exit 1
                [ $before = no ] || (cd ../several.new && find . -type d -exec mkdir -p ../several/{} \; &&
                    find . -type f | while read -r file; do echo old > "../several/$file"; done)
                # shellcheck disable=SC2086
                (LD_PRELOAD=$dir/stop.so STOP_HOW=$how STOP_AT=$at "$program" $pass "$input") > ../out 2> ../err
                find . -type f | while read -r file; do
                    cmp -s "$file" "../several.new/$file" || [ "$before $(cat "$file")" = "old old" ] || echo "$file"
                done > ../half
                [ $before = no ] || (cd ../several.new && find . -type f) | while read -r file; do
                    [ -e "$file" ] || echo "$file is lost"
                done >> ../half
                cd .. && [ ! -s half ]
                verdict "$how at call $at of $n over $before files: $pass" $? half
            done
        done
    done
done

# What gets a name is on the disk, unless --no-sync says that it need not be.
for links in yes no; do
    start old
    [ $links = yes ] || export STOP_LINKS=no
    rm -f unsynced
    LD_PRELOAD=$dir/stop.so STOP_SYNC=unsynced "$program" split --acc-ops "$of_new" --emit here --save-plan my.plan "$input" > out 2> err &&
        [ ! -e unsynced ]
    verdict "files are on the disk before they get their names (links: $links)" $? unsynced
    unset STOP_LINKS
done
start old
LD_PRELOAD=$dir/stop.so STOP_SYNC=unsynced "$program" split --acc-ops "$of_new" --no-sync --emit here --save-plan my.plan "$input" > out 2> err &&
    [ -s unsynced ]
verdict "--no-sync" $? err

# A file above the limit of the user is a full disk, not a signal.
start old
{
    (ulimit -f 0 && "$program" split --acc-ops "$of_new" --emit here "$input") 2>&1 > /dev/null
    echo "status $?"
} | cat > err
grep -q 'cannot write here/.*: File too large$' err && grep -q '^status 1$' err
verdict "a file above the limit of the user" $? err
one_of "a file above the limit of the user" old old

# Standard output that takes nothing, and readers that stop.
start old
new --emit here > /dev/full 2> err
[ $? -eq 1 ] && grep -q 'cannot write standard output' err
verdict "standard output is full: told" $? err
one_of "standard output is full" old new
for bytes in 0 1 100; do
    for i in 1 2 3 4 5; do
        start old
        new --emit here 2> err | head -c $bytes > out
        one_of "a reader that stops after $bytes bytes, $i" old new
        tidy "a reader that stops after $bytes bytes, $i" new new --emit here
    done
done

# Two runs at once.
start no
for i in 1 2 3 4 5 6 7 8 9 10; do
    new --emit here > out 2> err &
    newer --emit here > out2 2> err2
    wait
    one_of "two runs at once, $i" new newer
done
finish
