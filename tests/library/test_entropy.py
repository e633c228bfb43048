"""Entropies, and weights of a given one: bounds, order, long sums."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from mpmath import mp, mpf

from attention_scale.entropy import (
    collision,
    complement,
    normalize,
    renyi,
    shannon,
    tsallis,
)
from attention_scale.softmax import softmax, vjp

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
    assert renyi(p, 0) == pytest.approx(np.log(3), rel=1e-15)
    assert renyi(p, np.inf) == pytest.approx(np.log(2), rel=1e-15)
    assert renyi(p, 1) == tsallis(p, 1) == shannon(p)
    # the derivative by the order is of size 1: the next order differs so much
    np.testing.assert_allclose(renyi(p, 1 + 1e-9), shannon(p), rtol=1e-9)
    np.testing.assert_allclose(tsallis(p, 1 - 1e-9), shannon(p), rtol=1e-9)
    np.testing.assert_allclose(tsallis(p, 0), 2)


@pytest.mark.parametrize("peaked", [2, 40])
def test_rows_have_their_entropy_whatever_stands_beside_them(peaked):
    scores = np.random.default_rng(0).standard_normal((50, 30))
    scores[:peaked] *= 400
    scores[1, 3:] = -np.inf
    p = softmax(scores)
    alone = [shannon(row) for row in p]
    assert min(alone) < 1e-9
    # sums along rows of one or of many are the same
    np.testing.assert_allclose(shannon(p), alone, rtol=4 * EPS)


def test_complement_keeps_the_digits_of_small_rests():
    p = softmax([0.0, -60.0, -61.0])
    assert p[0] == 1
    assert complement(p)[0] == p[1] + p[2] > 0
    assert complement(p)[1:].tolist() == [1, 1]


BAD_WEIGHTS = {
    "a number": (1.0, r"shape \(\)"),
    "no keys": ([], r"shape \(0,\)"),
    "negative": ([1.5, -0.5], "-0.5 at index 1; it should be at l"),
    "not normalised": ([[0.5, 0.5], [1, 1]], "sum to 2 in row 1"),
    "nearly normalised": ([0.5, 0.501], "sum to 1.001"),
    "all zero": ([0.0, 0.0], "sum to 0; they should sum to 1"),
    "infinite": ([np.inf, 0.0], "sum to inf"),
}


# these two look for signs in ways of their own; the others as collision does
@pytest.mark.parametrize(
    "function", [collision, shannon, lambda p: vjp(p, [0.0, 1.0])]
)
@pytest.mark.parametrize("p, reason", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_bad_weights_are_refused(function, p, reason):
    with pytest.raises(ValueError, match=f"^p: .*{reason}"):
        function(p)


def test_float32_rows_may_miss_one_by_their_own_rounding():
    rng = np.random.default_rng(0)
    p = softmax(rng.standard_normal((3, 100_000)).astype(np.float32))
    assert shannon(p).dtype == np.float32
    np.testing.assert_allclose(
        shannon(p), shannon(softmax(np.log(p, dtype=np.float64))), rtol=1e-5
    )


SHARES = st.floats(1e-6, 1 - 1e-6)


def reach(p):
    """Return the limits of the entropies that powers of the weights have."""
    most = np.count_nonzero(p == p.max(axis=-1, keepdims=True), axis=-1)
    return np.log(most), np.log(np.count_nonzero(p, axis=-1))


def within(p, share):
    """Return entropies that part what powers reach by their share."""
    low, high = reach(p)
    return np.where(low < high, low + share * (high - low), high)


def log_ratios(p):
    """Return log(p / max p), exact close to 0."""
    top = p.max(axis=-1, keepdims=True)
    below = np.where(p > top / 2, p - top, 0) / top
    return np.log1p(below) + np.log(np.where(below == 0, p, top) / top)


def long_root(p, entropy):
    """Return p^gamma / Σ p^gamma, gamma found by halving 250 times."""
    with mp.workdps(50):
        logs = [mp.log(mpf(float(weight))) for weight in p if weight > 0]
        low, high = mpf(-50), mpf(50)
        for _ in range(200):
            middle = (low + high) / 2
            gamma = mp.exp(middle)
            powers = [mp.exp(gamma * (x - max(logs))) for x in logs]
            total = sum(powers)
            powers = [power / total for power in powers]
            found = -sum(power * mp.log(power) for power in powers)
            low, high = (middle, high) if found > entropy else (low, middle)
        found = np.zeros(len(p))
        found[np.asarray(p) > 0] = [float(power) for power in powers]
        return found


LONG_ROOTS = {
    "two": ([0.75, 0.25], 0.3),
    "wide": ([0.6, 0.4 - 1e-30, 1e-30, 0], 1.0),
    "tied": ([0.4, 0.4, 0.2], 0.7),
    "near tie": ([0.5, np.nextafter(0.5, 0)], 0.1),
    "near ties": ([0.25, np.nextafter(0.25, 0), 0.25, 0.25], 1.2),
    # 1 and 3 steps of 2**-54, where ratios have steps of 2**-53
    "steps": ([0.3, 0.3 - 2.0**-54, 0.3 - 3 * 2.0**-54, 0.1], 0.9),
    "flat": ([0.4, 0.3, 0.2, 0.1], np.log(4) - 1e-6),
    "one-hot": ([0.4, 0.3, 0.2, 0.1], 1e-12),
    # multiples of the smallest float: 5, 10 and 15 times 1e-324
    "subnormal": ([0.7, 0.3, 5e-324, 1e-323, 1.5e-323], np.log(5) - 1e-3),
}


@pytest.mark.parametrize("p, entropy", LONG_ROOTS.values(), ids=LONG_ROOTS)
def test_hard_rows_are_normalized_as_in_a_long_search(p, entropy):
    # "flat" has its gamma to 1e-16 / 1e-6
    np.testing.assert_allclose(
        normalize(p, entropy), long_root(p, entropy), rtol=1e-9
    )


@given(WEIGHTS, SHARES)
def test_normalized_weights_have_the_entropy(p, share):
    entropy = within(p, share)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = normalize(p, entropy)
    assert found.shape == p.shape
    # rounding of gamma log p, up to 700
    np.testing.assert_allclose(shannon(found), entropy, rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=-1), 1, rtol=8 * EPS)


@given(WEIGHTS, SHARES)
def test_normalized_weights_are_powers(p, share):
    found = normalize(p, within(p, share))
    kept = found > 1e-290
    before = np.where(kept, log_ratios(p), 0)
    after = np.where(kept, log_ratios(np.where(kept, found, 1e-290)), 0)
    after *= kept
    lengths = (before**2).sum(axis=-1, keepdims=True)
    gamma = (before * after).sum(axis=-1, keepdims=True)
    gamma /= np.where(lengths > 0, lengths, 1)
    assert (gamma >= 0).all()
    # weights round, each to EPS / 2 of itself, and gamma log p with them
    np.testing.assert_allclose(
        after, gamma * before, rtol=32 * EPS, atol=4 * EPS
    )


@given(WEIGHTS, SHARES)
def test_normalized_weights_keep_order_ties_and_zeros(p, share):
    p = np.concatenate([p / 2, 0 * p, p / 2], axis=-1)
    found = normalize(p, within(p, share))
    order = p.argsort(axis=-1)
    assert (np.diff(np.take_along_axis(found, order, -1)) >= 0).all()
    first, middle, last = np.split(found, 3, axis=-1)
    assert (first == last).all()
    assert (middle == 0).all()


NEAR = np.nextafter(0.5, 0)
EDGES = {
    "three": [0.5, 0.3, 0.2],
    "two": [0.5, 0.5 - 1e-9],
    "one step apart": [0.5, NEAR],
    "one and two steps": [0.5, NEAR, 0.0],
    "subnormal": [1.0, 5e-324],
    "all but one-hot": [1.0, 1e-17, 1e-18],
}


@pytest.mark.parametrize("p", EDGES.values(), ids=EDGES)
def test_rows_are_normalized_close_to_both_ends(p):
    high = np.log(np.count_nonzero(p))
    below = high * (1 - np.array([1e-15, 1e-12, 1e-6, 0.1, 0.5]))
    above = [0.3, 1e-5, 1e-17, 1e-100, 1e-290]
    entropy = np.concatenate([below, above])
    found = normalize(p, entropy)
    np.testing.assert_allclose(shannon(found), entropy, rtol=1e-12)
    # weights of 1e-308, which lose digits but not yet all
    tiny = [1e-304, 1e-306, 1e-308, 1e-310]
    np.testing.assert_allclose(shannon(normalize(p, tiny)), tiny, rtol=1e-9)


def test_tied_maxima_leave_their_logarithm_and_no_less():
    p, low = [0.4, 0.4, 0.2], np.log(2)
    # the excess over log 2 has the digits of log 2: 1e-16 of these
    for excess in 1e-2, 1e-6, 1e-12:
        found = normalize(p, low + excess)
        assert found[0] == found[1] > found[2] > 0
        np.testing.assert_allclose(shannon(found), low + excess, rtol=4 * EPS)
    # of the step after log 2, at least the size
    assert 1e-19 < normalize(p, np.nextafter(low, 1))[2] < 1e-16


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 4096])
def test_the_entropy_at_power_zero_makes_weights_equal(n, dtype):
    rng = np.random.default_rng(n)
    p = softmax(rng.standard_normal(n).astype(dtype))
    p = np.append(p, dtype(0))
    wanted = np.append(np.full(n, 1 / n, dtype), dtype(0))
    for entropy in [
        np.log(n),
        np.log(n) * (1 + 2 * EPS),
        np.log(n, dtype=dtype),
        shannon(wanted),
    ]:
        for row in p, wanted:
            found = normalize(row, entropy)
            assert found.dtype == dtype
            np.testing.assert_allclose(found, wanted, rtol=2 * EPS)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_hot_rows_keep_their_weight(dtype):
    for row in np.eye(4, dtype=dtype)[2], np.ones(1, dtype):
        assert normalize(row, 0).tolist() == row.tolist()
        assert normalize(row, 0).dtype == dtype
        with pytest.raises(ValueError, match="^entropy: 1e-20 nats; .* log 1"):
            normalize(row, 1e-20)


@given(WEIGHTS, st.floats(0.01, 0.99))
def test_float32_rows_are_normalized_in_float64(p, share):
    p = p.astype(np.float32)
    wide = p.astype(np.float64)
    entropy = within(p, share)
    found = normalize(p, entropy)
    assert found.dtype == np.float32
    wanted = normalize(wide / wide.sum(axis=-1, keepdims=True), entropy)
    # its rounding alone; below 1e-38 it has fewer digits
    np.testing.assert_allclose(found, wanted, rtol=1.2e-7, atol=1e-44)


def test_entropies_broadcast_with_rows():
    p = np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]])
    entropy = np.array([[0.1], [0.4], [1.0], [np.log(3)]])
    found = normalize(p, entropy)
    assert found.shape == (4, 2, 3)
    for row, weights in enumerate(p):
        many = normalize(weights, entropy[:, 0])
        # sums along rows of one or of many are the same
        np.testing.assert_allclose(found[:, row], many, rtol=4 * EPS)
    assert normalize(p, 1).shape == (2, 3)
    assert normalize(p[0], 1).shape == normalize(p[0], [1.0])[0].shape == (3,)
    assert normalize(np.zeros((0, 3)), 1).shape == (0, 3)
    assert normalize(p[0], []).shape == (0, 3)
    assert p[0].tolist() == [0.7, 0.2, 0.1]


def test_rows_are_normalized_whatever_stands_beside_them():
    rows = np.array([[0.5, NEAR, 0], [0.9, 0.1, 0], [1, 1e-300, 0]])
    entropy = [1e-280, 0.69, 0.5]
    together = normalize(rows, entropy)
    for row, goal, found in zip(rows, entropy, together, strict=True):
        assert normalize(row, goal).tolist() == found.tolist()


THREE, TIED = [0.5, 0.3, 0.2, 0], [[0.5, 0.3, 0.2], [0.4, 0.4, 0.2]]
BAD_ENTROPIES = {
    "too many": (THREE, np.log(3) + 1e-9, "1.0986122896.* most log 3"),
    "as many as zeros": (THREE, np.log(4), "1.386294361 nats; it sh"),
    "the lowest": (THREE, 0, "0 nats; .* above log 1 = 0 and at most"),
    "one of two": (THREE, [1, 2], "2 nats for row 1; it should be"),
    "of ties": (
        TIED,
        np.log(2),
        r"0.69314718055994\d+ nats for row 1; it should be above log 2 = "
        r"0.69314718055994\d+ and at most log 3 = 1.09861.*: the row has 3 "
        "weights that are not 0, of which 2 share the largest value$",
    ),
    "all equal": ([0.5, 0.5], 0.5, ".* it should be log 2 = .*, all equal$"),
    "a single one": ([1.0, 0.0], 0.5, ".* log 1 = 0: .* single weight"),
    "of another shape": (
        [[0.5, 0.5], [0.5, 0.5]],
        [0.1, 0.2, 0.3],
        r"shape \(3,\); it should broadcast with the rows, shape \(2,\)$",
    ),
}


@pytest.mark.parametrize(
    "p, entropy, reason", BAD_ENTROPIES.values(), ids=BAD_ENTROPIES
)
def test_bad_entropies_are_refused(p, entropy, reason):
    with pytest.raises(ValueError, match=f"^entropy: {reason}"):
        normalize(p, entropy)
