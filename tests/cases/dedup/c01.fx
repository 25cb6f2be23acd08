graph():
    %l_x_ : [num_users=3] = placeholder[target=L_x_]  # f32[10, 10]
    %l_y_ : [num_users=3] = placeholder[target=L_y_]  # f32[10, 20]
    %x0 : [num_users=1] = call_function[target=operator.add](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %y0 : [num_users=1] = call_function[target=operator.add](args = (%l_y_, 2), kwargs = {})  # f32[10, 20] key=i2
    %sum_1 : [num_users=1] = call_method[target=sum](args = (%x0,), kwargs = {})  # f32[] key=i3
    %sum_2 : [num_users=1] = call_method[target=sum](args = (%y0,), kwargs = {})  # f32[] key=i4
    %z : [num_users=1] = call_function[target=operator.add](args = (%sum_1, %sum_2), kwargs = {})  # f32[] key=i5
    %o1 : [num_users=1] = call_function[target=torch.sin](args = (%l_y_,), kwargs = {})  # f32[10, 20] key=f1
    %x0_1 : [num_users=1] = call_function[target=operator.add](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %y0_1 : [num_users=1] = call_function[target=operator.add](args = (%o1, 2), kwargs = {})  # f32[10, 20] key=i2
    %sum_3 : [num_users=1] = call_method[target=sum](args = (%x0_1,), kwargs = {})  # f32[] key=i3
    %sum_4 : [num_users=1] = call_method[target=sum](args = (%y0_1,), kwargs = {})  # f32[] key=i4
    %z_1 : [num_users=1] = call_function[target=operator.add](args = (%sum_3, %sum_4), kwargs = {})  # f32[] key=i5
    %x0_2 : [num_users=1] = call_function[target=operator.add](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %y0_2 : [num_users=1] = call_function[target=operator.add](args = (%l_y_, 2), kwargs = {})  # f32[10, 20] key=i2
    %sum_5 : [num_users=1] = call_method[target=sum](args = (%x0_2,), kwargs = {})  # f32[] key=i3
    %sum_6 : [num_users=1] = call_method[target=sum](args = (%y0_2,), kwargs = {})  # f32[] key=i4
    %z_2 : [num_users=1] = call_function[target=operator.add](args = (%sum_5, %sum_6), kwargs = {})  # f32[] key=i5
    %o4 : [num_users=1] = call_function[target=operator.mul](args = (%z_2, %z_2), kwargs = {})  # f32[] key=f2
    %mul_1 : [num_users=1] = call_function[target=operator.mul](args = (%z_1, %o4), kwargs = {})  # f32[] key=f3
    %add_9 : [num_users=1] = call_function[target=operator.add](args = (%mul_1, %z), kwargs = {})  # f32[] key=f4
    return (add_9,)
