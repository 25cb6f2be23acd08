graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[]
    %_kwargs : [num_users=1] = placeholder[target=**kwargs]
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%_kwargs, 'foo'), kwargs = {})
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %getitem), kwargs = {})
    return add
