graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[]
    %sin : [num_users=1] = call_method[target=sin](args = (%x,), kwargs = {})
    %cos : [num_users=1] = call_method[target=cos](args = (%x,), kwargs = {})
    %tanh : [num_users=1] = call_method[target=tanh](args = (%cos,), kwargs = {})
    %add : [num_users=1] = call_function[target=operator.add](args = (%sin, %tanh), kwargs = {})
    return add
