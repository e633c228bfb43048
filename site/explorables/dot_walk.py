"""Draw what stands for the dot products in the making on paper.

    python site/explorables/dot_walk.py

Writes book/figures/dot-walk.svg: forty dot products in the making.
"""

from pathlib import Path

import numpy as np

from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/dot-walk.svg"
WALKS, LONGEST = 40, 64


def draw():
    """Draw the sums over the number of products, with their spread."""
    rng = np.random.default_rng(36)
    steps = np.arange(LONGEST + 1)
    query, key = rng.standard_normal((2, WALKS, LONGEST))
    sums = np.cumsum(np.c_[np.zeros(WALKS), query * key], axis=1)
    figure, ax = figures.subplots(height=3)
    orange = figures.SIMULATION["color"]
    ax.plot(steps, sums.T, color=orange, lw=0.7, alpha=0.55)
    root = np.sqrt(steps)
    ax.plot(steps, np.transpose([root, -root]), **figures.THEORY)
    figures.label(ax, 65, 8, "√i", figures.THEORY)
    figures.label(ax, 65, -8, "−√i", figures.THEORY)
    ax.set(xlabel="products added so far, i", ylabel="sum", xlim=(0, 70))
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
