"""Softmax, its Jacobian and the step back: what must hold for every row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from mpmath import mp, mpf
from scipy import special

from attention_scale.softmax import (
    gradient_norm,
    jacobian,
    log_partition,
    log_softmax,
    softmax,
    vjp,
)

DTYPES = st.sampled_from([np.float32, np.float64])
SCALES = st.sampled_from([0.0, 0.125, 1.0, 7.5])


def rows_of(low, high, shape=None):
    """Draw batches of rows in either precision."""
    shape = shape or arrays.array_shapes(max_dims=3, max_side=6)
    return DTYPES.flatmap(
        lambda dtype: arrays.arrays(
            dtype,
            shape,
            elements=st.floats(low, high, width=np.dtype(dtype).itemsize * 8),
        )
    )


def eps(array):
    """Return the relative rounding error of an array's precision."""
    return np.finfo(array.dtype).eps


@given(rows_of(-(2.0**100), 2.0**100), SCALES)
def test_weights_lie_on_the_simplex(scores, scale):
    p = softmax(scores, scale)
    assert (p.shape, p.dtype) == (scores.shape, scores.dtype)
    assert (p >= 0).all()
    # each of n weights and their sum is rounded once or a few times
    assert np.abs(p.sum(axis=-1) - 1).max() <= 8 * eps(p)


@given(rows_of(-30, 30), SCALES)
def test_softmax_is_scipys_where_both_exist(scores, scale):
    wanted = special.softmax(scores.astype(np.float64) * scale, axis=-1)
    # an exponent of size up to 450 is rounded before it is exponentiated
    np.testing.assert_allclose(
        softmax(scores, scale), wanted, rtol=1000 * eps(scores), atol=1e-37
    )


@given(rows_of(-1e4, 1e4), SCALES)
def test_logarithms_are_those_of_the_weights(scores, scale):
    log_p = log_softmax(scores, scale)
    assert np.isfinite(log_p).all()
    assert np.array_equal(np.exp(log_p) > 0.5, softmax(scores, scale) > 0.5)
    spread = np.abs(scores).max(initial=1) * max(scale, 1)
    np.testing.assert_allclose(
        log_p + log_partition(scores, scale)[..., None],
        scores * scores.dtype.type(scale),
        atol=8 * eps(scores) * spread,
    )


@given(rows_of(-50, 50), SCALES, st.data())
def test_a_masked_key_is_as_good_as_absent(scores, scale, data):
    n = scores.shape[-1]
    masked = data.draw(st.sets(st.integers(0, n - 1), max_size=n - 1))
    kept = [i for i in range(n) if i not in masked]
    with_mask = scores.copy()
    with_mask[..., list(masked)] = -np.inf
    p = softmax(with_mask, scale)
    assert (p[..., list(masked)] == 0).all()
    assert np.isneginf(log_softmax(with_mask, scale)[..., list(masked)]).all()
    np.testing.assert_allclose(
        p[..., kept], softmax(scores[..., kept], scale), rtol=8 * eps(p)
    )
    np.testing.assert_allclose(
        log_partition(with_mask, scale),
        log_partition(scores[..., kept], scale),
        rtol=8 * eps(p),
        atol=8 * eps(p),
    )


@given(
    rows_of(-3, 3, shape=(2, 5)).filter(lambda x: x.dtype == np.float64),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.integers(0, 4),
)
def test_jacobian_is_the_derivative(scores, scale, j):
    h = 1e-5
    step = h * np.eye(5)[j]
    upper, lower = softmax(scores + step, scale), softmax(scores - step, scale)
    # third derivatives of size scale**3 and rounding: h**2 and eps / h
    np.testing.assert_allclose(
        (upper - lower) / (2 * h),
        jacobian(softmax(scores, scale), scale)[..., j],
        atol=1e-9,
    )


@given(rows_of(-20, 20), SCALES)
def test_jacobian_is_symmetric_semidefinite_and_kills_constants(scores, scale):
    p = softmax(scores, scale)
    matrix = jacobian(p, scale)
    assert matrix.dtype == p.dtype
    assert np.array_equal(matrix, np.swapaxes(matrix, -1, -2))
    tolerance = 16 * eps(p) * max(scale, 1)
    assert np.abs(matrix.sum(axis=-1)).max() <= tolerance
    assert np.linalg.eigvalsh(matrix).min() >= -tolerance


