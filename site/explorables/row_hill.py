"""Draw what stands for the row and its hill without scripts.

    python site/explorables/row_hill.py

Writes book/figures/row-hill.svg: where the weight of one row of 8192 normal
scores lies at three scales, and where it would lie if every sum equalled its
mean.
"""

from pathlib import Path

import numpy as np
from scipy.stats import norm

from attention_scale.softmax import softmax
from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/row-hill.svg"
KEYS, KEPT = 8_192, 40


def draw():
    """Draw the weight by score at half the freezing scale, at it and twice."""
    rows = np.random.default_rng(12).standard_normal((8, KEYS))
    row = np.sort(rows[2])[::-1]
    freezing = np.sqrt(2 * np.log(KEYS))
    orange, paper = figures.SIMULATION["color"], figures.COLOURS["paper"][0]
    edges, fine = np.arange(-0.75, 4, 0.25), np.arange(-1, 11, 0.1)
    bins = np.digitize(row, edges)
    figure, axes = figures.subplots(3, 1, height=2.9, sharex=True, sharey=True)
    for ax, b in zip(axes, (0.5, 1, 2), strict=True):
        p = softmax(row, b * freezing)
        ax.hist(row, edges, weights=p, rwidth=0.88, color=(orange, 0.35))
        for k in np.flatnonzero(p > 0.02):
            below = p[:k][bins[:k] == bins[k]].sum()
            left = edges[bins[k]] - 0.125
            ax.bar(left, p[k], 0.22, below, lw=0.8, color=orange, ec=paper)
        ax.plot(fine, norm.pdf(fine, b * freezing) / 4, **figures.WRONG)
        ticks = {"ls": "", "marker": 3, "ms": 5, "clip_on": False}
        ax.plot(row[:KEPT], np.zeros(KEPT), **ticks, **figures.INK)
        said = (
            f"$\\alpha$ = {b:g} $\\alpha_c$\nbest key {p[0]:.0%}\n"
            f"1/Σp² = {1 / (p**2).sum():.3g}"
        )
        figures.label(ax, 0, 0.56, said, transform=ax.transAxes)
        ax.set(yticks=[], xlim=(-1, 11))
        ax.spines["left"].set_visible(False)
    axes[-1].set(xlabel="score")
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
