"""What the census's second instrument says of attention that is written here.

Each case is a forward whose factors are known.
"""

import math
import sys
from importlib import util
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional

# By its file: the library beside it must stay the one that is installed.
HERE = Path(__file__).parents[2] / "experiments/census/follow.py"
SPEC = util.spec_from_file_location("follow", HERE)
sys.modules["follow"] = util.module_from_spec(SPEC)
SPEC.loader.exec_module(sys.modules["follow"])
Follow = sys.modules["follow"].Follow

D, TOKENS = 16, 8


class Toy(nn.Module):
    """Attention with one head, whose scores a function makes."""

    def __init__(self, scores):
        super().__init__()
        self.q, self.k = nn.Linear(D, D), nn.Linear(D, D)
        self.tau = nn.Parameter(torch.tensor(3.0))
        self.table = nn.Parameter(torch.zeros(TOKENS, TOKENS))
        self.sink = nn.Parameter(torch.zeros(1, TOKENS, 1))
        self.scores = scores

    def forward(self, x):
        return self.scores(self, self.q(x), self.k(x)).softmax(-1)


def product(q, k):
    return q @ k.transpose(-1, -2)


def event(scores):
    """Return the only event of a forward."""
    torch.manual_seed(0)
    follow = Follow()
    with torch.no_grad(), follow:
        Toy(scores)(torch.randn(1, TOKENS, D))
    [found] = follow.events
    return found


def in_place(toy, q, k):
    q /= math.sqrt(D)
    return product(q, k)


def capped(toy, q, k):
    return 30 * torch.tanh(product(q, k) / 4 / 30)


def turned(toy, q, k):
    angles = torch.arange(TOKENS)[:, None] / 10.0 ** torch.arange(D)
    cos, sin = 1.5 * angles.cos(), 1.5 * angles.sin()
    q, k = (x * cos + x.flip(-1) * sin for x in (q, k))
    return product(q, k) / 4


@pytest.mark.parametrize(
    ("scores", "factor"),
    [
        (lambda toy, q, k: product(q, k), 1),
        (lambda toy, q, k: product(q, k) / math.sqrt(D), 1 / 4),
        (lambda toy, q, k: product(q * 0.5, k * 0.5), 1 / 4),
        (lambda toy, q, k: product(q, k) * torch.tensor(D).sqrt() / D, 1 / 4),
        (lambda toy, q, k: product(q, k) * toy.tau, 3),
        (lambda toy, q, k: product(functional.normalize(9 * q), k) * 2, 2),
        (lambda toy, q, k: torch.einsum("bqd,bkd->bqk", q, k) / 5, 1 / 5),
        (lambda toy, q, k: torch.baddbmm(
            toy.table, q, k.mT, beta=0, alpha=0.3), 0.3),
        (in_place, 1 / 4),
        (capped, 1 / 4),
        (turned, 1 / 4),
    ],
)  # fmt: skip
def test_the_factor_of_q_and_k(scores, factor):
    found = event(scores)
    assert found["q"] * found["k"] * found["scores"] == pytest.approx(factor)
    if found["ratio"] is not None:
        ratio = found["q"] * found["k"] * found["ratio"]
        assert ratio == pytest.approx(factor, rel=1e-4)


def test_a_rotation_keeps_its_own_factor():
    assert event(turned)["turn"] == pytest.approx(1.5**2)
    assert event(turned)["rotated"] == 1


MASK = torch.full((TOKENS, TOKENS), -1e9).triu(1)


@pytest.mark.parametrize(
    ("scores", "marks"),
    [
        (lambda toy, q, k: product(q, k) + MASK, ()),
        (lambda toy, q, k: product(q, k) + (MASK + 1), ()),
        (lambda toy, q, k: product(q, k) - product(q, k).amax(-1, True), ()),
        (lambda toy, q, k: product(q, k) + toy.table, ("bias",)),
        (lambda toy, q, k: product(q, k) + torch.eye(TOKENS), ("bias",)),
        (capped, ("cap",)),
        (lambda toy, q, k: torch.cat([product(q, k), toy.sink], -1),
         ("sink",)),
        (lambda toy, q, k: product(q, k) * toy.tau, ("learned",)),
        (lambda toy, q, k: product(q, k)
         * torch.log(torch.arange(2.0, TOKENS + 2))[:, None], ("position",)),
    ],
)  # fmt: skip
def test_what_else_was_done(scores, marks):
    found = event(scores)
    every = ("bias", "cap", "sink", "learned", "position")
    assert [m for m in every if found[m]] == list(marks)


def test_norms_and_kernels():
    class Kernel(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k = nn.Linear(D, D), nn.Linear(D, D)
            self.norm = nn.RMSNorm(D)

        def forward(self, x):
            q, k = self.norm(self.q(x) * 7), self.norm(self.k(x))
            return functional.scaled_dot_product_attention(q, k, x)

    follow = Follow()
    with torch.no_grad(), follow:
        Kernel()(torch.randn(1, TOKENS, D))
    [found] = follow.events
    assert found["scores"] == found["q"] / 4 == 1 / 4
    assert found["query_norm"] == found["key_norm"] == "RMSNorm"


def test_what_is_no_attention():
    """A softmax of no product of two tensors of the input is not noted."""
    layer, follow = nn.Linear(D, D), Follow()
    with torch.no_grad(), follow:
        layer(torch.randn(1, TOKENS, D)).softmax(-1)
    assert follow.events == []
