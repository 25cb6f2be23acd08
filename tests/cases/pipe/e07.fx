graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 8]
    %m0 : [num_users=1] = call_module[target=0](args = (%x,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %mark1 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %m1 : [num_users=1] = call_module[target=1](args = (%m0,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %mark2 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %m2 : [num_users=1] = call_module[target=2](args = (%m1,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %mark3 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %m3 : [num_users=1] = call_module[target=3](args = (%m2,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %mark4 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %m4 : [num_users=1] = call_module[target=4](args = (%m3,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    %mark5 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %m5 : [num_users=1] = call_module[target=0](args = (%m4,), kwargs = {})  # f32[4, 8] module=torch.nn.Linear params=288
    return m5
