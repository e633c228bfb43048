"""Draw what stands for the row of the front page without scripts.

    python site/explorables/attention_row.py

Writes book/figures/attention-row.svg: the same row of 128 scores as in
attention-row.js, divided by √d, by less, and not at all.
"""

from pathlib import Path

import numpy as np

from attention_scale.softmax import softmax
from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/attention-row.svg"
SEED = 28
KEYS = 128
SPREADS = {1.0: "divided by √d", 3.1: "by √d / 3.1", 8.0: "not divided"}
WORD = 2**32


def uniforms(count):
    """Return numbers between 0 and 1, always the same (Mulberry32)."""
    state, found = SEED, []
    for _ in range(count):
        state = (state + 0x6D2B79F5) % WORD
        mixed = (state ^ state >> 15) * (state | 1) % WORD
        mixed ^= (mixed + (mixed ^ mixed >> 7) * (mixed | 61)) % WORD
        found.append(((mixed ^ mixed >> 14) + 0.5) / WORD)
    return np.array(found)


def scores(n):
    """Return n normal scores (Box and Muller)."""
    first, second = uniforms(2 * n).reshape(n, 2).T
    return np.sqrt(-2 * np.log(first)) * np.cos(2 * np.pi * second)


def draw():
    """Draw the weights of the row at three spreads as bars."""
    figure, axes = figures.subplots(1, 3, height=2.1, sharey=True)
    row = scores(KEYS)
    for ax, (alpha, name) in zip(axes, SPREADS.items(), strict=True):
        p = softmax(row, alpha)
        ax.bar(
            np.arange(KEYS),
            np.sqrt(p),
            width=0.8,
            color=figures.THEORY["color"],
        )
        best = p.argmax()
        ax.bar(best, np.sqrt(p[best]), **figures.BARS)
        ax.set(title=name, xticks=[], ylim=(0, 1.15))
        ax.set_yticks(
            np.sqrt([0.01, 0.1, 0.5, 1]), ["1%", "10%", "50%", "100%"]
        )
        figures.label(
            ax,
            best - 4,
            np.sqrt(p[best]) + 0.02,
            f"{100 * p[best]:.0f}%",
            ha="right",
        )
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
