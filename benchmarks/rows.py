"""What the library's care for rows costs: ratios to the same by hand.

By hand is the formula of the textbook in NumPy, without a look at the
arguments. It fails where a weight is 0, and loses digits close to one-hot
rows. Both are called by turns, and of each the least CPU seconds count, which
a busy machine leaves as they are. A ratio of 1.3 says that the library took
1.3 times as long.
"""

import numpy as np
from rounds import brief, cpu_seconds, row

from attention_scale.entropy import shannon
from attention_scale.softmax import softmax, vjp

ROUNDS = 100
# the last axis holds the keys; rows of Fortran lie across the memory
SHAPES = {
    (100, 1000): "C",
    (1, 100_000): "C",
    (1000, 1000): "C",
    (10_000, 128): "C",
    (2, 12, 256, 256): "C",
    (200, 1000): "F",
}
SCALE = 1.5
WIDTHS = (20, 9, 9, 9, 9)


def softmax_by_hand(scores, scale):
    """Return weights."""
    logits = scale * scores
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def vjp_by_hand(p, upstream, scale):
    """Return the step back."""
    mean = (p * upstream).sum(axis=-1, keepdims=True)
    return scale * p * (upstream - mean)


def shannon_by_hand(p):
    """Return entropies."""
    return -(p * np.log(p)).sum(axis=-1)


def ratio(ours, by_hand, *arguments):
    """Return how many times as long the first takes."""
    least = [np.inf, np.inf]
    for _ in range(ROUNDS):
        for at, function in enumerate((ours, by_hand)):
            least[at] = min(least[at], cpu_seconds(function, *arguments))
    return least[0] / least[1]


def main():
    """Print the ratios, for arrays of 10⁵ numbers and more."""
    rng = np.random.default_rng(0)
    row(WIDTHS, ["shape", "", "softmax", "vjp", "shannon"])
    for shape, order in SHAPES.items():
        name = " × ".join(f"{side:,}" for side in shape)
        name += " across" * (order == "F")
        for kind in "float64", "float32":
            scores, upstream = (
                rng.standard_normal(shape).astype(kind, order=order)
                for _ in range(2)
            )
            p = softmax(scores, SCALE)
            ratios = [
                ratio(softmax, softmax_by_hand, scores, SCALE),
                ratio(vjp, vjp_by_hand, p, upstream, SCALE),
                ratio(shannon, shannon_by_hand, p),
            ]
            row(WIDTHS, [name, kind, *map(brief, ratios)])
    print(f"\nThe least of {ROUNDS} rounds each.")


if __name__ == "__main__":
    main()
