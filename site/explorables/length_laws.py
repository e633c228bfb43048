"""Draw what stands for the explorable of the length laws on paper.

    python site/explorables/length_laws.py

Writes book/figures/length-laws.svg: the explorable as it starts.
"""

from pathlib import Path

import numpy as np

from attention_scale import rules
from attention_scale.length import entropy_invariant_scale
from attention_scale.quenched import averages
from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/length-laws.svg"
SHORTEST, LONGEST = 64, 2**23
BASE_SCALE, BASE_LENGTH = 1.0, 8_192
RULES = {
    "fixed": (lambda n, n_0: np.ones(n.shape), figures.QUIET | {"lw": 1.8}),
    "√ log n": (
        lambda n, n_0: np.sqrt(rules.log_length(n, n_0)),
        figures.QUIET | {"ls": ":", "lw": 1.8},
    ),
    "Llama 4": (rules.llama4, figures.PRACTICE),
    "Qwen": (rules.qwen, figures.PRACTICE | {"ls": ":", "lw": 1.8}),
    "log n": (rules.log_length, figures.WRONG),
    "YaRN": (rules.yarn, figures.PRACTICE | {"ls": "--"}),
}


def exact_law(n, kept):
    """Return the factor that keeps the entropy, NaN where there is none."""
    known = np.log(n) > kept
    scale = np.full(n.shape, np.nan)
    scale[known] = entropy_invariant_scale(n[known], BASE_SCALE, BASE_LENGTH)
    return scale / BASE_SCALE


def name_ends(ax, ends, apart):
    """Write the names beside the ends of their lines, apart."""
    ends.sort(key=lambda end: end[0])
    heights = np.array([end[0] for end in ends])
    for _ in range(200):
        push = np.maximum(apart - np.diff(heights), 0) / 2
        heights += np.r_[0, push] - np.r_[push, 0]
        heights = np.minimum(heights, ax.get_ylim()[1])
    for y, (_, name, role) in zip(heights, ends, strict=True):
        figures.label(ax, 1.15 * LONGEST, y, name, role)


def draw():
    """Draw the factors, and the entropies that they leave."""
    figure, axes = figures.subplots(2, 1, height=6.2)
    n = np.geomspace(SHORTEST, LONGEST, 50).round()
    steps = BASE_LENGTH * np.arange(1, 9)
    kept = averages(BASE_LENGTH, BASE_SCALE).entropy
    begins = np.floor(np.exp(kept) * np.array([1, 1.0001, 1.003, 1.02])) + 1
    n = np.unique(np.concatenate([n, steps - 1, steps, begins]))
    curves = {
        name: (rule(n, BASE_LENGTH), role)
        for name, (rule, role) in RULES.items()
    } | {"exact": (exact_law(n, kept), figures.THEORY)}
    ends = [], []
    for name, (factor, role) in curves.items():
        known = ~np.isnan(factor)
        scale = BASE_SCALE * factor[known]
        entropy = averages(n[known], scale).entropy
        for ax, values, labels in zip(
            axes, (factor[known], entropy), ends, strict=True
        ):
            ax.semilogx(n[known], values, **role)
            labels.append((values[-1], name, role))
    axes[0].set(ylim=(0, 5), ylabel="factor α / α₀")
    axes[1].set(
        ylim=(0, 16),
        yticks=[0, 5, 10, 15],
        ylabel="mean entropy, nats",
        xlabel="number of keys n",
    )
    for ax, labels, apart in zip(axes, ends, (0.39, 1.25), strict=True):
        ax.set(xlim=(SHORTEST, LONGEST))
        ax.axvline(BASE_LENGTH, **figures.QUIET, ls=":")
        top = 0.95 * ax.get_ylim()[1]
        figures.label(ax, 1.15 * BASE_LENGTH, top, "n₀", figures.QUIET)
        name_ends(ax, labels, apart)
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
