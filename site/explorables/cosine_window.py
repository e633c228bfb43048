"""Draw what stands for the explorable of the cosine window on paper.

    python site/explorables/cosine_window.py

Writes book/figures/cosine-window.svg: the explorable as it starts.
"""

from pathlib import Path

import numpy as np
from scipy import optimize, special

from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/cosine-window.svg"
DIMENSION, KEYS, WEIGHT, COSINE = 512, 100_000, 0.5, 0.5
SYSTEMS = {
    "CLIP, cap": (100, 32_768),
    "ArcFace": (64, 85_742),
    "AM-Softmax": (30, 10_516),
}


def log_mean(beta, d):
    """Return log E exp(βc) for the cosine c of random directions."""
    return np.log(special.hyp0f1(d / 2, np.square(beta) / 4))


def slope(beta, d):
    """Return its derivative."""
    return beta / d * np.exp(log_mean(beta, d + 2) - log_mean(beta, d))


def freezing(n, d):
    """Return the scale at which rows of n random keys freeze."""

    def excess(beta):
        return beta * slope(beta, d) - log_mean(beta, d) - np.log(n)

    return optimize.brentq(excess, 1e-3, 600, xtol=1e-11)


def least(n, weight):
    """Return the least scale that can give each of n classes a weight."""
    return (n - 1) / n * np.log((n - 1) * weight / (1 - weight))


def of_right_key(n, d, weight, cosine):
    """Return the scale that is enough for a right key, or NaN."""
    lead = np.log((n - 1) * weight / (1 - weight))
    with np.errstate(invalid="ignore"):
        return d * (cosine - np.sqrt(cosine**2 - 2 * lead / d))


def draw():
    """Draw the window, and what a right key needs, over the keys."""
    figure, ax = figures.subplots(height=3.4)
    n = np.geomspace(100, 1e6, 41)
    upper = np.array([freezing(count, DIMENSION) for count in n])
    ax.loglog(n, upper, **figures.THEORY)
    ax.loglog(n, least(n, WEIGHT), **figures.THEORY)
    ax.loglog(n, np.sqrt(2 * DIMENSION * np.log(n)), **figures.QUIET, ls="--")
    ends = [least(KEYS, WEIGHT), freezing(KEYS, DIMENSION)]
    ax.plot([KEYS, KEYS], ends, "o-", **figures.THEORY | {"lw": 0.8})
    figures.label(ax, 120, 200, "a few random keys win")
    figures.label(ax, 120, 2.7, "out of reach")
    for y, text in [(1.3 * upper[-1], "freezing scale"), (9, "least scale")]:
        figures.label(ax, 9e5, y, text, figures.THEORY, ha="right")
    right = of_right_key(n, DIMENSION, WEIGHT, COSINE)
    ax.loglog(n, right, color=figures.SIMULATION["color"])
    text = "a right key with $c_1$ = 0.5"
    figures.label(ax, 120, 12.5, text, figures.SIMULATION)
    for name, (beta, keys) in SYSTEMS.items():
        ax.plot(keys, beta, "o", ms=5, **figures.PRACTICE)
        y = beta * (1.28 if name == "AM-Softmax" else 1 / 1.28)
        figures.label(ax, keys, y, name, figures.PRACTICE, ha="right")
    ax.set(
        xlim=(100, 1e6), ylim=(2, 300),
        xlabel="number of keys n", ylabel="scale β",
    )  # fmt: skip
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
