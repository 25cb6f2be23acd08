graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[4, 5]
    %a : [num_users=1] = get_attr[target=a]  # f32[2, 3]
    return (x, a)
