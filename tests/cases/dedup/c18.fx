graph():
    %l_x_ : [num_users=1] = placeholder[target=l_x_]  # f32[10, 10]
    %l_y_ : [num_users=4] = placeholder[target=l_y_]  # f32[10, 10]
    %x0 : [num_users=4] = call_function[target=torch.sin](args = (%l_x_,), kwargs = {})  # f32[10, 10]
    %a0 : [num_users=1] = call_function[target=operator.add](args = (%x0, 1), kwargs = {})  # f32[10, 10]
    %b0 : [num_users=1] = call_function[target=operator.add](args = (%l_y_, 1), kwargs = {})  # f32[10, 10]
    %add__0 : [num_users=0] = call_method[target=add_](args = (%x0, %a0), kwargs = {})  # f32[10, 10] mutates=0
    %add__1 : [num_users=0] = call_method[target=add_](args = (%l_y_, %b0), kwargs = {})  # f32[10, 10] mutates=0
    %s0 : [num_users=1] = call_method[target=sum](args = (%x0,), kwargs = {})  # f32[]
    %t0 : [num_users=1] = call_method[target=sum](args = (%l_y_,), kwargs = {})  # f32[]
    %o2 : [num_users=1] = call_function[target=operator.add](args = (%s0, %t0), kwargs = {})  # f32[]
    %clone : [num_users=3] = call_method[target=clone](args = (%x0,), kwargs = {})  # f32[10, 10]
    %clone_1 : [num_users=3] = call_method[target=clone](args = (%l_y_,), kwargs = {})  # f32[10, 10]
    %a1 : [num_users=1] = call_function[target=operator.add](args = (%clone, 1), kwargs = {})  # f32[10, 10]
    %b1 : [num_users=1] = call_function[target=operator.add](args = (%clone_1, 1), kwargs = {})  # f32[10, 10]
    %add__2 : [num_users=0] = call_method[target=add_](args = (%clone, %a1), kwargs = {})  # f32[10, 10] mutates=0
    %add__3 : [num_users=0] = call_method[target=add_](args = (%clone_1, %b1), kwargs = {})  # f32[10, 10] mutates=0
    %s1 : [num_users=1] = call_method[target=sum](args = (%clone,), kwargs = {})  # f32[]
    %t1 : [num_users=1] = call_method[target=sum](args = (%clone_1,), kwargs = {})  # f32[]
    %o3 : [num_users=1] = call_function[target=operator.add](args = (%s1, %t1), kwargs = {})  # f32[]
    %r : [num_users=1] = call_function[target=operator.add](args = (%o2, %o3), kwargs = {})  # f32[] key=r
    return (r,)
