"""What an exact average costs, and what chance would (chapter 6).

The mean of Σ p² over rows of normal scores: `averages`, and the time in which
a mean over rows drawn at random would come as close to it. The time for a row
and the variance between rows are measured; the error falls as 1 / √rows, so
that the time for a relative error of 1e-10 is extrapolated, not waited for.
Then the largest scale of the published approximation, by Lambert's W and by
the search that other distributions need. Medians, and half of the rounds.
"""

from time import perf_counter

import numpy as np
from scipy import stats

from attention_scale.annealed import optimal_scale
from attention_scale.entropy import collision
from attention_scale.quenched import averages
from attention_scale.softmax import softmax

ALPHA, ERROR, ROUNDS = 4.0, 1e-10, 15
SCORES_A_ROUND = 10**6


def seconds(function, *arguments):
    """Time one call."""
    start = perf_counter()
    function(*arguments)
    return perf_counter() - start


def spread(values, unit=1.0):
    """Write the median and between which values half of them lie."""
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75]) / unit
    return f"{median:.3g} ({low:.3g} to {high:.3g})"


def by_chance(n, rng):
    """Return the seconds in which random rows would reach the error."""
    rows = max(SCORES_A_ROUND // n, 2)
    start = perf_counter()
    drawn = collision(softmax(rng.standard_normal((rows, n)), ALPHA))
    a_row = (perf_counter() - start) / rows
    return a_row, drawn


def main():
    """Compare at n = 10² to 10⁶; beyond, time the exact average alone."""
    rng = np.random.default_rng(0)
    averages(10, ALPHA)  # the first call loads what the others use
    print("n      exact, ms               by chance, years       10^ times")
    for power in range(2, 13):
        n = 10**power
        exact = [seconds(averages, n, ALPHA) for _ in range(ROUNDS)]
        line = f"10^{power:<3} {spread(exact, 1e-3):<23}"
        if power <= 6:
            a_row, drawn = zip(
                *(by_chance(n, rng) for _ in range(ROUNDS)), strict=True
            )
            squares = np.concatenate(drawn)
            rows = squares.var() / (ERROR * squares.mean()) ** 2
            chance = np.array(a_row) * rows
            orders = np.log10(np.median(chance) / np.median(exact))
            year = 365.25 * 86400
            line += f" {spread(chance, year):<22} {orders:.0f}"
        print(line)
    other = stats.gennorm(2, scale=np.sqrt(2))  # normal, which hides it
    print("largest scale at n = 10^6, ms")
    for name, scores in ("Lambert's W", stats.norm()), ("search", other):
        times = [seconds(optimal_scale, 1e6, scores) for _ in range(ROUNDS)]
        print(f"{name:<12} {spread(times, 1e-3)}")


if __name__ == "__main__":
    main()
