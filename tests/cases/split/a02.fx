graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[1, 1, 1, 1]
    %a : [num_users=1] = get_attr[target=a]  # f32[1, 1, 1, 1]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %a), kwargs = {})  # f32[1, 1, 1, 1]
    %conv_weight : [num_users=1] = get_attr[target=conv.weight]  # f32[1, 1, 1, 1]
    %conv_bias : [num_users=1] = get_attr[target=conv.bias]  # f32[1]
    %conv2d : [num_users=1] = call_function[target=torch.conv2d](args = (%add, %conv_weight, %conv_bias), kwargs = {})  # f32[1, 1, 1, 1]
    %b : [num_users=1] = get_attr[target=b]  # f32[1, 1, 1, 1]
    %sub : [num_users=1] = call_function[target=operator.sub](args = (%conv2d, %b), kwargs = {})  # f32[1, 1, 1, 1]
    %linear_weight : [num_users=1] = get_attr[target=linear.weight]  # f32[1, 1]
    %linear_bias : [num_users=1] = get_attr[target=linear.bias]  # f32[1]
    %linear : [num_users=1] = call_function[target=torch.nn.functional.linear](args = (%sub, %linear_weight, %linear_bias), kwargs = {})  # f32[1, 1, 1, 1]
    return linear
