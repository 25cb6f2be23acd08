graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[4]
    %b : [num_users=1] = placeholder[target=b]  # f32[4]
    %add : [num_users=1] = call_function[target=operator.add](args = (%a, %b), kwargs = {})  # f32[4]
    return add
