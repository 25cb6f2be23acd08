graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[4]
    %b : [num_users=1] = placeholder[target=b]  # f32[4]
    %add : [num_users=1] = call_function[target=operator.add](args = (%a, %b), kwargs = {})  # f32[4]
    %_tensor_constant0 : [num_users=1] = get_attr[target=_tensor_constant0]  # f32[4]
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%add, %_tensor_constant0), kwargs = {})  # f32[4]
    %_tensor_constant1 : [num_users=1] = get_attr[target=_tensor_constant1]  # f32[4]
    %add_2 : [num_users=1] = call_function[target=operator.add](args = (%add_1, %_tensor_constant1), kwargs = {})  # f32[4]
    return add_2
