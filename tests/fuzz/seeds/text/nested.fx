graph():
    %x : torch.Tensor [#users=2] = placeholder[target=x](default=None)
    %y : [num_users=1] = placeholder[target=*args]  # list(f16[s0, 4], bf16[])
    %a : [num_users=2] = call_function[target=torch.cat](args = ([%x, (%y, 'a, b', ...)], slice(None, %x, -1), {k: (1, [2.5, inf])}, torch.float32, cuda:0), kwargs = {dim: -1, out: None})  # qi8[4] bytes=16 group=g1 acc=1 mutates=0,2 alias=1
    return {'a': a, "b": [a, None]}
