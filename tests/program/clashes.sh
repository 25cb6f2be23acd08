#!/bin/sh
# Names that passes make, against names that the graph already uses: of attributes, called modules, parameters in
# modules, graphs, and flattened targets. GRAPHSPLIT: the program.
. "$(dirname "$0")/../elsewhere.sh"
cd "$dir" || exit 1

# clash NAME KIND: a graph of two equal layers that uses NAME
clash() {
    name=$1
    echo "module main"
    echo "graph():"
    echo "    %x : [num_users=1] = placeholder[target=x]  # f32[4]"
    case $2 in
    attribute) echo "    %w : [num_users=2] = get_attr[target=$name]  # f32[4]" ;;
    parameter) echo "    %w : [num_users=2] = get_attr[target=$name.weight]  # f32[4]" ;;
    returned) echo "    %w : [num_users=3] = get_attr[target=$name.weight]  # f32[4]" ;;
    *) echo "    %w : [num_users=2] = get_attr[target=w]  # f32[4]" ;;
    esac
    before=x
    for i in 0 1; do
        echo "    %a$i : [num_users=1] = call_function[target=torch.add](args = (%$before, %w), kwargs = {})  # f32[4]"
        case $2 in
        module) echo "    %m$i : [num_users=1] = call_module[target=$name](args = (%a$i,), kwargs = {})  # f32[4]" ;;
        inner) echo "    %m$i : [num_users=1] = call_module[target=$name.conv](args = (%a$i,), kwargs = {})  # f32[4]" ;;
        graph) echo "    %m$i : [num_users=1] = call_module[target=$name](args = (%a$i,), kwargs = {})  # f32[4]" ;;
        flat) echo "    %m$i : [num_users=1] = call_module[target=$(echo "$name" | sed 's/_/./')](args = (%a$i,), kwargs = {})  # f32[4]" ;;
        *) echo "    %m$i : [num_users=1] = call_module[target=m](args = (%a$i,), kwargs = {})  # f32[4]" ;;
        esac
        echo "    %b$i : [num_users=1] = call_function[target=torch.relu](args = (%m$i,), kwargs = {})  # f32[4]"
        before=b$i
    done
    case $2 in
    returned) echo "    return (b1, w)" ;;
    *) echo "    return b1" ;;
    esac
    if [ "$2" = graph ]; then
        echo "module $name"
        echo "graph():"
        echo "    %y : [num_users=1] = placeholder[target=y]  # f32[4]"
        echo "    %z : [num_users=1] = call_function[target=torch.cos](args = (%y,), kwargs = {})  # f32[4]"
        echo "    return z"
    fi
}

# once KIND COMMAND...: no graph of the result has a name that the graph before used, nor the start of one, and
# the result is a module that reads back
once() {
    kind=$1
    shift
    $program "$@" --porcelain clash.fx > out 2> err
    code=$?
    sed -n 's/^module //p' out | grep -v '^main$' | sort > made
    [ $code -eq 0 ] && [ -s made ] && [ "$(uniq -d made | wc -l)" -eq 0 ] &&
        if [ "$kind" = graph ]; then [ "$(grep -cx "$name" made)" -eq 1 ]; else ! grep -qx "$name" made; fi
    verdict "$kind $name: $*" $? out
    sed -n '/^module main/,$p' out | grep -v '^proof' > back.fx
    $program read back.fx > again 2> err && cmp -s again back.fx
    verdict "$kind $name, read back: $*" $? err
}

for name in submod_0 submod_1; do
    clash $name flat > clash.fx # module and partition flatten targets in the root, too
    once flat module --assign a0=0,m0=0,b0=0,a1=1,m1=1,b1=1
done
for kind in attribute parameter returned module inner graph; do
    clash submod_1 $kind > clash.fx
    once $kind pipe --stages 2
    once $kind pipe --stages 2 --policy optimal --time-unit nodes --carried
    once $kind module --assign a0=0,m0=0,b0=0,a1=1,m1=1,b1=1
    once $kind partition --mode aot --assign a0=0,m0=0,b0=0,a1=1,m1=1,b1=1 --device d:1K --partition-devices 0=0 --partition-devices 1=0
    clash submod_0 $kind > clash.fx
    once $kind pipe --stages 2
    once $kind module --assign a0=0,m0=0,b0=0,a1=1,m1=1,b1=1
    clash _run_on_acc_1 $kind > clash.fx
    once $kind split --acc-ops torch.add
    clash _run_on_cpu_0 $kind > clash.fx
    once $kind split --acc-ops torch.relu
    clash subgraph_0 $kind > clash.fx
    once $kind dedup
    once $kind dedup --lift-constants
done

