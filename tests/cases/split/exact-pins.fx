graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[4]
    %a0 : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})  # f32[4] acc=1
    %c0 : [num_users=1] = call_function[target=torch.sort](args = (%a0,), kwargs = {})  # f32[4] acc=0
    %a1 : [num_users=1] = call_function[target=torch.relu](args = (%c0,), kwargs = {})  # f32[4] acc=1
    %a2 : [num_users=1] = call_function[target=torch.relu](args = (%a1,), kwargs = {})  # f32[4] acc=1
    %b0 : [num_users=1] = call_function[target=torch.tanh](args = (%x,), kwargs = {})  # f32[4] acc=1
    %b1 : [num_users=1] = call_function[target=torch.tanh](args = (%b0,), kwargs = {})  # f32[4] acc=1
    %b2 : [num_users=1] = call_function[target=torch.tanh](args = (%b1,), kwargs = {})  # f32[4] acc=1
    %a3 : [num_users=1] = call_function[target=torch.add](args = (%a2, %b2), kwargs = {})  # f32[4] acc=1
    return a3
