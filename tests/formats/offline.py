"""Runs a model and the same model with a memory plan in TensorFlow Lite Micro, call after call.
usage: python3 tests/formats/offline.py MODEL.tflite PLANNED.tflite
Prints "equal" or what differs, then what the interpreter allocated for the planned one.
"""
import sys

import numpy as np

from chain import CALLS, Micro, random_values


def main(paths):
    models = []
    for path in paths:
        with open(path, "rb") as file:
            models.append(Micro(file.read()))
    rng = np.random.default_rng(7)
    for call in range(CALLS):
        given = [random_values(rng, detail) for detail in models[0].details]
        first, second = (model.run(given) for model in models)
        if [v.tobytes() for v in first] != [v.tobytes() for v in second]:
            print(f"call {call + 1} differs")
            return
    print("equal", flush=True)
    models[1].made.print_allocations()


if __name__ == "__main__":
    main(sys.argv[1:])
