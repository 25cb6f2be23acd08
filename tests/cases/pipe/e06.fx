graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[5, 512]
    %mm_param : [num_users=1] = get_attr[target=mm_param]  # f32[512, 512]
    %mm : [num_users=2] = call_function[target=torch.mm](args = (%x, %mm_param), kwargs = {})  # f32[5, 512]
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%mm,), kwargs = {})  # f32[5, 512]
    %_pipe_split : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %mm_param_1 : [num_users=1] = get_attr[target=mm_param]  # f32[512, 512]
    %mm_1 : [num_users=1] = call_function[target=torch.mm](args = (%relu, %mm_param_1), kwargs = {})  # f32[5, 512]
    %lin_weight : [num_users=1] = get_attr[target=lin.weight]  # f32[512, 512]
    %lin_bias : [num_users=1] = get_attr[target=lin.bias]  # f32[512]
    %linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%mm_1, %lin_weight, %lin_bias), kwargs = {})  # f32[5, 512]
    %_pipe_split_1 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %relu_1 : [num_users=1] = call_function[target=torch.relu](args = (%linear,), kwargs = {})  # f32[5, 512]
    %add : [num_users=1] = call_function[target=operator.add](args = (%relu_1, %mm), kwargs = {})  # f32[5, 512]
    %mm_param2 : [num_users=1] = get_attr[target=mm_param2]  # f32[512, 512]
    %mm_2 : [num_users=1] = call_function[target=torch.mm](args = (%add, %mm_param2), kwargs = {})  # f32[5, 512]
    %lin_weight_1 : [num_users=1] = get_attr[target=lin.weight]  # f32[512, 512]
    %lin_bias_1 : [num_users=1] = get_attr[target=lin.bias]  # f32[512]
    %linear_1 : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%mm_2, %lin_weight_1, %lin_bias_1), kwargs = {})  # f32[5, 512]
    return (linear_1,)
