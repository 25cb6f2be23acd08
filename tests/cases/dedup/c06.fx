graph():
    %x0 : [num_users=4] = placeholder[target=x0]  # f32[10, 10]
    %y0 : [num_users=4] = placeholder[target=y0]  # f32[10, 10]
    %z0 : [num_users=4] = placeholder[target=z0]  # f32[10, 10]
    %f0 : [num_users=2] = call_function[target=torch._foreach_add](args = ([%x0, %z0], [%x0, %y0]), kwargs = {})  # tuple(f32[10, 10], f32[10, 10])
    %g0 : [num_users=1] = call_function[target=operator.getitem](args = (%f0, 0), kwargs = {})  # f32[10, 10]
    %h0 : [num_users=1] = call_function[target=operator.getitem](args = (%f0, 1), kwargs = {})  # f32[10, 10]
    %s0 : [num_users=1] = call_method[target=sum](args = (%h0,), kwargs = {})  # f32[]
    %o0 : [num_users=1] = call_function[target=operator.add](args = (%g0, %s0), kwargs = {})  # f32[10, 10]
    %f1 : [num_users=2] = call_function[target=torch._foreach_add](args = ([%x0, %z0], [%x0, %y0]), kwargs = {})  # tuple(f32[10, 10], f32[10, 10])
    %g1 : [num_users=1] = call_function[target=operator.getitem](args = (%f1, 0), kwargs = {})  # f32[10, 10]
    %h1 : [num_users=1] = call_function[target=operator.getitem](args = (%f1, 1), kwargs = {})  # f32[10, 10]
    %s1 : [num_users=1] = call_method[target=sum](args = (%h1,), kwargs = {})  # f32[]
    %o1 : [num_users=1] = call_function[target=operator.add](args = (%g1, %s1), kwargs = {})  # f32[10, 10]
    %f2 : [num_users=2] = call_function[target=torch._foreach_add](args = ([%x0, %z0], [%x0, %y0]), kwargs = {})  # tuple(f32[10, 10], f32[10, 10])
    %g2 : [num_users=1] = call_function[target=operator.getitem](args = (%f2, 0), kwargs = {})  # f32[10, 10]
    %h2 : [num_users=1] = call_function[target=operator.getitem](args = (%f2, 1), kwargs = {})  # f32[10, 10]
    %s2 : [num_users=1] = call_method[target=sum](args = (%h2,), kwargs = {})  # f32[]
    %o2 : [num_users=1] = call_function[target=operator.add](args = (%g2, %s2), kwargs = {})  # f32[10, 10]
    %f3 : [num_users=2] = call_function[target=torch._foreach_add](args = ([%x0, %z0], [%x0, %y0]), kwargs = {})  # tuple(f32[10, 10], f32[10, 10])
    %g3 : [num_users=1] = call_function[target=operator.getitem](args = (%f3, 0), kwargs = {})  # f32[10, 10]
    %h3 : [num_users=1] = call_function[target=operator.getitem](args = (%f3, 1), kwargs = {})  # f32[10, 10]
    %s3 : [num_users=1] = call_method[target=sum](args = (%h3,), kwargs = {})  # f32[]
    %o3 : [num_users=1] = call_function[target=operator.add](args = (%g3, %s3), kwargs = {})  # f32[10, 10]
    %t : [num_users=1] = call_function[target=torch.stack](args = ([%o0, %o1, %o2, %o3],), kwargs = {})  # f32[10, 10]
    return (t,)
