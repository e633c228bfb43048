"""Tables show numbers readably and refuse columns that do not fit."""

import numpy as np
import pytest

from bookkit.checks import sample_mean
from bookkit.tables import table


def test_numbers_words_and_estimates():
    samples = np.tile([[1.0, 3.0], [2.0, 6.0]], 5_000)
    shown = table(
        {
            "model": ["one", "two"],
            "d": np.array([64, 2048]),
            "score": [12800.0, 0.123456],
            "mean": sample_mean(samples),
        }
    )
    assert shown.rows == [
        ["one", "64", "12,800", "2.000 ± 0.010"],
        ["two", "2,048", "0.1235", "4.000 ± 0.020"],
    ]


def test_markdown_puts_words_left_and_numbers_right():
    shown = table({"model": ["one"], "d": [64]})
    assert shown._repr_markdown_().splitlines() == [
        "| model | d |",
        "| :-- | --: |",
        "| one | 64 |",
    ]


def test_text_is_aligned():
    shown = table({"model": ["one", "seven"], "d": [8, 64]})
    assert repr(shown).splitlines() == [
        "model   d",
        "one     8",
        "seven  64",
    ]


def test_columns_must_be_of_one_length():
    with pytest.raises(ValueError, match="lengths differ"):
        table({"a": [1, 2], "b": [1]})


def test_a_table_has_columns():
    with pytest.raises(ValueError, match="^columns: there are none"):
        table({})


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ([1, 2], r"columns: \[1, 2\]; it should be {head: column}"),
        ({"a": 1}, r"columns\['a'\]: 1; it should be a sequence"),
        ({"a": "one"}, r"columns\['a'\]: 'one'; it should be a sequence"),
        ({"a": sample_mean([1, 2])}, r"columns\['a'\]: mean: 1.5"),
    ],
)
def test_what_is_no_column_is_named(columns, words):
    with pytest.raises(TypeError, match=f"^{words}"):
        table(columns)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({1: [1]}, "columns: head 1; it should be a string"),
        ({"a": [None]}, r"columns\['a'\]: None; it should be a string, a num"),
        ({"a": [1, [2]]}, r"columns\['a'\]: \[2\]; it should be a string"),
    ],
)
def test_what_is_no_entry_is_named(columns, words):
    with pytest.raises(TypeError, match=f"^{words}"):
        table(columns)
