graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 8]
    %p : [num_users=1] = get_attr[target=shared.param]  # f32[8, 8]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %p), kwargs = {})  # f32[4, 8]
    %mark1 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %p_1 : [num_users=1] = get_attr[target=shared.param]  # f32[8, 8]
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%add, %p_1), kwargs = {})  # f32[4, 8]
    %mark2 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%add_1,), kwargs = {})  # f32[4, 8]
    return relu
