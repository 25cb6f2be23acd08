graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[1, 3, 8, 8]
    %w : [num_users=1] = get_attr[target=blk.w]  # f32[8, 3]
    %n : [num_users=1] = placeholder[target=n]  # int
    %conv1 : [num_users=2] = call_module[target=conv1](args = (%x,), kwargs = {})  # f32[1, 8, 8, 8] module=torch.nn.Conv2d params=896
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%conv1,), kwargs = {})  # f32[1, 8, 8, 8]
    %sort : [num_users=1] = call_method[target=sort](args = (%conv1, %n), kwargs = {dim: %n})  # f32[1, 8, 8, 8]
    %mul : [num_users=1] = call_function[target=torch.mul](args = (%relu, %sort), kwargs = {})  # f32[1, 8, 8, 8]
    %mm : [num_users=1] = call_function[target=torch.matmul](args = (%mul, %w), kwargs = {out: %x})  # f32[1, 8]
    return mm
