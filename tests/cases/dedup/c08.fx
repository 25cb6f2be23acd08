graph():
    %x : [num_users=4] = placeholder[target=x]  # f32[10, 10]
    %w : [num_users=4] = placeholder[target=w]  # f32[10, 10]
    %y0 : [num_users=1] = call_function[target=torch.add](args = (%x, %x), kwargs = {})  # f32[10, 10]
    %o0 : [num_users=1] = call_function[target=torch.conv2d](args = (%y0, %w, None, (1, 1), (0, 0), (1, 1), 1), kwargs = {})  # f32[10, 10]
    %y1 : [num_users=1] = call_function[target=torch.add](args = (%x, %x), kwargs = {})  # f32[10, 10]
    %o1 : [num_users=1] = call_function[target=torch.conv2d](args = (%y1, %w, None, (1, 1), (0, 0), (1, 1), 1), kwargs = {})  # f32[10, 10]
    %y2 : [num_users=1] = call_function[target=torch.add](args = (%x, %x), kwargs = {})  # f32[10, 10]
    %o2 : [num_users=1] = call_function[target=torch.conv2d](args = (%y2, %w, None, (1, 1), (0, 0), (1, 1), 1), kwargs = {})  # f32[10, 10]
    %y3 : [num_users=1] = call_function[target=torch.add](args = (%x, %x), kwargs = {})  # f32[10, 10]
    %o3 : [num_users=1] = call_function[target=torch.conv2d](args = (%y3, %w, None, (2, 2), (0, 0), (1, 1), 1), kwargs = {})  # f32[10, 10]
    %s : [num_users=1] = call_function[target=torch.cat](args = ([%o0, %o1, %o2, %o3],), kwargs = {})  # f32[10, 10]
    return (s,)
