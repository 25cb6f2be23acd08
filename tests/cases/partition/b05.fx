graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[4]
    %b : [num_users=1] = placeholder[target=b]  # f32[4]
    %add : [num_users=1] = call_function[target=operator.add](args = (%a, %b), kwargs = {})  # f32[4]
    %linear : [num_users=1] = call_module[target=linear](args = (%add,), kwargs = {})  # f32[4] module=torch.nn.Linear params=80
    %c : [num_users=1] = get_attr[target=c]  # f32[4]
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%linear, %c), kwargs = {})  # f32[4]
    return add_1
