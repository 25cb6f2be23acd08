"""graphsplit sets the affinities of a model for the HETERO device of OpenVINO.

    from openvino_host import set_affinities

    set_affinities(model, supported, "NPU", "CPU", min_size=4)   # supported: a function of a node
    compiled = core.compile_model(model, "HETERO:NPU,CPU")

HETERO by itself gives every node to the first device that takes it, however small the submodel is. Options are those
of a split, such as min_size, limit and max_acc. Needs the Python package of graphsplit (`sh
examples/integrate/packages.sh DIRECTORY python`) and openvino 2024 or later."""
import graphsplit


# ---- adapter ----
def computing(model):
    return [n for n in model.get_ordered_ops() if n.get_type_name() not in ("Parameter", "Constant", "Result")]


def sources(node):
    """Nodes whose values this one reads."""
    return list(dict.fromkeys(i.get_source_output().get_node() for i in node.inputs()))


def subgraphs(model, supported, **options):
    """Pairs of (1 for the accelerator, nodes), in order of execution."""
    nodes = computing(model)
    at = {node.get_friendly_name(): i for i, node in enumerate(nodes)}
    reads = [sorted(at[s.get_friendly_name()] for s in sources(node) if s.get_friendly_name() in at) for node in nodes]
    results = [at[name] for name in (sources(r)[0].get_friendly_name() for r in model.get_results()) if name in at]
    kinds = [{"acc": int(bool(supported(node)))} for node in nodes]
    split = graphsplit.split(graphsplit.rows(reads, results, kinds), **options)
    return [(part.kind == "acc", [nodes[int(name[1:])] for name in part.nodes]) for part in split.subgraphs]


def set_affinities(model, supported, accelerator, other, **options):
    """Returns the subgraphs. Inputs and constants go to the device of their first reader, results to that of their
    value."""
    parts = subgraphs(model, supported, **options)
    device = {n.get_friendly_name(): accelerator if kind else other for kind, nodes in parts for n in nodes}
    for node in model.get_ordered_ops():
        if node.get_type_name() == "Result":
            device[node.get_friendly_name()] = device[sources(node)[0].get_friendly_name()]
        elif node.get_friendly_name() not in device:
            readers = [target.get_node().get_friendly_name() for out in node.outputs() for target in out.get_target_inputs()]
            device[node.get_friendly_name()] = next((device[r] for r in readers if r in device), other)
        node.get_rt_info()["affinity"] = device[node.get_friendly_name()]
    return parts
# ---- end of adapter ----
