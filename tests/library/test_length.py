"""Scales for longer rows, against other integrals, coins and long rows."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special, stats

from attention_scale.distributions import cosine
from attention_scale.length import entropy_invariant_scale, margin_scale
from attention_scale.quenched import averages
from attention_scale.softmax import softmax

# Whole numbers of keys, evenly over their orders of magnitude.
COUNTS = st.floats(0.301, 12).map(lambda power: float(round(10**power)))
SCALES = st.floats(0.5, 6)
STEP = 0.25  # of log t and alpha s: leaves exp(-π² / 0.25) of analytic sums


def on_the_line(density, low, high):
    """Return the nodes of a density for a scale, by the trapezoid rule."""

    def nodes(alpha):
        s = np.arange(low, high, STEP / max(alpha, 1))
        return s, density(s) / density(s).sum()

    return nodes


def on_the_sphere(alpha):
    """Return nodes of the cosine in 64 dimensions: smooth in the angle."""
    count = int(np.pi * max(alpha, 40) / STEP)
    angle = np.pi * (np.arange(count) + 0.5) / count
    weights = np.sin(angle) ** 62
    return np.cos(angle), weights / weights.sum()


def between_0_and_1(alpha):
    """Return Gauss's nodes; 300 resolve exp(-t exp(alpha s)) to alpha 60."""
    s, weights = special.roots_sh_legendre(300)
    return s, weights / weights.sum()


