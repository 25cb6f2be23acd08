graph():
    %l_x_ : [num_users=1] = placeholder[target=l_x_]  # f32[10, 10]
    %x0 : [num_users=1] = call_function[target=operator.add](args = (%l_x_, 2), kwargs = {})  # f32[10, 10]
    %o : [num_users=1] = call_function[target=operator.mul](args = (%x0, 7), kwargs = {})  # f32[10, 10]
    %o_1 : [num_users=1] = call_function[target=operator.iadd](args = (%o, 1), kwargs = {})  # f32[10, 10] mutates=0
    %o_2 : [num_users=1] = call_function[target=operator.iadd](args = (%o_1, 2), kwargs = {})  # f32[10, 10] mutates=0
    %o_3 : [num_users=1] = call_function[target=torch.cos](args = (%o_2,), kwargs = {})  # f32[10, 10]
    %o_4 : [num_users=1] = call_function[target=operator.mul](args = (%o_3, 7), kwargs = {})  # f32[10, 10]
    %o_5 : [num_users=1] = call_function[target=operator.iadd](args = (%o_4, 1), kwargs = {})  # f32[10, 10] mutates=0
    %o_6 : [num_users=1] = call_function[target=operator.iadd](args = (%o_5, 2), kwargs = {})  # f32[10, 10] mutates=0
    %sin : [num_users=1] = call_function[target=torch.sin](args = (%o_6,), kwargs = {})  # f32[10, 10]
    return (sin,)
