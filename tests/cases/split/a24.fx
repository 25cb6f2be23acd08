graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[2, 2]
    %y : [num_users=1] = placeholder[target=y]  # int
    %sup_f : [num_users=1] = call_function[target=sup_f](args = (%x,), kwargs = {})  # f32[2, 2]
    %sup_f_1 : [num_users=1] = call_function[target=sup_f](args = (%y,), kwargs = {})  # int
    %add : [num_users=1] = call_function[target=operator.add](args = (%sup_f, %sup_f_1), kwargs = {})  # f32[2, 2]
    %sup_f_2 : [num_users=1] = call_function[target=sup_f](args = (%add,), kwargs = {})  # f32[2, 2]
    return sup_f_2
