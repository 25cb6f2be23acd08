module main
graph():
    %x : [num_users=1] = placeholder[target=x]
    %sub : [num_users=2] = call_module[target=sub](args = (%x,), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%sub, 0), kwargs = {})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%sub, 1), kwargs = {})
    return (getitem, getitem_1)

module sub
graph():
    %x : [num_users=2] = placeholder[target=x]
    %neg : [num_users=1] = call_function[target=torch.neg](args = (%x,), kwargs = {})  # f32[4] key=file.py:12
    %abs : [num_users=1] = call_method[target=abs](args = (%x,), kwargs = {})  # b1[4] stage=0 device=1 part=2
    return (neg, abs)
