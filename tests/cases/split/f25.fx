graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %w : [num_users=2] = get_attr[target=blk.w]  # f32[4]
    %y : [num_users=2] = placeholder[target=y]  # f32[4]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %w), kwargs = {})  # f32[4]
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%w, %y), kwargs = {other: %add})  # f32[4]
    return (mul, y)
