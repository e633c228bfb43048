"""Pride and Prejudice as characters, and what counting predicts of it."""

import hashlib
import lzma
from pathlib import Path

import numpy as np

TEXT = (
    Path(__file__).parents[2] / "book" / "data" / "pride-and-prejudice.txt.xz"
)
SHA256 = "dfc684d4f857fa938268f9ab9c5567b64bd0691251eca959644adeabe6287a4d"
HELD_OUT = 0.1  # the last tenth of the novel


def tokens():
    """Return the characters as numbers, first nine tenths and last tenth."""
    raw = lzma.decompress(TEXT.read_bytes())
    digest = hashlib.sha256(raw).hexdigest()
    if digest != SHA256:
        raise ValueError(f"{TEXT}: sha256 {digest}; it should be {SHA256}")
    _, numbers = np.unique(list(raw.decode("ascii")), return_inverse=True)
    split = round(len(numbers) * (1 - HELD_OUT))
    return numbers[:split], numbers[split:]


def counted_loss(order):
    """Return the held-out loss of counts of `order` characters, in nats.

    One count is added to each pair (triple, ...) that occurs nowhere.
    """
    train, held_out = tokens()
    size = 1 + max(train.max(), held_out.max())

    def codes(numbers):
        parts = [numbers[i : len(numbers) - order + i] for i in range(order)]
        return sum(p * size**i for i, p in enumerate(reversed(parts)))

    context, following = codes(train), train[order:]
    pairs = np.bincount(
        context * size + following, minlength=size ** (order + 1)
    ).reshape(-1, size)
    pairs = pairs + 1 / size
    conditional = pairs / pairs.sum(1, keepdims=True)
    chosen = conditional[codes(held_out), held_out[order:]]
    return float(-np.log(chosen).mean())
