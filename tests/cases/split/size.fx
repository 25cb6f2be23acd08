graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[2, 3]
    %relu : [num_users=2] = call_function[target=torch.relu](args = (%x,), kwargs = {})  # f32[2, 3]
    %size : [num_users=1] = call_method[target=size](args = (%relu,), kwargs = {})  # tuple
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%size, 0), kwargs = {})  # int
    %cos : [num_users=1] = call_function[target=torch.cos](args = (%relu,), kwargs = {})  # f32[2, 3]
    %add : [num_users=1] = call_function[target=operator.add](args = (%getitem, %cos), kwargs = {})  # f32[2, 3]
    %sigmoid : [num_users=1] = call_function[target=torch.sigmoid](args = (%add,), kwargs = {})  # f32[2, 3]
    return sigmoid
