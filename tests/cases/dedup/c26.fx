module main
graph():
    %l_x_ : [num_users=3] = placeholder[target=l_x_]
    %l_y_ : [num_users=2] = placeholder[target=l_y_]
    %subgraph_0 : [num_users=2] = get_attr[target=subgraph_0]
    %x0 : [num_users=1] = call_method[target=view](args = (%l_x_, (10, 10)), kwargs = {})
    %o0 : [num_users=1] = call_method[target=view](args = (%x0, (10, 10)), kwargs = {})
    %x0_1 : [num_users=1] = call_method[target=view](args = (%l_x_, (10, 10)), kwargs = {})
    %o1 : [num_users=1] = call_method[target=view](args = (%x0_1, (10, 10)), kwargs = {})
    %add_2 : [num_users=1] = call_function[target=operator.add](args = (%o0, %o1), kwargs = {})
    %invoke_subgraph : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%subgraph_0, subgraph_0, %add_4, %l_y_), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%invoke_subgraph, 0), kwargs = {})
    %sum_5 : [num_users=1] = call_method[target=sum](args = (%getitem,), kwargs = {})
    %add_3 : [num_users=1] = call_function[target=operator.add](args = (%add_2, %sum_5), kwargs = {})
    %invoke_subgraph_1 : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%subgraph_0, subgraph_0, %l_x_, %l_y_), kwargs = {})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%invoke_subgraph_1, 0), kwargs = {})
    %sum_6 : [num_users=1] = call_method[target=sum](args = (%getitem_1,), kwargs = {})
    %add_4 : [num_users=2] = call_function[target=operator.sub](args = (%add_3, %sum_6), kwargs = {})
    return (add_4,)
module subgraph_0
graph():
    %subgraph_input_l_x_ : [num_users=1] = placeholder[target=subgraph_input_l_x_]
    %subgraph_input_l_y_ : [num_users=1] = placeholder[target=subgraph_input_l_y_]
    %mx0 : [num_users=1] = call_function[target=operator.mul](args = (%subgraph_input_l_x_, 2), kwargs = {})
    %my0 : [num_users=1] = call_function[target=operator.mul](args = (%subgraph_input_l_y_, 2), kwargs = {})
    %sx0 : [num_users=1] = call_method[target=sum](args = (%mx0,), kwargs = {})
    %sy0 : [num_users=1] = call_method[target=sum](args = (%my0,), kwargs = {})
    %o2 : [num_users=1] = call_function[target=operator.add](args = (%sx0, %sy0), kwargs = {})
    return (o2,)
