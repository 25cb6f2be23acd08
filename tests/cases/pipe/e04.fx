graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 8]
    %l0_net1 : [num_users=1] = call_module[target=layers.0.net1](args = (%x,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l0_relu : [num_users=1] = call_module[target=layers.0.relu](args = (%l0_net1,), kwargs = {})  # f32[4, 8] module=torch.nn.ReLU params=0
    %l0_net2 : [num_users=1] = call_module[target=layers.0.net2](args = (%l0_relu,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l1_net1 : [num_users=1] = call_module[target=layers.1.net1](args = (%l0_net2,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l1_relu : [num_users=1] = call_module[target=layers.1.relu](args = (%l1_net1,), kwargs = {})  # f32[4, 8] module=torch.nn.ReLU params=0
    %l1_net2 : [num_users=1] = call_module[target=layers.1.net2](args = (%l1_relu,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l2_net1 : [num_users=1] = call_module[target=layers.2.net1](args = (%l1_net2,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l2_relu : [num_users=1] = call_module[target=layers.2.relu](args = (%l2_net1,), kwargs = {})  # f32[4, 8] module=torch.nn.ReLU params=0
    %l2_net2 : [num_users=1] = call_module[target=layers.2.net2](args = (%l2_relu,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l3_net1 : [num_users=1] = call_module[target=layers.3.net1](args = (%l2_net2,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l3_relu : [num_users=1] = call_module[target=layers.3.relu](args = (%l3_net1,), kwargs = {})  # f32[4, 8] module=torch.nn.ReLU params=0
    %l3_net2 : [num_users=1] = call_module[target=layers.3.net2](args = (%l3_relu,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l4_net1 : [num_users=1] = call_module[target=layers.4.net1](args = (%l3_net2,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l4_relu : [num_users=1] = call_module[target=layers.4.relu](args = (%l4_net1,), kwargs = {})  # f32[4, 8] module=torch.nn.ReLU params=0
    %l4_net2 : [num_users=1] = call_module[target=layers.4.net2](args = (%l4_relu,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l5_net1 : [num_users=1] = call_module[target=layers.5.net1](args = (%l4_net2,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l5_relu : [num_users=1] = call_module[target=layers.5.relu](args = (%l5_net1,), kwargs = {})  # f32[4, 8] module=torch.nn.ReLU params=0
    %l5_net2 : [num_users=1] = call_module[target=layers.5.net2](args = (%l5_relu,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l6_net1 : [num_users=1] = call_module[target=layers.6.net1](args = (%l5_net2,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l6_relu : [num_users=1] = call_module[target=layers.6.relu](args = (%l6_net1,), kwargs = {})  # f32[4, 8] module=torch.nn.ReLU params=0
    %l6_net2 : [num_users=1] = call_module[target=layers.6.net2](args = (%l6_relu,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l7_net1 : [num_users=1] = call_module[target=layers.7.net1](args = (%l6_net2,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %l7_relu : [num_users=1] = call_module[target=layers.7.relu](args = (%l7_net1,), kwargs = {})  # f32[4, 8] module=torch.nn.ReLU params=0
    %l7_net2 : [num_users=1] = call_module[target=layers.7.net2](args = (%l7_relu,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    return l7_net2
