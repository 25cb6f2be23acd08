graph():
    %x : [num_users=1] = placeholder[target=x]  # i8[8]
    %a : [num_users=2] = call_function[target=f](args = (%x,), kwargs = {})  # i8[16] compute=1
    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})  # i8[4] compute=1
    %c : [num_users=1] = call_function[target=f](args = (%b,), kwargs = {})  # i8[100] compute=1
    %d : [num_users=1] = call_function[target=f](args = (%c,), kwargs = {})  # i8[4] compute=1
    %e : [num_users=1] = call_function[target=f](args = (%d, %a), kwargs = {})  # i8[4] compute=1
    return e
