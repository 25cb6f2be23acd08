graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[2, 4]
    %w : [num_users=1] = get_attr[target=w]
    %a : [num_users=1] = call_function[target=operator.add](args = (%x, %w), kwargs = {})  # f32[2, 4]
    %b : [num_users=1] = call_function[target=torch.relu](args = (%a,), kwargs = {})
    return b
