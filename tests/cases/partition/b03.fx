graph():
    %a : [num_users=2] = placeholder[target=a]  # f32[4]
    %linear : [num_users=1] = call_module[target=linear](args = (%a,), kwargs = {})  # f32[4] module=torch.nn.Linear params=80
    %add : [num_users=1] = call_function[target=operator.add](args = (%linear, %a), kwargs = {})  # f32[4]
    return add
