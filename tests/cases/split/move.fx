graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[4]
    %r : [num_users=2] = call_function[target=r](args = (%x,), kwargs = {})  # f32[4] acc=1
    %s : [num_users=1] = call_function[target=s](args = (%r,), kwargs = {})  # int acc=1
    %c : [num_users=1] = call_function[target=c](args = (%r,), kwargs = {})  # f32[4]
    %g : [num_users=1] = call_function[target=g](args = (%s, %c), kwargs = {})  # f32[2] acc=1
    return g
