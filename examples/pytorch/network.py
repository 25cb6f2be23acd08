"""A small residual network, as an example of a model that is a function of a file: FILE.py:make."""
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.conv2(torch.relu(self.conv1(x)))) + x)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, stride=2)
        self.blocks = nn.Sequential(Block(16), Block(16))
        self.classes = nn.Linear(16, 10)

    def forward(self, image):
        scores = self.classes(self.blocks(self.stem(image)).mean(dim=(2, 3)))
        best = torch.topk(scores, 3)
        return {"scores": torch.softmax(scores, dim=-1), "best": best[1]}


def make():
    """The module and a tuple of inputs."""
    torch.manual_seed(0)
    return Network().eval(), (torch.rand(1, 3, 64, 64),)
