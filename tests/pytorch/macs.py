"""Multiply-accumulates of `read --macs` beside torch.utils.flop_counter, two operations for each of them.

usage: python tests/pytorch/macs.py build/graphsplit"""
import os
import subprocess
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/pytorch"))
warnings.filterwarnings("ignore")
import torch  # noqa: E402
from torch import nn  # noqa: E402

try:
    from torch.utils.flop_counter import FlopCounterMode  # noqa: E402
except ImportError:  # before PyTorch 2.1
    print("skipped: PyTorch %s has no counter\n0 passed, 0 failed, 1 skipped" % torch.__version__)
    sys.exit(0)

import graphsplit_fx  # noqa: E402

program = sys.argv[1]
R = torch.randn


class Call(nn.Module):
    """A function or a module, called with as many inputs as there are, then with weights."""

    def __init__(self, f, *weights):
        super().__init__()
        self.f = f
        self.weights = nn.ParameterList(weights)

    def of(self, inputs):
        self.__class__ = (One, Two, Three)[len(inputs) - 1]
        return self


class One(Call):
    def forward(self, a):
        return self.f(a, *[w for w in self.weights])


class Two(Call):
    def forward(self, a, b):
        return self.f(a, b, *[w for w in self.weights])


class Three(Call):
    def forward(self, a, b, c):
        return self.f(a, b, c, *[w for w in self.weights])


