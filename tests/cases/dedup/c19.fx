graph():
    %l_x_ : [num_users=4] = placeholder[target=l_x_]  # f32[10, 10]
    %l_y_ : [num_users=2] = placeholder[target=l_y_]  # f32[10, 10]
    %x0 : [num_users=1] = call_method[target=view](args = (%l_x_, (10, 10)), kwargs = {})  # f32[10, 10] alias=0
    %o0 : [num_users=1] = call_method[target=view](args = (%x0, (10, 10)), kwargs = {})  # f32[10, 10] alias=0
    %x0_1 : [num_users=1] = call_method[target=view](args = (%l_x_, (10, 10)), kwargs = {})  # f32[10, 10] alias=0
    %o1 : [num_users=1] = call_method[target=view](args = (%x0_1, (10, 10)), kwargs = {})  # f32[10, 10] alias=0
    %mx0 : [num_users=1] = call_function[target=operator.mul](args = (%l_x_, 2), kwargs = {})  # f32[10, 10]
    %my0 : [num_users=1] = call_function[target=operator.mul](args = (%l_y_, 2), kwargs = {})  # f32[10, 10]
    %sx0 : [num_users=1] = call_method[target=sum](args = (%mx0,), kwargs = {})  # f32[]
    %sy0 : [num_users=1] = call_method[target=sum](args = (%my0,), kwargs = {})  # f32[]
    %o2 : [num_users=1] = call_function[target=operator.add](args = (%sx0, %sy0), kwargs = {})  # f32[]
    %mx1 : [num_users=1] = call_function[target=operator.mul](args = (%l_x_, 2), kwargs = {})  # f32[10, 10]
    %my1 : [num_users=1] = call_function[target=operator.mul](args = (%l_y_, 2), kwargs = {})  # f32[10, 10]
    %sx1 : [num_users=1] = call_method[target=sum](args = (%mx1,), kwargs = {})  # f32[]
    %sy1 : [num_users=1] = call_method[target=sum](args = (%my1,), kwargs = {})  # f32[]
    %o3 : [num_users=1] = call_function[target=operator.add](args = (%sx1, %sy1), kwargs = {})  # f32[]
    %add_2 : [num_users=1] = call_function[target=operator.add](args = (%o0, %o1), kwargs = {})  # f32[10, 10]
    %sum_5 : [num_users=1] = call_method[target=sum](args = (%o2,), kwargs = {})  # f32[] key=u
    %add_3 : [num_users=1] = call_function[target=operator.add](args = (%add_2, %sum_5), kwargs = {})  # f32[10, 10]
    %sum_6 : [num_users=1] = call_method[target=sum](args = (%o3,), kwargs = {})  # f32[] key=v
    %add_4 : [num_users=1] = call_function[target=operator.sub](args = (%add_3, %sum_6), kwargs = {})  # f32[10, 10]
    return (add_4,)
