"""The operator lists of ExecuTorch's backends beside what the installed ExecuTorch registers: every name is in the list."""
import importlib
import sys

import graphsplit


def listed(name):
    """The names of a list, without torch.ops; and the version that it says it has."""
    lines = graphsplit.run("ops", name).splitlines()
    version = next(line for line in lines if line.startswith("# Version: ")).split()[2]
    return {line.split(" ")[0].replace("torch.ops.", "") for line in lines if not line.startswith("#")}, version


def name_of(key):
    """aten.add.Tensor of an operator, of its edge dialect, of ns::name"""
    schema = getattr(key, "_schema", None)
    if schema is not None:
        return schema.name.replace("::", ".") + "." + (schema.overload_name or "default")
    return key.replace("::", ".") + ".default" if isinstance(key, str) else "operator." + key.__name__


def registered():
    configs = importlib.import_module("executorch.backends.xnnpack.partition.config").ALL_PARTITIONER_CONFIGS
    yield "executorch-xnnpack", {config.target_name for config in configs}
    yield "executorch-vulkan", set(map(name_of, importlib.import_module("executorch.backends.vulkan.op_registry").vulkan_supported_ops))
    try:
        arm = importlib.import_module("executorch.backends.arm.operator_support.tosa_profile_supported_op_lists")
    except ImportError as e:
        print("lists executorch-ethos-u85: not compared, %s" % e)
        return
    yield "executorch-ethos-u85", set(map(name_of, arm.TOSA_PRO_INT_SupportList))


def main():
    installed = importlib.import_module("executorch.version").__version__.split("+")[0]
    for name, theirs in registered():
        ours, version = listed(name)
        ends = {n.partition(".")[2] for n in ours} if name == "executorch-xnnpack" else ours
        missing = sorted(theirs - ends)
        print("lists %s of %s: %d names that ExecuTorch %s registers, %d missing" % (name, version, len(theirs), installed, len(missing)))
        assert len(theirs) > 40 and (not missing or installed != version), missing


if __name__ == "__main__":
    sys.exit(main())
