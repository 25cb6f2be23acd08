graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[]
    %layer1_0_conv1 : [num_users=1] = call_module[target=layer1.0.conv1](args = (%x,), kwargs = {})  # module=torch.nn.Conv2d
    %layer1_1_conv1 : [num_users=1] = call_module[target=layer1.1.conv1](args = (%layer1_0_conv1,), kwargs = {})  # module=torch.nn.Conv2d
    %layer2_0_conv1 : [num_users=1] = call_module[target=layer2.0.conv1](args = (%layer1_1_conv1,), kwargs = {})  # module=torch.nn.Conv2d
    return layer2_0_conv1
