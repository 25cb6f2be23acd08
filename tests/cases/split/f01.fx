graph():
    %x : [num_users=4] = placeholder[target=x]  # f32[4, 4]
    %size : [num_users=2] = call_method[target=size](args = (%x, 0), kwargs = {})  # int
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %size), kwargs = {})  # f32[4, 4]
    %size_1 : [num_users=2] = call_method[target=size](args = (%x, 1), kwargs = {})  # int
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%x, %size_1), kwargs = {})  # f32[4, 4]
    %add_2 : [num_users=2] = call_function[target=operator.add](args = (%add, %add_1), kwargs = {})  # f32[4, 4]
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%add_2, %size), kwargs = {})  # f32[4, 4]
    %mul_1 : [num_users=1] = call_function[target=operator.mul](args = (%add_2, %size_1), kwargs = {})  # f32[4, 4]
    return (mul, mul_1)
