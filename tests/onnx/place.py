"""Stages as ONNX Runtime and OpenVINO take them. usage: place.py onnxruntime|openvino DIRECTORY PROGRAM...

The model is stages.onnx of make.cpp; stages are cut by `pipe --stages-for`. ONNX Runtime tells which rule found a provider, and both run
the model to the outputs of one device. The second device is the CPU by another name."""
import json
import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, "examples/onnx")
import place  # noqa: E402


def expected(x):
    from math import erf

    a = np.maximum(x, 0)
    return np.tanh(np.vectorize(erf)(np.exp(a) - a))


def onnxruntime(path, plan, x):
    import onnxruntime

    out = path + ".placed.onnx"
    with open(path + ".json", "w") as file:
        json.dump(plan, file)
    line = subprocess.run([sys.executable, "examples/onnx/place.py", path, path + ".json", out], capture_output=True, text=True, check=True).stdout
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 1
    options.add_session_config_entry(*json.loads(line))
    saved, log = os.dup(2), path + ".log"
    with open(log, "w") as file:
        os.dup2(file.fileno(), 2)
        session = onnxruntime.InferenceSession(out, options, providers=["CPUExecutionProvider"])
        os.dup2(saved, 2)
    with open(log) as file:
        assert "Matched 2 out of 2 rules to available Execution Providers" in file.read(), "the rules are not taken"
    return session.run(None, {"x": x})[0]


def openvino(path, plan, x):
    import openvino

    core = openvino.Core()
    core.register_plugin("openvino_intel_cpu_plugin", "ACC_CPU")
    model = core.read_model(path)
    place.set_affinities(model, plan)
    compiled = core.compile_model(model, "HETERO:ACC_CPU,CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    assert int(compiled.get_property("HETERO_NUMBER_OF_SUBMODELS")) == 2, "HETERO cuts otherwise"
    return compiled(x)[0]


def main():
    engine, directory, program = sys.argv[1], sys.argv[2], sys.argv[3:]
    path = directory + "/stages.onnx"
    devices = {"onnxruntime": ("cpu:1G:2", "CPU:1G"), "openvino": ("ACC_CPU:1G:2", "CPU:1G")}[engine]
    words = ["pipe", "--time-unit", "nodes", "--stages-for", engine, "--device", devices[0], "--device", devices[1], path]
    plan = json.loads(subprocess.run(program + words, capture_output=True, text=True, check=True).stdout)
    x = np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32)
    y = {"onnxruntime": onnxruntime, "openvino": openvino}[engine](path, plan, x)
    assert np.allclose(y, expected(x), atol=1e-5), "outputs differ"


main()
