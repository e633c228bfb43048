"""A small decoder with or without positions, and a factor on its logits.

Pre-norm blocks of attention and a two-layer ReLU network, no biases and no
gains, as in experiments/training. The factor multiplies the queries: one
number for all rows, or one for each. A decoder that is trained with `log`
has log i / log n_0 in row i, from the first step on and ever after; what is
learned beside it is the size of its queries and keys (so that this is
Scalable-Softmax).
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

POSITIONS = "none", "rotary"
SCALES = "constant", "log"
WIDER = 2  # the inner layer, in widths
BASE = 1e4


class Block(nn.Module):
    def __init__(self, width, heads, depth):
        super().__init__()
        self.heads, self.d = heads, width // heads
        residual = 1 / math.sqrt(2 * depth)
        self.projections = matrix(width, 3 * width)
        self.output = matrix(width, width, residual)
        self.inner = matrix(width, WIDER * width, math.sqrt(2))
        self.outer = matrix(WIDER * width, width, residual)

    def project(self, h, rotation):
        """Return queries, keys and values: (text, head, position, d)."""
        three = (norm(h) @ self.projections).unflatten(
            -1, (3, self.heads, self.d)
        )
        query, key, value = three.permute(2, 0, 3, 1, 4)
        if rotation is not None:
            query, key = turn(query, *rotation), turn(key, *rotation)
        return query, key, value

    def finish(self, h, mixed):
        h = h + mixed.transpose(1, 2).flatten(-2) @ self.output
        return h + F.relu(norm(h) @ self.inner) @ self.outer

    def forward(self, h, rotation, factor):
        query, key, value = self.project(h, rotation)
        mixed = F.scaled_dot_product_attention(
            query * factor[:, None], key, value, is_causal=True
        )
        return self.finish(h, mixed)


class Decoder(nn.Module):
    def __init__(self, inputs, outputs, width, heads, depth, positions):
        super().__init__()
        self.positions = positions
        self.d = width // heads
        self.into = matrix(inputs, width, math.sqrt(inputs))
        self.blocks = nn.ModuleList(
            Block(width, heads, depth) for _ in range(depth)
        )
        self.out = nn.Parameter(torch.zeros(width, outputs))

    def forward(self, h, factor, stretch=1, trained=None):
        """Return the outputs for embedded tokens h.

        factor : (n,), what multiplies the logits of each row.
        stretch, trained : as `rotation`.
        """
        turned = self.rotation(h.shape[1], stretch, trained)
        for block in self.blocks:
            h = block(h, turned, factor)
        return norm(h) @ self.out

    def rotation(self, n, stretch=1, trained=None):
        if self.positions == "none":
            return None
        return rotation(n, self.d, stretch, trained)


def matrix(n_in, n_out, gain=1.0):
    drawn = torch.randn(n_in, n_out) * gain / math.sqrt(n_in)
    return nn.Parameter(drawn)


def norm(h):
    """Give each token mean 0 and mean square 1."""
    return F.layer_norm(h, h.shape[-1:])


def rotation(n, d, stretch=1, trained=None):
    """Return the cosines and sines by which `turn` turns.

    stretch : how many times longer than trained a text is.
    trained : None to divide all positions by it (position interpolation),
        or the trained length, to divide slow pairs only: YaRN's frequencies,
        whole where a pair turns 32 times or more in the trained length, and
        divided where it turns once or less.
    """
    rates = BASE ** (-torch.arange(0, d, 2) / d)
    kept = torch.zeros(d // 2)
    if trained is not None:
        turns = trained * rates / (2 * math.pi)
        kept = ((turns - 1) / (32 - 1)).clamp(0, 1)
    rates = kept * rates + (1 - kept) * rates / stretch
    angles = torch.arange(n)[:, None] * rates
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([cos, cos], 1), torch.cat([-sin, sin], 1)


def turn(x, cos, sin):
    """Turn pairs of components by angles that grow with the position."""
    half = x.shape[-1] // 2
    return x * cos + torch.roll(x, half, -1) * sin


def rows_factor(scale, n, n_0):
    """Return what a decoder of this scale was trained to multiply by."""
    if scale == "constant":
        return torch.ones(n)
    return torch.log(torch.arange(1, n + 1)) / math.log(n_0)
