graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[8]
    %unused : [num_users=0] = placeholder[target=unused]  # f32[8]
    %w : [num_users=3] = get_attr[target=w]  # f32[8]
    %a : [num_users=2] = call_function[target=f](args = (%x, %w), kwargs = {})  # f32[8] acc=1
    %size : [num_users=2] = call_function[target=g](args = (%a,), kwargs = {})  # int acc=1
    %b : [num_users=1] = call_function[target=h](args = (%a, %size), kwargs = {})  # f32[8]
    %c : [num_users=1] = call_module[target=m](args = (%b, %w), kwargs = {})  # f32[8] acc=1
    %d : [num_users=1] = call_function[target=h](args = (%c,), kwargs = {})  # f32[8]
    %e : [num_users=1] = call_function[target=f](args = (%d, %x), kwargs = {})  # f32[8] acc=1 group=1
    %k : [num_users=1] = call_function[target=h](args = (%e,), kwargs = {})  # f32[8] group=1
    return (k, size, w)
