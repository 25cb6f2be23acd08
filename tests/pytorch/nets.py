"""Small networks, each with what is hard about it, as functions that return a module and its inputs."""
import functools

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.conv = nn.Conv2d(n, n, 3, padding=1)
        self.bn = nn.BatchNorm2d(n)
        self.scale = nn.Parameter(torch.rand(1))

    def forward(self, x):
        return torch.relu(self.bn(self.conv(x)) * self.scale + x)


class Residual(nn.Module):
    """Residual blocks, parameters and modules below others, a default that is None."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3)
        self.layers = nn.Sequential(Block(8), Block(8), Block(8))
        self.head = nn.Linear(8, 10)

    def forward(self, x, mask=None):
        return self.head(self.layers(self.stem(x)).mean(dim=(2, 3)))


class Attention(nn.Module):
    """Heads, a module that is called twice, a triangle of -inf, strings and dtypes as arguments."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, width)
        self.register_buffer("bias", torch.full((6, 6), float("-inf")).triu(1))

    def attend(self, x):
        b, n, w = 2, 6, 32
        parts = [self.qkv(x)[:, :, i * w:(i + 1) * w] for i in range(3)]
        q, k, v = [p.reshape(b, n, self.heads, w // self.heads).transpose(1, 2) for p in parts]
        a = torch.einsum("bhnd,bhmd->bhnm", q, k) * 8 ** -0.5 + self.bias
        a = F.softmax(a, dim=-1, dtype=torch.float32)
        return self.out(torch.einsum("bhnm,bhmd->bhnd", a, v).transpose(1, 2).reshape(b, n, w))

    def forward(self, x):
        x = x + self.attend(self.norm(x))
        return self.norm(x + self.attend(self.norm(x)))


class Outputs(nn.Module):
    """Outputs in a dict with a tuple, a list, a size and a constant; several of one operator."""

    def forward(self, x):
        parts = torch.split(x, 2, dim=1)
        top = torch.topk(x, 2, dim=-1)
        return {"a": parts[0] + parts[1], "b": (top[0], [top[1], parts[1]]), "n": x.size(0), "one": 1, "text": "it's"}


class Keywords(nn.Module):
    """Inputs by name, defaults, constants of all kinds."""

    def forward(self, x, scale=2.0, where=None, sizes=(1, 2)):
        y = F.interpolate(x, scale_factor=scale, mode="nearest")
        y = F.pad(y, (1, 1, 0, 2), mode="constant", value=float("inf"))
        y = torch.clamp(y, min=-1e-05, max=None).to(dtype=torch.float64, memory_format=torch.contiguous_format)
        y = torch.where(y > 1, y.new_full((1,), float("nan")), y)
        return torch.cat([y, y.new_zeros((2, 3, 1, y.shape[-1]), device=torch.device("cpu"))], dim=-2)


class Slices(nn.Module):
    """Slices with steps, ellipsis, nodes inside of a slice, an index that is a tensor."""

    def forward(self, x, index):
        n = x.size(1) // 2
        return torch.cat([x[..., 1:3], x[:, n:, ::2][..., :2], x[:, index][:, None, ..., :2][:, 0]], dim=1)


class Constants(nn.Module):
    """Tensors made while tracing, a buffer, a parameter that two names share."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.rand(4))
        self.weight = nn.Parameter(torch.rand(4, 4))
        self.same = nn.Parameter(self.weight.detach())
        self.a_b = nn.Linear(4, 4)
        self.a = nn.Module()
        self.a.c = nn.Linear(4, 4)

    def forward(self, x):
        x = (x - self.mean) @ self.weight + torch.tensor([1.0, 2.0, -0.0, 4.0])
        return self.a.c(self.a_b(x)) @ self.same + torch.tensor(3)


class InPlace(nn.Module):
    """Operators that write their input."""

    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        y.mul_(2)
        y += 1
        z = self.act(y)
        return F.relu(self.fc(z), inplace=True) + y


class Recurrent(nn.Module):
    """A module with several outputs, embeddings, integers."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(8, 8, batch_first=True)

    def forward(self, tokens):
        out = self.lstm(self.embed(tokens))
        return out[0][:, -1], out[1][0], tokens.eq(3)


class Views(nn.Module):
    """Views of a parameter and of values, and a reshape that has to copy."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        y = x @ self.w.t()
        z = y.view(2, 2, 4)[1] * 2
        return z.expand_as(z) + y.t().reshape(2, 8)[:, :4]


class Numbered(nn.Module):
    """80 layers that differ by their number."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8))

    def forward(self, x):
        for layer in range(80):
            x = torch.add(torch.mul(torch.tanh(x), self.weight), x, alpha=layer / 80)
            x = torch.roll(x, layer, -1) * 0.5
        return x


class Twins(nn.Module):
    """The same layers again and again: what deduplication finds."""

    def __init__(self):
        super().__init__()
        self.w = nn.ParameterList([nn.Parameter(torch.rand(8, 8)) for _ in range(4)])

    def forward(self, x):
        for w in self.w:
            x = torch.tanh(F.linear(x, w)).add(x, alpha=0.5).sigmoid()
        return x


FUNCTIONS = []


def network(function):
    """The same parameters and inputs whenever it is called."""
    @functools.wraps(function)
    def made():
        torch.manual_seed(1)
        return function()

    FUNCTIONS.append(made)
    return made


def made(model, *inputs, **named):
    return model.eval(), named or inputs


@network
def residual():
    return made(Residual(), torch.randn(2, 3, 12, 12))


@network
def attention():
    return made(Attention(), torch.randn(2, 6, 32))


@network
def outputs():
    return made(Outputs(), torch.randn(3, 4))


@network
def keywords():
    return made(Keywords(), x=torch.randn(2, 3, 4, 4), scale=2)


@network
def slices():
    return made(Slices(), torch.randn(2, 6, 4), torch.tensor([1, 3]))


@network
def constants():
    return made(Constants(), torch.randn(2, 4))


@network
def in_place():
    return made(InPlace(), torch.randn(2, 4))


@network
def recurrent():
    return made(Recurrent(), torch.tensor([[1, 3, 5], [3, 3, 7]]))


@network
def views():
    return made(Views(), torch.randn(4, 4))


@network
def numbered():
    return made(Numbered(), torch.randn(2, 8))


@network
def twins():
    return made(Twins(), torch.randn(2, 8))


@network
def perceptron():
    return made(nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4), nn.Softmax(dim=-1)), torch.randn(2, 8))
