graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[]
    %sin : [num_users=1] = call_method[target=sin](args = (%x,), kwargs = {})
    %cos : [num_users=1] = call_method[target=cos](args = (%sin,), kwargs = {})
    %tanh : [num_users=1] = call_method[target=tanh](args = (%cos,), kwargs = {})
    return tanh
