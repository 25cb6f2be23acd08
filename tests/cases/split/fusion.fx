graph():
    %x : [num_users=3] = placeholder[target=x]  # f32[1, 1, 1]
    %size : [num_users=3] = call_method[target=size](args = (%x,), kwargs = {})  # tuple
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %x), kwargs = {})  # f32[1, 1, 1]
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%size, 0), kwargs = {})  # int
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%size, 1), kwargs = {})  # int
    %getitem_2 : [num_users=1] = call_function[target=operator.getitem](args = (%size, 2), kwargs = {})  # int
    %view : [num_users=1] = call_method[target=view](args = (%x, %getitem_1, %getitem, -1), kwargs = {})  # f32[1, 1, 1]
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%view, %view), kwargs = {})  # f32[1, 1, 1]
    %add_2 : [num_users=1] = call_function[target=operator.add](args = (%add_1, %getitem_2), kwargs = {})  # f32[1, 1, 1]
    return (add, add_2)
