"""What tests of `graphsplit bisect` share that plant faults in an engine of Python: one operator that is wrong, or two that
are wrong only if a piece holds both. This program runs the pieces: loading an engine for each takes longer than all the
rest.
"""

import math
import os
import random
import subprocess
import sys
import threading

# A command that hands its words over, and waits for the answer.
ASK = "printf '%%s\\n' '%s' {model} {inputs} {outputs} > ask; read answer < answer; [ \"$answer\" = done ]"


def serve(run):
    while True:
        with open("ask", encoding="utf-8") as file:
            words = file.read().split("\n")
        if words[0] == "end":
            return
        try:
            run(words[0].split(), *words[1:4])
            answer = "done"
        except Exception as error:  # the command fails, and this says why
            print(error, file=sys.stderr)
            answer = "failed"
        with open("answer", "w", encoding="utf-8") as file:
            file.write(answer + "\n")


def bisect(program, options, path, fault):
    found = subprocess.run([program, "bisect", "--porcelain", "--tolerance", "0", *options, "--run", ASK % " ".join(fault),
                            "--engine", ASK % "", path], capture_output=True, text=True, check=False)
    lines = found.stdout.splitlines()
    return int(lines[0].split()[1]) if lines and lines[0].startswith("runs ") else 0, lines[1:], found.stderr


def main(make_model, run, path, options=(), can_be_wrong=lambda name: True):
    """make_model(path, seed) writes a model and names its nodes in their order; run(fault, model, inputs, outputs) runs a
    piece. Usage of the program: PROGRAM FOLDER [COUNT]."""
    program = os.path.abspath(sys.argv[1])
    os.makedirs(sys.argv[2], exist_ok=True)
    os.chdir(sys.argv[2])
    for name in ("ask", "answer"):
        if not os.path.exists(name):
            os.mkfifo(name)
    threading.Thread(target=serve, args=(run,), daemon=True).start()
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    left = {1: count, 2: count}  # faults of one node and of two
    runs, most_runs = {1: [], 2: []}, {1: 0.0, 2: 0.0}
    failed = seed = 0
    while left[1] or left[2]:
        names = make_model(path, seed)
        text = subprocess.run([program, "read", "--main", path], capture_output=True, text=True, check=True).stdout
        # The nodes of the text are those of the file, in their order.
        calls = [line.split()[0][1:] for line in text.splitlines() if "= call_" in line and "getitem]" not in line]
        places = [i for i, name in enumerate(names) if can_be_wrong(name)]
        dice = random.Random(seed)
        seed += 1
        for size in (1, 2):
            if left[size] == 0 or len(places) < size:
                continue
            left[size] -= 1
            fault = sorted(dice.sample(places, size))
            n, found, why = bisect(program, options, path, [names[i] for i in fault])
            wanted = ["culprit " + " ".join(calls[i] for i in fault)]
            most = size * (2 * math.log2(len(places)) + 4)
            runs[size].append(n)
            most_runs[size] = max(most_runs[size], n / most)
            if found != wanted or n > most + 1e-9 or len(calls) != len(names):
                failed += 1
                print(f"FAIL seed {seed - 1}, {len(names)} nodes: planted {wanted}, found {found} in {n} runs {why}")
    with open("ask", "w", encoding="utf-8") as file:
        file.write("end\n")
    for size, kind in ((1, "single"), (2, "pair")):
        print(f"{len(runs[size])} {kind} faults: {min(runs[size])} to {max(runs[size])} runs, "
              f"{sum(runs[size]) / len(runs[size]):.1f} on average, {most_runs[size]:.2f} of the bound at most")
    print(f"{2 * count - failed} passed, {failed} failed")
    return failed != 0
