"""What is said to do about rows, and of which rows nothing is said."""

import numpy as np
import pytest

from attention_scale.observe import row_statistics
from attention_scale.observe.advice import advise

RNG = np.random.default_rng(0)
QUERY, KEY = RNG.standard_normal((2, 1, 200, 64))


def said(factor=1.0, before=None, **more):
    """Return the remarks on rows of a spread, as one text."""
    found = row_statistics(factor * QUERY, KEY, **more)
    return str(advise({"some.layer": found}, before))


def test_of_calm_rows_nothing():
    assert said().startswith("Most likely nothing is to be done.")
    assert said(2.0, {"some.layer": 8.0}).startswith("Most likely nothing")


def test_sharp_rows_are_told_with_their_chapters():
    words = said(40.0)
    for part in (
        "A logit of 1",
        "of a head's rows are dead (some.layer)",
        "above 2 α_c (some.layer)",
        "QK-norm",
        "QK-clip",
        "a cap",
        "weights of Q and K",
        "[chapters 3 and 12]",
    ):
        assert part in words


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_comes_first(value):
    query = 40 * QUERY
    query[:, 3] = value
    found = row_statistics(query, KEY)
    words = str(advise({"a": found, "b": found}))
    assert words.startswith("2 rows have NaN or infinite logits (a, b). Stop")
    # dead rows are not counted where some rows are unknown
    assert "rows are dead" not in words


def test_a_largest_logit_that_rises():
    words = said(8.0, {"some.layer": 5.0})
    assert "The largest logit rises: 5 at the first look, 3" in words
    assert "heads sharpen as they learn" in words
    assert "rises" not in said(8.0)


def test_nothing_seen_is_no_calm():
    found = row_statistics(QUERY[:, :1], KEY[:, :2], rows=None)
    assert "fewer than two rows" in str(advise({"layer": found}))
