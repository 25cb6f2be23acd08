graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 8]
    %constant : [num_users=2] = placeholder[target=constant]  # f32[4, 8]
    %conv0 : [num_users=1] = call_module[target=block0.conv](args = (%x,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %lin0_0 : [num_users=2] = call_module[target=block0.lin0](args = (%conv0,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %mark1 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %add_0 : [num_users=0] = call_method[target=add_](args = (%lin0_0, %constant), kwargs = {})  # f32[4, 8] mutates=0
    %lin1_0 : [num_users=1] = call_module[target=block0.lin1](args = (%lin0_0,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %relu0 : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%lin1_0,), kwargs = {})  # f32[4, 8]
    %mark2 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %conv1 : [num_users=1] = call_module[target=block1.conv](args = (%relu0,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %lin0_1 : [num_users=2] = call_module[target=block1.lin0](args = (%conv1,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %mark3 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %add_1 : [num_users=0] = call_method[target=add_](args = (%lin0_1, %constant), kwargs = {})  # f32[4, 8] mutates=0
    %lin1_1 : [num_users=1] = call_module[target=block1.lin1](args = (%lin0_1,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %relu1 : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%lin1_1,), kwargs = {})  # f32[4, 8]
    return relu1
