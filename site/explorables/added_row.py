"""Draw what stands for the sink, the sigmoid and the cap without scripts.

    python site/explorables/added_row.py

Writes book/figures/added-row.svg: the mean weight of a sink and the mean sum
of sigmoids as a row grows, and the mean gradient behind a cap.
"""

from pathlib import Path

import numpy as np
from scipy import special
from scipy.stats import norm

from attention_scale import quenched
from attention_scale.added import averages_with
from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/added-row.svg"
BALANCED = 4_096
LOGIT = np.log(BALANCED) + 1 / 2


def sigmoid_sum(n, scale, bias):
    """Return the mean sum of sigmoids of n logits at a scale."""
    grid = np.linspace(-10, 10, 2_001)
    mass = norm.pdf(grid) * (grid[1] - grid[0])
    return n * mass @ special.expit(scale * grid + bias)


def draw():
    """Draw two failures against the length, and one against the scale."""
    figure, axes = figures.subplots(1, 3, height=2.6)
    lengths = 2.0 ** np.arange(7, 18)
    sink = averages_with(lengths, 1.0, sink=LOGIT).sink
    sums = [sigmoid_sum(n, 1, -LOGIT) for n in lengths]
    axes[0].semilogx(lengths, sink, **figures.THEORY)
    axes[0].axhline(0.5, **figures.PRACTICE)
    axes[0].set(title="sink's weight", ylim=(0, 1))
    axes[1].loglog(lengths, sums, **figures.THEORY)
    axes[1].axhline(1, **figures.PRACTICE)
    axes[1].set(title="sigmoids' sum")
    for ax in axes[:2]:
        ax.set_xticks([2**7, 2**12, 2**17], ["$2^7$", "$2^{12}$", "$2^{17}$"])
        ax.minorticks_off()
        ax.set_xlabel("number of keys n")
    scales = np.linspace(0.5, 16, 32)
    free = quenched.averages(BALANCED, scales).gradient_norm
    behind = averages_with(BALANCED, scales, cap=10).gradient_norm
    axes[2].plot(scales, free, **figures.QUIET)
    axes[2].plot(scales, behind, **figures.THEORY)
    figures.label(axes[2], 15, 3.8, "no cap", figures.QUIET, ha="right")
    figures.label(axes[2], 15, 2.0, "cap 10", figures.THEORY, ha="right")
    axes[2].set(title="gradient", xlabel="scale α", ylim=(0, 4.2))
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
