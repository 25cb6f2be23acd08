graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[8]
    %a : [num_users=1] = call_function[target=g](args = (%x,), kwargs = {})  # f32[8]
    %shape : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # int acc=1
    %b : [num_users=1] = call_function[target=f](args = (%x, %shape), kwargs = {})  # f32[8] acc=1
    %h1 : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # f32[8] acc=1 group=7
    %h2 : [num_users=1] = call_function[target=f](args = (%h1,), kwargs = {})  # f32[8] acc=1 group=7
    return h2
