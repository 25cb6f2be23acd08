graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[]
    %targets : [num_users=0] = placeholder[target=targets](default=None)
    %linear : [num_users=1] = call_module[target=linear](args = (%x,), kwargs = {})  # module=torch.nn.Linear
    return linear
