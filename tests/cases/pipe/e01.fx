graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[256, 512]
    %y : [num_users=1] = placeholder[target=y]  # f32[256, 512]
    %mm_param1 : [num_users=1] = get_attr[target=mm_param1]  # f32[512, 512]
    %mm : [num_users=2] = call_function[target=torch.ops.aten.mm.default](args = (%x, %mm_param1), kwargs = {})  # f32[256, 512]
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mm, %y), kwargs = {})  # f32[256, 512]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%add,), kwargs = {})  # f32[256, 512]
    %_pipe_split : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %mm_param1_1 : [num_users=1] = get_attr[target=mm_param1]  # f32[512, 512]
    %mm_1 : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%relu, %mm_param1_1), kwargs = {})  # f32[256, 512]
    %lin1_weight : [num_users=1] = get_attr[target=lin1.weight]  # f32[512, 512]
    %lin1_bias : [num_users=1] = get_attr[target=lin1.bias]  # f32[512]
    %linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%mm_1, %lin1_weight, %lin1_bias), kwargs = {})  # f32[256, 512]
    %_pipe_split_1 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %relu_1 : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%linear,), kwargs = {})  # f32[256, 512]
    %add_1 : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%relu_1, %mm), kwargs = {})  # f32[256, 512]
    %mm_param2 : [num_users=1] = get_attr[target=mm_param2]  # f32[512, 512]
    %mm_2 : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%add_1, %mm_param2), kwargs = {})  # f32[256, 512]
    %_pipe_split_2 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %lin2_weight : [num_users=1] = get_attr[target=lin2.weight]  # f32[512, 512]
    %lin2_bias : [num_users=1] = get_attr[target=lin2.bias]  # f32[512]
    %linear_1 : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%mm_2, %lin2_weight, %lin2_bias), kwargs = {})  # f32[256, 512]
    %relu_2 : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%linear_1,), kwargs = {})  # f32[256, 512]
    return (relu_2,)
