"""The arithmetic of softmax and its Jacobian, to drag, against the library."""

import platform

import numpy as np
import pytest

import softmax_jacobian
from attention_scale import entropy, softmax
from bookkit import notebooks

EXACT = 1e-9
# Below, numbers are subnormal and have few digits.
TINY = 1e-300


def equals(found, expected):
    """Compare with the library; what is no number in JSON is None."""
    found = np.array(found, dtype=float)
    np.testing.assert_allclose(found, expected, rtol=EXACT, atol=TINY)


def softmax_rows():
    """Return rows of scores with a scale: random, tied, far apart."""
    rng = np.random.default_rng(0)
    rows = [rng.normal(0, 3, n).tolist() for n in range(2, 13) for _ in "ab"]
    rows += [[0, 0], [0] * 12, [1, 1, 0], [1, 1, 1, -1], [2, 1.9, 1.9]]
    rows += [[1e3, 0], [0, -1e3, -1e3], [1e3, 1e3, 0], [5e2, 0, 7], [1, -3]]
    return [(row, scale) for row in rows for scale in [0, 0.1, 1, 7.9, 100]]


def test_softmax_is_that_of_the_library(script):
    """Weights of random, tied and distant scores, at scales from 0 on."""
    for scores, scale in softmax_rows():
        expected = softmax.softmax(scores, scale)
        equals(script("softmax", scores, scale), expected)


def test_what_is_said_of_weights_is_what_the_library_says(script):
    """Complements, entropy, collision, the Jacobian and its size."""
    for scores, scale in softmax_rows():
        p = softmax.softmax(scores, scale)
        row = p.tolist()
        equals(script("complements", row), entropy.complement(p))
        equals(script("shannon", row), entropy.shannon(p))
        equals(script("collision", row), entropy.collision(p))
        equals(script("jacobian", row, scale), softmax.jacobian(p, scale))
        norm = softmax.gradient_norm(p, scale)
        equals(script("gradientNorm", row, scale), norm)


def test_a_dying_row_keeps_its_digits(script):
    """Two keys have 2 α / (2 + 2 cosh αΔ), however small that is."""
    for scores in ([0, -1], [-1, 0]):
        scales = [10, 30, 40, 300, 690]
        found = script("gradientNorms", scores, scales)
        equals(found, scales / (1 + np.cosh(scales)))


def test_the_curve_is_that_of_the_library(script):
    """The gradient norm at many scales, for tied rows as well."""
    scales = [0, *np.geomspace(0.1, 100, 50).tolist()]
    for scores in [[1, 0.5, 0], [1, 1, 0.2], [0, 0], [-0.3, 2, 1.9, 2]]:
        p = softmax.softmax(scores, scales)
        found = script("gradientNorms", scores, scales)
        equals(found, softmax.gradient_norm(p, scales))


def test_the_gap_is_that_of_the_best_two(script):
    """In any order; 0 for a tie."""
    for scores, gap in [([0, 2, 1.5], 0.5), ([1, 1, 0], 0), ([-3, 3], 6)]:
        assert script("gapOf", scores) == gap
        assert script("gapOf", scores[::-1]) == gap


def test_scores_are_read_with_care(script):
    """Two to twelve tenths from -3 to 3, or nothing."""
    for text, expected in [
        ("1 0.5 -0.3", [1, 0.5, -0.3]), ("2,1", [2, 1]), (" 1, 0 ", [1, 0]),
        ("9 -1e9", [3, -3]), ("0.26 -0.24", [0.3, -0.2]),
        (" ".join("1" * 13), [1] * 12),
        (None, None), ("", None), ("1", None), ("1 x", None),
        ("NaN 1", None), ("Infinity 1", None), ("1;0", None), (",1,2", None),
    ]:  # fmt: skip
        assert script("readScores", text) == expected


def test_numbers_are_short(script):
    """Three decimals, and powers of ten where they would be zeros."""
    for number, text in [
        (0, "0.000"), (0.7834, "0.783"), (12.5, "12.50"), (0.001, "0.001"),
        (1.23e-5, "1.2·10⁻⁵"), (3e-12, "3.0·10⁻¹²"),
    ]:  # fmt: skip
        assert script("shortNumber", number) == text
    assert script("signedText", -0.123, 2) == "−0.12"
    assert script("signedText", 0.123, 2) == "+0.12"
    assert script("signedText", -0.123, 2, True) == "−"
    assert script("signedText", -0.004, 2) == "0"


def test_the_picture_of_softmax_is_its_start(script):
    """Without scripts one sees the setting that scripts start with."""
    start = script("name => SOFTMAX_SCORES[name]", "Mixed")
    assert start[: len(softmax_jacobian.SCORES)] == softmax_jacobian.SCORES
    rng = np.random.default_rng(5)
    normal = rng.standard_normal(64)[:12].round(1).tolist()
    assert script("name => SOFTMAX_SCORES[name]", "Normal") == normal


@pytest.mark.skipif(
    (platform.system(), platform.machine()) != notebooks.STORED_ON,
    reason="figures differ in some bytes",
)
def test_the_picture_of_softmax_is_that_of_the_library():
    """What is stored is what the tool draws."""
    drawn = softmax_jacobian.draw(softmax_jacobian.SCORES, 1)
    stored = softmax_jacobian.FILE.read_text("utf-8")
    assert softmax_jacobian.to_svg(drawn) == stored
