"""The published optimum by Lambert's W, and by search (chapters 5 and 7).

The largest value of the published objective over the scale, for normal
scores. In turns: the closed form; SciPy's bounded search over the objective;
and the search of `optimal_scale` for other distributions, which gets the
same normal scores under a name that does not say so.
"""

from functools import partial

import numpy as np
from rounds import brief, row, seconds, spread
from scipy import optimize, stats

from attention_scale.annealed import gradient_norm, optimal_scale

ROUNDS = 15
POWERS = (2, 4, 6, 9, 12)
UNNAMED = stats.gennorm(2, scale=np.sqrt(2))
WIDTHS = (6, 24, 24, 10, 24, 10)


def by_scipy(n):
    """Return where the objective is largest, below where it's 0 again."""
    return optimize.minimize_scalar(
        lambda alpha: -gradient_norm(n, alpha),
        bounds=(0, np.sqrt(np.log(n))),
        method="bounded",
        options={"xatol": 1e-10},
    ).x


def main():
    """Print the ratios of the times, and how far the results lie apart."""
    searches = (by_scipy, partial(optimal_scale, distribution=UNNAMED))
    titles = ("SciPy / Lambert", "apart", "optimal_scale / Lambert", "apart")
    row(WIDTHS, ["n", "Lambert's W, ms", *titles])
    for power in POWERS:
        n = 10**power
        times = np.array(
            [
                [seconds(find, n) for find in (optimal_scale, *searches)]
                for _ in range(ROUNDS)
            ]
        )
        closed, *others = times.T
        cells = [f"10^{power}", spread(1e3 * closed)]
        for find, other in zip(searches, others, strict=True):
            apart = abs(find(n) / optimal_scale(n) - 1)
            cells += [spread(other / closed), brief(apart)]
        row(WIDTHS, cells)
    print(
        f"\nMedians of {ROUNDS} rounds, and between what half of them lie."
        "\nApart: the relative distance of the two results. A search that"
        " compares values\nfinds a maximum to half of the digits only."
    )


if __name__ == "__main__":
    main()
