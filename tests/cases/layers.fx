graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4]
    %h0 : [num_users=2] = call_function[target=torch.relu](args = (%x,), kwargs = {})  # f32[4]
    %size1 : [num_users=1] = call_function[target=size](args = (%h0,), kwargs = {})  # int
    %view1 : [num_users=2] = call_function[target=torch.reshape](args = (%h0, %size1), kwargs = {})  # f32[4]
    %exp1 : [num_users=1] = call_function[target=torch.exp](args = (%view1,), kwargs = {})  # f32[4]
    %h1 : [num_users=2] = call_function[target=torch.add](args = (%exp1, %view1), kwargs = {})  # f32[4]
    %size2 : [num_users=1] = call_function[target=size](args = (%h1,), kwargs = {})  # int
    %view2 : [num_users=2] = call_function[target=torch.reshape](args = (%h1, %size2), kwargs = {})  # f32[4]
    %exp2 : [num_users=1] = call_function[target=torch.exp](args = (%view2,), kwargs = {})  # f32[4]
    %h2 : [num_users=2] = call_function[target=torch.add](args = (%exp2, %view2), kwargs = {})  # f32[4]
    %size3 : [num_users=1] = call_function[target=size](args = (%h2,), kwargs = {})  # int
    %view3 : [num_users=2] = call_function[target=torch.reshape](args = (%h2, %size3), kwargs = {})  # f32[4]
    %exp3 : [num_users=1] = call_function[target=torch.exp](args = (%view3,), kwargs = {})  # f32[4]
    %h3 : [num_users=2] = call_function[target=torch.add](args = (%exp3, %view3), kwargs = {})  # f32[4]
    %size4 : [num_users=1] = call_function[target=size](args = (%h3,), kwargs = {})  # int
    %view4 : [num_users=2] = call_function[target=torch.reshape](args = (%h3, %size4), kwargs = {})  # f32[4]
    %exp4 : [num_users=1] = call_function[target=torch.exp](args = (%view4,), kwargs = {})  # f32[4]
    %h4 : [num_users=2] = call_function[target=torch.add](args = (%exp4, %view4), kwargs = {})  # f32[4]
    %size5 : [num_users=1] = call_function[target=size](args = (%h4,), kwargs = {})  # int
    %view5 : [num_users=2] = call_function[target=torch.reshape](args = (%h4, %size5), kwargs = {})  # f32[4]
    %exp5 : [num_users=1] = call_function[target=torch.exp](args = (%view5,), kwargs = {})  # f32[4]
    %h5 : [num_users=2] = call_function[target=torch.add](args = (%exp5, %view5), kwargs = {})  # f32[4]
    %size6 : [num_users=1] = call_function[target=size](args = (%h5,), kwargs = {})  # int
    %view6 : [num_users=2] = call_function[target=torch.reshape](args = (%h5, %size6), kwargs = {})  # f32[4]
    %exp6 : [num_users=1] = call_function[target=torch.exp](args = (%view6,), kwargs = {})  # f32[4]
    %h6 : [num_users=2] = call_function[target=torch.add](args = (%exp6, %view6), kwargs = {})  # f32[4]
    %size7 : [num_users=1] = call_function[target=size](args = (%h6,), kwargs = {})  # int
    %view7 : [num_users=2] = call_function[target=torch.reshape](args = (%h6, %size7), kwargs = {})  # f32[4]
    %exp7 : [num_users=1] = call_function[target=torch.exp](args = (%view7,), kwargs = {})  # f32[4]
    %h7 : [num_users=2] = call_function[target=torch.add](args = (%exp7, %view7), kwargs = {})  # f32[4]
    %size8 : [num_users=1] = call_function[target=size](args = (%h7,), kwargs = {})  # int
    %view8 : [num_users=2] = call_function[target=torch.reshape](args = (%h7, %size8), kwargs = {})  # f32[4]
    %exp8 : [num_users=1] = call_function[target=torch.exp](args = (%view8,), kwargs = {})  # f32[4]
    %h8 : [num_users=2] = call_function[target=torch.add](args = (%exp8, %view8), kwargs = {})  # f32[4]
    %size9 : [num_users=1] = call_function[target=size](args = (%h8,), kwargs = {})  # int
    %view9 : [num_users=2] = call_function[target=torch.reshape](args = (%h8, %size9), kwargs = {})  # f32[4]
    %exp9 : [num_users=1] = call_function[target=torch.exp](args = (%view9,), kwargs = {})  # f32[4]
    %h9 : [num_users=2] = call_function[target=torch.add](args = (%exp9, %view9), kwargs = {})  # f32[4]
    %size10 : [num_users=1] = call_function[target=size](args = (%h9,), kwargs = {})  # int
    %view10 : [num_users=2] = call_function[target=torch.reshape](args = (%h9, %size10), kwargs = {})  # f32[4]
    %exp10 : [num_users=1] = call_function[target=torch.exp](args = (%view10,), kwargs = {})  # f32[4]
    %h10 : [num_users=2] = call_function[target=torch.add](args = (%exp10, %view10), kwargs = {})  # f32[4]
    %size11 : [num_users=1] = call_function[target=size](args = (%h10,), kwargs = {})  # int
    %view11 : [num_users=2] = call_function[target=torch.reshape](args = (%h10, %size11), kwargs = {})  # f32[4]
    %exp11 : [num_users=1] = call_function[target=torch.exp](args = (%view11,), kwargs = {})  # f32[4]
    %h11 : [num_users=2] = call_function[target=torch.add](args = (%exp11, %view11), kwargs = {})  # f32[4]
    %size12 : [num_users=1] = call_function[target=size](args = (%h11,), kwargs = {})  # int
    %view12 : [num_users=2] = call_function[target=torch.reshape](args = (%h11, %size12), kwargs = {})  # f32[4]
    %exp12 : [num_users=1] = call_function[target=torch.exp](args = (%view12,), kwargs = {})  # f32[4]
    %h12 : [num_users=1] = call_function[target=torch.add](args = (%exp12, %view12), kwargs = {})  # f32[4]
    return h12
