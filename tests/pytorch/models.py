"""Networks of torch.nn alone, of the kinds that PyTorch's own tests split. Each function returns a module, its inputs
and the names of the modules in a row between which a pipeline may cut."""
import torch
from torch import nn


class Toy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1, self.net2, self.net3 = nn.Linear(10, 10), nn.Linear(10, 10), nn.Linear(10, 5)
        self.relu, self.scale = nn.ReLU(), nn.Parameter(torch.rand(10))

    def forward(self, x):
        x = self.relu(self.net1(x)) * self.scale
        return self.net3(torch.relu(self.net2(x)) + x)


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down, self.act = nn.Linear(width, 2 * width), nn.Linear(2 * width, width), nn.GELU()

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.down(self.act(self.up(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.place = nn.Embedding(20, 8), nn.Parameter(torch.rand(6, 8))
        self.layers = nn.ModuleList([Encoder(8) for _ in range(4)])
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 20, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        x = self.embed(tokens) + self.place
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


class Basic(nn.Module):
    def __init__(self, n, m, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(n, m, 3, stride, 1, bias=False), nn.BatchNorm2d(m)
        self.conv2, self.bn2 = nn.Conv2d(m, m, 3, 1, 1, bias=False), nn.BatchNorm2d(m)
        self.relu, self.down = nn.ReLU(), None
        if stride != 1 or n != m:
            self.down = nn.Sequential(nn.Conv2d(n, m, 1, stride, bias=False), nn.BatchNorm2d(m))

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + (x if self.down is None else self.down(x)))


class Bottleneck(nn.Module):
    def __init__(self, n, m, stride):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(n, m, 1), nn.ReLU(), nn.Conv2d(m, m, 3, stride, 1, groups=2), nn.ReLU(), nn.Conv2d(m, 2 * m, 1))
        self.down = nn.Conv2d(n, 2 * m, 1, stride)

    def forward(self, x):
        return torch.relu(self.body(x) + self.down(x))


class ResNet(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.layers, self.pool = nn.ModuleList(blocks), nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = layer(x)
        return self.fc(torch.flatten(self.pool(x), 1))


def rows(n):
    return ["layers.%d" % i for i in range(n)]


def toy():
    return Toy(), (torch.randn(3, 10),), ["net1", "net2", "net3"]


def transformer():
    return Transformer(), (torch.randint(20, (2, 6)),), rows(4)


def resnet_basic():
    made = [Basic(8, 8, 1), Basic(8, 8, 1), Basic(8, 16, 2), Basic(16, 16, 1), Basic(16, 16, 1)]
    return ResNet(made), (torch.randn(1, 3, 32, 32),), rows(5)


def resnet_bottleneck():
    made = [Bottleneck(8, 4, 1), Bottleneck(8, 4, 1), Bottleneck(8, 8, 2), Bottleneck(16, 8, 1)]
    return ResNet(made), (torch.randn(1, 3, 32, 32),), rows(4)


FUNCTIONS = [toy, transformer, resnet_basic, resnet_bottleneck]
