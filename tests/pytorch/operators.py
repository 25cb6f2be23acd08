"""Every operator of ONNX, of TensorFlow Lite's schema and of torch.nn has a rule of MACs, is unknown, or stands in
operators.txt, the list of those that multiply nothing. As far as these packages are installed.

usage: python tests/pytorch/operators.py build/graphsplit [--write]"""
import os
import subprocess
import sys
import tempfile

program = sys.argv[1]
place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators.txt")


def of_onnx():
    from onnx import defs
    return sorted({"onnx." + s.name for s in defs.get_all_schemas() if s.domain == ""})


def of_onnx_runtime():
    import onnxruntime.capi.onnxruntime_pybind11_state as state
    return sorted({"onnx.com.microsoft." + s.name for s in state.get_all_operator_schema()
                   if s.domain == "com.microsoft"})


def of_tflite():
    import ai_edge_litert.schema_py_generated as schema
    return sorted("tflite." + k for k in vars(schema.BuiltinOperator) if k.isupper() and k not in ("CUSTOM", "DELEGATE"))


def of_torch():
    import torch.nn
    found = [(n, getattr(torch.nn, n)) for n in dir(torch.nn)]
    return sorted("torch.nn." + n for n, c in found if isinstance(c, type) and issubclass(c, torch.nn.Module))


def of_counter():
    from torch.utils.flop_counter import flop_registry
    return sorted("torch.ops.%s.default" % str(op).replace("::", ".") for op in flop_registry if str(op).startswith("aten"))


def without_macs(names):
    """The names that the program gives 0."""
    lines = ["graph():", "    %x : [num_users=1] = placeholder[target=x]  # f32[4, 4]"]
    for i, name in enumerate(names):
        is_class = name.startswith("torch.nn.")
        lines.append("    %%n%d : [num_users=1] = call_%s[target=%s](args = (%%x,), kwargs = {})  # f32[4, 4]%s" % (
            i, "module" if is_class else "function", "m%d" % i if is_class else name,
            " params=640 module=" + name if is_class else ""))
    lines.append("    return (%s)" % ", ".join("n%d" % i for i in range(len(names))))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "all.fx")
        with open(path, "w") as f:
            f.write("\n".join(lines) + "\n")
        out = subprocess.run([program, "read", "--macs", path], capture_output=True, text=True).stdout.split("\n")
    figures = [line.split()[2] for line in out if line.startswith("macs n")]
    assert len(figures) == len(names), out[-1:]
    return {name for name, figure in zip(names, figures) if figure == "0"}


passed, failed, skipped = 0, 0, 0
plain = set(open(place).read().split()) if os.path.exists(place) else set()
found = set()
for ask in (of_onnx, of_onnx_runtime, of_tflite, of_torch, of_counter):
    try:
        names = ask()
    except ImportError as missing:
        print("skipped: %s (%s)" % (ask.__name__, missing))
        skipped += 1
        continue
    zero = without_macs(names)
    found |= zero
    strange = sorted(zero - plain) if ask is not of_counter else sorted(zero)
    if strange:
        print("FAILED: %s: 0 multiply-accumulates, and not in operators.txt: %s" % (ask.__name__, " ".join(strange)))
        failed += 1
    else:
        print("ok: %s: %d operators, %d of them multiply nothing" % (ask.__name__, len(names), len(zero)))
        passed += 1
if "--write" in sys.argv:
    with open(place, "w") as f:
        f.write("\n".join(sorted(found)) + "\n")
print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
sys.exit(failed != 0)