@given(rows_of(-20, 20), SCALES)
def test_gradient_norm_is_half_the_sum_of_entries_and_the_trace(scores, scale):
    p = softmax(scores, scale)
    matrix = jacobian(p, scale)
    norm = gradient_norm(p, scale)
    rounding = {"rtol": 16 * eps(p), "atol": np.finfo(p.dtype).tiny}
    np.testing.assert_allclose(
        np.abs(matrix).sum((-1, -2)) / 2, norm, **rounding
    )
    np.testing.assert_allclose(
        np.trace(matrix, axis1=-2, axis2=-1), norm, **rounding
    )


@given(rows_of(-20, 20), SCALES, st.integers(0, 2**32 - 1))
def test_vjp_is_the_transposed_jacobian_times_upstream(scores, scale, seed):
    p = softmax(scores, scale)
    rng = np.random.default_rng(seed)
    upstream = rng.standard_normal(p.shape).astype(p.dtype)
    product = (jacobian(p, scale) * upstream[..., :, None]).sum(axis=-2)
    back = vjp(p, upstream, scale)
    assert back.dtype == p.dtype
    np.testing.assert_allclose(
        back, product, atol=32 * eps(p) * max(scale, 1) * 5
    )


def test_close_to_one_hot_nothing_cancels():
    scores, scale = [0.0, -3.0, -4.0], 20.0
    with mp.workdps(40):
        powers = [mp.exp(mpf(s) * mpf(scale)) for s in scores]
        exact = [power / sum(powers) for power in powers]
        norm = scale * (1 - sum(weight**2 for weight in exact))
        mean = exact[0] * 1 + exact[1] * 3 + exact[2] * 7
        back = [
            scale * weight * (g - mean)
            for weight, g in zip(exact, [1, 3, 7], strict=True)
        ]
    p = softmax(scores, scale)
    relative = 64 * eps(p)  # the exponents, of size 80, are rounded
    np.testing.assert_allclose(
        gradient_norm(p, scale), float(norm), rtol=relative
    )
    np.testing.assert_allclose(
        jacobian(p, scale)[0, 0], float(-jacobian(p, scale)[0, 1:].sum())
    )
    np.testing.assert_allclose(
        vjp(p, [1.0, 3.0, 7.0], scale),
        [float(x) for x in back],
        rtol=relative,
    )


def test_no_digit_is_lost_wherever_the_top_key_stands():
    upstream = np.array([1.0, 3.0, 7.0])
    p = softmax([-60.0, 0.0, -70.0])
    mean_gap = p[0] * -2 + p[2] * 4  # from the top key's 3
    expected = p * (upstream - 3 - mean_gap)
    np.testing.assert_allclose(vjp(p, upstream), expected, rtol=8 * eps(p))
    np.testing.assert_allclose(
        log_softmax([-40.0, 0.0])[1], -np.exp(-40.0), rtol=8 * eps(p)
    )


def test_a_row_has_the_step_back_that_it_has_alone():
    """Also where one among many is close to one-hot, or has a weight of 0."""
    p = softmax(np.diag([9.0, 40, 0, 0, 2]) - np.triu(np.ones((5, 5))) / 0.7)
    p[3] = [0.5, 0, 0.5, 0, 0]
    upstream = np.random.default_rng(0).standard_normal((2, 5, 5))
    many = vjp(p, upstream)
    for i, j in np.ndindex(2, 5):
        assert vjp(p[j], upstream[i, j]).tolist() == many[i, j].tolist()


def test_the_weights_decide_the_precision():
    p = np.float32([0.5, 0.5])
    assert vjp(p, np.array([1.0, 0.0])).dtype == np.float32
    assert jacobian(p, np.array(2.0)).dtype == np.float32
    assert gradient_norm(p, np.array([1.0, 2.0])).dtype == np.float32
    swapped = softmax(np.array([1.0, 2.0], dtype=">f8"))
    assert np.array_equal(swapped, softmax([1.0, 2.0]))


