graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[8]
    %size : [num_users=2] = call_function[target=g](args = (%x,), kwargs = {})  # int acc=1
    %b : [num_users=1] = call_function[target=h](args = (%x, %size), kwargs = {})  # f32[8]
    return (b, size)
