graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_module[target=a](args = (%x,), kwargs = {})  # f32[4] module=M params=100 compute=1
    %b : [num_users=1] = call_module[target=b](args = (%a,), kwargs = {})  # f32[4] module=M params=100 compute=1
    %c : [num_users=1] = call_module[target=c](args = (%b,), kwargs = {})  # f32[4] module=M params=100 compute=1
    return c
