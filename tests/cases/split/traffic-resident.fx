graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[4]
    %a0 : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})  # f32[4] acc=1
    %a1 : [num_users=2] = call_function[target=torch.relu](args = (%a0,), kwargs = {})  # f32[4] acc=1
    %c0 : [num_users=1] = call_function[target=torch.sort](args = (%a1,), kwargs = {})  # f32[4] acc=0
    %a2 : [num_users=1] = call_function[target=torch.relu](args = (%c0,), kwargs = {})  # f32[4] acc=1
    %c1 : [num_users=1] = call_function[target=torch.sort](args = (%a2,), kwargs = {})  # f32[4] acc=0
    %b0 : [num_users=1] = call_function[target=torch.tanh](args = (%x,), kwargs = {})  # f32[64] acc=1
    %b1 : [num_users=1] = call_function[target=torch.tanh](args = (%b0,), kwargs = {})  # f32[8] acc=1
    %a3 : [num_users=1] = call_function[target=torch.cat](args = (%c1, %b1, %a1), kwargs = {})  # f32[16] acc=1
    return a3
