"""A drawing of how the parts of attention hang together.

In code and not a picture in a file: its bars have the heights that chapter 1
has just computed, and its colours follow the reader's theme.
"""

import numpy as np

from bookkit import figures

__all__ = ["attention"]

SHADES = 2  # a seed whose squares look like a vector's
LAST = 38.5  # where the last token stands, and the output


def attention(words, last, weights):
    """Draw one row of attention, from the vectors of tokens to the output.

    Parameters
    ----------
    words : the tokens that are looked at, five at most.
    last : the token that looks at them.
    weights : heights of the bars, one for each of the words.

    Returns
    -------
    figure
        One square is one number of a vector.
    """
    figure, ax = figures.subplots(height=4.8)
    x = np.arange(6.5, 6.5 + 6 * len(words), 6)
    rng = np.random.default_rng(SHADES)
    for at, top, size, role in [
        (np.append(x, LAST), 0, 8, figures.QUIET),
        (x, -11, 4, figures.SIMULATION),
        (LAST, -11, 4, figures.THEORY),
        (np.append(x, LAST), -33, 4, figures.PRACTICE),
    ]:
        across, down = np.meshgrid(at, top - np.arange(size) - 0.5)
        alphas = rng.uniform(0.3, 1, down.size)
        shades = [(role["color"], alpha) for alpha in alphas]
        ax.bar(across.flat, 1, 1, down.flat, color=shades, ec="#ffffff")
    ax.bar(x, 2.4, 5.6, -20.4, fill=False, ec=figures.QUIET["color"])
    ax.bar(x, 8 * np.asarray(weights), 2.6, -32.5, color=figures.BARS["color"])
    ax.bar(23, 4.8, 41, -26.2, color=figures.QUIET["color"], alpha=0.2)
    for across, down, head in [
        ([x, x], [-8.3, -10.2], "v"),
        ([LAST, LAST], [-8.3, -10.2], "v"),
        ([x, x], [-15.3, -17.4], "v"),
        ([LAST, LAST, x[-1] + 3.6], [-15.3, -19.2, -19.2], "<"),
        ([x, x], [-20.6, -26.8], "v"),
        ([5.3, 1, 1, 5.2], [-4, -4, -35, -35], ">"),
        ([x[-1] + 1.5, LAST - 1.3], [-35, -35], ">"),
    ]:
        ax.plot(
            across, down, marker=head, ms=5, markevery=[-1], **figures.QUIET
        )
    subscripts = "₁₂₃₄₅"
    labels = {(LAST, 1.3): last, (40.4, -4): "w", (40.4, -13): "d"}
    for at, word, i in zip(x, words, subscripts, strict=False):
        labels |= {
            (at, 1.3): word,
            (at - 1.7, -13): f"k{i}",
            (at, -19.2): f"q·k{i}",
            (at, -38.3): f"v{i}",
        }
    labels |= {
        (2.7, -9.3): "$W_v$",
        (8.1, -9.3): "$W_k$",
        (40.1, -9.3): "$W_q$",
        (36.8, -13): "q",
        (LAST, -22.6): "÷ √d",
        (LAST, -24.8): "softmax",
        (LAST, -30.2): "weights",
        (34.6, -33.8): "mean",
        (LAST, -38.3): "o",
    }
    for place, text in labels.items():
        figures.label(ax, *place, text, ha="center")
    ax.set(xlim=(0, 44), ylim=(-39, 2), aspect="equal")
    ax.set_axis_off()
    return figure
