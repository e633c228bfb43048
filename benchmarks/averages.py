"""What an exact average costs, and what chance would (chapter 6).

The mean of Σ p² over rows of normal scores: `averages`, and the mean over
rows drawn at random. Equal error: so many rows that the standard error of
their mean, relative to it, is the error named. The time for a row and the
variance between rows are measured, in rounds by turns with the exact average;
the number of rows follows from them, and is not waited for.
"""

import numpy as np
from rounds import brief, row, seconds, spread

from attention_scale.quenched import averages

ROUNDS = 15
ERRORS = {"1%": 1e-2, "1e-10": 1e-10}
AT_ONCE = 2**17  # scores in memory
FEWEST = 2  # rows a round
POWERS, POWERS_BY_CHANCE = range(2, 13), range(2, 8)
SCALES = {
    "alpha = 1, which the division by √d gives": lambda n: 1.0,
    "alpha = √(2 log n), where rows freeze": lambda n: np.sqrt(2 * np.log(n)),
}
WIDTHS = (6, 22, 30, 30, 20)


def draw(rows, n, alpha, rng):
    """Return Σ p² of random rows; what is in memory does not grow with n."""
    first = second = 0.0
    for done in range(0, n, AT_ONCE):
        scores = rng.standard_normal((rows, min(AT_ONCE, n - done)))
        # scores stay below 10, so that nothing overflows
        powers = np.exp(alpha * scores)
        first += powers.sum(axis=1)
        second += (powers**2).sum(axis=1)
    return second / first**2


def by_turns(n, alpha, rng):
    """Return the seconds of exact averages, of a random row, and the rows."""
    exact, a_row, drawn = [], [], []
    rows = max(AT_ONCE // n, 1)
    for _ in range(ROUNDS):
        exact.append(seconds(averages, n, alpha))
        squares, spent = [], 0.0
        while sum(map(len, squares)) < FEWEST:
            spent += seconds(
                lambda found=squares: found.append(draw(rows, n, alpha, rng))
            )
        a_row.append(spent / sum(map(len, squares)))
        drawn += squares
    return np.array(exact), np.array(a_row), np.concatenate(drawn)


def compare(n, alpha, rng):
    """Return the cells of one line: the exact time, ratios, where they meet.

    Where they meet is the error at which chance takes as long. Chance draws
    at least one row: where that alone takes longer, it is never quicker.
    """
    exact, a_row, squares = by_turns(n, alpha, rng)
    relative = squares.std() / squares.mean()
    ratios = [
        spread(np.maximum((relative / error) ** 2, 1) * a_row / exact)
        for error in ERRORS.values()
    ]
    meet = relative * np.sqrt(a_row / exact)
    never = np.median(a_row / exact) > 1
    above = "never" if never else brief(100 * np.median(meet)) + "%"
    return [spread(1e3 * exact), *ratios, above]


def main():
    """Compare at n = 10² to 10⁷; beyond, time the exact average alone."""
    rng = np.random.default_rng(0)
    averages(10, 1.0)  # the first call loads what the others use
    for name, alpha in SCALES.items():
        print(f"\n{name}")
        titles = [f"chance / exact at {error}" for error in ERRORS]
        row(WIDTHS, ["n", "exact, ms", *titles, "chance quicker above"])
        for power in POWERS:
            n = 10**power
            if power in POWERS_BY_CHANCE:
                cells = compare(n, alpha(n), rng)
            else:
                exact = [seconds(averages, n, alpha(n)) for _ in range(ROUNDS)]
                cells = [spread(1e3 * np.array(exact)), "", "", ""]
            row(WIDTHS, [f"10^{power}", *cells])
    print(
        f"\nMedians of {ROUNDS} rounds, and between what half of them lie."
        "\nThe exact average is computed to 1e-10 each time: it has no"
        " cheaper version for 1%.\nChance is one core of NumPy, in double"
        " precision. It has the mean of Σ p² alone;\nthe exact average gives"
        " the entropy, the mean score and log Z as well."
    )


if __name__ == "__main__":
    main()
