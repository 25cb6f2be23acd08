graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[1, 416, 416, 3]
    %a0_0 : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})  # f32[1, 26, 26, 8] acc=1 cpu=0.04 compute=0.0399
    %a0_1 : [num_users=1] = call_function[target=torch.relu](args = (%a0_0,), kwargs = {})  # f32[1, 26, 26, 8] acc=1 cpu=0.04 compute=0.0399
    %c0 : [num_users=1] = call_function[target=torch.sort](args = (%a0_1,), kwargs = {})  # f32[1, 26, 26, 8] acc=0
    %a1_0 : [num_users=1] = call_function[target=torch.relu](args = (%c0,), kwargs = {})  # f32[1, 26, 26, 16] acc=1 cpu=0.04 compute=0.0399
    %a1_1 : [num_users=1] = call_function[target=torch.relu](args = (%a1_0,), kwargs = {})  # f32[1, 26, 26, 16] acc=1 cpu=0.04 compute=0.0399
    %a1_2 : [num_users=1] = call_function[target=torch.relu](args = (%a1_1,), kwargs = {})  # f32[1, 26, 26, 16] acc=1 cpu=0.04 compute=0.0399
    %c1 : [num_users=1] = call_function[target=torch.sort](args = (%a1_2,), kwargs = {})  # f32[1, 26, 26, 16] acc=0
    %a2_0 : [num_users=1] = call_function[target=torch.relu](args = (%c1,), kwargs = {})  # f32[1, 26, 26, 24] acc=1 cpu=0.09 compute=0.0225
    %a2_1 : [num_users=1] = call_function[target=torch.relu](args = (%a2_0,), kwargs = {})  # f32[1, 26, 26, 24] acc=1 cpu=0.09 compute=0.0225
    %a2_2 : [num_users=1] = call_function[target=torch.relu](args = (%a2_1,), kwargs = {})  # f32[1, 26, 26, 24] acc=1 cpu=0.09 compute=0.0225
    %a2_3 : [num_users=1] = call_function[target=torch.relu](args = (%a2_2,), kwargs = {})  # f32[1, 26, 26, 24] acc=1 cpu=0.09 compute=0.0225
    %c2 : [num_users=1] = call_function[target=torch.sort](args = (%a2_3,), kwargs = {})  # f32[1, 26, 26, 24] acc=0
    %a3_0 : [num_users=1] = call_function[target=torch.relu](args = (%c2,), kwargs = {})  # f32[1, 26, 26, 32] acc=1 cpu=0.04 compute=0.0399
    %a3_1 : [num_users=1] = call_function[target=torch.relu](args = (%a3_0,), kwargs = {})  # f32[1, 26, 26, 32] acc=1 cpu=0.04 compute=0.0399
    %a3_2 : [num_users=1] = call_function[target=torch.relu](args = (%a3_1,), kwargs = {})  # f32[1, 26, 26, 32] acc=1 cpu=0.04 compute=0.0399
    %a3_3 : [num_users=1] = call_function[target=torch.relu](args = (%a3_2,), kwargs = {})  # f32[1, 26, 26, 32] acc=1 cpu=0.04 compute=0.0399
    %a3_4 : [num_users=1] = call_function[target=torch.relu](args = (%a3_3,), kwargs = {})  # f32[1, 26, 26, 32] acc=1 cpu=0.04 compute=0.0399
    %a3_5 : [num_users=1] = call_function[target=torch.relu](args = (%a3_4,), kwargs = {})  # f32[1, 26, 26, 32] acc=1 cpu=0.04 compute=0.0399
    %a3_6 : [num_users=1] = call_function[target=torch.relu](args = (%a3_5,), kwargs = {})  # f32[1, 26, 26, 32] acc=1 cpu=0.04 compute=0.0399
    %c3 : [num_users=1] = call_function[target=torch.sort](args = (%a3_6,), kwargs = {})  # f32[1, 26, 26, 32] acc=0
    %a4_0 : [num_users=1] = call_function[target=torch.relu](args = (%c3,), kwargs = {})  # f32[1, 26, 26, 40] acc=1 cpu=0.04 compute=0.0399
    %a4_1 : [num_users=1] = call_function[target=torch.relu](args = (%a4_0,), kwargs = {})  # f32[1, 26, 26, 40] acc=1 cpu=0.04 compute=0.0399
    %c4 : [num_users=1] = call_function[target=torch.sort](args = (%a4_1,), kwargs = {})  # f32[1, 26, 26, 40] acc=0
    %a5_0 : [num_users=1] = call_function[target=torch.relu](args = (%c4,), kwargs = {})  # f32[1, 26, 26, 48] acc=1 cpu=0.04 compute=0.0399
    %c5 : [num_users=1] = call_function[target=torch.sort](args = (%a5_0,), kwargs = {})  # f32[1, 26, 26, 48] acc=0
    %a6_0 : [num_users=1] = call_function[target=torch.relu](args = (%c5,), kwargs = {})  # f32[1, 26, 26, 56] acc=1 cpu=0.04 compute=0.0399
    %c6 : [num_users=1] = call_function[target=torch.sort](args = (%a6_0,), kwargs = {})  # f32[1, 26, 26, 56] acc=0
    return c6
