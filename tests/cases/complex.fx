graph():
    %a : [num_users=3] = placeholder[target=a]  # f32[2, 3]
    %sin : [num_users=1] = call_function[target=torch.sin](args = (%a,), kwargs = {})  # f32[2, 3]
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%a,), kwargs = {})  # f32[2, 3]
    %cos : [num_users=1] = call_function[target=torch.cos](args = (%a,), kwargs = {})  # f32[2, 3]
    %add : [num_users=1] = call_function[target=operator.add](args = (%sin, %relu), kwargs = {})  # f32[2, 3]
    %sub : [num_users=1] = call_function[target=operator.sub](args = (%add, %cos), kwargs = {})  # f32[2, 3]
    return sub
