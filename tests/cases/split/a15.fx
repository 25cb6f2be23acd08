graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %y : [num_users=1] = placeholder[target=y]  # f32[4]
    %z : [num_users=1] = placeholder[target=z]  # f32[4]
    %size : [num_users=1] = call_method[target=size](args = (%x,), kwargs = {})  # tuple
    %getitem : [num_users=2] = call_function[target=operator.getitem](args = (%size, 0), kwargs = {})  # int
    %add : [num_users=1] = call_function[target=operator.add](args = (%y, %getitem), kwargs = {})  # f32[4]
    %sub : [num_users=1] = call_function[target=operator.sub](args = (%z, %getitem), kwargs = {})  # f32[4]
    %add_1 : [num_users=1] = call_function[target=operator.add](args = (%add, %sub), kwargs = {})  # f32[4]
    return add_1
