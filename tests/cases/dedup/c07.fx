graph():
    %l_x_ : [num_users=4] = placeholder[target=l_x_]  # f32[10, 10]
    %l_y_ : [num_users=4] = placeholder[target=l_y_]  # f32[10, 20]
    %a : [num_users=1] = call_function[target=operator.mul](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %b : [num_users=1] = call_function[target=operator.add](args = (%l_y_, 1), kwargs = {})  # f32[10, 20] key=i2
    %s : [num_users=1] = call_method[target=sum](args = (%b,), kwargs = {})  # f32[] key=i3
    %o0 : [num_users=1] = call_function[target=operator.add](args = (%a, %s), kwargs = {})  # f32[10, 10] key=i4
    %a_1 : [num_users=1] = call_function[target=operator.mul](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %b_1 : [num_users=1] = call_function[target=operator.add](args = (%l_y_, 1), kwargs = {})  # f32[10, 20] key=i2
    %s_1 : [num_users=1] = call_method[target=sum](args = (%b_1,), kwargs = {})  # f32[] key=i3
    %o1 : [num_users=1] = call_function[target=operator.add](args = (%a_1, %s_1), kwargs = {})  # f32[10, 10] key=i4
    %a_2 : [num_users=1] = call_function[target=operator.mul](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1 state=no_grad
    %b_2 : [num_users=1] = call_function[target=operator.add](args = (%l_y_, 1), kwargs = {})  # f32[10, 20] key=i2 state=no_grad
    %s_2 : [num_users=1] = call_method[target=sum](args = (%b_2,), kwargs = {})  # f32[] key=i3 state=no_grad
    %o2 : [num_users=1] = call_function[target=operator.add](args = (%a_2, %s_2), kwargs = {})  # f32[10, 10] key=i4 state=no_grad
    %a_3 : [num_users=1] = call_function[target=operator.mul](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1 state=no_grad
    %b_3 : [num_users=1] = call_function[target=operator.add](args = (%l_y_, 1), kwargs = {})  # f32[10, 20] key=i2 state=no_grad
    %s_3 : [num_users=1] = call_method[target=sum](args = (%b_3,), kwargs = {})  # f32[] key=i3 state=no_grad
    %o3 : [num_users=1] = call_function[target=operator.add](args = (%a_3, %s_3), kwargs = {})  # f32[10, 10] key=i4 state=no_grad
    return (o0, o1, o2, o3)
