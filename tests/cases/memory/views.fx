graph():
    %x : [num_users=1] = placeholder[target=x]  # f32[2, 8]
    %w : [num_users=1] = get_attr[target=w]  # f32[64]
    %r : [num_users=1] = call_function[target=onnx.Reshape](args = (%w,), kwargs = {})  # f32[8, 8]
    %a : [num_users=1] = call_function[target=onnx.MatMul](args = (%x, %r), kwargs = {})  # f32[2, 8]
    %f : [num_users=1] = call_function[target=tflite.RESHAPE](args = (%a,), kwargs = {})  # f32[16]
    %n : [num_users=1] = call_function[target=onnx.Neg](args = (%f,), kwargs = {})  # f32[16]
    %i : [num_users=1] = call_function[target=onnx.Identity](args = (%n,), kwargs = {})  # f32[8]
    return i
