graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 8]
    %zeros : [num_users=1] = call_function[target=torch.zeros](args = (4, 8), kwargs = {device: cpu})  # f32[4, 8]
    %add : [num_users=1] = call_function[target=torch.add](args = (%x, %zeros), kwargs = {})  # f32[4, 8]
    %mark1 : [num_users=0] = call_function[target=torch.ops.pippy._pipe_split.default](args = (), kwargs = {})  # none
    %ones : [num_users=1] = call_function[target=torch.ones](args = (4, 8), kwargs = {dtype: torch.float32, device: cpu})  # f32[4, 8]
    %to : [num_users=1] = call_method[target=to](args = (%add,), kwargs = {})  # f32[4, 8]
    %mul : [num_users=1] = call_function[target=torch.mul](args = (%ones, %to), kwargs = {})  # f32[4, 8]
    return mul
