graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[8]
    %a : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[8] acc=2
    return a
