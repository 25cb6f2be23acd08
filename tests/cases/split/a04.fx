graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[2, 3]
    %topk : [num_users=2] = call_function[target=torch.topk](args = (%x, 3), kwargs = {})  # tuple(f32[2, 3], i64[2, 3])
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%topk, 0), kwargs = {})  # f32[2, 3]
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%topk, 1), kwargs = {})  # i64[2, 3]
    %sigmoid : [num_users=1] = call_function[target=torch.sigmoid](args = (%getitem,), kwargs = {})  # f32[2, 3]
    return (sigmoid, getitem_1)
