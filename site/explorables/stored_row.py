"""Draw what stands for the row that is stored in eight bits on paper.

    python site/explorables/stored_row.py

Writes book/figures/stored-row.svg: the weight of a row of 131,072 normal
scores, by the power of 2 as which a key is stored, at three scales.
"""

from pathlib import Path

import numpy as np

from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/stored-row.svg"
KEYS, FLOOR = 131_072, -10
EDGES = np.arange(-26, 1, 0.5)


def lost(scores, alpha, offset=0):
    """Return bits and weights of the keys, and the share that is lost.

    What is at most half of e4m3's smallest number, 2 to the power -10, is
    rounded to 0.
    """
    bits = alpha * (scores - scores.max()) / np.log(2) + offset
    weights = 2.0 ** (bits - offset)
    weights /= weights.sum()
    return bits, weights, weights[bits <= FLOOR].sum()


def draw():
    """Draw the weight by bits, and what lies below the floor."""
    row = np.random.default_rng(4).standard_normal(KEYS)
    figure, axes = figures.subplots(1, 3, height=2.3, sharey=True)
    for ax, alpha in zip(axes, (1, 2.6, 5), strict=True):
        bits, weights, gone = lost(row, alpha)
        for part, role in [
            (bits > FLOOR, figures.SIMULATION),
            (bits <= FLOOR, figures.WRONG),
        ]:
            ax.hist(
                bits[part], EDGES, weights=weights[part], color=role["color"]
            )
        ax.axvline(FLOOR, **figures.WRONG | {"lw": 1.2})
        ax.set(title=f"α = {alpha:g}", xlim=(-26, 1), ylim=(0, 0.2))
        figures.label(ax, -25.5, 0.17, f"{gone:.0%} lost")
    axes[0].set_ylabel("weight")
    axes[1].set_xlabel("stored as 2 to the power")
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
