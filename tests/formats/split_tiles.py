"""Random networks whose operators are above the limit of an accelerator (`split --tile --max-acc-bytes`): the pieces yield
what the whole model does (of int8 to the bit), each piece of the accelerator is within the limit as it is measured here,
the least limit that an error names can be reached, and one byte less cannot. With --stream-input, too, where
examples/run_pieces.py gives each piece its tiles of a frame on the disk, and no run needs more than is told.
usage: python3 tests/formats/split_tiles.py PROGRAM litert|ort FIRST COUNT DIRECTORY
Prints what differs, then "COUNT networks, N splits in tiles, M pieces of the accelerator, K with tiles of the input".
"""
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "examples"))


def measure(inputs, outputs, operators, size, constants):
    """Bytes of all constants and the most that is live at once: inputs from the beginning, outputs to the end."""
    last = {name: at for at, (reads, _) in enumerate(operators) for name in reads}
    live, peak = set(inputs), 0
    for at, (reads, makes) in enumerate(operators):
        live |= set(makes)
        peak = max(peak, sum(size(name) for name in live))
        live -= {name for name in live if last.get(name, at) <= at and name not in outputs}
    return peak + sum(size(name) for name in constants)


class Lite:
    ending = ".tflite"
    accepts = "tflite.*"

    @staticmethod
    def write(seed, path):
        from tile_nets import Net

        with open(path, "wb") as file:
            file.write(Net(seed, False).make())

    @staticmethod
    def differs(path, folder):
        from chain import LiteRT, compare

        with open(path, "rb") as file:
            said = compare(LiteRT, file.read(), folder)
        return None if said.startswith("equal") else said

    @staticmethod
    def run(path, value):
        from chain import LiteRT

        with open(path, "rb") as file:
            return LiteRT(file.read()).run([value])

    @staticmethod
    def shape(path):
        from chain import LiteRT

        with open(path, "rb") as file:
            return tuple(map(int, LiteRT(file.read()).details[0]["shape"]))

    @staticmethod
    def measure(path, with_constants=True):
        from ai_edge_litert import schema_py_generated as schema

        with open(path, "rb") as file:
            model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(file.read(), 0))
        graph = model.subgraphs[0]
        width = {schema.TensorType.INT8: 1, schema.TensorType.INT32: 4, schema.TensorType.FLOAT32: 4}
        held = {i for i, t in enumerate(graph.tensors) if model.buffers[t.buffer].data is not None}
        size = lambda i: int(np.prod(graph.tensors[i].shape)) * width[graph.tensors[i].type]
        operators = [([int(i) for i in o.inputs if i >= 0 and i not in held], list(map(int, o.outputs)))
                     for o in graph.operators]
        return measure(map(int, graph.inputs), set(map(int, graph.outputs)), operators, size, held if with_constants else ())


    @staticmethod
    def params(path, first, last):
        """Bytes of the weights and biases of a range of operators, each once."""
        from ai_edge_litert import schema_py_generated as schema
        from stream_litert import operators_of

        with open(path, "rb") as file:
            model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(file.read(), 0))
        graph, names = model.subgraphs[0], [name for name, _, _ in operators_of(model)]
        read = {int(i) for o in graph.operators[names.index(first):names.index(last) + 1] for i in o.inputs
                if len(o.inputs) > 2 and model.buffers[graph.tensors[i].buffer].data is not None}
        return sum(len(model.buffers[graph.tensors[i].buffer].data) for i in read)


class Onnx:
    ending = ".onnx"
    accepts = "onnx.*"

    @staticmethod
    def write(seed, path):
        import onnx

        from tile_onnx import Net

        onnx.save(Net(seed).make(), path)

    @staticmethod
    def differs(path, folder):
        import onnxruntime
        from run_pieces import OnnxRuntime, Pieces, random_value

        onnxruntime.set_default_logger_severity(3)
        whole, pieces = OnnxRuntime(path, {}), Pieces(folder)
        rng = np.random.default_rng(5)
        given = {name: random_value(rng, *at) for name, at in pieces.inputs().items()}
        expected, found = whole.run(given), pieces.run(given)
        close = all(np.allclose(value, found[name], 1e-4, 1e-4) for name, value in expected.items())
        return None if close and len(found) == len(expected) else "outputs differ"

    @staticmethod
    def run(path, value):
        from run_pieces import OnnxRuntime

        whole = OnnxRuntime(path, {})
        return list(whole.run({next(iter(whole.inputs)): value}).values())

    @staticmethod
    def shape(path):
        import onnxruntime

        return tuple(onnxruntime.InferenceSession(path).get_inputs()[0].shape)

    @staticmethod
    def measure(path, with_constants=True):
        import onnx

        graph = onnx.shape_inference.infer_shapes(onnx.load(path)).graph
        bytes_of = {t.name: int(np.prod(t.dims)) * onnx.helper.tensor_dtype_to_np_dtype(t.data_type).itemsize
                    for t in graph.initializer}
        held = set(bytes_of)
        for info in [*graph.input, *graph.value_info, *graph.output]:
            kind = info.type.tensor_type
            bytes_of.setdefault(info.name, int(np.prod([d.dim_value for d in kind.shape.dim])) *
                                onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type).itemsize)
        operators = [([i for i in n.input if i and i not in held], list(n.output)) for n in graph.node]
        inputs = [i.name for i in graph.input if i.name not in held]
        return measure(inputs, {o.name for o in graph.output}, operators, bytes_of.get,
                       held if with_constants else ())


