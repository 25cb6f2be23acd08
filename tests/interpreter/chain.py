"""Runs the pieces that --emit wrote of a .tflite file one after the other, and the file itself: both have to
yield the same bytes, call after call, since state lasts.
usage: python3 tests/interpreter/chain.py MODEL.tflite DIR     prints one line: what was compared, or what differs
"""
import json
import os
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

CALLS = 3


def interpreter(path):
    made = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    made.allocate_tensors()
    return made


def values(rng, detail):
    shape, dtype = detail["shape"], np.dtype(detail["dtype"])
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype.itemsize < 4 else (-100, 100)
        return rng.integers(max(low, 0) if dtype.kind == "u" else low, high, shape, dtype, endpoint=True)
    return rng.standard_normal(shape).astype(dtype)


def run(made, details_in, details_out, known):
    for name, detail in details_in.items():
        made.set_tensor(detail["index"], known[name])
    made.invoke()
    return {name: made.get_tensor(detail["index"]).copy() for name, detail in details_out.items()}


def signature(made):
    runner = made.get_signature_runner("serving_default")
    return runner.get_input_details(), runner.get_output_details()


def main(model, folder):
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    whole = interpreter(model)
    whole_in, whole_out = whole.get_input_details(), whole.get_output_details()
    pieces = [interpreter(os.path.join(folder, p["model"])) for p in manifest["pieces"] if "model" in p]
    ends = [signature(p) for p in pieces]
    rng = np.random.default_rng(7)
    for call in range(CALLS):
        given = [values(rng, d) for d in whole_in]
        known = dict(zip(manifest["inputs"], given))
        wanted = run(whole, dict(zip(manifest["inputs"], whole_in)), dict(zip(manifest["outputs"], whole_out)), known)
        for made, (ins, outs) in zip(pieces, ends):
            known.update(run(made, ins, outs, known))
        for name, value in wanted.items():
            if value.dtype != known[name].dtype or value.tobytes() != known[name].tobytes():
                return f"call {call}: {name} differs"
    return f"equal: {len(pieces)} pieces, {len(wanted)} outputs, {CALLS} calls"


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
