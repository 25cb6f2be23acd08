graph():
    %p0 : [num_users=1] = placeholder[target=p0]  # f32[10, 10]
    %p1 : [num_users=1] = placeholder[target=p1]  # f32[10, 10]
    %p2 : [num_users=1] = placeholder[target=p2]  # f32[10, 10]
    %p3 : [num_users=1] = placeholder[target=p3]  # f32[10, 10]
    %p4 : [num_users=1] = placeholder[target=p4]  # f32[10, 10]
    %p5 : [num_users=1] = placeholder[target=p5]  # f32[10, 10]
    %a0 : [num_users=1] = call_function[target=operator.add](args = (%p0, %p0), kwargs = {})  # f32[10, 10]
    %a2_0 : [num_users=1] = call_function[target=operator.add](args = (%a0, 1), kwargs = {})  # f32[10, 10]
    %b0 : [num_users=1] = call_function[target=operator.add](args = (%p1, %p1), kwargs = {})  # f32[10, 10]
    %b2_0 : [num_users=1] = call_function[target=operator.add](args = (%b0, 1), kwargs = {})  # f32[10, 10]
    %r0 : [num_users=1] = call_function[target=tuple_return](args = (%a2_0, %b2_0), kwargs = {})  # tuple(f32[10, 10], f32[10, 10])
    %a1 : [num_users=1] = call_function[target=operator.add](args = (%p2, %p2), kwargs = {})  # f32[10, 10]
    %a2_1 : [num_users=1] = call_function[target=operator.add](args = (%a1, 1), kwargs = {})  # f32[10, 10]
    %b1 : [num_users=1] = call_function[target=operator.add](args = (%p3, %p3), kwargs = {})  # f32[10, 10]
    %b2_1 : [num_users=1] = call_function[target=operator.add](args = (%b1, 1), kwargs = {})  # f32[10, 10]
    %r1 : [num_users=1] = call_function[target=tuple_return](args = (%a2_1, %b2_1), kwargs = {})  # tuple(f32[10, 10], f32[10, 10])
    %a2 : [num_users=1] = call_function[target=operator.add](args = (%p4, %p4), kwargs = {})  # f32[10, 10]
    %a2_2 : [num_users=1] = call_function[target=operator.add](args = (%a2, 1), kwargs = {})  # f32[10, 10]
    %b2 : [num_users=1] = call_function[target=operator.add](args = (%p5, %p5), kwargs = {})  # f32[10, 10]
    %b2_2 : [num_users=1] = call_function[target=operator.add](args = (%b2, 1), kwargs = {})  # f32[10, 10]
    %r2 : [num_users=1] = call_function[target=tuple_return](args = (%a2_2, %b2_2), kwargs = {})  # tuple(f32[10, 10], f32[10, 10])
    return (r0, r1, r2)
