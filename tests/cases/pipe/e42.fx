graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=torch.zeros](args = (%x, {device: cpu}), kwargs = {options: {device: cpu}, device: cpu})  # f32[4]
    return a
