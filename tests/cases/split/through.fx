module main
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 8]
    %good : [num_users=2] = get_attr[target=good]
    %bad : [num_users=1] = get_attr[target=bad]
    %outer : [num_users=1] = get_attr[target=outer]
    %call : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%good, good, %x), kwargs = {})
    %item : [num_users=1] = call_function[target=operator.getitem](args = (%call, 0), kwargs = {})  # f32[4, 8]
    %call_1 : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%bad, bad, %item), kwargs = {})
    %item_1 : [num_users=1] = call_function[target=operator.getitem](args = (%call_1, 0), kwargs = {})  # f32[4, 8]
    %call_2 : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%outer, outer, %item_1), kwargs = {})
    %item_2 : [num_users=1] = call_function[target=operator.getitem](args = (%call_2, 0), kwargs = {})  # f32[4, 8]
    %flat : [num_users=1] = call_module[target=flat](args = (%item_2,), kwargs = {})  # f32[4, 8]
    %call_3 : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%good, good, %flat), kwargs = {})  # tuple(f32[4, 8]) acc=0
    %item_3 : [num_users=1] = call_function[target=operator.getitem](args = (%call_3, 0), kwargs = {})  # f32[4, 8]
    return item_3
module good
graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[4, 8]
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%a, 3), kwargs = {})  # f32[4, 8]
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%mul,), kwargs = {})  # f32[4, 8] scope=blk.act
    return (relu,)
module bad
graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[4, 8]
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%a, 5), kwargs = {})  # f32[4, 8]
    %sort : [num_users=1] = call_function[target=torch.sort](args = (%mul,), kwargs = {})  # f32[4, 8]
    return (sort,)
module outer
graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[4, 8]
    %good : [num_users=1] = get_attr[target=good]
    %call : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%good, good, %a), kwargs = {})
    %item : [num_users=1] = call_function[target=operator.getitem](args = (%call, 0), kwargs = {})  # f32[4, 8]
    return (item,)
module flat
graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[4, 8]
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%a, 7), kwargs = {})  # f32[4, 8]
    return mul
