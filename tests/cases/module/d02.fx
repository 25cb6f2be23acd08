graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[]
    %a0 : [num_users=1] = placeholder[target=a0]  # f32[]
    %a1 : [num_users=1] = placeholder[target=a1]  # f32[]
    %b0 : [num_users=1] = placeholder[target=b0]  # f32[]
    %b1 : [num_users=1] = placeholder[target=b1]  # f32[]
    %c0 : [num_users=1] = placeholder[target=c0]  # f32[]
    %c1 : [num_users=1] = placeholder[target=c1]  # f32[]
    %pow_1 : [num_users=1] = call_function[target=operator.pow](args = (%a0, 2), kwargs = {})
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %pow_1), kwargs = {})
    %truediv : [num_users=1] = call_function[target=operator.truediv](args = (%a1, 2), kwargs = {})
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%add, %truediv), kwargs = {})
    %pow_2 : [num_users=1] = call_function[target=operator.pow](args = (%b0, 2), kwargs = {})
    %add_2 : [num_users=1] = call_function[target=operator.add](args = (%add_1, %pow_2), kwargs = {})
    %truediv_1 : [num_users=1] = call_function[target=operator.truediv](args = (%b1, 2), kwargs = {})
    %add_3 : [num_users=1] = call_function[target=operator.add](args = (%add_2, %truediv_1), kwargs = {})
    %pow_3 : [num_users=1] = call_function[target=operator.pow](args = (%c0, 2), kwargs = {})
    %add_4 : [num_users=1] = call_function[target=operator.add](args = (%add_3, %pow_3), kwargs = {})
    %truediv_2 : [num_users=1] = call_function[target=operator.truediv](args = (%c1, 2), kwargs = {})
    %add_5 : [num_users=1] = call_function[target=operator.add](args = (%add_4, %truediv_2), kwargs = {})
    return add_5
