module main
graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[4]
    %y : [num_users=2] = placeholder[target=y](default=2)  # f32[4]
    %w : [num_users=2] = get_attr[target=w]  # f32[4]
    %sub : [num_users=1] = get_attr[target=sub]
    %a : [num_users=2] = call_function[target=torch.split](args = (%x, 4), kwargs = {dim: 1})  # tuple(f32[2], tuple(f32[3], i64[1]))
    %g0 : [num_users=2] = call_function[target=operator.getitem](args = (%a, 0), kwargs = {})  # f32[2]
    %g1 : [num_users=2] = call_function[target=operator.getitem](args = (%a, -1), kwargs = {})
    %g11 : [num_users=2] = call_function[target=operator.getitem](args = (%g1, 1), kwargs = {})
    %c : [num_users=1] = call_function[target=torch.cat](args = ([%a, %g1], (%y, 1)), kwargs = {w: %w})
    %s : [num_users=1] = call_module[target=sub](args = (%c, %a), kwargs = {z: 7})
    %h0 : [num_users=1] = call_function[target=operator.getitem](args = (%s, 0), kwargs = {})
    %h1 : [num_users=1] = call_function[target=operator.getitem](args = (%s, 1), kwargs = {})
    %i : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%sub, sub, %c, %a, %h0), kwargs = {})
    return (h0, %h1, i, None, {k: %g0})
module sub
graph():
    %p : [num_users=1] = placeholder[target=p]
    %q : [num_users=1] = placeholder[target=q]
    %z : [num_users=1] = placeholder[target=z]
    %m : [num_users=1] = call_method[target=relu](args = (%p, %z), kwargs = {})  # f32[8]
    %e : [num_users=1] = call_function[target=operator.getitem](args = (%q, 1), kwargs = {})
    return (m, %e, %z, 3, m)
