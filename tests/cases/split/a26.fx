graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[5]
    %y : [num_users=1] = placeholder[target=y]  # f32[5]
    %sub : [num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%x, %y), kwargs = {})  # f32[5]
    %cat : [num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%x, %sub],), kwargs = {})  # f32[5]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%cat,), kwargs = {})  # f32[5]
    %pow_1 : [num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%relu, 2), kwargs = {})  # f32[5]
    return pow_1
