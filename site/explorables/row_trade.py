"""Draw what stands for the trade of score and entropy on paper.

    python site/explorables/row_trade.py

Writes book/figures/row-trade.svg: entropy against mean score for the row of
five, with two scales on the curve, and the weights at both.
"""

from pathlib import Path

import numpy as np

from attention_scale.entropy import shannon
from attention_scale.softmax import softmax
from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/row-trade.svg"
WORDS = ["cat", "mat", "sat", "on", "the"]
SCORES = np.array([1.5, 0.5, 0, -0.5, -1.5])
SHOWN = [0.5, 2]


def trade(alpha):
    """Return the mean score and the entropy of the row at scales."""
    weights = softmax(SCORES, alpha)
    return weights @ SCORES, shannon(weights)


def draw_curve(ax):
    """Draw the curve of all scales, and its tangents at two of them."""
    ax.plot(*trade(np.linspace(0, 25, 2_000)), **figures.THEORY)
    for alpha in SHOWN:
        mean, entropy = trade(alpha)
        step = np.array([-0.35, 0.35]) / np.hypot(1, alpha)
        ax.plot(mean + step, entropy - alpha * step, **figures.QUIET)
        ax.errorbar(mean, entropy, **figures.SIMULATION | figures.INK)
        name = f"α = {alpha:g}"
        figures.label(ax, mean, entropy - 0.2, name, ha="right")
    figures.label(ax, 0.01, 1.73, "α = 0")
    figures.label(ax, 1.4, 0.03, "α = ∞", ha="right")
    words = "no weights\nreach here"
    figures.label(ax, 1.58, 1.5, words, figures.QUIET, ha="right")
    ax.set(
        xlabel="mean score",
        ylabel="entropy (nats)",
        xlim=(-0.05, 1.6),
        ylim=(-0.1, 1.8),
    )


def draw():
    """Draw the curve, and beside it the weights at two scales as bars."""
    figure, axes = figures.subplots(1, 3, height=3, width_ratios=[3, 1, 1])
    draw_curve(axes[0])
    for ax, alpha in zip(axes[1:], SHOWN, strict=True):
        ax.barh(WORDS, softmax(SCORES, alpha), color=figures.THEORY["color"])
        ax.set(title=f"α = {alpha:g}", xlim=(0, 1), xlabel="weight")
        ax.set_xticks([0, 1])
        ax.invert_yaxis()
    axes[2].set_yticklabels([])
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
