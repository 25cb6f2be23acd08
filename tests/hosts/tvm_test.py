"""A function of the test's own, partitioned by GraphsplitPartition and by MergeCompositeFunctions, and run."""
import sys

import figures
import numpy as np
import tvm
from tvm import relax
from tvm.relax.dpl import is_op, wildcard
from tvm.script import relax as R

sys.path.insert(0, "examples/hosts")
from tvm_host import GraphsplitPartition, subgraphs  # noqa: E402

OPERATORS = {"relax.nn.conv2d": 2, "relax.nn.relu": 1, "relax.add": 2}


def network():
    """Convolutions, with an operator that the backend lacks on every second skip connection."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", R.Tensor((1, 8, 16, 16), "float32"))
    weight = relax.Var("weight", R.Tensor((8, 8, 3, 3), "float32"))
    with builder.function("main", [x, weight]):
        with builder.dataflow():
            y = x
            for i in range(6):
                z = builder.emit(relax.op.nn.relu(builder.emit(relax.op.nn.conv2d(y, weight, padding=1))))
                y = builder.emit(relax.op.add(z, builder.emit(relax.op.erf(y)) if i % 2 else y))
            y = builder.emit_output(y)
        builder.emit_func_output(y)
    return builder.get()


def supported(binding):
    return isinstance(binding.value, relax.Call) and getattr(binding.value.op, "name", "") in OPERATORS


def merged(module):
    patterns = [("acc." + name, is_op(name)(*[wildcard() for _ in range(arguments)])) for name, arguments in OPERATORS.items()]
    return relax.transform.MergeCompositeFunctions()(relax.transform.FuseOpsByPattern(patterns)(module))


def judged(who, module, milliseconds):
    """A line of a partitioned module: calls of functions with Codegen are its subgraphs."""
    block = module["main"].body.blocks[0]
    inputs, part_of, size, kinds = {}, {}, {}, {}
    for binding in block.bindings:
        call = isinstance(binding.value, relax.Call) and isinstance(binding.value.op, relax.GlobalVar)
        inputs[binding.var] = relax.analysis.free_vars(binding.value)
        item = isinstance(binding.value, (relax.TupleGetItem, relax.Var))  # part of what it is taken of
        part_of[binding.var] = part_of[inputs[binding.var][0]] if item else binding.var
        kinds.setdefault(part_of[binding.var], int(call))
        shape = getattr(binding.var.ty, "shape", None)
        size[binding.var] = 4 * int(np.prod([int(d) for d in shape])) if shape is not None else 0
    return figures.row("tvm", who, inputs, part_of, size, milliseconds, kinds)


def run(module, inputs):
    names = [gvar for gvar, function in module.functions_items() if "Codegen" in (function.attrs or {})]
    for gvar in names:  # no code generator of the backend is here, so TVM compiles its functions, too
        module.update_func(gvar, module[gvar].without_attr("Codegen").without_attr("global_symbol"))
    machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    return machine["main"](*[tvm.runtime.tensor(value) for value in inputs]).numpy()


def main():
    module = network()
    theirs, their_time = figures.timed(merged, module)
    ours, our_time = figures.timed(GraphsplitPartition(supported, "acc"), module)
    relax.analysis.well_formed(ours)
    host = judged("TVM", theirs, their_time)
    own = judged("graphsplit", ours, our_time)
    assert own[0] == len([1 for kind, _ in subgraphs(module["main"].body.blocks[0], supported) if kind])
    assert own[0] <= host[0], "more functions than MergeCompositeFunctions makes"
    random = np.random.default_rng(1)
    inputs = [random.standard_normal(shape).astype("float32") for shape in ((1, 8, 16, 16), (8, 8, 3, 3))]
    assert np.array_equal(run(module, inputs), run(ours, inputs)), "outputs differ"


main()
