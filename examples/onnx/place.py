"""Puts the stages that `pipe --stages-for` hands over into a model.

    $ graphsplit-onnx pipe --stages-for onnxruntime --device gpu:0:8G:4 --device cpu:32G model.onnx > plan.json
    $ python3 examples/onnx/place.py model.onnx plan.json placed.onnx

annotates the nodes (layer_ann) and prints the option of ONNX Runtime 1.24 or later, to be set by
`options.add_session_config_entry(*json.loads(line))`. For OpenVINO's HETERO:

    set_affinities(model, json.load(open("affinity.json")))        # of --stages-for openvino
    compiled = core.compile_model(model, "HETERO:GPU.0,CPU")

Needs the package of the engine alone. Nodes without a name get none in a plan either: name them first."""
import json
import re
import sys


def clean(name):
    """The name of a node in a graph."""
    name = re.sub(r"\W", "_", name, flags=re.ASCII) or "_"
    return "_" + name if name[0].isdigit() else name


def annotate(model, plan):
    """Sets layer_ann of the nodes of an onnx.ModelProto; nodes that the plan lacks, such as constants, have none."""
    left = dict(plan["layer_ann"])
    for node in model.graph.node:
        layer = left.pop(clean(node.name), None) if node.name else None
        if layer is not None:
            node.metadata_props.add(key="layer_ann", value=layer)
    if left:
        raise SystemExit("place.py: the model has no node %s" % next(iter(left)))


def set_affinities(model, device_of):
    """Sets affinities of the nodes of an openvino.Model, by their names or those of their outputs. A node that the plan
    lacks, such as a constant, goes to the device of its first reader, or else of the value that it reads."""
    nodes = model.get_ordered_ops()
    device, found = {}, set()
    for node in nodes:
        names = [node.get_friendly_name()] + sorted(name for out in node.outputs() for name in out.get_names())
        known = [clean(name) for name in names if clean(name) in device_of]
        device.update({node.get_friendly_name(): device_of[known[0]]} if known else {})
        found.update(known[:1])
    for node in reversed(nodes):
        readers = [target.get_node().get_friendly_name() for out in node.outputs() for target in out.get_target_inputs()]
        known = [device[reader] for reader in readers if reader in device]
        if known:
            device.setdefault(node.get_friendly_name(), known[0])
    for node in nodes:
        before = [i.get_source_output().get_node().get_friendly_name() for i in node.inputs()]
        device.setdefault(node.get_friendly_name(), next((device[b] for b in before if b in device), next(iter(device_of.values()))))
        node.get_rt_info()["affinity"] = device[node.get_friendly_name()]
    if len(found) < len(device_of):
        raise SystemExit("place.py: the model has no node %s" % next(name for name in device_of if name not in found))


def main():
    import onnx

    source, plan, target = sys.argv[1:]
    with open(plan) as file:
        plan = json.load(file)
    model = onnx.load(source)
    annotate(model, plan)
    onnx.save(model, target)
    option = "session.layer_assignment_settings"
    print(json.dumps([option, plan[option]]))


if __name__ == "__main__":
    main()
