graph():
    %w0 : [num_users=2] = get_attr[target=p.w0]  # f32[10, 10]
    %v0 : [num_users=2] = get_attr[target=p.v0]  # f32[10, 10]
    %a0 : [num_users=1] = call_function[target=operator.add](args = (%w0, %v0), kwargs = {})  # f32[10, 10] key=a
    %b0 : [num_users=1] = call_function[target=operator.add](args = (%a0, %v0), kwargs = {})  # f32[10, 10] key=b
    %c0 : [num_users=1] = call_function[target=operator.add](args = (%b0, %w0), kwargs = {})  # f32[10, 10] key=c
    %w1 : [num_users=2] = get_attr[target=p.w1]  # f32[10, 10]
    %v1 : [num_users=2] = get_attr[target=p.v1]  # f32[10, 10]
    %a1 : [num_users=1] = call_function[target=operator.add](args = (%w1, %v1), kwargs = {})  # f32[10, 10] key=a
    %b1 : [num_users=1] = call_function[target=operator.add](args = (%a1, %v1), kwargs = {})  # f32[10, 10] key=b
    %c1 : [num_users=1] = call_function[target=operator.add](args = (%b1, %w1), kwargs = {})  # f32[10, 10] key=c
    %w2 : [num_users=2] = get_attr[target=p.w2]  # f32[10, 10]
    %v2 : [num_users=2] = get_attr[target=p.v2]  # f32[10, 10]
    %a2 : [num_users=1] = call_function[target=operator.add](args = (%w2, %v2), kwargs = {})  # f32[10, 10] key=a
    %b2 : [num_users=1] = call_function[target=operator.add](args = (%a2, %v2), kwargs = {})  # f32[10, 10] key=b
    %c2 : [num_users=1] = call_function[target=operator.add](args = (%b2, %w2), kwargs = {})  # f32[10, 10] key=c
    %t : [num_users=1] = call_function[target=torch.stack](args = ([%c0, %c1, %c2],), kwargs = {})  # f32[10, 10]
    return (t,)
