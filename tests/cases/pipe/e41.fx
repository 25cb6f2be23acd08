graph():
    %x : [num_users=1] = placeholder[target=x]
    %layer0 : [num_users=1] = call_module[target=layer0](args = (%x,), kwargs = {})  # compute=10273843748592e-9 params=100
    %layer1 : [num_users=1] = call_module[target=layer1](args = (%layer0,), kwargs = {})  # compute=18560831539218e-9 params=100
    %layer2 : [num_users=1] = call_module[target=layer2](args = (%layer1,), kwargs = {})  # compute=18299782768323e-9 params=100
    %layer3 : [num_users=1] = call_module[target=layer3](args = (%layer2,), kwargs = {})  # compute=14883425605059e-9 params=100
    %layer4 : [num_users=1] = call_module[target=layer4](args = (%layer3,), kwargs = {})  # compute=20426735168847e-9 params=100
    %layer5 : [num_users=1] = call_module[target=layer5](args = (%layer4,), kwargs = {})  # compute=5169268163022e-9 params=100
    %layer6 : [num_users=1] = call_module[target=layer6](args = (%layer5,), kwargs = {})  # compute=19161845861343e-9 params=100
    %layer7 : [num_users=1] = call_module[target=layer7](args = (%layer6,), kwargs = {})  # compute=15834848550621e-9 params=100
    %layer8 : [num_users=1] = call_module[target=layer8](args = (%layer7,), kwargs = {})  # compute=19629087835428e-9 params=100
    %layer9 : [num_users=1] = call_module[target=layer9](args = (%layer8,), kwargs = {})  # compute=9406249251114e-9 params=100
    %layer10 : [num_users=1] = call_module[target=layer10](args = (%layer9,), kwargs = {})  # compute=6082983848829e-9 params=100
    %layer11 : [num_users=1] = call_module[target=layer11](args = (%layer10,), kwargs = {})  # compute=8820178899480e-9 params=100
    return layer11
