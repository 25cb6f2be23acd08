graph():
    %x : [num_users=3] = placeholder[target=x]  # f32[8]
    %n1 : [num_users=4] = call_function[target=f](args = (%x,), kwargs = {})  # f32[45] compute=6
    %n2 : [num_users=2] = call_function[target=f](args = (%x, %n1), kwargs = {})  # f32[12] compute=8
    %n3 : [num_users=1] = call_function[target=f](args = (%n1,), kwargs = {})  # f32[31] compute=3
    %n4 : [num_users=1] = call_function[target=f](args = (%x,), kwargs = {})  # f32[4] compute=5
    %n5 : [num_users=1] = call_function[target=f](args = (%n3, %n1), kwargs = {})  # f32[2] compute=6
    %n6 : [num_users=1] = call_function[target=f](args = (%n2,), kwargs = {})  # f32[55] compute=7
    %n7 : [num_users=1] = call_function[target=f](args = (%n2, %n4), kwargs = {})  # f32[2] compute=9
    %n8 : [num_users=2] = call_function[target=f](args = (%n5, %n6), kwargs = {})  # f32[51] compute=7
    %n9 : [num_users=1] = call_function[target=f](args = (%n1,), kwargs = {})  # f32[24] compute=7
    %n10 : [num_users=3] = call_function[target=f](args = (%n7,), kwargs = {})  # f32[38] compute=1
    %n11 : [num_users=1] = call_function[target=f](args = (%n10,), kwargs = {})  # f32[29] compute=1
    %n12 : [num_users=1] = call_function[target=f](args = (%n8,), kwargs = {})  # f32[46] compute=3
    %n13 : [num_users=1] = call_function[target=f](args = (%n10,), kwargs = {})  # f32[40] compute=4
    %n14 : [num_users=2] = call_function[target=f](args = (%n8, %n10), kwargs = {})  # f32[8] compute=4
    %n15 : [num_users=1] = call_function[target=f](args = (%n12,), kwargs = {})  # f32[60] compute=8
    %n16 : [num_users=2] = call_function[target=f](args = (%n9,), kwargs = {})  # f32[23] compute=9
    %n17 : [num_users=2] = call_function[target=f](args = (%n16, %n11), kwargs = {})  # f32[23] compute=9
    %n18 : [num_users=1] = call_function[target=f](args = (%n15,), kwargs = {})  # f32[17] compute=8
    %n19 : [num_users=1] = call_function[target=f](args = (%n17, %n13), kwargs = {})  # f32[7] compute=6
    %n20 : [num_users=1] = call_function[target=f](args = (%n19, %n14), kwargs = {})  # f32[56] compute=5
    %n21 : [num_users=1] = call_function[target=f](args = (%n16,), kwargs = {})  # f32[3] compute=7
    %n22 : [num_users=1] = call_function[target=f](args = (%n17, %n14), kwargs = {})  # f32[6] compute=4
    return (n18, n20, n21, n22)
