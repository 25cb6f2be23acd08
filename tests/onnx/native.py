"""Runs models and the chains of their parts in the native ONNX Runtime on the same random inputs; all outputs have to be
equal, bit for bit. It does what chain.mjs does with the build for browsers, on the same jobs.

usage: python3 native.py JOBS
"""

import json
import os
import sys

import numpy
import onnxruntime as ort

TYPES = {"float": "f4", "double": "f8", "float16": "f2", "int64": "i8", "int32": "i4", "int16": "i2", "int8": "i1",
         "uint64": "u8", "uint32": "u4", "uint16": "u2", "uint8": "u1", "bool": "?"}


def session(path):
    options = ort.SessionOptions()
    # No fusion across what may be a cut: the same kernels see the same bits.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def inputs_of(model, sizes):
    random = numpy.random.default_rng(1)
    values = {}
    for at in model.get_inputs():
        shape = [d if isinstance(d, int) and d >= 0 else sizes.get(d, 1) for d in at.shape]
        kind = numpy.dtype(TYPES[at.type[len("tensor("):-1]])
        if kind.kind == "f":
            values[at.name] = random.uniform(-1, 1, shape).astype(kind)
        else:
            values[at.name] = random.integers(0, 2 if kind.kind == "b" else 4, shape).astype(kind)
    return values


def chain(folder, inputs):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    values = dict(inputs)
    for piece in manifest["pieces"]:
        bind = piece.get("bind", {})
        model = session(os.path.join(folder, piece["file"]))
        results = model.run(None, {at.name: values[bind.get(at.name, at.name)] for at in model.get_inputs()})
        values.update((bind.get(at.name, at.name), value) for at, value in zip(model.get_outputs(), results))
    return values


def bits(value):
    return str(value) if not isinstance(value, numpy.ndarray) else (value.dtype, value.shape, value.tobytes())


def judge(model, folder, sizes, originals):
    """None: the same bits; else what is wrong."""
    if model not in originals:
        whole = session(model)
        inputs = inputs_of(whole, sizes)
        originals[model] = inputs, dict(zip((at.name for at in whole.get_outputs()), whole.run(None, inputs)))
    inputs, wanted = originals[model]
    if folder.endswith(".onnx"):
        other = session(folder)
        values = dict(zip((at.name for at in other.get_outputs()), other.run(None, inputs)))
    else:
        values = chain(folder, inputs)
    wrong = [name for name in wanted if name not in values or bits(values[name]) != bits(wanted[name])]
    return "other bits: " + ", ".join(wrong) if wrong else None


def main(jobs):
    passed = failed = skipped = 0
    originals, refused = {}, {}
    with open(jobs, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    for label, model, folder, sizes in lines:
        sizes = {key: int(value) for key, value in (pair.split("=") for pair in sizes.split(","))}
        if model not in originals and model not in refused:
            try:
                judge(model, model, sizes, originals)
            except Exception as error:
                refused[model] = str(error).splitlines()[0]
        if model in refused:
            skipped += 1
            print("skipped: %s natively (the runtime refuses the model: %s)" % (label, refused[model]))
            continue
        try:
            wrong = judge(model, folder, sizes, originals)
        except Exception as error:
            wrong = str(error).splitlines()[0]
        passed += wrong is None
        failed += wrong is not None
        if wrong:
            print("FAILED: %s natively: %s" % (label, wrong))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))


main(sys.argv[1])
