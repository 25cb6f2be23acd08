graph():
    %x : [num_users=2] = placeholder[target=x]  # f32[5]
    %y : [num_users=1] = placeholder[target=y]  # f32[5]
    %add : [num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, %y), kwargs = {})  # f32[5]
    %add_1 : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, %add), kwargs = {})  # f32[5]
    %add_2 : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add, %add_1), kwargs = {})  # f32[5]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%add_2,), kwargs = {})  # f32[5]
    %pow_1 : [num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%relu, 2), kwargs = {})  # f32[5]
    return pow_1