def live(kind, folder, manifest):
    """The most bytes of a run of the pieces: those of a piece, and what others still need."""
    pieces, sizes, most = manifest["pieces"], {}, 0
    for name, at in manifest["values"].items():
        sizes[name] = int(np.prod(at["shape"])) * (1 if at["dtype"].endswith("i8") else 4)
    made, tiles = set(manifest["inputs"]) - set(manifest["streamed"]["begin"]), manifest["streamed"]["begin"]
    for at, piece in enumerate(pieces):
        later = set(manifest["outputs"]).union(*(p["inputs"] for p in pieces[at + 1:]))
        held = {name for name in made if name in later and name not in piece["inputs"]}
        path = os.path.join(folder, piece["file"])
        most = max(most, kind.measure(path, False) + sum(sizes[name] for name in held))
        made = {name for name in made | set(piece["outputs"]) if name in later and name not in tiles}
    return most


def stream(program, kind, path, folder, words, limit):
    """Splits with tiles of the input as inputs; how many, 0 or 1."""
    shutil.rmtree(folder, ignore_errors=True)
    status, said, error = split(program, kind, path, limit, "--stream-input", "--emit", folder)
    if status != 0:
        if "--stream-input: " not in error and "the least that tiles reach" not in error:
            print(f"{words}: {error}")
        return 0
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    total = int(re.search(r"^stream total=(\d+) tile=\d+$", said, re.M).group(1))
    if live(kind, folder, manifest) > total:
        print(f"{words}: a run needs {live(kind, folder, manifest)} bytes, {total} are told")
    if said.count("\nstream ") != len(manifest["streamed"]["begin"]) + 1:
        print(f"{words}: {said[:300]} for {manifest['streamed']}")
    from run_pieces import Pieces, file_of, random_value

    pieces = Pieces(folder)
    (name, (_, dtype)), = pieces.inputs().items()  # of the shape as far as tiles reach
    frame = file_of(folder, name)
    np.save(frame, random_value(np.random.default_rng(3), kind.shape(path), dtype))
    found = pieces.run({name: np.load(frame, mmap_mode="r")})
    for a, b in zip(kind.run(path, np.load(frame)), found.values()):
        if a.shape != b.shape or (a.dtype == np.int8 and a.tobytes() != b.tobytes()) or not np.allclose(a, b, 1e-4, 1e-4):
            print(f"{words}: outputs differ with tiles of the input")
    judge_limit(kind, folder, manifest, words, limit)
    return 1


def split(program, kind, path, limit, *words):
    made = subprocess.run([*program, "split", "--acc-ops", kind.accepts, "--tile", "--max-acc-bytes", str(limit),
                           *words, "--porcelain", path], capture_output=True, text=True)
    return made.returncode, made.stdout, made.stderr


def check(program, kind, path, folder, seed):
    status, _, error = split(program, kind, path, 1)
    found = re.search(r"^graphsplit[-a-z]*: --max-acc-bytes 1: the least that tiles reach is (\d+) bytes, (\d+) of parameters, "
                      r"of %(\S+) \(\S+\)(?: to %(\S+) \()?", error)
    if status != 1 or found is None or error.count("\n") != 1:
        print(f"seed {seed}: {error}")
        return 0, 0, 0
    first, last = found.group(3), found.group(4) or found.group(3)
    if kind is Lite and first.split("_2d")[0] != first and Lite.params(path, first, last) != int(found.group(2)):
        print(f"seed {seed}: {Lite.params(path, first, last)} bytes of parameters: {error}")
    least, n, pieces = int(found.group(1)), 0, 0
    status, said, error = split(program, kind, path, least - 1)
    if status != 1 or f" is {least} bytes, " not in error or "subgraph" in said:
        print(f"seed {seed}: {least - 1} bytes: {error or said[:200]}")
    for limit in (least, least + least // 5, 2 * least):
        shutil.rmtree(folder, ignore_errors=True)
        status, said, error = split(program, kind, path, limit, "--emit", folder)
        if status != 0:
            print(f"seed {seed}, limit {limit}: {error}")
            continue
        tiles = [line for line in said.splitlines() if line.startswith("tile ")]
        if any(int(re.search(r" peak=(\d+) ", line).group(1)) > limit for line in tiles):
            print(f"seed {seed}, limit {limit}: {tiles}")
        n += len(tiles) != 0
        pieces += judge(kind, path, folder, f"seed {seed}, limit {limit}", limit)
    streams = sum(stream(program, kind, path, folder, f"seed {seed}, stream {limit}", limit) for limit in (2 * least, 4 * least))
    return n, pieces, streams


def judge(kind, path, folder, words, limit):
    with open(os.path.join(folder, "manifest.json")) as file:
        n = judge_limit(kind, folder, json.load(file), words, limit)
    differs = kind.differs(path, folder)
    if differs:
        print(f"{words}: {differs}")
    return n


def judge_limit(kind, folder, manifest, words, limit):
    pieces = [p for p in manifest["pieces"] if p["kind"] == "acc"]
    for piece in pieces:
        bytes_ = kind.measure(os.path.join(folder, piece["file"]))
        if bytes_ > limit:
            print(f"{words}: {piece['name']} takes {bytes_}")
    return len(pieces)


def main(program, engine, first, count, folder):
    kind = {"litert": Lite, "ort": Onnx}[engine]
    path, n, pieces, streams = os.path.join(folder, "net" + kind.ending), 0, 0, 0
    for seed in range(int(first), int(first) + int(count)):
        kind.write(seed, path)
        made = check(program.split(), kind, path, os.path.join(folder, "parts"), seed)
        n, pieces, streams = n + made[0], pieces + made[1], streams + made[2]
    print(f"{count} networks, {n} splits in tiles, {pieces} pieces of the accelerator, {streams} with tiles of the input")


if __name__ == "__main__":
    main(*sys.argv[1:])
