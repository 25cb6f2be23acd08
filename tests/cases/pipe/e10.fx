graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[5, 50]
    %target : [num_users=1] = placeholder[target=target]  # f32[5, 50]
    %linear_weight : [num_users=1] = get_attr[target=linear.weight]  # f32[50, 50]
    %linear_bias : [num_users=1] = get_attr[target=linear.bias]  # f32[50]
    %linear : [num_users=2] = call_function[target=torch.nn.functional.linear](args = (%x, %linear_weight, %linear_bias), kwargs = {})  # f32[5, 50]
    %_pipe_split : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%linear,), kwargs = {})  # f32[5, 50]
    %_pipe_split_1 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %sigmoid : [num_users=1] = call_function[target=torch.sigmoid](args = (%linear,), kwargs = {})  # f32[5, 50]
    %_pipe_split_2 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %add : [num_users=1] = call_function[target=operator.add](args = (%relu, %sigmoid), kwargs = {})  # f32[5, 50]
    %mse_loss : [num_users=1] = call_function[target=torch.nn.functional.mse_loss](args = (%add, %target), kwargs = {})  # f32[]
    return (mse_loss,)
