graph():
    %l_x_ : [num_users=4] = placeholder[target=l_x_]  # f32[10, 10]
    %l_y_ : [num_users=3] = placeholder[target=l_y_]  # f32[10, 20]
    %x0 : [num_users=2] = call_function[target=torch.cos](args = (%l_x_,), kwargs = {})  # f32[10, 10]
    %y0 : [num_users=3] = call_function[target=torch.sin](args = (%l_y_,), kwargs = {})  # f32[10, 20]
    %a : [num_users=1] = call_function[target=operator.add](args = (%x0, 1), kwargs = {})  # f32[10, 10] key=j1
    %b : [num_users=1] = call_function[target=operator.add](args = (%y0, 2), kwargs = {})  # f32[10, 20] key=j2
    %cos_1 : [num_users=1] = call_function[target=torch.cos](args = (%b,), kwargs = {})  # f32[10, 20] key=j3
    %sum_1 : [num_users=1] = call_method[target=sum](args = (%cos_1,), kwargs = {})  # f32[] key=j4
    %c : [num_users=0] = call_function[target=operator.add](args = (%a, %sum_1), kwargs = {})  # f32[10, 10] key=j5
    %x1 : [num_users=1] = call_function[target=operator.add](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %y1 : [num_users=1] = call_function[target=operator.add](args = (%l_y_, 2), kwargs = {})  # f32[10, 20] key=i2
    %sum_2 : [num_users=1] = call_method[target=sum](args = (%x1,), kwargs = {})  # f32[] key=i3
    %sum_3 : [num_users=1] = call_method[target=sum](args = (%y1,), kwargs = {})  # f32[] key=i4
    %z : [num_users=1] = call_function[target=operator.add](args = (%sum_2, %sum_3), kwargs = {})  # f32[] key=i5
    %o1 : [num_users=1] = call_function[target=torch.sin](args = (%z,), kwargs = {})  # f32[]
    %x1_1 : [num_users=1] = call_function[target=operator.add](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %y1_1 : [num_users=1] = call_function[target=operator.add](args = (%y0, 2), kwargs = {})  # f32[10, 20] key=i2
    %sum_4 : [num_users=1] = call_method[target=sum](args = (%x1_1,), kwargs = {})  # f32[] key=i3
    %sum_5 : [num_users=1] = call_method[target=sum](args = (%y1_1,), kwargs = {})  # f32[] key=i4
    %z_1 : [num_users=1] = call_function[target=operator.add](args = (%sum_4, %sum_5), kwargs = {})  # f32[] key=i5
    %m0 : [num_users=1] = call_function[target=operator.mul](args = (%o1, %z_1), kwargs = {})  # f32[]
    %x1_2 : [num_users=1] = call_function[target=operator.add](args = (%l_x_, 1), kwargs = {})  # f32[10, 10] key=i1
    %y1_2 : [num_users=1] = call_function[target=operator.add](args = (%l_y_, 2), kwargs = {})  # f32[10, 20] key=i2
    %sum_7 : [num_users=1] = call_method[target=sum](args = (%x1_2,), kwargs = {})  # f32[] key=i3
    %sum_8 : [num_users=1] = call_method[target=sum](args = (%y1_2,), kwargs = {})  # f32[] key=i4
    %z_2 : [num_users=1] = call_function[target=operator.add](args = (%sum_7, %sum_8), kwargs = {})  # f32[] key=i5
    %a_1 : [num_users=1] = call_function[target=operator.add](args = (%x0, 1), kwargs = {})  # f32[10, 10] key=j1
    %b_1 : [num_users=1] = call_function[target=operator.add](args = (%y0, 2), kwargs = {})  # f32[10, 20] key=j2
    %cos_2 : [num_users=1] = call_function[target=torch.cos](args = (%b_1,), kwargs = {})  # f32[10, 20] key=j3
    %sum_6 : [num_users=1] = call_method[target=sum](args = (%cos_2,), kwargs = {})  # f32[] key=j4
    %c_1 : [num_users=1] = call_function[target=operator.add](args = (%a_1, %sum_6), kwargs = {})  # f32[10, 10] key=j5
    %m : [num_users=1] = call_function[target=operator.mul](args = (%m0, %c_1), kwargs = {})  # f32[10, 10]
    %n : [num_users=1] = call_function[target=operator.add](args = (%m, %z_2), kwargs = {})  # f32[10, 10]
    return (n,)
