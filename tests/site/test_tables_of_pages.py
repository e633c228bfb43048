"""Columns of numbers, point under point, and cells that know their heads."""

import pytest
from lxml import html

from booksite import tables


def table_of(*rows, kind=""):
    """Return a table as docutils writes it: the head, then other rows."""
    lines = [
        "".join(f"<{tag}><p>{text}</p></{tag}>" for text in row)
        for tag, row in zip(["th"] + ["td"] * len(rows), rows, strict=False)
    ]
    text = "".join(f"<tr>{line}</tr>" for line in lines)
    tree = html.fragment_fromstring(
        f"<div><table class='table {kind}'>{text}</table></div>"
    )
    tables.finish_tables(tree)
    return tree


def cells_of(tree):
    """Return what the cells of the first column say, and its room behind."""
    return [
        (row[0].text_content(), row[0].get("style"))
        for row in tree.xpath(".//tr[td]")
    ]


@pytest.mark.parametrize(
    "column, room",
    [
        (["12.5", "3", "0.125"], [4, 7, 0]),
        (["1,024", "16", "–"], [0, 0, 0]),
        (["0.5 ± 0.1", "0.25 ± 0.02", "0"], [4, 0, 17]),
        (["9.1e-05", "0"], [0, 14]),
        (["18 s", "6 s"], [0, 0]),
        (["99.4%", "100%"], [0, 3]),
    ],
)
def test_numbers_say_what_room_they_leave(column, room):
    """In halves of a digit; a point is as wide as one half."""
    tree = table_of(["head"], *([text] for text in column))
    found = [style or "--after:0" for _, style in cells_of(tree)]
    assert found == [f"--after:{width}" for width in room]
    assert tree.find(".//th").get("class") == "head text-right"


@pytest.mark.parametrize(
    "column",
    [["1.5", "many"], ["3.11.7", "2.4.6"], ["–", ""], ["1", "1 or 2"]],
)
def test_columns_of_words_stay(column):
    """One word among the numbers, versions, and nothing at all."""
    tree = table_of(["head"], *([text] for text in column))
    assert [style for _, style in cells_of(tree)] == [None, None]
    assert tree.find(".//th").get("class") is None


def test_a_minus_is_as_wide_as_a_plus():
    """Powers are written as people do; what is no number keeps its hyphen."""
    tree = table_of(["head"], ["-0.5"], ["+2e-05"], ["1e+12"])
    found = [text for text, _ in cells_of(tree)]
    assert found == ["−0.5", "+2 × 10⁻⁵", "10¹²"]
    assert cells_of(table_of(["head"], ["-5 or so"]))[0][0] == "-5 or so"


def test_no_line_of_a_head_ends_in_a_formula():
    """Quotients and equations stay whole; a slash between words does not."""
    head = table_of(["1/Σp², α = 1, a / b"], ["1"]).find(".//th")
    assert head.text_content() == "1/\u2060Σp², α\u00a0=\u00a01, a / b"


def test_cells_of_wide_tables_know_their_heads():
    """From the third column on, where they say something."""
    rows = [["symbol", "meaning", "unit", "use"], ["H", "entropy", "–", "8"]]
    named = table_of(*rows, kind="notation").xpath(".//td/@data-head")
    assert named == ["use"]
    assert table_of(*rows).xpath(".//td/@data-head") == []
