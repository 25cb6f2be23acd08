graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[5]
    %y : [num_users=1] = placeholder[target=y]  # f32[5]
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, %y), kwargs = {})  # f32[5]
    return add