F = nn.functional
cases = [
    ("linear", nn.Linear(12, 7), (R(3, 5, 12),)),
    ("linear without bias", nn.Linear(12, 7, bias=False), (R(3, 12),)),
    ("bilinear weights", Call(F.linear, R(9, 4)), (R(6, 4),)),
    ("conv1d", nn.Conv1d(6, 8, 3), (R(2, 6, 20),)),
    ("conv2d", nn.Conv2d(6, 8, 3, stride=2, padding=1), (R(2, 6, 20, 18),)),
    ("conv2d without bias", nn.Conv2d(6, 8, (3, 5), bias=False), (R(2, 6, 20, 18),)),
    ("conv2d of groups", nn.Conv2d(6, 12, 3, groups=3), (R(2, 6, 20, 18),)),
    ("conv2d depthwise", nn.Conv2d(10, 10, 3, groups=10), (R(2, 10, 20, 18),)),
    ("conv2d depthwise without bias", nn.Conv2d(8, 8, 5, groups=8, bias=False), (R(2, 8, 20, 18),)),
    ("conv2d of one channel", nn.Conv2d(1, 8, 3), (R(2, 1, 20, 18),)),
    ("conv3d", nn.Conv3d(3, 4, 3), (R(1, 3, 8, 9, 10),)),
    ("conv_transpose1d", nn.ConvTranspose1d(6, 8, 3, stride=2), (R(2, 6, 20),)),
    ("conv_transpose2d", nn.ConvTranspose2d(6, 8, 4, stride=2), (R(2, 6, 10, 9),)),
    ("conv_transpose2d of groups", nn.ConvTranspose2d(6, 4, 3, groups=2), (R(2, 6, 10, 9),)),
    ("conv_transpose3d", nn.ConvTranspose3d(3, 4, 2, bias=False), (R(1, 3, 4, 5, 6),)),
    ("functional conv2d", Call(F.conv2d, R(5, 3, 2, 2)), (R(1, 3, 7, 7),)),
    ("functional conv_transpose2d", Call(F.conv_transpose2d, R(3, 5, 2, 2)), (R(1, 3, 7, 7),)),
    ("matmul", Call(torch.matmul), (R(2, 3, 4, 5), R(5, 6))),
    ("matmul of batches", Call(torch.matmul), (R(2, 3, 4, 5), R(2, 3, 5, 6))),
    ("matmul of vectors", Call(torch.matmul), (R(7, 5), R(5)), 35),
    ("mm", Call(torch.mm), (R(4, 5), R(5, 6))),
    ("bmm", Call(torch.bmm), (R(3, 4, 5), R(3, 5, 6))),
    ("addmm", Call(torch.addmm), (R(6), R(4, 5), R(5, 6))),
    ("baddbmm", Call(torch.baddbmm), (R(3, 4, 6), R(3, 4, 5), R(3, 5, 6))),
    ("operator @", Call(lambda a, b: a @ b), (R(4, 5), R(5, 6))),
    ("einsum", Call(lambda a, b: torch.einsum("bij,bjk->bik", a, b)), (R(3, 4, 5), R(3, 5, 6))),
    ("einsum with an ellipsis", Call(lambda a, b: torch.einsum("...ij,jk->...ik", a, b)), (R(2, 3, 4, 5), R(5, 6))),
    ("einsum of attention", Call(lambda a, b: torch.einsum("bqhd,bkhd->bhqk", a, b)), (R(2, 5, 3, 4), R(2, 6, 3, 4))),
    ("attention", Call(F.scaled_dot_product_attention), (R(2, 3, 5, 8), R(2, 3, 7, 8), R(2, 3, 7, 8)), 2 * 2 * 3 * 5 * 7 * 8),
    ("attention of many heads", nn.MultiheadAttention(12, 3, batch_first=True), (R(2, 5, 12),) * 3,
     4 * 2 * 5 * 12 * 12 + 2 * 2 * 5 * 5 * 12),
    ("nothing that multiplies", nn.Sequential(nn.ReLU(), nn.MaxPool2d(2), nn.BatchNorm2d(3), nn.Softmax(1)), (R(1, 3, 8, 8),)),
    ("a small network", nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=8), nn.Flatten(), nn.Linear(8 * 16, 5)),
     (R(1, 3, 8, 8),)),
    # PyTorch's counter does not look into these.
    ("lstm", nn.LSTM(10, 7, 2, bidirectional=True), (R(5, 3, 10),), 5 * 3 * 2 * 4 * 7 * ((10 + 7) + (14 + 7))),
    ("lstm batch first", nn.LSTM(10, 7, batch_first=True), (R(3, 5, 10),), 5 * 3 * 4 * 7 * 17),
    ("gru", nn.GRU(10, 7), (R(5, 3, 10),), 5 * 3 * 3 * 7 * 17),
    ("rnn", nn.RNN(10, 7), (R(5, 3, 10),), 5 * 3 * 7 * 17),
    ("lstm cell", nn.LSTMCell(10, 7), (R(3, 10),), 3 * 4 * 7 * 17),
    ("gru cell", nn.GRUCell(10, 7), (R(3, 10),), 3 * 3 * 7 * 17),
    ("bilinear", nn.Bilinear(4, 5, 6), (R(3, 4), R(3, 5)), 3 * 6 * 4 * 5),
]


def total(text):
    ran = subprocess.run([program, "read", "--macs", "-"], input=text.encode(), capture_output=True)
    last = ran.stdout.decode().splitlines()[-1:] or [ran.stderr.decode()]
    return last[0]


def exported(model, inputs):
    return graphsplit_fx.write(torch.export.export(model, inputs), inputs)


passed = failed = skipped = 0
for name, model, inputs, *known in cases:
    if not isinstance(model, nn.Sequential):
        model = (model if isinstance(model, Call) else Call(model)).of(inputs)
    model.eval()
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model(*inputs)
    wanted = known[0] if known else counter.get_total_flops() // 2
    for form, write in (("traced", graphsplit_fx.write), ("exported", exported)):
        if form == "exported" and not hasattr(torch, "export"):
            continue
        try:
            text = write(model, inputs)
        except Exception as e:  # whatever this version cannot trace
            skipped += 1
            print("skip: %s, %s: %s" % (name, form, str(e).splitlines()[0]))
            continue
        found = total(text)
        if found == "macs total=%d unknown=0" % wanted:
            passed += 1
        else:
            failed += 1
            print("FAILED: %s, %s: %s, expected %d\n%s" % (name, form, found, wanted, text))
print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
sys.exit(failed != 0)
