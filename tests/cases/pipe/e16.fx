graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 8]
    %f_l : [num_users=1] = call_module[target=f.submod.l](args = (%x,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %add : [num_users=1] = call_function[target=operator.add](args = (%f_l, 5), kwargs = {})  # f32[4, 8] scope=f.submod
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%add,), kwargs = {})  # f32[4, 8] scope=b
    return relu
