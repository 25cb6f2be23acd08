graph():
    %l_x_ : [num_users=2] = placeholder[target=l_x_]  # f32[10, 10]
    %l_y_ : [num_users=1] = placeholder[target=l_y_]  # f32[10, 20]
    %x0 : [num_users=1] = call_function[target=operator.add](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %y0 : [num_users=1] = call_function[target=operator.add](args = (%l_y_, 2), kwargs = {})  # f32[10, 20] key=i2
    %sum_1 : [num_users=1] = call_method[target=sum](args = (%x0,), kwargs = {})  # f32[] key=i3
    %sum_2 : [num_users=1] = call_method[target=sum](args = (%y0,), kwargs = {})  # f32[] key=i4
    %z : [num_users=1] = call_function[target=operator.add](args = (%sum_1, %sum_2), kwargs = {})  # f32[] key=i5
    %x0_1 : [num_users=1] = call_function[target=operator.add](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %y0_1 : [num_users=1] = call_function[target=operator.add](args = (%z, 2), kwargs = {})  # f32[] key=i2
    %sum_3 : [num_users=1] = call_method[target=sum](args = (%x0_1,), kwargs = {})  # f32[] key=i3
    %sum_4 : [num_users=1] = call_method[target=sum](args = (%y0_1,), kwargs = {})  # f32[] key=i4
    %z_1 : [num_users=1] = call_function[target=operator.add](args = (%sum_3, %sum_4), kwargs = {})  # f32[] key=i5
    return (z_1,)
