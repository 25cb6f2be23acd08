graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[3, 4]
    %y : [num_users=1] = placeholder[target=y]  # f32[3, 4]
    %param : [num_users=1] = get_attr[target=param]  # f32[3, 4]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %param), kwargs = {})  # f32[3, 4]
    %linear : [num_users=1] = call_module[target=linear](args = (%add,), kwargs = {})  # f32[3, 5] module=torch.nn.Linear params=100
    %clamp : [num_users=1] = call_method[target=clamp](args = (%linear,), kwargs = {min: 0.0, max: 1.0})  # f32[3, 5]
    %linear_1 : [num_users=1] = call_module[target=linear](args = (%y,), kwargs = {})  # f32[3, 5] module=torch.nn.Linear params=100
    %clamp_1 : [num_users=1] = call_method[target=clamp](args = (%linear_1,), kwargs = {min: 0.0, max: 1.0})  # f32[3, 5]
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%clamp, %clamp_1), kwargs = {})  # f32[3, 5]
    return add_1
