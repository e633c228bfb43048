"""What the library's care for rows costs: ratios to the same by hand.

By hand is the formula of the textbook in NumPy, without a look at the
arguments. It fails where a weight is 0, and loses digits close to one-hot
rows. Each pair is timed by turns; a ratio of 1.3 says that the library took
1.3 times as long.
"""

import numpy as np
from rounds import row, seconds, spread

from attention_scale.entropy import shannon
from attention_scale.softmax import softmax, vjp

ROUNDS = 41
SHAPES = [(100, 1000), (1, 100_000), (1000, 1000), (10_000, 128)]
SCALE = 1.5
WIDTHS = (14, 9, 22, 22, 22)


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


def main():
    """Print the ratios, for arrays of 10⁵ numbers and more."""
    rng = np.random.default_rng(0)
    row(WIDTHS, ["rows, keys", "", "softmax", "vjp", "shannon"])
    for shape in SHAPES:
        for kind in np.float64, np.float32:
            scores, upstream = rng.standard_normal((2, *shape)).astype(kind)
            p = softmax(scores, SCALE)
            cells = []
            for ours, by_hand, arguments in [
                (softmax, softmax_by_hand, (scores, SCALE)),
                (vjp, vjp_by_hand, (p, upstream, SCALE)),
                (shannon, shannon_by_hand, (p,)),
            ]:
                ratios = [
                    seconds(ours, *arguments) / seconds(by_hand, *arguments)
                    for _ in range(ROUNDS)
                ]
                cells.append(spread(ratios))
            name = " × ".join(f"{side:,}" for side in shape)
            row(WIDTHS, [name, np.dtype(kind).name, *cells])
    print(f"\nMedians of {ROUNDS} rounds, and between what half of them lie.")


if __name__ == "__main__":
    main()
