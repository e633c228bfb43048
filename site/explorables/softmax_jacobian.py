"""Draw what stands for the explorable of softmax's Jacobian on paper.

    python site/explorables/softmax_jacobian.py

Writes book/figures/softmax-jacobian.svg: the explorable as it starts.
"""

from pathlib import Path

import numpy as np
from matplotlib.patches import Rectangle

from attention_scale.softmax import gradient_norm, jacobian, softmax
from bookkit import figures

FILE = (
    Path(__file__).resolve().parents[2] / "book/figures/softmax-jacobian.svg"
)
SCORES = [1, 0.5, 0.2, 0, -0.3, -0.6]
# in the light theme, in the dark theme: as in site/assets/explorables.css
NEGATIVE = ("#b2182b", "#f28b82")


def bars(ax, values, form, **options):
    """Draw numbers as bars with their values."""
    keys = np.arange(1, len(values) + 1)
    drawn = ax.bar(keys, values, color=figures.THEORY["color"])
    labels = [form.format(v).replace("-", "−") for v in values]
    ax.bar_label(drawn, labels, fontsize=11, padding=2, **figures.INK)
    ax.set(xticks=keys, **options)


def heat_map(ax, matrix):
    """Draw a matrix of entries up to 1/4 in size, with its signs."""
    n = len(matrix)
    keys = np.arange(1, n + 1)
    for (i, j), value in np.ndenumerate(matrix):
        color = figures.THEORY["color"] if value > 0 else NEGATIVE[0]
        share = 0.5 * np.sqrt(4 * abs(value))
        cell = (j + 0.5, i + 0.5), 1, 1
        ax.add_patch(Rectangle(*cell, color=color, alpha=share, lw=0))
        text = f"{value:+.2f}".replace("-", "−").replace("0.", ".")
        figures.label(ax, j + 1, i + 1, text, ha="center")
    ax.set(
        xlim=(0.5, n + 0.5), ylim=(n + 0.5, 0.5), aspect="equal",
        xticks=keys, yticks=keys, title="J/α",
    )  # fmt: skip
    ax.tick_params(length=0)


def curve(ax, scores, alpha):
    """Draw the gradient norm at all scales."""
    n = len(scores)
    scale = np.geomspace(0.1, 100, 301)
    norms = gradient_norm(softmax(scores, scale), scale)
    ax.loglog(scale, norms, **figures.THEORY)
    ax.loglog(scale, scale * (1 - 1 / n), **figures.QUIET, ls="--")
    figures.label(ax, 3, 8, "all equal", figures.QUIET, ha="right")
    at_scale = gradient_norm(softmax(scores, alpha), alpha)
    ax.plot(alpha, at_scale, "o", **figures.THEORY)
    figures.label(ax, alpha, at_scale / 3, f"α = {alpha}", ha="center")
    best, second = sorted(scores, reverse=True)[:2]
    turn = np.log(n) / (best - second)
    ax.axvline(turn, **figures.QUIET, ls=":")
    figures.label(ax, turn, 50, "αΔ = log n ", figures.QUIET, ha="right")
    ax.set(xlabel="scale α", ylabel="½‖J‖₁", ylim=(0.001, 100))


def draw(scores, alpha):
    """Draw the four views of scores at a scale."""
    p = softmax(scores, alpha)
    ratios = {"height_ratios": [1, 1, 2.4, 1.6]}
    figure, axes = figures.subplots(4, 1, height=10, gridspec_kw=ratios)
    limits = {"ylim": (-1.1, 1.5)}
    bars(axes[0], scores, "{:.1f}", title="scores s", **limits)
    bars(axes[1], p, "{:.2f}", title="weights p", ylim=(0, 0.48))
    heat_map(axes[2], jacobian(p))
    curve(axes[3], scores, alpha)
    return figure


def to_svg(figure):
    """Return the SVG, in which the red of negative entries follows too."""
    svg = figures.to_svg(figure)
    light, dark = NEGATIVE
    style = (
        f"<style>.scale-figure{{--negative:{light};}}"
        "@media (prefers-color-scheme:dark)"
        f"{{.scale-figure{{--negative:{dark};}}}}</style>"
    )
    svg = svg.replace(light, f"var(--negative, {light})")
    return svg.replace("<style>", f"{style}<style>", 1)


def main():
    """Draw the figure and store it."""
    FILE.write_text(to_svg(draw(SCORES, 1)), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
