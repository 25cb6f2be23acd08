graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[1]
    %p : [num_users=1] = get_attr[target=p]  # i8[60]
    %q : [num_users=1] = get_attr[target=q]  # i8[40]
    %r : [num_users=1] = get_attr[target=r]  # i8[60]
    %s : [num_users=1] = get_attr[target=s]  # i8[10]
    %n0 : [num_users=1] = call_function[target=f](args = (%x, %p), kwargs = {})  # f32[1]
    %n1 : [num_users=1] = call_function[target=f](args = (%n0,), kwargs = {})  # f32[1]
    %n2 : [num_users=1] = call_function[target=f](args = (%n1, %q), kwargs = {})  # f32[1]
    %n3 : [num_users=1] = call_function[target=f](args = (%n2, %r), kwargs = {})  # f32[1]
    %n4 : [num_users=1] = call_function[target=f](args = (%n3,), kwargs = {})  # f32[1]
    %n5 : [num_users=1] = call_function[target=f](args = (%n4, %s), kwargs = {})  # f32[1]
    return n5
