graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %one : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] mem=1 compute=2
    %two : [num_users=1] = call_function[target=f](args = (%one,), kwargs = {})  # f32[4] mem=2 compute=1
    return two
