graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[256, 512]
    %mm_param : [num_users=1] = get_attr[target=mm_param]  # f32[512, 512]
    %mm : [num_users=2] = call_function[target=torch.mm](args = (%x, %mm_param), kwargs = {})  # f32[256, 512]
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%mm,), kwargs = {})  # f32[256, 512]
    %mm_param_1 : [num_users=1] = get_attr[target=mm_param]  # f32[512, 512]
    %mm_1 : [num_users=1] = call_function[target=torch.mm](args = (%relu, %mm_param_1), kwargs = {})  # f32[256, 512]
    %buffer : [num_users=1] = get_attr[target=buffer]  # f32[603, 512]
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%buffer, slice(None, 256, None)), kwargs = {})  # f32[256, 512]
    %add : [num_users=1] = call_function[target=operator.add](args = (%mm_1, %getitem), kwargs = {})  # f32[256, 512]
    %lin : [num_users=1] = call_module[target=lin](args = (%add,), kwargs = {})  # f32[256, 512] module=torch.nn.Linear params=1050624
    %relu_1 : [num_users=1] = call_function[target=torch.relu](args = (%lin,), kwargs = {})  # f32[256, 512]
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%relu_1, %mm), kwargs = {})  # f32[256, 512]
    %mm_param2 : [num_users=1] = get_attr[target=mm_param2]  # f32[512, 512]
    %mm_2 : [num_users=1] = call_function[target=torch.mm](args = (%add_1, %mm_param2), kwargs = {})  # f32[256, 512]
    %lin_1 : [num_users=1] = call_module[target=lin](args = (%mm_2,), kwargs = {})  # f32[256, 512] module=torch.nn.Linear params=1050624
    %relu_2 : [num_users=1] = call_function[target=torch.relu](args = (%lin_1,), kwargs = {})  # f32[256, 512]
    return relu_2
