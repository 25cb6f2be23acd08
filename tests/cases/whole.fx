graph():
    %x : [num_users=3] = placeholder[target=x]  # f32[4, 8]
    %y : [num_users=1] = placeholder[target=y]  # f32[4, 8]
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%x, 3), kwargs = {})  # f32[4, 8]
    %split : [num_users=3] = call_function[target=torch.split](args = (%mul, 4), kwargs = {dim: 1})  # tuple(f32[4, 4], f32[4, 4])
    %mul_1 : [num_users=1] = call_function[target=operator.mul](args = (%y, 3), kwargs = {})  # f32[4, 8]
    %split_1 : [num_users=3] = call_function[target=torch.split](args = (%mul_1, 4), kwargs = {dim: 1})  # tuple(f32[4, 4], f32[4, 4])
    %chunk : [num_users=1] = call_function[target=torch.chunk](args = (%x, 2), kwargs = {})  # tuple(f32[2, 8], f32[2, 8])
    %stack : [num_users=1] = call_function[target=torch.stack](args = (%chunk,), kwargs = {})  # f32[2, 2, 8]
    %last : [num_users=1] = call_function[target=operator.getitem](args = (%split, -1), kwargs = {})  # f32[4, 4]
    %cat : [num_users=1] = call_function[target=torch.cat](args = (%split, 1), kwargs = {})  # f32[4, 8]
    %cat_1 : [num_users=1] = call_function[target=torch.cat](args = (%split_1, 1), kwargs = {})  # f32[4, 8]
    %first : [num_users=1] = call_function[target=operator.getitem](args = (%split_1, 0), kwargs = {})  # f32[4, 4]
    return (split, cat, cat_1, last, first, stack, split_1)
