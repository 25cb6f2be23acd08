graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[5, 5]
    %nest_param : [num_users=1] = get_attr[target=nest.param]  # f32[5, 5]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %nest_param), kwargs = {})  # f32[5, 5]
    %_pipe_split : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %nest_param_1 : [num_users=1] = get_attr[target=nest.param]  # f32[5, 5]
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%add, %nest_param_1), kwargs = {})  # f32[5, 5]
    return (add_1,)
