graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 8]
    %y : [num_users=1] = placeholder[target=y]  # f32[4, 8]
    %p0 : [num_users=1] = get_attr[target=mm_param0]  # f32[8, 8] storage=a
    %mm : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%x, %p0), kwargs = {})  # f32[4, 8]
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mm, %y), kwargs = {})  # f32[4, 8]
    %w0 : [num_users=1] = get_attr[target=lin0.weight]  # f32[8, 8] storage=b
    %b0 : [num_users=1] = get_attr[target=lin0.bias]  # f32[8] storage=c
    %linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%add, %w0, %b0), kwargs = {})  # f32[4, 8]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%linear,), kwargs = {})  # f32[4, 8]
    %mark1 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %p1 : [num_users=1] = get_attr[target=mm_param1]  # f32[8, 8] storage=a
    %mm_1 : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%relu, %p1), kwargs = {})  # f32[4, 8]
    %w1 : [num_users=1] = get_attr[target=lin1.weight]  # f32[8, 8] storage=b
    %b1 : [num_users=1] = get_attr[target=lin1.bias]  # f32[8] storage=c
    %linear_1 : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%mm_1, %w1, %b1), kwargs = {})  # f32[4, 8]
    %relu_1 : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%linear_1,), kwargs = {})  # f32[4, 8]
    return (relu_1,)
