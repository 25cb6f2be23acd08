graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[]
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%x, 2), kwargs = {})
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, 2), kwargs = {})
    return mul
