graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[]
    %b : [num_users=1] = placeholder[target=b]  # f32[]
    %c : [num_users=1] = placeholder[target=c]  # f32[]
    %d : [num_users=1] = placeholder[target=d]  # f32[]
    %add : [num_users=1] = call_function[target=operator.add](args = (%a, %b), kwargs = {})
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%add, %c), kwargs = {})
    %linear : [num_users=1] = call_module[target=linear](args = (%add,), kwargs = {})  # module=torch.nn.Linear
    %add_2 : [num_users=1] = call_function[target=operator.add](args = (%add_1, %d), kwargs = {})
    %add_3 : [num_users=1] = call_function[target=operator.add](args = (%add_1, %linear), kwargs = {})
    %add_4 : [num_users=1] = call_function[target=operator.add](args = (%add_2, %add_3), kwargs = {})
    return add_4