def mean_entropy(n, alpha, nodes):
    """Return E[H] = E[log Z] - alpha E[Σ p s] by sums over the scores.

    E[log Z] = ∫ (exp(-t) - phi(t)ⁿ) / t dt with phi(t) = E[exp(-t y)], and
    E[Σ p s] = n ∫ E[s y exp(-t y)] phi(t)ⁿ⁻¹ dt, for y = exp(alpha s).
    """
    s, weights = nodes(alpha)
    logits = alpha * s
    low, high = -logits.max() - np.log(n) - 40, 7 - min(logits.min(), 0)
    u = np.arange(low, high, STEP)
    log_z = mean = 0.0
    for part in np.array_split(u, -(-u.size * s.size // 2**18)):
        t_y = np.exp(np.minimum(part[:, np.newaxis] + logits, 7))
        log_phi = np.log1p(np.maximum(np.expm1(-t_y) @ weights, -1 + 1e-16))
        t_y *= np.exp(-t_y)
        others = np.exp((n - 1) * log_phi)
        log_z += (np.exp(-np.exp(part)) - np.exp(n * log_phi)).sum()
        mean += n * (others * (t_y @ (weights * s))).sum()
    return STEP * (log_z - alpha * mean)


NORMAL = on_the_line(stats.norm.pdf, -9, 13)

UNEVEN = np.array([-2.0, 0.5, 3.25]), np.array([0.2, 0.7, 0.1])
LOGISTIC = on_the_line(
    lambda s: np.exp(-np.abs(s)) / (1 + np.exp(-np.abs(s))) ** 2, -45, 75
)
DISTRIBUTIONS = {
    "normal": (stats.norm(), NORMAL),
    "cosine": (cosine(64), on_the_sphere),
    "uniform": (stats.uniform(), between_0_and_1),
    "logistic": (stats.logistic(), LOGISTIC),
    "discrete": (stats.rv_discrete(values=UNEVEN)(), lambda alpha: UNEVEN),
}
# distribution, base_scale, base_length, n
CASES = [
    ("normal", 0.5, 512, 513),
    ("normal", 0.5, 2, 1e6),
    ("normal", 1, 512, 4096),
    ("normal", 1, 512, 400),
    ("normal", 3, 2, 3),
    ("normal", 3, 1e12, 1e11),
    ("normal", 3, 512, 1e12),
    ("normal", 10, 512, 2),
    ("normal", 10, 1e12, 30),
    ("normal", 10, 100, 1e12),
    ("cosine", 8, 512, 1e6),
    ("cosine", 40, 1e6, 512),
    ("uniform", 4, 100, 200),
    ("uniform", 20, 1000, 200),
    ("logistic", 0.5, 64, 1e9),
    ("logistic", 2, 1e9, 64),
    ("discrete", 1, 10, 12),
    ("discrete", 3, 1e6, 2e5),
    ("discrete", 0.5, 100, 90),
]


@pytest.mark.parametrize("name, base_scale, base_length, n", CASES)
def test_the_entropy_of_other_sums_is_the_base_within_a_step(
    name, base_scale, base_length, n
):
    """The entropy falls with alpha: the root lies where its sign changes."""
    distribution, nodes = DISTRIBUTIONS[name]
    found = entropy_invariant_scale(n, base_scale, base_length, distribution)
    goal = mean_entropy(base_length, base_scale, nodes)
    assert mean_entropy(n, found * (1 - 1e-8), nodes) > goal
    assert mean_entropy(n, found * (1 + 1e-8), nodes) < goal


@pytest.mark.parametrize("base_scale", [0, 1, 6])
def test_the_square_grows_by_twice_the_logarithm_in_astronomical_rows(
    base_scale,
):
    """Below alpha_c / 2 = 12.7, E[H] is log n - alpha² / 2 to 1e-40."""
    growth = 2 * np.log(10.0) * np.array([-5, 3, 10])
    keep = base_scale**2 + growth > 0
    found = entropy_invariant_scale(
        np.array([1e135, 1e143, 1e150])[keep], base_scale, 1e140
    )
    # E[H] of 300 to 1e-13 of itself, divided by a slope of alpha > 3
    np.testing.assert_allclose(
        found**2, base_scale**2 + growth[keep], rtol=1e-10
    )


def scale_or_none(n, base_scale, base_length, **others):
    """Return the scale, or leave the example where rows are too short."""
    assume(averages(base_length, base_scale).entropy < np.log(n) - 1e-3)
    return entropy_invariant_scale(n, base_scale, base_length, **others)


@settings(max_examples=20)
@given(COUNTS, SCALES, COUNTS)
def test_rows_keep_their_entropy(n, base_scale, base_length):
    found = scale_or_none(n, base_scale, base_length)
    wanted = averages(base_length, base_scale).entropy
    assert np.sign(found - base_scale) == np.sign(n - base_length)
    # the averages' rounding, relative to log n where the entropy is small
    np.testing.assert_allclose(
        averages(n, found).entropy, wanted, rtol=1e-12, atol=1e-12 * np.log(n)
    )


@settings(max_examples=10)
@given(COUNTS, SCALES, COUNTS, st.floats(0.01, 100), st.floats(-20, 20))
def test_units_divide_and_shifts_change_nothing(
    n, base_scale, base_length, unit, shift
):
    plain = scale_or_none(n, base_scale, base_length)
    distribution = stats.norm(shift, unit)
    found = entropy_invariant_scale(
        n, base_scale / unit, base_length, distribution
    )
    # as above, and a shift of 2000 standard deviations loses 4 digits
    np.testing.assert_allclose(found * unit, plain, rtol=1e-8)


@settings(max_examples=20)
@given(COUNTS, st.floats(0, 1000), st.sampled_from(sorted(DISTRIBUTIONS)))
def test_the_base_keeps_its_scale(n, spreads, name):
    distribution, _ = DISTRIBUTIONS[name]
    base_scale = min(spreads, 3) / distribution.std()
    found = entropy_invariant_scale(n, base_scale, n, distribution)
    assert found == base_scale


@pytest.mark.parametrize("base_scale", [0, 0.5, 1, 3])
def test_one_key_more_or_less_of_many_changes_little(base_scale):
    """E[H] moves by 1e-15, which its rounding can undo."""
    n = 10.0**15 + np.arange(0 if base_scale == 0 else -5, 6)
    found = entropy_invariant_scale(n, base_scale, 1e15)
    # E[H] to 1e-12, divided by a slope of alpha; of alpha² where that is 0
    np.testing.assert_allclose(found**2, base_scale**2, atol=1e-11)


def test_a_base_of_equal_weights_can_only_grow():
    found = entropy_invariant_scale([10, 11, 100], 0, 10)
    assert found[0] == 0 < found[1] < found[2]
    np.testing.assert_allclose(averages(100, found[2]).entropy, np.log(10))
    with pytest.raises(ValueError, match="^n: 9 keys .* no scale gives it"):
        entropy_invariant_scale(9, 0, 10)


def test_a_tolerance_admits_scores_with_kinks():
    with pytest.raises(
        ValueError, match="^distribution: .* allow a larger tol"
    ):
        entropy_invariant_scale(20, 1.0, 10, stats.triang(0.3))
    found = entropy_invariant_scale(
        20, 5.0, 10, stats.triang(0.3), tolerance=1e-4
    )
    before, after = averages([10, 20], [5, found], stats.triang(0.3), 1e-4)[3]
    np.testing.assert_allclose(after, before, rtol=2e-4)


COIN = stats.bernoulli(0.3)
BAD_LENGTHS = {
    "one key": ((1, 1, 10), "n: 1; .* whole number from 2 to"),
    "half a key": ((2.5, 1, 10), "n: 2.5; it should be a whole"),
    "base of one": ((20, 1, 1), "base_length: 1; .* from 2 to"),
    "wrong order": ((20, 10, 1.5), "base_length: 1.5; it should"),
    "shapes": (
        ([20, 30], [1, 2, 3], 10),
        r"n, base_scale, base_length: their shapes \(2,\), \(3,\), \(\); they",
    ),
    "heavy": ((20, 1, 10, stats.t(4)), "distribution: the right tail"),
    "one value": (
        (20, 1, 10, stats.bernoulli(1)),
        r"distribution: bernoulli\(1\) is one value: every scale .* log n",
    ),
    "a large base": (
        (20, [1, 501], 10, stats.norm(0, 2)),
        "base_scale: 501, .* deviation 2; the product should be at most 1000",
    ),
    "above log n": (
        ([600, 64], [1.5, 1], 512),
        "n: 64 keys have an entropy of at most log n = 4.15888 nats, and "
        "rows of 512 at the scale 1 have 5.74189: no scale gives it to fewer",
    ),
    "ties": (
        (100, 1, 10, COIN),
        "n: rows of 100 keys keep an entropy above 2.19[0-9]* nats, that of "
        "the base, up to 1000 standard deviations: the scale 2182",
    ),
}


@pytest.mark.parametrize(
    "arguments, reason", BAD_LENGTHS.values(), ids=BAD_LENGTHS
)
def test_bad_lengths_are_refused(arguments, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"^{reason}"):
            entropy_invariant_scale(*arguments)


@pytest.mark.parametrize("share", [0.1, 0.23, 0.3, 0.5])
def test_a_thousand_standard_deviations_are_the_last_scale(share):
    """Also where 1000 / std times std rounds to more than 1000."""
    last = 1000 / np.sqrt(share * (1 - share))
    with pytest.raises(
        ValueError, match=f"^n: rows of 100 .* the scale {last:.4g}$"
    ):
        entropy_invariant_scale(100, 1, 10, stats.bernoulli(share))


@given(COUNTS, st.floats(0, 1), st.floats(1e-3, 1e3))
def test_the_key_above_the_others_gets_its_weight(n, share, margin):
    n = int(min(n, 1000))
    probability = 1 / n + share * (1 - 1e-6 - 1 / n)
    scores = np.where(np.arange(n) == n // 2, margin, 0)
    p = softmax(scores, margin_scale(n, probability, margin))
    # the logit loses the digits that 1 - probability does: 1e-16 / 1e-6
    np.testing.assert_allclose(p[n // 2], probability, rtol=1e-9)


@given(COUNTS, st.floats(1e-3, 1e3))
def test_equal_weights_need_no_scale(n, margin):
    for kind in np.float64, np.float32:
        scale = margin_scale(n, kind(1 / n), kind(margin))
        # two logarithms of up to 28, and the probability, each rounded
        assert 0 <= scale * margin <= 64 * np.finfo(kind).eps


def test_margins_at_the_ends():
    odds = 1e150 / (1 - 0.75) * 0.75
    np.testing.assert_allclose(margin_scale(1e150, 0.75, 2), np.log(odds) / 2)
    # two keys need the logit alone, which is exact close to 1
    near = 1 - 2.0**-53
    np.testing.assert_allclose(
        margin_scale(2, near, 1), 53 * np.log(2), rtol=1e-14
    )


BAD_MARGINS = {
    "one key": ((1, 0.5, 1), "n: 1; .* whole number from 2 to"),
    "too little": (
        (4, 0.24, 1),
        "probability: 0.24 for n = 4; it should be at least 1/n, which .* 0",
    ),
    "one of two": (
        ([2, 4], 0.3, 1),
        "probability: 0.3 for n = 2; .* at least 1/n, which .*, and below 1",
    ),
    "certain": ((4, 1, 1), "probability: 1 for n = 4; .* below 1"),
    "none": ((4, 0.5, 0), "margin: 0; it should be positive and"),
    "shapes": (
        ([2, 3], [0.6] * 3, 1),
        r"n, probability, margin: their shapes \(2,\), \(3,\), \(\); they",
    ),
}


@pytest.mark.parametrize(
    "arguments, reason", BAD_MARGINS.values(), ids=BAD_MARGINS
)
def test_bad_margins_are_refused(arguments, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"^{reason}"):
            margin_scale(*arguments)
