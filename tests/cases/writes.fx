graph():
    %x : [num_users=3] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=npu.a](args = (%x,), kwargs = {})  # f32[4]
    %w : [num_users=0] = call_function[target=host.w](args = (%x,), kwargs = {})  # f32[4] mutates=0
    %b : [num_users=1] = call_function[target=npu.a](args = (%x,), kwargs = {})  # f32[4]
    %c : [num_users=1] = call_function[target=npu.a](args = (%a, %b), kwargs = {})  # f32[4]
    return c
