"""graphsplit as a partition pass over Relax: bindings that a backend takes become functions with its name as "Codegen".

    from tvm_host import GraphsplitPartition

    module = GraphsplitPartition(supported, "mybackend")(module)  # supported: a function of a binding
    module = relax.transform.RunCodegen()(module)                 # as after MergeCompositeFunctions

Needs the Python package of graphsplit (`sh examples/integrate/packages.sh DIRECTORY python`) and apache-tvm 0.27 or
later."""
import graphsplit
import tvm
from tvm import relax


# ---- adapter ----
def subgraphs(block, supported):
    """Pairs of (1 for the backend, bindings), in order of execution."""
    at = {binding.var: i for i, binding in enumerate(block.bindings)}
    reads = [[at[v] for v in relax.analysis.free_vars(b.value) if v in at] for b in block.bindings]
    results = [i for var, i in at.items() if not isinstance(var, relax.DataflowVar)]
    kinds = [{"acc": int(bool(supported(binding)))} for binding in block.bindings]
    split = graphsplit.split(graphsplit.rows(reads, results, kinds))
    return [(part.kind == "acc", [block.bindings[int(name[1:])] for name in part.nodes]) for part in split.subgraphs]


@relax.expr_functor.mutator
class Renamer(relax.PyExprMutator):
    """Replaces the variables of values."""


def function_of(bindings, params, results, attrs):
    """A function of these bindings, with new variables."""
    builder, renamer = relax.BlockBuilder(), Renamer()
    new = [relax.Var(p.name, p.ty) for p in params]
    for old, var in zip(params, new):
        renamer.set_var_remap(old, var)
    with builder.function("part", new, attrs=attrs, private=True):
        with builder.dataflow():
            out = {}
            for b in bindings:
                value = renamer.visit_expr(b.value)
                out[b.var] = builder.emit_output(value) if b.var in results else builder.emit(value)
                renamer.set_var_remap(b.var, out[b.var])
        values = [out[v] for v in results]
        builder.emit_func_output(values[0] if len(values) == 1 else relax.Tuple(values))
    return builder.get()["part"]


@tvm.transform.module_pass(opt_level=0, name="GraphsplitPartition")
class GraphsplitPartition:
    def __init__(self, supported, codegen):
        self.supported, self.codegen = supported, codegen

    def transform_module(self, module, context):
        builder = relax.BlockBuilder(module)
        for gvar, function in module.functions_items():
            if isinstance(function, relax.Function) and all(
                    isinstance(b, relax.DataflowBlock) for b in function.body.blocks):
                blocks = [self.partition(builder, gvar.name_hint, block) for block in function.body.blocks]
                body = relax.SeqExpr(blocks, function.body.body)
                builder.update_func(gvar, relax.Function(function.params, body, function.ret_ty, function.is_pure,
                                                         function.attrs))
        return relax.transform.Normalize()(builder.get())

    def partition(self, builder, name, block):
        parts, bindings = subgraphs(block, self.supported), []
        for i, (accelerated, part) in enumerate(parts):
            if not accelerated:
                bindings += part
                continue
            own = {b.var for b in part}
            params = list(dict.fromkeys(v for b in part for v in relax.analysis.free_vars(b.value) if v not in own))
            read = {v for b in block.bindings if b.var not in own for v in relax.analysis.free_vars(b.value)}
            results = [b.var for b in part if b.var in read or not isinstance(b.var, relax.DataflowVar)]
            symbol = "%s_%s_%d" % (name, self.codegen, i)
            attrs = {"Codegen": self.codegen, "global_symbol": symbol}
            callee = builder.add_func(function_of(part, params, results, attrs), symbol)
            call = builder.normalize(relax.Call(callee, params))
            if len(results) == 1:
                bindings.append(relax.VarBinding(results[0], call))
                continue
            both = relax.DataflowVar("%s_%d" % (self.codegen, i), call.ty)
            bindings.append(relax.VarBinding(both, call))
            bindings += [relax.VarBinding(v, builder.normalize(relax.TupleGetItem(both, k)))
                         for k, v in enumerate(results)]
        return relax.DataflowBlock(bindings)
# ---- end of adapter ----
