graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[4]
    %_tensor_constant0 : [num_users=1] = get_attr[target=_tensor_constant0]  # f32[4]
    %add : [num_users=2] = call_function[target=operator.add](args = (%a, %_tensor_constant0), kwargs = {})  # f32[4] mem=16.0 compute=1.0
    %_tensor_constant1 : [num_users=1] = get_attr[target=_tensor_constant1]  # f32[4]
    %add_1 : [num_users=2] = call_function[target=operator.add](args = (%add, %_tensor_constant1), kwargs = {})  # f32[4] mem=16.0 compute=1.0
    %linear : [num_users=1] = call_module[target=linear](args = (%add,), kwargs = {})  # f32[4] module=torch.nn.Linear params=80 mem=96.0 compute=16.0
    %_tensor_constant2 : [num_users=1] = get_attr[target=_tensor_constant2]  # f32[4]
    %add_2 : [num_users=1] = call_function[target=operator.add](args = (%add_1, %_tensor_constant2), kwargs = {})  # f32[4] mem=16.0 compute=1.0
    %add_3 : [num_users=1] = call_function[target=operator.add](args = (%add_1, %linear), kwargs = {})  # f32[4] mem=16.0 compute=1.0
    %add_4 : [num_users=1] = call_function[target=operator.add](args = (%add_2, %add_3), kwargs = {})  # f32[4] mem=16.0 compute=1.0
    return add_4
