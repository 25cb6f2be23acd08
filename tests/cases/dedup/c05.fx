graph():
    %l_x_ : [num_users=1] = placeholder[target=l_x_]  # f32[10, 10]
    %l_y_ : [num_users=1] = placeholder[target=l_y_]  # f32[10, 20]
    %x0 : [num_users=5] = call_function[target=torch.sin](args = (%l_x_,), kwargs = {})  # f32[10, 10] key=f6
    %y0 : [num_users=5] = call_function[target=torch.cos](args = (%l_y_,), kwargs = {})  # f32[10, 20] key=f7
    %a : [num_users=1] = call_function[target=operator.mul](args = (%x0, 1), kwargs = {})  # f32[10, 10] key=i1
    %b : [num_users=1] = call_function[target=operator.add](args = (%y0, 1), kwargs = {})  # f32[10, 20] key=i2
    %s : [num_users=1] = call_method[target=sum](args = (%b,), kwargs = {})  # f32[] key=i3
    %o0 : [num_users=1] = call_function[target=operator.add](args = (%a, %s), kwargs = {})  # f32[10, 10] key=i4
    %xb : [num_users=1] = call_method[target=to](args = (%x0, torch.bfloat16), kwargs = {})  # bf16[10, 10] key=f8
    %yb : [num_users=1] = call_method[target=to](args = (%y0, torch.bfloat16), kwargs = {})  # bf16[10, 20] key=f9
    %a_1 : [num_users=1] = call_function[target=operator.mul](args = (%xb, 1), kwargs = {})  # bf16[10, 10] key=i1
    %b_1 : [num_users=1] = call_function[target=operator.add](args = (%yb, 1), kwargs = {})  # bf16[10, 20] key=i2
    %s_1 : [num_users=1] = call_method[target=sum](args = (%b_1,), kwargs = {})  # bf16[] key=i3
    %o1 : [num_users=1] = call_function[target=operator.add](args = (%a_1, %s_1), kwargs = {})  # bf16[10, 10] key=i4
    %a_2 : [num_users=1] = call_function[target=operator.mul](args = (%x0, 1), kwargs = {})  # f32[10, 10] key=i1
    %b_2 : [num_users=1] = call_function[target=operator.add](args = (%y0, 1), kwargs = {})  # f32[10, 20] key=i2
    %s_2 : [num_users=1] = call_method[target=sum](args = (%b_2,), kwargs = {})  # f32[] key=i3
    %o2 : [num_users=1] = call_function[target=operator.add](args = (%a_2, %s_2), kwargs = {})  # f32[10, 10] key=i4
    %o3 : [num_users=1] = call_function[target=operator.add](args = (%o1, %o2), kwargs = {})  # f32[10, 10] key=f10
    %a_3 : [num_users=1] = call_function[target=operator.mul](args = (%x0, 1), kwargs = {})  # f32[10, 10] key=i1
    %b_3 : [num_users=1] = call_function[target=operator.add](args = (%y0, 1), kwargs = {})  # f32[10, 20] key=i2
    %s_3 : [num_users=1] = call_method[target=sum](args = (%b_3,), kwargs = {})  # f32[] key=i3
    %o4 : [num_users=1] = call_function[target=operator.add](args = (%a_3, %s_3), kwargs = {})  # f32[10, 10] key=i4
    %a_4 : [num_users=1] = call_function[target=operator.mul](args = (%x0, 1), kwargs = {})  # f32[10, 10] key=i1
    %b_4 : [num_users=1] = call_function[target=operator.add](args = (%y0, 1), kwargs = {})  # f32[10, 20] key=i2
    %s_4 : [num_users=1] = call_method[target=sum](args = (%b_4,), kwargs = {})  # f32[] key=i3
    %o5 : [num_users=1] = call_function[target=operator.add](args = (%a_4, %s_4), kwargs = {})  # f32[10, 10] key=i4
    %p : [num_users=1] = call_function[target=operator.mul](args = (%o3, %o0), kwargs = {})  # f32[10, 10] key=f11
    %q : [num_users=1] = call_function[target=operator.add](args = (%p, %o4), kwargs = {})  # f32[10, 10] key=f12
    %r : [num_users=1] = call_function[target=operator.add](args = (%q, %o5), kwargs = {})  # f32[10, 10] key=f13
    return (r,)
