graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 8]
    %mark1 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %p : [num_users=1] = get_attr[target=p]  # f32[8, 8]
    %unused : [num_users=0] = get_attr[target=unused]  # f32[8, 8]
    %add : [num_users=1] = call_function[target=torch.add](args = (%x, %p), kwargs = {})  # f32[4, 8]
    %mark2 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %mark3 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%add,), kwargs = {})  # f32[4, 8]
    %mark4 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    return (relu,)
