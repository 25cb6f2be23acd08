graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[]
    %mm_param : [num_users=1] = get_attr[target=mm_param]
    %mm : [num_users=1] = call_function[target=torch.mm](args = (%x, %mm_param), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%mm,), kwargs = {})
    %mm_param_1 : [num_users=1] = get_attr[target=mm_param]
    %mm_1 : [num_users=1] = call_function[target=torch.mm](args = (%relu, %mm_param_1), kwargs = {})
    %lin : [num_users=1] = call_module[target=lin](args = (%mm_1,), kwargs = {})  # module=torch.nn.Linear
    %relu_1 : [num_users=1] = call_function[target=torch.relu](args = (%lin,), kwargs = {})
    %mm_param2 : [num_users=1] = get_attr[target=mm_param2]
    %mm_2 : [num_users=1] = call_function[target=torch.mm](args = (%relu_1, %mm_param2), kwargs = {})
    %lin_1 : [num_users=1] = call_module[target=lin](args = (%mm_2,), kwargs = {})  # module=torch.nn.Linear
    return lin_1
