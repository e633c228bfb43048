"""A small decoder whose logits start with a standard deviation of choice.

Pre-norm blocks of attention and a two-layer ReLU network, rotary positions,
no biases and no gains. Queries and keys start with unit variance (chapter
2), so `start` / sqrt(d) in front of the score makes logits of standard
deviation `start`, but for the likeness of the tokens in a row. It can stand
in three places, which are the same function at the first step:

    score    start / sqrt(d) times q . k
    weights  W_q and W_k are each drawn sqrt(start / sqrt(d)) times as large
    qk-norm  q and k are divided by their root mean square and multiplied by
             learned gains that begin at 1; then as for score
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

PLACES = "score", "weights", "qk-norm"
WIDER = 2  # the inner layer, in widths


class Block(nn.Module):
    def __init__(self, width, heads, depth, start, place):
        super().__init__()
        self.heads, self.d = heads, width // heads
        factor = start / math.sqrt(self.d)
        self.scale = 1.0 if place == "weights" else factor
        stored = math.sqrt(factor) if place == "weights" else 1.0
        residual = 1 / math.sqrt(2 * depth)

        def matrix(n_in, n_out, gain=1.0):
            drawn = torch.randn(n_in, n_out) * gain / math.sqrt(n_in)
            return nn.Parameter(drawn)

        self.query = matrix(width, width, stored)
        self.key = matrix(width, width, stored)
        self.value = matrix(width, width)
        self.output = matrix(width, width, residual)
        self.inner = matrix(width, WIDER * width, math.sqrt(2))
        self.outer = matrix(WIDER * width, width, residual)
        if place == "qk-norm":
            self.gains = nn.Parameter(torch.ones(2, 1, 1, 1, self.d))
        else:
            self.gains = None

    def forward(self, h, rotation, seen=None):
        x = norm(h)
        three = torch.cat([self.query, self.key, self.value], 1)
        three = (x @ three).unflatten(-1, (3, self.heads, self.d))
        three = three.permute(2, 0, 3, 1, 4)  # which, text, head, position, d
        pair = three[:2]
        if self.gains is not None:
            pair = F.rms_norm(pair, (self.d,)) * self.gains
        query, key = turn(pair, *rotation)
        if seen is not None:
            seen.append(query @ key.mT * self.scale)
        mixed = F.scaled_dot_product_attention(
            query, key, three[2], is_causal=True, scale=self.scale
        )
        h = h + mixed.transpose(1, 2).flatten(-2) @ self.output
        return h + F.relu(norm(h) @ self.inner) @ self.outer


class Decoder(nn.Module):
    def __init__(self, symbols, length, width, heads, depth, start, place):
        super().__init__()
        self.token = nn.Parameter(torch.randn(symbols, width))
        self.blocks = nn.ModuleList(
            Block(width, heads, depth, start, place) for _ in range(depth)
        )
        self.out = nn.Parameter(torch.zeros(width, symbols))
        self.rotation = rotation(length, width // heads)

    def forward(self, numbers, seen=None):
        n = numbers.shape[1]
        rotation = [table[:n] for table in self.rotation]
        h = F.embedding(numbers, self.token)
        for block in self.blocks:
            h = block(h, rotation, seen)
        return norm(h) @ self.out


def norm(h):
    """Give each token mean 0 and mean square 1."""
    return F.layer_norm(h, h.shape[-1:])


def rotation(length, d):
    """Return the cosines and sines by which `turn` turns."""
    rates = 1e4 ** (-torch.arange(0, d, 2) / d)
    angles = torch.arange(length)[:, None] * rates
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([cos, cos], 1), torch.cat([-sin, sin], 1)


def turn(x, cos, sin):
    """Turn pairs of components by angles that grow with the position."""
    half = x.shape[-1] // 2
    return x * cos + torch.roll(x, half, -1) * sin
