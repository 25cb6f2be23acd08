"""Random networks (tile_nets.py) and their tiled models in an interpreter, also with tiles of the input as inputs:
the outputs have to be equal, of int8 to the bit. Every model also has to have the peak and the arena that the curve promises.
usage: python3 tests/formats/tile_litert.py PROGRAM litert|micro int8|float FIRST COUNT DIRECTORY
Prints what differs, then "COUNT networks, N models in tiles, M of them with another bit".
"""
import csv
import os
import subprocess
import sys

import numpy as np

from chain import LiteRT, Micro, random_values
from tile_nets import Net


def run(program, *words):
    made = subprocess.run([*program, "memory", "--porcelain", *words], capture_output=True, text=True)
    return made.stdout if made.returncode == 0 else "failed: " + made.stderr


def number(text, line, key):
    found = [word for row in text.splitlines() if row.startswith(line) for word in row.split()]
    return int(next((word for word in found if word.startswith(key)), "=-1").split("=")[1])


def points(program, path, folder):
    """Budgets: the arenas of at most four points of the curve, the least first."""
    table = os.path.join(folder, "curve.csv")
    said = run(program, "--tile", "--tile-csv", table, path)
    if said.startswith("failed"):
        raise SystemExit(said)
    with open(table) as file:
        rows = list(csv.DictReader(file))
    arenas = sorted({int(row["arena"]) for row in rows if row["tiles"]})
    peaks = {}
    for row in rows:
        peaks.setdefault(int(row["arena"]), int(row["peak"]))  # of equal arenas the first is taken, whose peak is larger
    return peaks, arenas[:: max(1, (len(arenas) + 3) // 4)]


def check(program, engine, path, folder, seed):
    tiled = os.path.join(folder, "tiled.tflite")
    peaks, budgets = points(program, path, folder)
    with open(path, "rb") as file:
        whole = engine(file.read())
    n, other = 0, 0
    for budget in budgets:
        said = run(program, "--tile", "--fit", str(budget), "--emit-model", tiled, path)
        again = run(program, tiled)
        arena, peak = number(said, "arena", "bytes="), number(again, "peak", "bytes=")
        if not 0 <= arena <= budget or number(said, "peak", "bytes=") != peak or peak > peaks[arena]:
            print(f"seed {seed} --fit {budget}: arena {arena}, peak {peak} of {peaks}: {said[:200]}")
        if "tile " not in said:
            continue
        n += 1
        other += differs(whole, engine, tiled, seed, f"--fit {budget}")
    said = run(program, "--tile", "--stream-input", "--emit-model", tiled, path)
    if said.startswith("failed") and "cannot run in tiles since it" not in said and "no region" not in said:
        print(f"seed {seed} --stream-input: {said}")
    if not said.startswith("failed"):
        n += 1
        other += differs(whole, engine, tiled, seed, "--stream-input", stream_tiles(said))
    return n, other


def stream_tiles(said):
    """Of every tile of the input its rows and columns, from lines `stream NAME rows=A..B columns=C..D`."""
    tiles = []
    for line in said.splitlines():
        if line.startswith("stream ") and ".." in line:
            given = dict(word.split("=") for word in line.split()[2:])
            tiles.append([slice(*map(int, given[k].split(".."))) if k in given else slice(None) for k in ("rows", "columns")])
    return tiles


def differs(whole, engine, path, seed, words, tiles=()):
    with open(path, "rb") as file:
        made = engine(file.read())
    rng = np.random.default_rng(seed)
    given = [random_values(rng, detail) for detail in whole.details]
    cut = [np.ascontiguousarray(given[0][:, rows, columns]) for rows, columns in tiles]
    if [c.shape for c in cut] != [tuple(d["shape"]) for d in made.details][: len(cut)]:
        print(f"seed {seed} {words}: inputs {made.details} for {tiles}")
    a, b = whole.run(given)[0], made.run(cut or given)[0]
    if a.shape != b.shape or (a.dtype == np.int8 and a.tobytes() != b.tobytes()) or not np.allclose(a, b, 1e-4, 1e-4):
        print(f"seed {seed} {words}: {np.sum(a != b)} of {a.size} elements differ")
    return a.tobytes() != b.tobytes()


def main(program, engine, kind, first, count, folder):
    engine = {"litert": LiteRT, "micro": Micro}[engine]
    path, n, other = os.path.join(folder, "net.tflite"), 0, 0
    for seed in range(int(first), int(first) + int(count)):
        with open(path, "wb") as file:
            file.write(Net(seed, kind == "float").make())
        made = check(program.split(), engine, path, folder, seed)
        n, other = n + made[0], other + made[1]
    print(f"{count} networks, {n} models in tiles, {other} of them with another bit")


if __name__ == "__main__":
    main(*sys.argv[1:])
