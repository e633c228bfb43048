"""Draw what stands for the explorable of sampling on paper.

    python site/explorables/sampling_order.py

Writes book/figures/sampling-order.svg: the explorable as it starts.
"""

from pathlib import Path

import numpy as np

from attention_scale.softmax import softmax
from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/sampling-order.svg"
SCORES = np.array([5, 4.2, 3.8, 3, 2.4, 2, 1.4, 0.8, 0.2, -0.5])
TEMPERATURE, TOP_P = 2.0, 0.8


def divided(p):
    """Return weights divided by their sum."""
    return p / p.sum()


def top_p(p, share):
    """Keep the fewest of falling weights that have a share of the whole."""
    before = p.cumsum() - p
    return divided(np.where(before < share - 1e-12, p, 0))


def both_orders():
    """Return the weights with the temperature first, and with it last."""
    first = top_p(softmax(SCORES, 1 / TEMPERATURE), TOP_P)
    last = divided(top_p(softmax(SCORES), TOP_P) ** (1 / TEMPERATURE))
    return first, last


def draw():
    """Draw the weights of both orders as bars."""
    figure, axes = figures.subplots(1, 2, height=2.6, sharey=True)
    names = ["temperature first", "temperature last"]
    tokens = np.arange(1, SCORES.size + 1)
    for ax, p, name in zip(axes, both_orders(), names, strict=True):
        drawn = ax.bar(tokens, 100 * p, **figures.BARS)
        labels = [f"{100 * w:.0f}" if w else "–" for w in p]
        ax.bar_label(drawn, labels, fontsize=11, padding=2, **figures.INK)
        ax.set(title=name, xticks=tokens, xlabel="token", ylim=(0, 60))
    axes[0].set_ylabel("weight, %")
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