def test_upstreams_beyond_the_range_of_floats():
    far = [1e308, -1e308]
    assert vjp([0.5, 0.5], far).tolist() == [5e307, -5e307]
    assert vjp([1.0, 0.0], far).tolist() == [0, 0]


def test_differences_beyond_the_range_of_floats():
    assert softmax([1e308, -1e308], 1e300).tolist() == [1, 0]
    assert softmax([1e308, -1e308], 0).tolist() == [0.5, 0.5]
    assert softmax([1e308, -np.inf, -1e308], 0).tolist() == [0.5, 0, 0.5]
    far = np.float32([-3e38, 3e38])
    np.testing.assert_allclose(
        softmax(far, 1e-39)[0], 1 / (1 + np.exp(0.6)), rtol=1e-6
    )


def test_a_scale_for_each_row_and_many_for_one():
    scores = np.arange(6.0).reshape(2, 3) ** 2
    each = softmax(scores, [0.5, 2.0])
    assert np.array_equal(each[0], softmax(scores[0], 0.5))
    assert np.array_equal(each[1], softmax(scores[1], 2.0))
    sweep = np.linspace(0, 2, 5)
    assert np.array_equal(softmax(scores[0], sweep)[4], softmax(scores[0], 2))
    p = softmax(scores[0])
    assert jacobian(p, sweep).shape == (5, 3, 3)
    assert vjp(p, [1.0, 0.0, 0.0], sweep).shape == (5, 3)
    assert gradient_norm(p, sweep).shape == (5,)
    # a logarithm's last bit is the processor's
    assert log_partition(scores[0], sweep)[0] == pytest.approx(
        np.log(3), rel=1e-15
    )


def test_batches_without_rows_are_batches():
    assert softmax(np.zeros((0, 3))).shape == (0, 3)
    assert gradient_norm(np.zeros((0, 3))).shape == (0,)


BAD_SCORES = {
    "a number": (1.0, r"shape \(\); the last axis"),
    "no keys": (np.zeros((2, 0)), r"shape \(2, 0\)"),
    "+inf": ([np.inf, 0], "inf at index 0; it should be fin"),
    "all masked": ([[0, 0.0], [-np.inf, -np.inf]], "all keys .* in row 1"),
    "the one row masked": ([-np.inf], "all keys are masked"),
}


@pytest.mark.parametrize("function", [softmax, log_softmax, log_partition])
@pytest.mark.parametrize("scores, reason", BAD_SCORES.values(), ids=BAD_SCORES)
def test_bad_scores_are_refused(function, scores, reason):
    with pytest.raises(ValueError, match=f"^scores: .*{reason}"):
        function(scores)


@pytest.mark.parametrize(
    "function", [softmax, log_softmax, log_partition, jacobian, gradient_norm]
)
def test_scales_that_do_not_fit_the_rows_are_refused(function):
    with pytest.raises(ValueError, match=r"^scale: shape \(3,\); .* broad"):
        function(np.full((2, 4), 0.25), np.ones(3))


@pytest.mark.parametrize(
    "upstream, reason",
    [
        ([1.0, 2.0], r"shape \(2,\); it should fit"),
        ([1.0], r"shape \(1,\); it should fit"),
        (1.0, r"shape \(\); it should fit"),
        (np.ones((2, 1)), r"shape \(2, 1\); it should fit"),
        ([1.0, np.nan, 0.0], "NaN at index 1"),
        ([1.0, np.inf, 0.0], "it should be a finite float64"),
    ],
)
def test_bad_upstreams_are_refused(upstream, reason):
    with pytest.raises(ValueError, match=f"^upstream: .*{reason}"):
        vjp([0.5, 0.25, 0.25], upstream)


def test_what_the_rows_precision_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="^scale: 1e.39; .* finite float32"):
        softmax(np.float32([0, 1]), 1e39)
    with pytest.raises(ValueError, match="^upstream: 1e.39 at index 0; .*t32"):
        vjp(np.float32([0.5, 0.5]), [1e39, 0.0])
