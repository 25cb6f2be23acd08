"""Runs the pieces that `--emit DIR` wrote, one after the other, as DIR/manifest.json has them: .tflite files in LiteRT,
.onnx files in ONNX Runtime.

usage: python3 run_pieces.py DIR [--inputs DIR] [--outputs DIR] [--seed N] [--dim NAME=N]...
       inputs and outputs of the model are DIR/NAME.npy, where bytes of NAME other than letters, digits and _.-~ are %XX;
       without --inputs they are random. --dim: a dimension of an ONNX input that is no number; 1 if not given.

Of an input that comes in tiles (`--stream-input`), NAME.npy is the whole: it stays on the disk, each piece gets its tiles of
it, and models are loaded one at a time.
"""

import argparse
import json
import os
import urllib.parse

import numpy


class LiteRT:
    """A .tflite file, without delegates, which would take other nodes of pieces than of the whole."""

    def __init__(self, path, dims):
        try:
            from ai_edge_litert.interpreter import Interpreter, OpResolverType
        except ModuleNotFoundError:
            raise SystemExit("LiteRT is not installed: pip install ai-edge-litert") from None

        kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        self.runner = Interpreter(path, experimental_op_resolver_type=kernels).get_signature_runner("serving_default")
        self.inputs = {name: (at["shape"], at["dtype"]) for name, at in self.runner.get_input_details().items()}

    def run(self, values):
        return self.runner(**values)


class OnnxRuntime:
    """An .onnx file, without fusions, which a cut would prevent."""

    TYPES = {"float": "f4", "double": "f8", "float16": "f2", "bool": "?",
             **{f"{sign}int{8 * n}": f"{sign or 'i'}{n}" for sign in ("", "u") for n in (1, 2, 4, 8)}}

    def __init__(self, path, dims):
        try:
            import onnxruntime
        except ModuleNotFoundError:
            raise SystemExit("ONNX Runtime is not installed: pip install onnxruntime") from None

        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.outputs = [at.name for at in self.session.get_outputs()]
        self.inputs = {at.name: ([d if isinstance(d, int) else dims.get(d, 1) for d in at.shape],
                                 self.TYPES[at.type[len("tensor("):-1]]) for at in self.session.get_inputs()}

    def run(self, values):
        return dict(zip(self.outputs, self.session.run(None, values)))


ENGINES = {".tflite": LiteRT, ".onnx": OnnxRuntime}


def file_of(folder, name):
    return os.path.join(folder, urllib.parse.quote(name, safe="") + ".npy")


def random_value(rng, shape, dtype):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "f":
        return rng.uniform(-1, 1, shape).astype(dtype)
    most = 1 if dtype.kind == "b" else 3 if dtype.itemsize > 1 else numpy.iinfo(dtype).max
    return rng.integers(0, most, shape, endpoint=True).astype(dtype)


class Pieces:
    """The models of a manifest, each loaded once; if an input comes in tiles, each when it runs, and nothing lasts longer
    than it is needed."""

    def __init__(self, folder, dims=None):
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            self.manifest = json.load(file)
        self.streamed = self.manifest.get("streamed")
        self.dims, self.made, self.calls = dims or {}, {}, []
        for piece in self.manifest["pieces"]:
            path = os.path.join(folder, piece["file"])
            if os.path.splitext(path)[1] not in ENGINES:
                raise SystemExit(f"{piece['name']}: no engine runs this piece; {piece.get('refused', 'it has no model')}")
            self.calls.append((path, piece.get("bind", {}), piece["inputs"]))
            if not self.streamed:
                self.model(path)

    def model(self, path):
        if path in self.made:
            return self.made[path]
        model = ENGINES[os.path.splitext(path)[1]](path, self.dims)
        if not self.streamed:
            self.made[path] = model
        return model

    def inputs(self):
        """Shape and type of each input of the model that a piece reads."""
        read = {bind.get(name, name): at for path, bind, _ in self.calls for name, at in self.model(path).inputs.items()}
        if self.streamed:
            begin = self.streamed["begin"]
            ends = [[b + n for b, n in zip(begin[name], read[name][0])] for name in begin if name in read]
            kind = next(read[name][1] for name in begin if name in read)
            rest = {name: at for name, at in read.items() if name in self.manifest["inputs"] and name not in begin}
            return {self.streamed["input"]: ([max(sizes) for sizes in zip(*ends)], kind), **rest}
        return {name: read[name] for name in self.manifest["inputs"] if name in read}

    def value(self, values, name, shape):
        """A value, or the tile of an input that comes in tiles."""
        if name in values or not self.streamed:
            return values[name]
        at = zip(self.streamed["begin"][name], shape)
        return numpy.ascontiguousarray(values[self.streamed["input"]][tuple(slice(b, b + n) for b, n in at)])

    def run(self, given):
        values = dict(given)
        for i, (path, bind, _) in enumerate(self.calls):
            model = self.model(path)
            results = model.run({name: self.value(values, bind.get(name, name), at[0]) for name, at in model.inputs.items()})
            values.update((bind.get(name, name), value) for name, value in results.items())
            if self.streamed:
                del model, results
                later = {name for _, _, reads in self.calls[i + 1:] for name in reads}
                later |= set(self.manifest["outputs"]) | {self.streamed["input"]}
                values = {name: value for name, value in values.items() if name in later}
        return {name: values[name] for name in self.manifest["outputs"]}


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    words.add_argument("folder")
    words.add_argument("--inputs")
    words.add_argument("--outputs")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--dim", action="append", default=[])
    given = words.parse_args()
    pieces = Pieces(given.folder, {name: int(n) for name, n in (text.rsplit("=", 1) for text in given.dim)})
    rng = numpy.random.default_rng(given.seed)
    mode = "r" if pieces.streamed else None
    values = {name: numpy.load(file_of(given.inputs, name), mmap_mode=mode) if given.inputs else random_value(rng, *at)
              for name, at in pieces.inputs().items()}
    for name, value in pieces.run(values).items():
        print(f"{name} {value.dtype} {list(value.shape)}")
        if given.outputs:
            os.makedirs(given.outputs, exist_ok=True)
            numpy.save(file_of(given.outputs, name), value)


if __name__ == "__main__":
    main()
