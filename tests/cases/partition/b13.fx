graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[1]
    %b : [num_users=1] = placeholder[target=b]  # f32[1]
    %unused : [num_users=0] = placeholder[target=unused]  # f32[100]
    %add : [num_users=1] = call_function[target=operator.add](args = (%a, %b), kwargs = {})  # f32[1]
    return add
