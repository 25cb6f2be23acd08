graph():
    %a : [num_users=1] = placeholder[target=a]  # f32[2, 4]
    %b : [num_users=5] = placeholder[target=b]  # i64[8]
    %offset : [num_users=5] = placeholder[target=offset]  # i64[2]
    %bottom_layers_0 : [num_users=1] = call_module[target=bottom_layers.0](args = (%a,), kwargs = {})  # f32[2, 4] module=torch.nn.Linear params=80
    %bottom_layers_1 : [num_users=1] = call_module[target=bottom_layers.1](args = (%bottom_layers_0,), kwargs = {})  # f32[2, 4] module=torch.nn.ReLU
    %bottom_layers_2 : [num_users=1] = call_module[target=bottom_layers.2](args = (%bottom_layers_1,), kwargs = {})  # f32[2, 4] module=torch.nn.Linear params=80
    %bottom_layers_3 : [num_users=1] = call_module[target=bottom_layers.3](args = (%bottom_layers_2,), kwargs = {})  # f32[2, 4] module=torch.nn.ReLU
    %bottom_layers_4 : [num_users=1] = call_module[target=bottom_layers.4](args = (%bottom_layers_3,), kwargs = {})  # f32[2, 4] module=torch.nn.Linear params=80
    %bottom_layers_5 : [num_users=1] = call_module[target=bottom_layers.5](args = (%bottom_layers_4,), kwargs = {})  # f32[2, 4] module=torch.nn.ReLU
    %bottom_layers_6 : [num_users=1] = call_module[target=bottom_layers.6](args = (%bottom_layers_5,), kwargs = {})  # f32[2, 4] module=torch.nn.Linear params=80
    %bottom_layers_7 : [num_users=1] = call_module[target=bottom_layers.7](args = (%bottom_layers_6,), kwargs = {})  # f32[2, 4] module=torch.nn.ReLU
    %_tensor_constant0 : [num_users=1] = get_attr[target=_tensor_constant0]  # i64[8]
    %add : [num_users=1] = call_method[target=add](args = (%_tensor_constant0, %b), kwargs = {})  # i64[8]
    %_tensor_constant1 : [num_users=1] = get_attr[target=_tensor_constant1]  # i64[8]
    %add_1 : [num_users=0] = call_method[target=add](args = (%_tensor_constant1, %b), kwargs = {})  # i64[8]
    %_tensor_constant2 : [num_users=1] = get_attr[target=_tensor_constant2]  # i64[8]
    %add_2 : [num_users=1] = call_method[target=add](args = (%_tensor_constant2, %b), kwargs = {})  # i64[8]
    %_tensor_constant3 : [num_users=1] = get_attr[target=_tensor_constant3]  # i64[8]
    %add_3 : [num_users=0] = call_method[target=add](args = (%_tensor_constant3, %b), kwargs = {})  # i64[8]
    %_tensor_constant4 : [num_users=1] = get_attr[target=_tensor_constant4]  # i64[8]
    %add_4 : [num_users=1] = call_method[target=add](args = (%_tensor_constant4, %b), kwargs = {})  # i64[8]
    %embedding_layers_0 : [num_users=1] = call_module[target=embedding_layers.0](args = (%add, %offset), kwargs = {})  # f32[2, 4] module=torch.nn.EmbeddingBag params=8000000
    %_tensor_constant5 : [num_users=1] = get_attr[target=_tensor_constant5]  # i64[8]
    %embedding_layers_1 : [num_users=1] = call_module[target=embedding_layers.1](args = (%_tensor_constant5, %offset), kwargs = {})  # f32[2, 4] module=torch.nn.EmbeddingBag params=16000000
    %embedding_layers_2 : [num_users=1] = call_module[target=embedding_layers.2](args = (%add_2, %offset), kwargs = {})  # f32[2, 4] module=torch.nn.EmbeddingBag params=16000000
    %_tensor_constant6 : [num_users=1] = get_attr[target=_tensor_constant6]  # i64[8]
    %embedding_layers_3 : [num_users=1] = call_module[target=embedding_layers.3](args = (%_tensor_constant6, %offset), kwargs = {})  # f32[2, 4] module=torch.nn.EmbeddingBag params=16000000
    %embedding_layers_4 : [num_users=1] = call_module[target=embedding_layers.4](args = (%add_4, %offset), kwargs = {})  # f32[2, 4] module=torch.nn.EmbeddingBag params=8000000
    %cat : [num_users=1] = call_function[target=torch.cat](args = ([%bottom_layers_7, %embedding_layers_0, %embedding_layers_1, %embedding_layers_2, %embedding_layers_3, %embedding_layers_4],), kwargs = {dim: 1})  # f32[2, 24]
    %top_layers_0 : [num_users=1] = call_module[target=top_layers.0](args = (%cat,), kwargs = {})  # f32[2, 24] module=torch.nn.Linear params=2400
    %top_layers_1 : [num_users=1] = call_module[target=top_layers.1](args = (%top_layers_0,), kwargs = {})  # f32[2, 24] module=torch.nn.ReLU
    %top_layers_2 : [num_users=1] = call_module[target=top_layers.2](args = (%top_layers_1,), kwargs = {})  # f32[2, 24] module=torch.nn.Linear params=2400
    %top_layers_3 : [num_users=1] = call_module[target=top_layers.3](args = (%top_layers_2,), kwargs = {})  # f32[2, 24] module=torch.nn.ReLU
    %top_layers_4 : [num_users=1] = call_module[target=top_layers.4](args = (%top_layers_3,), kwargs = {})  # f32[2, 24] module=torch.nn.Linear params=2400
    %top_layers_5 : [num_users=1] = call_module[target=top_layers.5](args = (%top_layers_4,), kwargs = {})  # f32[2, 24] module=torch.nn.ReLU
    return top_layers_5
