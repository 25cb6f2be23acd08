# A network for mpi_pipeline.c: 16 layers, values that skip stages, and a loss.
graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[64, 256]
    %target : [num_users=1] = placeholder[target=target]  # f32[64, 256]
    %w0 : [num_users=1] = get_attr[target=layers.0.weight]  # f32[256, 256]
    %mm0 : [num_users=1] = call_function[target=torch.mm](args = (%x, %w0), kwargs = {})  # f32[64, 256] scope=layers.0 compute=0.002
    %relu0 : [num_users=1] = call_function[target=torch.relu](args = (%mm0,), kwargs = {})  # f32[64, 256] scope=layers.0
    %w1 : [num_users=1] = get_attr[target=layers.1.weight]  # f32[256, 256]
    %mm1 : [num_users=1] = call_function[target=torch.mm](args = (%relu0, %w1), kwargs = {})  # f32[64, 256] scope=layers.1 compute=0.002
    %relu1 : [num_users=1] = call_function[target=torch.relu](args = (%mm1,), kwargs = {})  # f32[64, 256] scope=layers.1
    %w2 : [num_users=1] = get_attr[target=layers.2.weight]  # f32[256, 256]
    %mm2 : [num_users=1] = call_function[target=torch.mm](args = (%relu1, %w2), kwargs = {})  # f32[64, 256] scope=layers.2 compute=0.002
    %relu2 : [num_users=1] = call_function[target=torch.relu](args = (%mm2,), kwargs = {})  # f32[64, 256] scope=layers.2
    %w3 : [num_users=1] = get_attr[target=layers.3.weight]  # f32[256, 256]
    %mm3 : [num_users=1] = call_function[target=torch.mm](args = (%relu2, %w3), kwargs = {})  # f32[64, 256] scope=layers.3 compute=0.002
    %relu3 : [num_users=2] = call_function[target=torch.relu](args = (%mm3,), kwargs = {})  # f32[64, 256] scope=layers.3
    %w4 : [num_users=1] = get_attr[target=layers.4.weight]  # f32[256, 256]
    %mm4 : [num_users=1] = call_function[target=torch.mm](args = (%relu3, %w4), kwargs = {})  # f32[64, 256] scope=layers.4 compute=0.002
    %relu4 : [num_users=1] = call_function[target=torch.relu](args = (%mm4,), kwargs = {})  # f32[64, 256] scope=layers.4
    %w5 : [num_users=1] = get_attr[target=layers.5.weight]  # f32[256, 256]
    %mm5 : [num_users=1] = call_function[target=torch.mm](args = (%relu4, %w5), kwargs = {})  # f32[64, 256] scope=layers.5 compute=0.002
    %relu5 : [num_users=1] = call_function[target=torch.relu](args = (%mm5,), kwargs = {})  # f32[64, 256] scope=layers.5
    %w6 : [num_users=1] = get_attr[target=layers.6.weight]  # f32[256, 256]
    %mm6 : [num_users=1] = call_function[target=torch.mm](args = (%relu5, %w6), kwargs = {})  # f32[64, 256] scope=layers.6 compute=0.002
    %relu6 : [num_users=1] = call_function[target=torch.relu](args = (%mm6,), kwargs = {})  # f32[64, 256] scope=layers.6
    %w7 : [num_users=1] = get_attr[target=layers.7.weight]  # f32[256, 256]
    %mm7 : [num_users=1] = call_function[target=torch.mm](args = (%relu6, %w7), kwargs = {})  # f32[64, 256] scope=layers.7 compute=0.002
    %add7 : [num_users=1] = call_function[target=torch.add](args = (%mm7, %relu3), kwargs = {})  # f32[64, 256] scope=layers.7
    %relu7 : [num_users=2] = call_function[target=torch.relu](args = (%add7,), kwargs = {})  # f32[64, 256] scope=layers.7
    %w8 : [num_users=1] = get_attr[target=layers.8.weight]  # f32[256, 256]
    %mm8 : [num_users=1] = call_function[target=torch.mm](args = (%relu7, %w8), kwargs = {})  # f32[64, 256] scope=layers.8 compute=0.002
    %relu8 : [num_users=1] = call_function[target=torch.relu](args = (%mm8,), kwargs = {})  # f32[64, 256] scope=layers.8
    %w9 : [num_users=1] = get_attr[target=layers.9.weight]  # f32[256, 256]
    %mm9 : [num_users=1] = call_function[target=torch.mm](args = (%relu8, %w9), kwargs = {})  # f32[64, 256] scope=layers.9 compute=0.002
    %relu9 : [num_users=1] = call_function[target=torch.relu](args = (%mm9,), kwargs = {})  # f32[64, 256] scope=layers.9
    %w10 : [num_users=1] = get_attr[target=layers.10.weight]  # f32[256, 256]
    %mm10 : [num_users=1] = call_function[target=torch.mm](args = (%relu9, %w10), kwargs = {})  # f32[64, 256] scope=layers.10 compute=0.002
    %relu10 : [num_users=1] = call_function[target=torch.relu](args = (%mm10,), kwargs = {})  # f32[64, 256] scope=layers.10
    %w11 : [num_users=1] = get_attr[target=layers.11.weight]  # f32[256, 256]
    %mm11 : [num_users=1] = call_function[target=torch.mm](args = (%relu10, %w11), kwargs = {})  # f32[64, 256] scope=layers.11 compute=0.002
    %add11 : [num_users=1] = call_function[target=torch.add](args = (%mm11, %relu7), kwargs = {})  # f32[64, 256] scope=layers.11
    %relu11 : [num_users=2] = call_function[target=torch.relu](args = (%add11,), kwargs = {})  # f32[64, 256] scope=layers.11
    %w12 : [num_users=1] = get_attr[target=layers.12.weight]  # f32[256, 256]
    %mm12 : [num_users=1] = call_function[target=torch.mm](args = (%relu11, %w12), kwargs = {})  # f32[64, 256] scope=layers.12 compute=0.002
    %relu12 : [num_users=1] = call_function[target=torch.relu](args = (%mm12,), kwargs = {})  # f32[64, 256] scope=layers.12
    %w13 : [num_users=1] = get_attr[target=layers.13.weight]  # f32[256, 256]
    %mm13 : [num_users=1] = call_function[target=torch.mm](args = (%relu12, %w13), kwargs = {})  # f32[64, 256] scope=layers.13 compute=0.002
    %relu13 : [num_users=1] = call_function[target=torch.relu](args = (%mm13,), kwargs = {})  # f32[64, 256] scope=layers.13
    %w14 : [num_users=1] = get_attr[target=layers.14.weight]  # f32[256, 256]
    %mm14 : [num_users=1] = call_function[target=torch.mm](args = (%relu13, %w14), kwargs = {})  # f32[64, 256] scope=layers.14 compute=0.002
    %relu14 : [num_users=1] = call_function[target=torch.relu](args = (%mm14,), kwargs = {})  # f32[64, 256] scope=layers.14
    %w15 : [num_users=1] = get_attr[target=layers.15.weight]  # f32[256, 256]
    %mm15 : [num_users=1] = call_function[target=torch.mm](args = (%relu14, %w15), kwargs = {})  # f32[64, 256] scope=layers.15 compute=0.002
    %add15 : [num_users=1] = call_function[target=torch.add](args = (%mm15, %relu11), kwargs = {})  # f32[64, 256] scope=layers.15
    %relu15 : [num_users=1] = call_function[target=torch.relu](args = (%add15,), kwargs = {})  # f32[64, 256] scope=layers.15
    %loss : [num_users=1] = call_function[target=torch.nn.functional.mse_loss](args = (%relu15, %target), kwargs = {})  # f32[]
    return loss
