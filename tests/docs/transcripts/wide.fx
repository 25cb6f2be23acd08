graph():
    %x : [num_users=14] = placeholder[target=x]  # f32[4]
    %a1 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=8
    %a2 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=1
    %a3 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=8
    %a4 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=1
    %a5 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=8
    %a6 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=1
    %a7 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=8
    %a8 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=1
    %a9 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=8
    %a10 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=1
    %a11 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=8
    %a12 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=1
    %a13 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=8
    %a14 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # bytes=4 compute=1
    return (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14)
