graph():
    %a : [num_users=1] = get_attr[target=a]  # f32[2, 3]
    %add : [num_users=1] = call_function[target=operator.add](args = (%a, %a), kwargs = {})  # f32[2, 3]
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%add, %add), kwargs = {})  # f32[2, 3]
    return add_1