# A stage that calls a.b beside an attribute a_b, or one in a module a_b.
stage() {
    cat << END
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %w : [num_users=1] = get_attr[target=$1]  # f32[4]
    %m : [num_users=1] = call_module[target=a.b](args = (%x, %w), kwargs = {})  # f32[4]
    %n : [num_users=1] = call_module[target=$2](args = (%m,), kwargs = {})  # f32[4]
    return n
END
}
# called WORDS ATTRIBUTE MODULE: the names of modules in the stage
called() {
    stage "$2" "$3" > stage.fx
    $program pipe --stages 1 --porcelain stage.fx 2> err | sed -n 's/.*call_module\[target=\([^]]*\)\].*/\1/p' > out
    [ "$(tail -n 2 out | tr '\n' ' ')" = "$1 " ]
    verdict "stage with $2 and $3: $1" $? out
}
called 'a_b c' w c
called 'a_b_1 c' a_b c
called 'a_b_1 c' a_b.w c
called 'a_b a_b_1' w a_b
called 'a_b a' a.b.w a
called 'a_b a' a.w a
called 'a_b c_d' c_d.w c_d

# A graph that stages on two devices call, and the name of its copy.
for name in body_1 body_1.w; do
    cat > body.fx << END
module main
graph():
    %x : [num_users=1] = placeholder[target=x]
    %w : [num_users=2] = get_attr[target=$name]
    %a : [num_users=1] = call_module[target=body](args = (%x, %w), kwargs = {})
    %b : [num_users=1] = call_module[target=body](args = (%a, %w), kwargs = {})
    return b
module body
graph():
    %y : [num_users=1] = placeholder[target=y]
    %z : [num_users=1] = placeholder[target=z]
    %c : [num_users=1] = call_function[target=torch.zeros](args = (4,), kwargs = {device: cpu})
    %d : [num_users=1] = call_module[target=body_2](args = (%c, %y, %z), kwargs = {})
    return d
END
    $program pipe --stages 2 --stage-device 0=cuda:0 --stage-device 1=cuda:1 --porcelain body.fx 2> err | sed -n 's/^module //p' > out
    [ "$(tr '\n' ' ' < out)" = "main submod_0 submod_1 body body_3 " ]
    verdict "the copy of a graph avoids $name and body_2" $? out
done

# A part of a plan that is named like a module would be read for it.
clash m none > clash.fx
$program split --acc-ops torch.relu --save-plan clash.plan clash.fx > out 2> err
sed 's/^\[_run_on_acc_1\]/[m]/' clash.plan > named.plan
$program split --plan named.plan --porcelain clash.fx > out 2> err
[ $? -eq 1 ] && grep -q 'parameter or module is already called m; choose another name in the plan' err
verdict "a part of a plan that has the name of a module" $? err
# Modules that are called a.b and a_b are two, as are parameters.
cat > apart.fx << 'EOF'
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[4]
    %p : [num_users=1] = get_attr[target=w.q]  # f32[4]
    %q : [num_users=1] = get_attr[target=w_q]  # f32[4]
    %a : [num_users=1] = call_module[target=a.b](args = (%x,), kwargs = {})  # f32[4]
    %c : [num_users=1] = call_module[target=a_b](args = (%x,), kwargs = {})  # f32[4]
    %d : [num_users=1] = call_function[target=sub](args = (%a, %p), kwargs = {})  # f32[4]
    %e : [num_users=1] = call_function[target=add](args = (%c, %q), kwargs = {})  # f32[4]
    %f : [num_users=1] = call_function[target=f](args = (%d, %e), kwargs = {})  # f32[4]
    return f
EOF
sed 's/=a\.b/=Z/; s/=a_b/=a.b/; s/=Z/=a_b/' apart.fx > modules.fx
sed 's/=w\.q/=Z/; s/=w_q/=w.q/; s/=Z/=w_q/' apart.fx > params.fx
$program run --equal apart.fx apart.fx > out
verdict "a.b and a_b: equal to itself" $? out
for other in modules params; do
    ! $program run --equal $other.fx apart.fx > out
    verdict "a.b and a_b: $other that change places" $? out
done
for options in "split --acc-ops sub,a.b" "split --acc-ops a_b" "module --assign a=1,c=2,d=0,e=0,f=3" \
    "partition --mode kway --parts 3" "pipe --stages 2" dedup; do
    # shellcheck disable=SC2086
    $program $options --porcelain apart.fx > made 2> err
    $program run --equal made apart.fx > out 2>> err
    verdict "a.b and a_b: $options computes the same" $? out
    case $options in partition* | pipe*) continue ;; esac # their text has a_b for both
    ! $program run --equal made modules.fx > out 2>> err
    verdict "a.b and a_b: $options is not that of modules that change places" $? out
done
finish
