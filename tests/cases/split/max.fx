graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=sin](args = (%x,), kwargs = {})  # f32[4] acc=1
    %b : [num_users=1] = call_function[target=cos](args = (%a,), kwargs = {})  # f32[4] acc=1 group=g
    %c : [num_users=1] = call_function[target=tan](args = (%b,), kwargs = {})  # f32[4] acc=1 group=g
    %d : [num_users=1] = call_function[target=sin](args = (%c,), kwargs = {})  # f32[4] acc=1 group=g
    %e : [num_users=1] = call_function[target=cos](args = (%d,), kwargs = {})  # f32[4] acc=1
    %f : [num_users=1] = call_function[target=tan](args = (%e,), kwargs = {})  # f32[4] acc=1
    %h : [num_users=1] = call_function[target=tan](args = (%f,), kwargs = {})  # f32[4] acc=1
    return h
