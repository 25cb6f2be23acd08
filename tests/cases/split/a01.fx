graph():
    %a : [num_users=2] = placeholder[target=a]  # f32[2, 3]
    %sin : [num_users=1] = call_function[target=torch.sin](args = (%a,), kwargs = {})  # f32[2, 3]
    %cos : [num_users=1] = call_function[target=torch.cos](args = (%a,), kwargs = {})  # f32[2, 3]
    %add : [num_users=1] = call_function[target=operator.add](args = (%sin, %cos), kwargs = {})  # f32[2, 3]
    return add
