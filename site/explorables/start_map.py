"""Draw what stands for the map of starts on paper.

    python site/explorables/start_map.py

Writes book/figures/start-map.svg: widths and weights of published models.
"""

from pathlib import Path

import numpy as np
from scipy import stats

from bookkit import figures

FILE = Path(__file__).resolve().parents[2] / "book/figures/start-map.svg"
STARTS = {  # width, standard deviation; where the label stands
    "Transformer": (512, 512**-0.5, 1.08, 1.05, "left"),
    "OLMo-7B": (4096, stats.truncnorm(-3, 3).std() / 64, 0.93, 0.9, "right"),
    "BERT": (768, stats.truncnorm(-2, 2).std() / 50, 1, 0.83, "center"),
    "GPT-2": (768, 0.02, 1.0, 1.14, "center"),
    "Llama’s default": (4096, 0.02, 0.93, 1.13, "left"),
    "Keras": (512, (2 / 512 / 72) ** 0.5, 1.08, 1, "left"),
    "GPT-NeoX": (6144, (5 * 6144 / 2) ** -0.5, 0.93, 0.83, "center"),
    "OPT-175B": (12288, 0.006, 1.08, 1, "left"),
}


def draw():
    """Draw the map, with lines of equal starts."""
    figure, ax = figures.subplots(height=2.5)
    across = np.array([400, 20_000])
    for level, role, text, place in [
        (1, figures.THEORY, "wσ² = 1", (20_500, 0.007)),
        (0.1, figures.QUIET, "0.1", (5_000, 0.0049)),
    ]:
        ax.loglog(across, np.sqrt(level / across), **role)
        figures.label(ax, *place, text, role)
    ax.axhline(0.02, ls=":", **figures.QUIET)
    for name, (width, std, right, up, side) in STARTS.items():
        ax.loglog(width, std, "o", ms=5, **figures.PRACTICE)
        figures.label(
            ax, width * right, std * up, name, figures.PRACTICE, ha=side
        )
    figures.label(ax, 20_500, 0.0177, "0.02", figures.QUIET)
    ax.set(
        xlabel="width of the model, w", xlim=(380, 42_000),
        ylabel="std of the weights", ylim=(0.0042, 0.055),
    )  # fmt: skip
    ax.set_xticks([512, 2048, 8192], [512, 2048, 8192])
    ax.set_yticks([0.005, 0.01, 0.02, 0.05], ["0.005", "0.01", "0.02", "0.05"])
    ax.minorticks_off()
    return figure


def main():
    """Draw the figure and store it."""
    FILE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
