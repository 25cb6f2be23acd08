graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[4]
    %n : [num_users=1] = call_method[target=size](args = (%x,), kwargs = {})  # int acc=1
    %c : [num_users=1] = call_function[target=c](args = (%n,), kwargs = {})  # f32[4] acc=0
    %f : [num_users=1] = call_function[target=f](args = (%x, %c), kwargs = {})  # f32[4] acc=1
    %i : [num_users=1] = call_method[target=item](args = (%f,), kwargs = {})  # int acc=0
    %g : [num_users=1] = call_function[target=g](args = (%i,), kwargs = {})  # f32[4] acc=1
    return g
