graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[64]
    %v0 : [num_users=1] = call_function[target=npu.b](args = (%x,), kwargs = {})  # f32[64] compute=0.0096 cpu=0.0192 mem=256 mutates=0
    %v1 : [num_users=1] = call_function[target=npu.b](args = (%v0,), kwargs = {})  # f32[64] compute=0.0034 cpu=0.0084 mem=256
    %v2 : [num_users=1] = call_function[target=host.c](args = (%v0,), kwargs = {})  # f32[64] compute=0.0081 cpu=0.0261 mem=256
    %v3 : [num_users=1] = call_function[target=npu.a](args = (%v0,), kwargs = {})  # f32[64] compute=0.0043 cpu=0.0157 mem=256 mutates=0
    %v4 : [num_users=1] = call_function[target=npu.b](args = (%v0, %v1,), kwargs = {})  # f32[64] compute=0.0098 cpu=0.0074 mem=256 mutates=0
    %v5 : [num_users=1] = call_function[target=host.c](args = (%v4, %v2,), kwargs = {})  # f32[64] compute=0.0034 cpu=0.0088 mem=256
    %v6 : [num_users=1] = call_function[target=npu.b](args = (%v5, %v1,), kwargs = {})  # f32[64] compute=0.0093 cpu=0.0052 mem=256
    return (v4, v5, v6,)
