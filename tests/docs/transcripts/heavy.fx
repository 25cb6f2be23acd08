graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[2]
    %a0 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[2] compute=1
    %a1 : [num_users=1] = call_function[target=f](args = (%a0,), kwargs = {})  # f32[2] compute=2
    %a2 : [num_users=1] = call_function[target=f](args = (%a1,), kwargs = {})  # f32[2] compute=3
    %a3 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[2] compute=4
    %a4 : [num_users=1] = call_function[target=f](args = (%a3,), kwargs = {})  # f32[2] compute=5
    %z : [num_users=1] = call_function[target=g](args = (%a2, %a4), kwargs = {})  # f32[2] compute=1
    return z
