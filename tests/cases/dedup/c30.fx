graph():
    %l_x_ : [num_users=4] = placeholder[target=l_x_]  # f32[10, 10]
    %l_y_ : [num_users=4] = placeholder[target=l_y_]  # f32[5, 10]
    %split0 : [num_users=2] = call_function[target=torch.split](args = (%l_x_, 5), kwargs = {})  # tuple(f32[5, 10], f32[5, 10]) key=s0
    %x0_0 : [num_users=1] = call_function[target=operator.getitem](args = (%split0, 0), kwargs = {})  # f32[5, 10]
    %x1_0 : [num_users=1] = call_function[target=operator.getitem](args = (%split0, 1), kwargs = {})  # f32[5, 10]
    %add0 : [num_users=1] = call_function[target=operator.add](args = (%x0_0, %x1_0), kwargs = {})  # f32[5, 10] key=add
    %o0 : [num_users=1] = call_function[target=operator.add](args = (%add0, %l_y_), kwargs = {})  # f32[5, 10] key=o
    %s0 : [num_users=1] = call_method[target=sum](args = (%o0,), kwargs = {})  # f32[] key=sum0
    %split1 : [num_users=2] = call_function[target=torch.split](args = (%l_x_, 5), kwargs = {})  # tuple(f32[5, 10], f32[5, 10]) key=s1
    %x0_1 : [num_users=1] = call_function[target=operator.getitem](args = (%split1, 0), kwargs = {})  # f32[5, 10]
    %x1_1 : [num_users=1] = call_function[target=operator.getitem](args = (%split1, 1), kwargs = {})  # f32[5, 10]
    %add1 : [num_users=1] = call_function[target=operator.add](args = (%x0_1, %x1_1), kwargs = {})  # f32[5, 10] key=add
    %o1 : [num_users=1] = call_function[target=operator.add](args = (%add1, %l_y_), kwargs = {})  # f32[5, 10] key=o
    %s1 : [num_users=1] = call_method[target=sum](args = (%o1,), kwargs = {})  # f32[] key=sum1
    %split2 : [num_users=2] = call_function[target=torch.split](args = (%l_x_, 5), kwargs = {})  # tuple(f32[5, 10], f32[5, 10]) key=s2
    %x0_2 : [num_users=1] = call_function[target=operator.getitem](args = (%split2, 0), kwargs = {})  # f32[5, 10]
    %x1_2 : [num_users=1] = call_function[target=operator.getitem](args = (%split2, 1), kwargs = {})  # f32[5, 10]
    %add2 : [num_users=1] = call_function[target=operator.add](args = (%x0_2, %x1_2), kwargs = {})  # f32[5, 10] key=add
    %o2 : [num_users=1] = call_function[target=operator.add](args = (%add2, %l_y_), kwargs = {})  # f32[5, 10] key=o
    %s2 : [num_users=1] = call_method[target=sum](args = (%o2,), kwargs = {})  # f32[] key=sum2
    %split3 : [num_users=2] = call_function[target=torch.split](args = (%l_x_, 5), kwargs = {})  # tuple(f32[5, 10], f32[5, 10]) key=s3
    %x0_3 : [num_users=1] = call_function[target=operator.getitem](args = (%split3, 0), kwargs = {})  # f32[5, 10]
    %x1_3 : [num_users=1] = call_function[target=operator.getitem](args = (%split3, 1), kwargs = {})  # f32[5, 10]
    %add3 : [num_users=1] = call_function[target=operator.add](args = (%x0_3, %x1_3), kwargs = {})  # f32[5, 10] key=add
    %o3 : [num_users=1] = call_function[target=operator.add](args = (%add3, %l_y_), kwargs = {})  # f32[5, 10] key=o
    %s3 : [num_users=1] = call_method[target=sum](args = (%o3,), kwargs = {})  # f32[] key=sum3
    return (s0, s1, s2, s3)
