"""How much subnormal weights slow down the sum over the values (chapter 3).

The same rows of weights twice, as softmax leaves them and with subnormal
weights set to 0, in turn. Prints the ratio of the times and its spread.
"""

import numpy as np
from rounds import row, seconds, spread

from attention_scale.softmax import softmax

KEYS, HEAD, ROUNDS = 1024, 64, 21
WIDTHS = (6, 12, 12, 30)


def main():
    """Measure without the division by √d and with it."""
    tiny = np.finfo(np.float32).tiny
    rng = np.random.default_rng(0)
    values = rng.standard_normal((KEYS, HEAD), np.float32)
    rows = rng.standard_normal((KEYS, KEYS), np.float32)
    titles = ("subnormal", "time / time without subnormals")
    row(WIDTHS, ["d", "divided by", *titles])
    for d, name, scale in [(512, "1", 512**0.5), (512, "√d", 1.0)]:
        weights = softmax(rows, scale)
        subnormal = (weights > 0) & (weights < tiny)
        flushed = np.where(subnormal, np.float32(0), weights)
        ratios = [
            seconds(np.matmul, weights, values)
            / seconds(np.matmul, flushed, values)
            for _ in range(ROUNDS)
        ]
        row(WIDTHS, [d, name, f"{subnormal.mean():.1%}", spread(ratios)])
    print(f"\nMedians of {ROUNDS} rounds, and between what half of them lie.")


if __name__ == "__main__":
    main()
