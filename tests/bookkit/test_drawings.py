"""Drawings must show what they are given, to scale."""

import re

from bookkit import drawings, figures

WORDS, WEIGHTS = ["one", "two", "three"], [0.5, 0.375, 0.125]


def test_attention_shows_its_tokens_and_its_weights():
    figure = drawings.attention(WORDS, "last", WEIGHTS)
    (ax,) = figure.axes
    texts = [text.get_text() for text in ax.texts]
    assert {*WORDS, "last", "k₃", "q·k₃", "v₃"} < set(texts)
    assert "q·k₄" not in texts
    bars = ax.containers[-2]
    heights = [bar.get_height() for bar in bars]
    assert [h / sum(heights) for h in heights] == WEIGHTS


def test_colours_of_a_drawing_follow_the_theme():
    svg = figures.to_svg(drawings.attention(WORDS, "last", WEIGHTS))
    body = re.sub(r"<style>\.scale-figure.*?</style>", "", svg, flags=re.S)
    body = re.sub(r"var\(--\w+, #[0-9a-f]{6}\)", "", body)
    assert re.findall(r"#[0-9a-f]{6}\b", body) == []
