graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[2, 3]
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})  # f32[2, 3]
    %sin : [num_users=1] = call_function[target=torch.sin](args = (%x,), kwargs = {})  # f32[2, 3]
    %add : [num_users=1] = call_function[target=operator.add](args = (%relu, %sin), kwargs = {})  # f32[2, 3]
    return add
