"""Draw what stands for the rows that turn on paper.

    python site/explorables/row_turns.py

Writes book/figures/row-turns.svg: the gradient of six rows of 512 normal
scores against the scale.
"""

from pathlib import Path

import numpy as np

from attention_scale import annealed
from attention_scale.softmax import gradient_norm, softmax
from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/row-turns.svg"
KEYS, SEEDS = 512, range(13, 19)
SCALES = np.geomspace(0.5, 300, 321)


def normal_row(n, seed):
    """Return the scores that the script draws: Lehmer's generator."""
    state, drawn = 7919 * seed, np.empty(n)
    for i in range(n):
        state = 48271 * state % 2147483647
        drawn[i] = state / 2147483647
    size, angle = np.sqrt(-2 * np.log(drawn[::2])), 2 * np.pi * drawn[1::2]
    both = np.concatenate([size * np.cos(angle), size * np.sin(angle)])
    return np.sort(both)[::-1]


def gradients():
    """Return the gradients of the rows, one after the other, at the scales."""
    rows = [normal_row(KEYS, seed) for seed in SEEDS]
    return np.array([gradient_norm(softmax(r, SCALES), SCALES) for r in rows])


def draw():
    """Draw the gradients, with the largest of each row."""
    figure, ax = figures.subplots(height=3.2)
    sizes = gradients()
    ax.loglog(SCALES, sizes.T, **figures.INK, lw=1)
    tops = SCALES[sizes.argmax(axis=1)]
    ax.errorbar(tops, sizes.max(axis=1), **figures.SIMULATION)
    star = float(annealed.optimal_scale(KEYS))
    ax.axvline(star, **figures.WRONG | {"lw": 1.4})
    figures.label(ax, 2.2, 22, f"published, α* = {star:.2f}", figures.WRONG)
    ax.set(xlabel="scale α", ylabel="gradient of a row", ylim=(0.3, 30))
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
