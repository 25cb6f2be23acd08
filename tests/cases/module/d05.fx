graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[]
    %y : [num_users=1] = placeholder[target=y]  # f32[]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %y), kwargs = {})
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%add, %x), kwargs = {})
    return mul
