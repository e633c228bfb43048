"""Draw what stands for the number of keys and their share on paper.

    python site/explorables/share_number.py

Writes book/figures/share-number.svg: how many keys of normal rows share the
weight, and which share of them, exact and in random rows.
"""

from pathlib import Path

import numpy as np

from attention_scale import quenched
from attention_scale.entropy import collision
from attention_scale.softmax import softmax
from bookkit import figures
from bookkit.checks import sample_mean

FILE = Path(__file__).resolve().parents[2] / "book/figures/share-number.svg"
SIZES = 2 ** np.arange(4, 17)
DRAWN = [0, 4, 8, 11]  # of the sizes


def laws():
    """Return the scales at the sizes by law, with where its names stand."""
    return {
        "α = 1": (np.ones(13), [(700, 1_500), (6e4, 0.17)]),
        "α ∝ log n": (
            2.5 * np.log(SIZES) / np.log(512),
            [(6e4, 22), (700, 0.004)],
        ),
    }


def numbers(scales):
    """Return the effective numbers at the sizes, exactly."""
    return 1 / quenched.averages(SIZES, scales).collision


def simulated(n, scale, rows=200):
    """Return the mean of the sum of squares in random rows."""
    scores = np.random.default_rng(n).standard_normal((rows, n), np.float32)
    return sample_mean(collision(softmax(scores, scale)))


def draw():
    """Draw number and share for both laws: lines exact, points simulated."""
    figure, axes = figures.subplots(1, 2, height=3.1)
    for text, (scales, places) in laws().items():
        means = [simulated(SIZES[k], scales[k]) for k in DRAWN]
        points = np.array(
            [(1 / m.value, 4 * m.standard_error / m.value**2) for m in means]
        ).T
        for ax, unit, place in zip(
            axes, (1 + 0 * SIZES, SIZES), places, strict=True
        ):
            ax.loglog(SIZES, numbers(scales) / unit, **figures.THEORY)
            at = points / unit[DRAWN]
            ax.errorbar(SIZES[DRAWN], *at, **figures.SIMULATION)
            figures.label(ax, *place, text, figures.THEORY, ha="right")
    axes[0].set(xlabel="number of keys n", title="effective number")
    axes[1].set(xlabel="number of keys n", title="effective share")
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
