graph():
    %x : [num_users=3] = placeholder[target=x]  # f32[10, 10]
    %o0 : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})  # f32[10, 10] key=o
    %o1 : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})  # f32[10, 10] key=o
    %o2 : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})  # f32[10, 10] key=o
    %s : [num_users=1] = call_function[target=operator.add](args = (%o0, %o1), kwargs = {})  # f32[10, 10]
    %t : [num_users=1] = call_function[target=operator.sub](args = (%s, %o2), kwargs = {})  # f32[10, 10]
    return (t,)
