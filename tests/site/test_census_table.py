"""The table of the census that a reader filters."""

import pytest

import census_table
from bookkit import stored

HEAD = "|".join(census_table.COLUMNS)
ROWS = [
    "bert|BertSelfAttention|139|2019-09|1/sqrt(d)|1/sqrt(d)||",
    "gemma3|Gemma3Attention|297|2025-07|config|1/sqrt(d)|RMS|",
    "llama|LlamaAttention|206|2023-06|1/sqrt(d)|1/sqrt(d)||RoPE's factor",
]


@pytest.mark.parametrize(
    ("words", "scale", "norm", "models"),
    [
        ("", "", False, ["bert", "gemma3", "llama"]),
        ("ATT lla", "", False, ["llama"]),
        ("", "1/sqrt(d)", False, ["bert", "llama"]),
        ("", "", True, ["gemma3"]),
        ("bert", "config", False, []),
    ],
)
def test_rows_are_found_by_words_scale_and_norm(
    script, words, scale, norm, models
):
    rows = script("readCensus", "\n".join([HEAD, *ROWS]))
    found = script("censusRows", rows, words, scale, norm)
    assert [row["model"] for row in found] == models


@pytest.mark.parametrize(
    ("default", "words"),
    [
        ("1", "1/sqrt(d)"),
        ("", ""),
        ("16", "16/sqrt(d)"),
        ("0.40825 | 1", "0.408/sqrt(d), 1/sqrt(d)"),
        ("1 | per position", "1/sqrt(d), per position"),
    ],
)
def test_the_default_in_words(default, words):
    assert census_table.in_words(default) == words


def test_the_odd_rows_come_first():
    """Those with another scale, those that do more, and the plain ones."""
    head, *lines = (line.split("|") for line in census_table.lines())
    rows = [dict(zip(head, line, strict=True)) for line in lines]
    kinds = [census_table.oddity(row) for row in rows]
    assert kinds == sorted(kinds)
    assert kinds.count(2) == 445  # plain, as chapter 15 counts them
    divides = ["1/sqrt(d)" in row["default"].split(", ") for row in rows]
    assert divides == [kind > 0 for kind in kinds]
    for kind in range(3):
        dates = [
            row["added"]
            for row, its in zip(rows, kinds, strict=True)
            if its == kind
        ]
        assert dates == sorted(dates, reverse=True)
    first = {row["model"] for row in rows[:25]}
    assert {"granite_swa", "gemma4", "zaya", "mistral_large4"} <= first


def test_a_scale_is_written_as_by_hand(script):
    written = {
        "16/sqrt(d)": "16/√d",
        "1/sqrt(d) x YaRN": "1/√d × YaRN",
        "1/sqrt(d(1+t))": "1/√(d(1+t))",
        "learned": "learned",
    }
    assert {s: script("scaleText", s) for s in written} == written


def test_the_script_has_the_rows_of_the_census():
    text = census_table.FILE.read_text("utf-8")
    rows = census_table.lines()
    assert "\n".join(rows) in text
    data = stored.read("census")
    newest = data["version"] == data["provenance"]["told"]["newest"]
    assert len(rows) == newest.sum() + 1
    assert len(text) < 60_000
