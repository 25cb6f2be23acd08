graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[1, 3, 8, 8]
    %w : [num_users=1] = get_attr[target=blk.w]  # f32[8, 3] storage=s1
    %conv1 : [num_users=2] = call_module[target=conv1](args = (%x,), kwargs = {})  # f32[1, 8, 8, 8] module=torch.nn.Conv2d params=896 acc=1 scope=net.block
    %size : [num_users=1] = call_method[target=size](args = (%conv1, 0), kwargs = {})  # int acc=1
    %split : [num_users=1] = call_function[target=torch.split](args = (%conv1, 4), kwargs = {dim: 1})  # tuple(f32[1, 4, 8, 8], f32[1, 4, 8, 8])
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%split, 0), kwargs = {w: %w})  # f32[1, 4, 8, 8] mem=1e-06 compute=2.5e-05
    return (getitem, size)
