module main
graph():
    %subgraph_0 : [num_users=3] = get_attr[target=subgraph_0]
    %l_x_ : [num_users=3] = placeholder[target=L_x_]  # f32[10, 10]
    %l_y_ : [num_users=3] = placeholder[target=L_y_]  # f32[10, 20]
    %o1 : [num_users=1] = call_function[target=torch.sin](args = (%l_y_,), kwargs = {})  # f32[10, 20] key=f1
    %invoke_subgraph : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%subgraph_0, subgraph_0, %l_x_, %l_y_), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%invoke_subgraph, 0), kwargs = {})  # f32[]
    %invoke_subgraph_1 : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%subgraph_0, subgraph_0, %l_x_, %o1), kwargs = {})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%invoke_subgraph_1, 0), kwargs = {})  # f32[]
    %invoke_subgraph_2 : [num_users=1] = call_function[target=torch.ops.higher_order.invoke_subgraph](args = (%subgraph_0, subgraph_0, %l_x_, %l_y_), kwargs = {})
    %getitem_2 : [num_users=1] = call_function[target=operator.getitem](args = (%invoke_subgraph_2, 0), kwargs = {})  # f32[]
    %o4 : [num_users=1] = call_function[target=operator.mul](args = (%getitem_2, %getitem_2), kwargs = {})  # f32[] key=f2
    %mul_1 : [num_users=1] = call_function[target=operator.mul](args = (%getitem_1, %o4), kwargs = {})  # f32[] key=f3
    %add_9 : [num_users=1] = call_function[target=operator.add](args = (%mul_1, %getitem), kwargs = {})  # f32[] key=f4
    return (add_9,)
module subgraph_0
graph():
    %subgraph_input_l_x_ : [num_users=1] = placeholder[target=subgraph_input_l_x_]  # f32[10, 10]
    %subgraph_input_l_y_ : [num_users=1] = placeholder[target=subgraph_input_l_y_]  # f32[10, 20]
    %x0 : [num_users=1] = call_function[target=operator.add](args = (%subgraph_input_l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %y0 : [num_users=1] = call_function[target=operator.add](args = (%subgraph_input_l_y_, 2), kwargs = {})  # f32[10, 20] key=i2
    %sum_1 : [num_users=1] = call_method[target=sum](args = (%x0,), kwargs = {})  # f32[] key=i3
    %sum_2 : [num_users=1] = call_method[target=sum](args = (%y0,), kwargs = {})  # f32[] key=i4
    %z : [num_users=1] = call_function[target=operator.add](args = (%sum_1, %sum_2), kwargs = {})  # f32[] key=i5
    return (z,)
