"""Entropies: bounds, order, agreement with each other and with long sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from mpmath import mp, mpf
from scipy import stats

from attention_scale.entropy import (
    collision,
    complement,
    renyi,
    shannon,
    tsallis,
)
from attention_scale.softmax import jacobian, softmax, vjp

ORDERS = [0, 0.25, 0.5, 1, 1.5, 2, 3, 10]
WEIGHTS = arrays.arrays(
    np.float64,
    arrays.array_shapes(max_dims=2, max_side=6),
    elements=st.floats(-200, 0),
).map(softmax)
EPS = np.finfo(np.float64).eps


def exactly(p, order):
    """Return Rényi's and Tsallis's entropy of a row, in long arithmetic."""
    with mp.workdps(200):
        p = [mpf(float(weight)) for weight in p if weight > 0]
        p = [weight / sum(p) for weight in p]
        if order == 1:
            value = -sum(weight * mp.log(weight) for weight in p)
            return float(value), float(value)
        total = sum(weight ** mpf(order) for weight in p)
        one = mpf(1)
        return (
            float(mp.log(total) / (one - order)),
            float((one - total) / (order - one)),
        )


@given(WEIGHTS)
def test_shannon_is_scipys(p):
    # SciPy's own loses digits close to one-hot rows
    np.testing.assert_allclose(
        shannon(p), stats.entropy(p, axis=-1), rtol=1e-9, atol=64 * EPS
    )


@given(WEIGHTS, st.sampled_from(ORDERS))
def test_entropies_equal_long_sums(p, order):
    for row, one, other in zip(
        p.reshape(-1, p.shape[-1]),
        np.ravel(renyi(p, order)),
        np.ravel(tsallis(p, order)),
        strict=True,
    ):
        exact = exactly(row, order)
        # a sum that misses 1 by rounding, relative to the entropy itself
        np.testing.assert_allclose(
            [one, other], exact, rtol=1e-13, atol=1e-15 if order < 1 else 0
        )


@given(WEIGHTS)
def test_entropies_have_their_bounds_and_fall_with_their_order(p):
    n = p.shape[-1]
    values = [renyi(p, order) for order in [*ORDERS, np.inf]]
    for higher, lower in zip(values, values[1:], strict=False):
        assert (higher >= lower - 1e-12).all()
    assert (values[0] <= np.log(n) + 4 * EPS).all()
    assert (values[-1] >= 0).all()
    assert (collision(p) >= (1 - 8 * EPS) / n).all()
    assert (collision(p) <= 1 + 4 * EPS).all()


@given(WEIGHTS)
def test_order_two_is_collision(p):
    # 1 - Σp² and -log Σp² lose digits to cancellation: absolute tolerance
    np.testing.assert_allclose(tsallis(p, 2), 1 - collision(p), atol=8 * EPS)
    np.testing.assert_allclose(
        renyi(p, 2), -np.log(collision(p)), atol=64 * EPS
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ORDERS)
def test_uniform_and_one_hot_rows(dtype, order):
    n = 5
    uniform, one_hot = np.full(n, 1 / n, dtype), np.eye(n, dtype=dtype)[2]
    assert renyi(one_hot, order) == tsallis(one_hot, order) == 0
    assert not np.signbit(renyi(one_hot, order))
    assert renyi(uniform, order).dtype == dtype
    assert tsallis(uniform, order).dtype == dtype
    np.testing.assert_allclose(
        renyi(uniform, order), np.log(n), rtol=8 * np.finfo(dtype).eps
    )


def test_weights_at_the_edge_of_the_floats():
    assert tsallis([1.0, 5e-324], 0) == 1
    p = softmax([0.0, -80.0])
    np.testing.assert_allclose(renyi(p, np.inf), np.exp(-80.0), rtol=64 * EPS)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", [2, 400, 1e4, 1e15, 1e40, 1e308, np.inf])
def test_many_small_weights_at_orders_beyond_all_powers(dtype, order):
    p = np.full(100_000, 1e-5, dtype)
    value = renyi(p, order)
    assert value.dtype == dtype
    np.testing.assert_allclose(
        value, np.log(1e5), rtol=64 * np.finfo(dtype).eps
    )
    assert tsallis(p, min(order, 1e30)).dtype == dtype


def test_limits_of_the_order():
    p = np.array([0.5, 0.3, 0.2, 0.0])
    assert renyi(p, 0) == np.log(3)
    assert renyi(p, np.inf) == np.log(2)
    assert renyi(p, 1) == tsallis(p, 1) == shannon(p)
    # the derivative by the order is of size 1: the next order differs so much
    np.testing.assert_allclose(renyi(p, 1 + 1e-9), shannon(p), rtol=1e-9)
    np.testing.assert_allclose(tsallis(p, 1 - 1e-9), shannon(p), rtol=1e-9)
    np.testing.assert_allclose(tsallis(p, 0), 2)


def test_complement_keeps_the_digits_of_small_rests():
    p = softmax([0.0, -60.0, -61.0])
    assert p[0] == 1
    assert complement(p)[0] == p[1] + p[2] > 0
    assert complement(p)[1:].tolist() == [1, 1]


BAD_WEIGHTS = {
    "a number": (1.0, ValueError, r"shape \(\)"),
    "no keys": ([], ValueError, r"shape \(0,\)"),
    "NaN": ([np.nan, 1.0], ValueError, "NaN at index 0"),
    "negative": ([1.5, -0.5], ValueError, "-0.5 is negative at index 1"),
    "not normalised": ([[0.5, 0.5], [1, 1]], ValueError, "sum to 2 in row 1"),
    "nearly normalised": ([0.5, 0.501], ValueError, "sum to 1.001"),
    "all zero": ([0.0, 0.0], ValueError, "sum to 0; they should sum to 1"),
    "infinite": ([np.inf, 0.0], ValueError, "sum to inf"),
    "text": (["a"], TypeError, "an array of <U1"),
    "half precision": (np.float16([1]), TypeError, "an array of float16"),
}


@pytest.mark.parametrize(
    "function",
    [
        shannon,
        collision,
        complement,
        jacobian,
        lambda p: renyi(p, 2),
        lambda p: tsallis(p, 2),
        lambda p: vjp(p, [0.0, 1.0]),
    ],
    ids=["shannon", "collision", "complement", "jacobian", "r", "t", "vjp"],
)
@pytest.mark.parametrize(
    "p, error, reason", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS
)
def test_bad_weights_are_refused(function, p, error, reason):
    with pytest.raises(error, match=f"^p: .*{reason}"):
        function(p)


def test_float32_rows_may_miss_one_by_their_own_rounding():
    rng = np.random.default_rng(0)
    p = softmax(rng.standard_normal((3, 100_000)).astype(np.float32))
    assert shannon(p).dtype == np.float32
    np.testing.assert_allclose(
        shannon(p), shannon(softmax(np.log(p, dtype=np.float64))), rtol=1e-5
    )


@pytest.mark.parametrize(
    "order, error, reason",
    [
        (-1, ValueError, "-1.0; it should be .*at least 0"),
        (np.nan, ValueError, "NaN"),
        ([1, 2], ValueError, r"shape \(2,\); it should be a number"),
        ("2", TypeError, "an array of <U1"),
    ],
)
def test_bad_orders_are_refused(order, error, reason):
    for function in renyi, tsallis:
        with pytest.raises(error, match=f"^order: {reason}"):
            function([0.5, 0.5], order)


def test_order_infinity_has_no_tsallis_entropy():
    with pytest.raises(ValueError, match="^order: inf; .* finite"):
        tsallis([0.5, 0.5], np.inf)
