"""Figures must be the same every time, and readable in both themes."""

import re

import pytest

from bookkit import figures

LIGHT, DARK = 0, 1


def drawing():
    fig, ax = figures.subplots(height=2)
    ax.plot([1, 2, 3], [1, 4, 9], **figures.THEORY)
    ax.errorbar([1, 2], [1, 4], [0.1, 0.2], **figures.SIMULATION)
    ax.errorbar([1, 2], [2, 5], [0.1, 0.2], **figures.OFF)
    ax.plot([1, 3], [0, 0], **figures.QUIET)
    ax.plot([1, 3], [9, 0], **figures.WRONG)
    ax.bar([1, 2], [1, 1], **figures.BARS)
    figures.label(ax, 2, 5, "theory", figures.THEORY)
    figures.label(ax, 2, 7, "practice", figures.PRACTICE)
    ax.set(xlabel="d", ylabel="variance")
    return fig


def test_a_figure_is_drawn_the_same_twice():
    fig = drawing()
    assert figures.to_svg(fig) == figures.to_svg(fig)


def test_two_like_figures_are_the_same():
    assert figures.to_svg(drawing()) == figures.to_svg(drawing())


def test_a_hair_of_layout_changes_nothing():
    """Not even the names of what is cut at the edges of the axes."""
    drawn = []
    for hair in (0, 1e-9):
        fig = drawing()
        fig.draw_without_rendering()
        fig.set_layout_engine("none")
        (ax,) = fig.axes
        x, y, width, height = ax.get_position().bounds
        ax.set_position([x + hair, y, width, height])
        drawn.append(figures.to_svg(fig))
    assert drawn[0] == drawn[1]


def test_every_colour_follows_the_theme():
    svg = figures.to_svg(drawing())
    body = re.sub(r"<style>\.scale-figure.*?</style>", "", svg, flags=re.S)
    body = re.sub(r"var\(--\w+, #[0-9a-f]{6}\)", "", body)
    assert re.findall(r"#[0-9a-f]{6}\b", body) == []
    assert "prefers-color-scheme:dark" in svg


def test_a_colour_outside_the_palette_would_be_seen():
    fig = drawing()
    fig.axes[0].plot([1, 2], [3, 4], color="#123456")
    assert "#123456" in re.sub(r"var\([^)]*\)", "", figures.to_svg(fig))


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in channels
    ]
    return sum(map(float.__mul__, (0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", figures.COLOURS.keys() - {"paper"})
def test_colours_stand_out_from_the_paper(name, theme):
    # every colour also writes labels: WCAG 2 asks 4.5 for text
    paper = figures.COLOURS["paper"][theme]
    assert contrast(figures.COLOURS[name][theme], paper) >= 4.5


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
