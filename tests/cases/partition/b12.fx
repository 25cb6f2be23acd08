graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[4]
    %b : [num_users=1] = get_attr[target=b]  # f32[4]
    %add : [num_users=2] = call_function[target=operator.add](args = (%a, %b), kwargs = {})  # f32[4] mem=16.0 compute=1.0
    %c : [num_users=1] = get_attr[target=c]  # f32[4]
    %add_1 : [num_users=2] = call_function[target=operator.add](args = (%add, %c), kwargs = {})  # f32[4] mem=16.0 compute=1.0
    %linear : [num_users=1] = call_module[target=linear](args = (%add,), kwargs = {})  # f32[4] module=torch.nn.Linear params=80 mem=96.0 compute=16.0
    %add_2 : [num_users=1] = call_function[target=operator.add](args = (%add_1, %linear), kwargs = {})  # f32[4] mem=16.0 compute=1.0
    %d : [num_users=1] = get_attr[target=d]  # f32[4]
    %add_3 : [num_users=2] = call_function[target=operator.add](args = (%add_1, %d), kwargs = {})  # f32[4] mem=16.0 compute=1.0
    %add_4 : [num_users=0] = call_function[target=operator.add](args = (%add_2, %add_3), kwargs = {})  # f32[4] mem=16.0 compute=1.0
    return add_3
