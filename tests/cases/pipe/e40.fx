graph():
    %x : [num_users=1] = placeholder[target=x]
    %layer0 : [num_users=1] = call_module[target=layer0](args = (%x,), kwargs = {})  # compute=9252e-9 params=100
    %layer1 : [num_users=1] = call_module[target=layer1](args = (%layer0,), kwargs = {})  # compute=14271e-9 params=100
    %layer2 : [num_users=1] = call_module[target=layer2](args = (%layer1,), kwargs = {})  # compute=12417e-9 params=100
    %layer3 : [num_users=1] = call_module[target=layer3](args = (%layer2,), kwargs = {})  # compute=5880e-9 params=100
    %layer4 : [num_users=1] = call_module[target=layer4](args = (%layer3,), kwargs = {})  # compute=18849e-9 params=100
    %layer5 : [num_users=1] = call_module[target=layer5](args = (%layer4,), kwargs = {})  # compute=8490e-9 params=100
    %layer6 : [num_users=1] = call_module[target=layer6](args = (%layer5,), kwargs = {})  # compute=10521e-9 params=100
    %layer7 : [num_users=1] = call_module[target=layer7](args = (%layer6,), kwargs = {})  # compute=18756e-9 params=100
    %layer8 : [num_users=1] = call_module[target=layer8](args = (%layer7,), kwargs = {})  # compute=19353e-9 params=100
    %layer9 : [num_users=1] = call_module[target=layer9](args = (%layer8,), kwargs = {})  # compute=6087e-9 params=100
    %layer10 : [num_users=1] = call_module[target=layer10](args = (%layer9,), kwargs = {})  # compute=15525e-9 params=100
    %layer11 : [num_users=1] = call_module[target=layer11](args = (%layer10,), kwargs = {})  # compute=15324e-9 params=100
    return layer11
