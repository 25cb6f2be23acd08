graph():
    %x_1 : [num_users=1] = placeholder[target=x_1]  # f32[3]
    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = (%x_1, 1), kwargs = {})
    return None
