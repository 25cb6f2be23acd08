graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[4]
    %s : [num_users=3] = get_attr[target=s]  # f32[4] storage=1
    %a : [num_users=1] = call_function[target=f](args = (%s, %x), kwargs = {})  # f32[4]
    %w : [num_users=0] = call_function[target=g](args = (%s, %a), kwargs = {})  # none mutates=0
    %e : [num_users=0] = call_function[target=h](args = (), kwargs = {})  # none barrier=1
    %b : [num_users=1] = call_function[target=f](args = (%s, %x), kwargs = {})  # f32[4] acc=1
    return b
