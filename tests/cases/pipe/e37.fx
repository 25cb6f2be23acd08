graph():
    %x : [num_users=1] = placeholder[target=x]
    %layer0 : [num_users=1] = call_module[target=layer0](args = (%x,), kwargs = {})  # compute=3000e-9 params=100
    %layer1 : [num_users=1] = call_module[target=layer1](args = (%layer0,), kwargs = {})  # compute=6000e-9 params=100
    %layer2 : [num_users=1] = call_module[target=layer2](args = (%layer1,), kwargs = {})  # compute=9000e-9 params=100
    %layer3 : [num_users=1] = call_module[target=layer3](args = (%layer2,), kwargs = {})  # compute=12000e-9 params=100
    %layer4 : [num_users=1] = call_module[target=layer4](args = (%layer3,), kwargs = {})  # compute=15000e-9 params=100
    %layer5 : [num_users=1] = call_module[target=layer5](args = (%layer4,), kwargs = {})  # compute=18000e-9 params=100
    %layer6 : [num_users=1] = call_module[target=layer6](args = (%layer5,), kwargs = {})  # compute=21000e-9 params=100
    %layer7 : [num_users=1] = call_module[target=layer7](args = (%layer6,), kwargs = {})  # compute=24000e-9 params=100
    return layer7
