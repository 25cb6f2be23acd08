graph():
    %p : [num_users=4] = placeholder[target=p]  # f32[4]
    %q : [num_users=6] = placeholder[target=q]  # f32[4]
    %r : [num_users=4] = placeholder[target=r]  # f32[4]
    %a0 : [num_users=1] = call_function[target=torch.sin](args = (%p,), kwargs = {})  # f32[4]
    %a1 : [num_users=1] = call_function[target=torch.sin](args = (%q,), kwargs = {})  # f32[4]
    %w0 : [num_users=0] = call_method[target=add_](args = (%p, 1), kwargs = {})  # f32[4] mutates=0
    %w1 : [num_users=0] = call_method[target=mul_](args = (%q, 2), kwargs = {})  # f32[4] mutates=0
    %b0 : [num_users=1] = call_function[target=operator.mul](args = (%a0, %q), kwargs = {})  # f32[4]
    %b1 : [num_users=1] = call_function[target=operator.mul](args = (%a1, %p), kwargs = {})  # f32[4]
    %a2 : [num_users=1] = call_function[target=torch.sin](args = (%r,), kwargs = {})  # f32[4]
    %b2 : [num_users=1] = call_function[target=operator.mul](args = (%a2, %p), kwargs = {})  # f32[4]
    %c0 : [num_users=1] = call_function[target=torch.cos](args = (%q,), kwargs = {})  # f32[4]
    %c1 : [num_users=1] = call_function[target=torch.cos](args = (%r,), kwargs = {})  # f32[4]
    %w2 : [num_users=0] = call_method[target=sub_](args = (%q, 3), kwargs = {})  # f32[4] mutates=0
    %w3 : [num_users=0] = call_method[target=div_](args = (%r, 4), kwargs = {})  # f32[4] mutates=0
    %d0 : [num_users=1] = call_function[target=operator.sub](args = (%c0, %q), kwargs = {})  # f32[4]
    %d1 : [num_users=1] = call_function[target=operator.sub](args = (%c1, %r), kwargs = {})  # f32[4]
    return (b0, b1, b2, d0, d1)
