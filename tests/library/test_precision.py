"""Rounding against ml_dtypes and NumPy; stored weights against chance."""

import ml_dtypes
import numpy as np
import pytest

from attention_scale import quenched
from attention_scale.precision import (
    BFLOAT16,
    E4M3,
    E5M2,
    FLOAT16,
    Format,
    rounded,
    stored_weights,
)

FORMATS = {
    "float8_e4m3fn": E4M3,
    "float8_e5m2": E5M2,
    "float16": FLOAT16,
    "bfloat16": BFLOAT16,
}
EXACT = Format(digits=52, lowest=-1022, largest=np.finfo(float).max)


def numbers(name):
    """Return the finite numbers of a format, by all its bit patterns."""
    kind = np.dtype(getattr(ml_dtypes, name, name))
    patterns = np.arange(2 ** (8 * kind.itemsize), dtype=f"u{kind.itemsize}")
    with np.errstate(invalid="ignore"):  # signalling NaNs among the patterns
        values = patterns.view(kind).astype(np.float64)
    return np.unique(values[np.isfinite(values)])


@pytest.mark.parametrize("name", FORMATS)
def test_rounds_as_the_definition_says_between_all_numbers(name):
    format, grid = FORMATS[name], numbers(name)
    assert grid[-1] == format.largest
    np.testing.assert_array_equal(rounded(grid, format), grid)
    middle = (grid[:-1] + grid[1:]) / 2  # exact: two more bits at most
    np.testing.assert_array_equal(
        rounded(np.nextafter(middle, -np.inf), format), grid[:-1]
    )
    np.testing.assert_array_equal(
        rounded(np.nextafter(middle, np.inf), format), grid[1:]
    )
    ties = rounded(middle, format)
    assert ((ties == grid[:-1]) | (ties == grid[1:])).all()
    kind = getattr(ml_dtypes, name, name)
    np.testing.assert_array_equal(ties, middle.astype(kind).astype(np.float64))


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_too_large_saturates(name):
    largest = FORMATS[name].largest
    far = [2 * largest, np.inf, -2 * largest, -np.inf]
    wanted = [largest, largest, -largest, -largest]
    np.testing.assert_array_equal(rounded(far, FORMATS[name]), wanted)


def test_exact_storage_keeps_everything():
    found = stored_weights(300, 1.7, EXACT)
    # the sums over cells and references are good to a thousandth
    np.testing.assert_allclose(found.kept, 1, rtol=1e-3)
    assert found.lost == 0 and found.error < 1e-12


@pytest.mark.parametrize("seen", [None, 1, 20])
def test_weights_that_all_vanish_are_all_lost(seen):
    found = stored_weights(300, 1.0, E4M3, offset=-60, seen=seen)
    np.testing.assert_allclose(found.lost, 1, rtol=1e-3)
    assert found.kept == 0
    np.testing.assert_allclose(found.error, 1, rtol=1e-12)


@pytest.mark.parametrize(
    "n, alpha, format, offset, seen",
    [
        (2, 3.0, E4M3, 0, 2),
        (64, 4.0, E4M3, 0, 64),
        (64, 6.0, E5M2, -4, 64),
        (512, 2.6, E4M3, 0, 512),
        (512, 1.0, E4M3, 8, 32),
        (512, 2.0, FLOAT16, -10, 1),
    ],
)
def test_agrees_with_simulated_rows(n, alpha, format, offset, seen):
    rng = np.random.default_rng(n)
    s = rng.standard_normal((2_000_000 // n, n))
    reference = s[:, :seen].max(axis=1, keepdims=True)
    w = np.exp(alpha * (s - reference))
    stored = rounded(2.0**offset * w, format) / 2.0**offset
    Z = w.sum(axis=1, keepdims=True)
    found = stored_weights(n, alpha, format, offset, seen)
    for samples, value in [
        (stored.sum(axis=1) / Z[:, 0], found.kept),
        ((w * (stored == 0)).sum(axis=1) / Z[:, 0], found.lost),
        (
            (((stored - w) / Z) ** 2).sum(axis=1)
            - found.error**2 * ((w / Z) ** 2).sum(axis=1),
            0.0,
        ),
    ]:
        error = samples.std() / np.sqrt(samples.size)
        # four standard errors, what sums over cells leave, and losses so rare
        # that the sample has hardly any
        slack = 1e-3 * abs(value) + 1e-6
        assert abs(samples.mean() - value) < 4 * error + slack


def test_the_error_of_an_octave_is_that_of_the_format():
    # at a small scale all weights lie within a doubling or two
    found = stored_weights(1_000_000, 0.9, E4M3, offset=8)
    np.testing.assert_allclose(
        found.error, np.sqrt(np.log(2) / 18) / 8, rtol=0.1
    )
    assert quenched.averages(1_000_000, 0.9).collision < 1e-5


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"n": 1.5}, "n: 1.5; it should be"),
        ({"n": 2e9}, "n: 2000000000; it should be at most 1e\\+09"),
        ({"scale": 21}, "scale: 21"),
        ({"scale": np.nan}, "scale: NaN"),
        ({"offset": 101}, "offset: 101"),
        ({"seen": 11}, "seen: 11"),
    ],
)
def test_refuses_what_is_out_of_range(arguments, message):
    usual = {"n": 10, "scale": 1.0, "format": E4M3}
    with pytest.raises(ValueError, match=message):
        stored_weights(**(usual | arguments))


def test_refuses_what_is_no_format():
    with pytest.raises(TypeError, match="format: 'e4m3'; it should be a Form"):
        rounded(1.0, "e4m3")
    with pytest.raises(TypeError, match="format: 8"):
        stored_weights(10, 1.0, 8)
