graph():
    %x_1 : [num_users=1] = placeholder[target=x_1]
    return (x_1,)
