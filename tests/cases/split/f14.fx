graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %m : [num_users=1] = call_module[target=a.m](args = (%x,), kwargs = {})  # f32[4] module=torch.nn.ReLU
    %m_1 : [num_users=1] = call_module[target=b.m](args = (%m,), kwargs = {})  # f32[4] module=torch.nn.Tanh
    return m_1
