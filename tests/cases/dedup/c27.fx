graph():
    %l_x_ : [num_users=2] = placeholder[target=l_x_]  # f32[10, 10]
    %l_y_ : [num_users=2] = placeholder[target=l_y_]  # f32[10, 10]
    %mx0 : [num_users=1] = call_function[target=operator.mul](args = (%l_x_, 2), kwargs = {})  # f32[10, 10]
    %my0 : [num_users=1] = call_function[target=operator.mul](args = (%l_y_, 2), kwargs = {})  # f32[10, 10]
    %o2 : [num_users=1] = call_function[target=operator.add](args = (%mx0, %my0), kwargs = {})  # f32[10, 10]
    %enter : [num_users=0] = call_function[target=torch.amp._enter_autocast](args = (), kwargs = {})  # none barrier=1
    %mx1 : [num_users=1] = call_function[target=operator.mul](args = (%l_x_, 2), kwargs = {})  # f32[10, 10]
    %my1 : [num_users=1] = call_function[target=operator.mul](args = (%l_y_, 2), kwargs = {})  # f32[10, 10]
    %o3 : [num_users=1] = call_function[target=operator.add](args = (%mx1, %my1), kwargs = {})  # f32[10, 10]
    %leave : [num_users=0] = call_function[target=torch.amp._exit_autocast](args = (), kwargs = {})  # none barrier=1
    %r : [num_users=1] = call_function[target=operator.sub](args = (%o2, %o3), kwargs = {})  # f32[10, 10]
    return (r,)
