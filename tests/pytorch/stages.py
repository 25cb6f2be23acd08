"""Stages handed over: what `pipe --stages-for` prints, as torch.distributed.pipelining takes it, and as a Pipe.
usage: stages.py GRAPHSPLIT [WORDS BEFORE IT]..."""
import os
import subprocess
import sys

try:
    import torch
    from torch.distributed.pipelining import schedules
    schedules.ScheduleDualPipeV
except (ImportError, AttributeError):
    print("skipped: stages handed over (this PyTorch has no torch.distributed.pipelining with DualPipeV)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "examples", "pytorch"))
import graphsplit_fx as fx  # noqa: E402

program = sys.argv[1:]
passed = failed = 0


def verdict(label, good):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED: " + label)


class Block(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.up, self.down = torch.nn.Linear(6, inner), torch.nn.Linear(inner, 6)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.norm = torch.nn.Linear(6, 6), torch.nn.LayerNorm(6)
        self.layers = torch.nn.Sequential(*[Block(8 + i) for i in range(6)])

    def forward(self, x):
        return self.norm(self.layers(self.embed(x)))


def graphsplit(text, *options):
    run = subprocess.run(program + ["pipe", *options, "-"], input=text.encode(), capture_output=True)
    return run.stdout.decode(), run.stderr.decode(), run.returncode


def parameters(module):
    """Shapes of the parameters, which tell the layers apart."""
    return sorted(tuple(p.shape) for p in module.parameters())


def result(pipe, x):
    found = pipe(x)
    return found[0] if isinstance(found, tuple) else found


def check(label, model, cut):
    """Every form makes the same stages, and what they compute together is what the model does."""
    x = torch.randn(4, 6)
    text = fx.write(model, (x,))
    printed, _, code = graphsplit(text, *cut, "--porcelain")
    parts = fx.read(model, printed)
    wanted = [parameters(m) for _, m in parts.named_children()]
    forms = {form: graphsplit(text, *cut, "--stages-for", form)[0] for form in ("torch", "deepspeed", "megatron")}
    spec = ",".join("%s=%s" % (k, v.name.lower()) for k, v in fx.split_spec(model, forms["torch"]).items())
    verdict(label + ": the split spec cuts in the same places: " + spec,
            graphsplit(text, "--split-spec", spec, "--porcelain")[0] == printed)
    for form in ("torch", "deepspeed", "megatron") if isinstance(model, torch.nn.Sequential) else ("torch",):
        pipe = fx.pipe(model, forms[form], (x,))
        found = [parameters(pipe.get_stage_module(i)) for i in range(pipe.num_stages)]
        verdict("%s: stages of %s" % (label, forms[form].strip()), found == wanted)
        verdict("%s: results of %s" % (label, form), torch.allclose(result(pipe, x), model(x)))
    pipe = fx.pipe(model, printed, (x,))
    verdict(label + ": the printed module as a Pipe", pipe.num_stages == len(wanted) and torch.equal(result(pipe, x), model(x)) and
            [parameters(pipe.get_stage_module(i)) for i in range(pipe.num_stages)] == wanted)
    return forms


def refused(label, words, model, *cut):
    _, said, code = graphsplit(fx.write(model, (torch.randn(4, 6),)), *cut)
    verdict("%s: %s" % (label, said), code == 1 and words in said)


torch.set_num_threads(1)
torch.manual_seed(1)
flat = torch.nn.Sequential(torch.nn.Linear(6, 6), *[Block(8 + i) for i in range(6)], torch.nn.LayerNorm(6))
forms = check("a Sequential", flat, ["--split-spec", "2.up=beginning,5.up=beginning"])
verdict("DeepSpeed's list " + forms["deepspeed"], forms["deepspeed"] == "[0, 2, 5, 8]\n")
net = Net()
forms = check("layers within", net, ["--split-spec", "layers.1.up=beginning,layers.4.up=beginning"])
verdict("Megatron's layout " + forms["megatron"], forms["megatron"] == "Et|t*3|t*2L\n")
verdict("DeepSpeed's list " + forms["deepspeed"], forms["deepspeed"] == "[0, 2, 5, 8]\n")
verdict("Megatron's layers", fx.layer_counts("Ettt|(tt|)*2,t|L") == [4, 2, 2, 1, 1])
half = ["--split-spec", "layers.3.down=beginning"]
verdict("within a layer", graphsplit(fx.write(net, (torch.randn(4, 6),)), *half, "--stages-for", "torch")[0] ==
        '{"layers.3.down": SplitPoint.BEGINNING}\n')
refused("half a layer", "the layer layers.3 is in stages 0 and 1", net, *half, "--stages-for", "deepspeed")
try:
    fx.split_spec(net, "[0, 2, 8]")
    verdict("a list of layers without a Sequential", False)
except fx.Wrong:
    verdict("a list of layers without a Sequential", True)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
