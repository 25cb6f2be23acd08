graph():
    %l_x_ : [num_users=2] = placeholder[target=l_x_]  # f32[10, 10]
    %l_y_ : [num_users=0] = placeholder[target=l_y_]  # f32[10, 20]
    %a : [num_users=1] = call_function[target=torch.sin](args = (%l_x_,), kwargs = {})  # f32[10, 10] key=k1
    %b : [num_users=1] = call_function[target=torch.cos](args = (%l_x_,), kwargs = {})  # f32[10, 10] key=k2
    %z : [num_users=2] = call_function[target=operator.sub](args = (%a, %b), kwargs = {})  # f32[10, 10] key=k3
    %b_1 : [num_users=1] = call_function[target=torch.cos](args = (%z,), kwargs = {})  # f32[10, 10] key=k2
    %a_1 : [num_users=1] = call_function[target=torch.sin](args = (%z,), kwargs = {})  # f32[10, 10] key=k1
    %z_1 : [num_users=1] = call_function[target=operator.sub](args = (%a_1, %b_1), kwargs = {})  # f32[10, 10] key=k3
    return (z_1,)
