"""Types that graphsplit-onnx infers against those that the onnx package states, for each model of its node tests: the
types of the outputs are taken out, small operands become initializers. A type that contradicts counts as failed, one
that stays open does not; of those that the newest operators leave open the share is printed.

usage: python3 node_types.py PROGRAM FOLDER
"""

import concurrent.futures
import os
import re
import subprocess
import sys

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

NAMES = {1: "f32", 2: "u8", 3: "i8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 9: "b1", 10: "f16", 11: "f64", 12: "u32",
         13: "u64", 14: "c64", 15: "c128", 16: "bf16", 17: "f8", 18: "f8", 19: "f8", 20: "f8", 21: "u4", 22: "i4"}


def stated(output):
    """The type of an output as graph text spells it; None where the model leaves something open."""
    kind = output.type.tensor_type
    if output.type.WhichOneof("value") != "tensor_type" or kind.elem_type not in NAMES or not kind.HasField("shape"):
        return None
    if any(not d.HasField("dim_value") for d in kind.shape.dim):
        return None
    return [NAMES[kind.elem_type]] + [str(d.dim_value) for d in kind.shape.dim]


def prepare(case, folder):
    model = case.model
    wanted = [stated(output) for output in model.graph.output]
    for value, data in zip(model.graph.input, case.data_sets[0][0] if case.data_sets else []):
        tensor = data if isinstance(data, onnx.TensorProto) else None
        if isinstance(data, numpy.ndarray) and data.dtype.kind in "ib" and data.size <= 64:
            tensor = numpy_helper.from_array(data)
        if tensor is not None and value.name != model.graph.input[0].name and len(model.graph.node) == 1:
            tensor.name = value.name
            model.graph.initializer.append(tensor)
    for output in model.graph.output:
        output.ClearField("type")
    path = os.path.join(folder, case.name + ".onnx")
    onnx.save(model, path)
    return path, wanted


def found(program, path):
    """The types of the outputs, in order."""
    run = subprocess.run([program, "read", "--main", path], capture_output=True, text=True)
    types = {name: re.findall(r"[^,\[\] ]+", kind) for name, kind in
             re.findall(r"^ +%(\w+) : .*?  # (.*)$", run.stdout, re.M)}
    returned = re.search(r"^ +return (.*)$", run.stdout, re.M)
    return [types.get(name, []) for name in re.findall(r"\w+", returned.group(1))] if returned else None


def judge(wanted, got):
    if not got:
        return "open"
    same = len(got) == len(wanted) and got[0] == wanted[0]
    if not same or any(a.isdigit() and a != b for a, b in zip(got[1:], wanted[1:])):
        return "wrong"
    return "known" if got == wanted else "open"


def main():
    program, folder = sys.argv[1:]
    jobs = [(case.name,) + prepare(case, folder) for case in collect_testcases(None)]
    count = {"known": 0, "open": 0, "wrong": 0}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (name, _, wanted), got in zip(jobs, pool.map(lambda job: found(program, job[1]), jobs)):
            if got is None:
                count["wrong"] += 1
                print("FAIL types of " + name + ": it cannot be read")
            for want, have in zip(wanted, got or []):
                verdict = judge(want, have) if want else "open"
                count[verdict] += 1
                if verdict == "wrong":
                    print(f"FAIL types of {name}: {have} instead of {want}")
    print(f"# types of node models: {count['known']} known, {count['open']} open", file=sys.stderr)
    print(f"{count['known']} passed, {count['wrong']} failed, 0 skipped")


main()
