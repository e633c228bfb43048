"""How much subnormal weights slow down the sum over the values (chapter 3).

The same rows of weights twice, as softmax leaves them and with subnormal
weights set to 0, in turn. Prints the ratio of the times and its spread.
"""

from time import perf_counter

import numpy as np

from attention_scale.softmax import softmax

KEYS, HEAD, ROUNDS = 1024, 64, 21


def seconds(weights, values):
    """Time one product of weights and values."""
    start = perf_counter()
    weights @ values
    return perf_counter() - start


def main():
    """Measure without the division by √d and with it."""
    tiny = np.finfo(np.float32).tiny
    rng = np.random.default_rng(0)
    values = rng.standard_normal((KEYS, HEAD), np.float32)
    rows = rng.standard_normal((KEYS, KEYS), np.float32)
    print("d     divided by   subnormal   time / time without subnormals")
    for d, name, scale in [(512, "1", 512**0.5), (512, "√d", 1.0)]:
        weights = softmax(rows, scale)
        subnormal = (weights > 0) & (weights < tiny)
        flushed = np.where(subnormal, np.float32(0), weights)
        ratios = [
            seconds(weights, values) / seconds(flushed, values)
            for _ in range(ROUNDS)
        ]
        low, median, high = np.quantile(ratios, [0.25, 0.5, 0.75])
        print(
            f"{d:<5} {name:<12} {subnormal.mean():<11.1%} "
            f"{median:.1f} (half of {ROUNDS} rounds: {low:.1f} to {high:.1f})"
        )


if __name__ == "__main__":
    main()
