module main
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=add](args = (%x, 1), kwargs = {})  # f32[4]
    %b : [num_users=1] = call_function[target=mul](args = (%a, 2), kwargs = {})  # f32[4]
    %p : [num_users=1] = call_module[target=part](args = (%b,), kwargs = {})  # f32[4]
    %c : [num_users=1] = call_function[target=add](args = (%p, 3), kwargs = {})  # f32[4]
    %d : [num_users=1] = call_function[target=mul](args = (%c, 4), kwargs = {})  # f32[4]
    return d
module part
graph():
    %y : [num_users=1] = placeholder[target=y]  # f32[4]
    %z : [num_users=1] = call_function[target=neg](args = (%y,), kwargs = {k: 5})  # f32[4]
    return z
