graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[4]
    %c0 : [num_users=1] = call_function[target=torch.sort](args = (%x,), kwargs = {})  # f32[4] acc=0
    %a0 : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})  # f32[4] acc=1
    %c1 : [num_users=1] = call_function[target=torch.sort](args = (%a0,), kwargs = {})  # f32[4] acc=0
    %a1 : [num_users=1] = call_function[target=torch.add](args = (%c1, %c0), kwargs = {})  # f32[4] acc=1
    return a1
