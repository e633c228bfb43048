"""One style and one palette for every figure of the book.

A role is a set of matplotlib keywords, and a colour has one meaning
throughout: `THEORY` is a line, what was proved; `SIMULATION` is points with
error bars, what was measured; `WRONG` is what a near miss or a broken
assumption says; `PRACTICE` is what published code does; `QUIET` is for
guides that stay in the background.

Figures are stored as SVG whose colours follow the reader's light or dark
theme. The hues are Okabe and Ito's, which any colour vision tells apart;
their lightness is set so that labels can be read on the paper of each theme.
Words are 11 points high in a width of 360, so that they have 11 pixels on a
phone, whose width the site gives to figures.
"""

import hashlib
import io
import re

import matplotlib as mpl
from IPython import get_ipython
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

__all__ = [
    "BARS",
    "INK",
    "OFF",
    "PRACTICE",
    "QUIET",
    "SIMULATION",
    "THEORY",
    "WRONG",
    "label",
    "subplots",
    "to_svg",
]

# name: (in the light theme, in the dark theme)
COLOURS = {
    "ink": ("#1f2328", "#e6e6e6"),
    "paper": ("#ffffff", "#121212"),
    "theory": ("#0072b2", "#56b4e9"),
    "simulation": ("#c25100", "#f0883e"),
    "wrong": ("#a8457f", "#e59ac5"),
    "practice": ("#00795a", "#3fc9a0"),
    "quiet": ("#6a737d", "#8d959e"),
}
INK = {"color": COLOURS["ink"][0]}
THEORY = {"color": COLOURS["theory"][0], "lw": 1.8, "zorder": 2}
SIMULATION = {
    "color": COLOURS["simulation"][0],
    "fmt": "o",
    "ms": 4.5,
    "capsize": 2.5,
    "zorder": 3,
}
BARS = {"color": COLOURS["simulation"][0], "width": 0.8}
WRONG = {"color": COLOURS["wrong"][0], "lw": 1.8, "ls": (0, (5, 2))}
OFF = SIMULATION | {"color": COLOURS["wrong"][0], "mfc": "none"}
PRACTICE = {"color": COLOURS["practice"][0]}
QUIET = {"color": COLOURS["quiet"][0], "lw": 1, "zorder": 1}

WIDTH = 5  # inches
STYLE = {
    "axes.edgecolor": COLOURS["ink"][0],
    "axes.facecolor": "none",
    "axes.labelcolor": COLOURS["ink"][0],
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "figure.facecolor": COLOURS["paper"][0],
    "font.size": 11,
    "legend.frameon": False,
    "savefig.facecolor": COLOURS["paper"][0],
    "svg.fonttype": "path",
    "svg.hashsalt": "the scale of attention",
    "text.color": COLOURS["ink"][0],
    "xtick.color": COLOURS["ink"][0],
    "ytick.color": COLOURS["ink"][0],
}


def subplots(rows=1, columns=1, height=3.2, **options):
    """Make a figure of the page's width in the book's style, with its axes.

    Parameters
    ----------
    rows, columns : how many axes.
    height : height of the whole figure in inches; the width is 5.
    options : further keywords of `matplotlib.figure.Figure.subplots`.

    Returns
    -------
    figure, axes
        As `matplotlib.pyplot.subplots`; but the figure shows itself when it
        is the last line of a cell, and is kept nowhere else.
    """
    _show_figures_as_svg()
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height))
        return figure, figure.subplots(rows, columns, **options)


def label(axes, x, y, text, role=INK, **options):
    """Write a label straight beside what it names, in the colour of a role."""
    options = {"va": "center", "color": role["color"]} | options
    with mpl.rc_context(STYLE):
        return axes.text(x, y, text, **options)


def to_svg(figure):
    """Draw a figure as SVG text that follows the reader's theme.

    Parameters
    ----------
    figure : a matplotlib Figure.

    Returns
    -------
    str
        The same text for the same figure: no date, no random names, and
        coordinates to a thousandth of a point.
    """
    FigureCanvasSVG(figure)
    with mpl.rc_context(STYLE):
        buffer = io.StringIO()
        metadata = {"Date": None, "Creator": None}
        # savefig would draw twice more to find places that are known
        if engine := figure.get_layout_engine():
            engine.execute(figure)
        figure.set_layout_engine("none")  # a second drawing moves nothing
        figure.canvas.print_svg(buffer, metadata=metadata)
    svg = COORDINATE.sub(_rounded, buffer.getvalue())
    for name, path in CLIP.findall(svg):
        digest = hashlib.sha256(path.encode()).hexdigest()
        svg = svg.replace(name, f"p{digest[:10]}")
    light, dark = "", ""
    for name, (in_light, in_dark) in COLOURS.items():
        svg = svg.replace(in_light, f"var(--{name}, {in_light})")
        light += f"--{name}:{in_light};"
        dark += f"--{name}:{in_dark};"
    style = (
        f"<style>.scale-figure{{{light}}}"
        f"@media (prefers-color-scheme:dark){{.scale-figure{{{dark}}}}}"
        "</style>"
    )
    start = svg.index("<svg")
    end = svg.index(">", start)
    opening = svg[start:end].replace("<svg", '<svg class="scale-figure"', 1)
    return f"{opening}>{style}{svg[end + 1 :]}"


# Matplotlib names them by coordinates that have not been rounded.
CLIP = re.compile(r'<clipPath id="(\w+)">(.*?)</clipPath>', re.DOTALL)
# A number as matplotlib writes it, unless it is the scale of a glyph.
COORDINATE = re.compile(r"(?<!scale\()-?\b\d+\.\d{4,}")


def _rounded(number):
    """Write a coordinate to three decimals, the same on every machine.

    The last of matplotlib's six is often a tie, which a processor's rounding
    decides. The shift moves ties of three decimals to one side.
    """
    return f"{float(number[0]) + 1e-5:.3f}".rstrip("0").rstrip(".")


def _show_figures_as_svg():
    """Have a notebook draw figures with `to_svg` when a cell ends in one."""
    shell = get_ipython()
    if shell is not None:
        formatters = shell.display_formatter.formatters
        formatters["image/svg+xml"].for_type(Figure, to_svg)
