"""Exact averages, against long integrals, brute force and chance."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy import stats
from test_added import over_all_rows

from attention_scale.added import averages_with
from attention_scale.distributions import cosine
from attention_scale.quenched import (
    averages,
    averages_at_real_n,
)

# Whole numbers of keys, evenly over their orders of magnitude.
COUNTS = st.floats(0, 12).map(lambda power: float(round(10**power)))
ALPHAS = st.floats(0.01, 10)


def close(found, wanted, relative=1e-10, shift=0.0):
    """Compare averages, the mean score up to a shift of its zero."""
    np.testing.assert_allclose(
        np.array(found[1:4]) - [shift, 0, 0],
        np.array(wanted[1:4]) - [shift, 0, 0],
        rtol=relative,
    )
    # log_partition can pass through 0
    np.testing.assert_allclose(
        found[0], wanted[0], rtol=relative, atol=relative
    )


def long_integrals(n, alpha, step=0.25):
    """Return E[log Z], E[Σ p s] and E[Σ p²] for normal scores.

    With phi(t) = E[exp(-t exp(alpha s))]:
    E[log Z] = ∫ (exp(-t) - phi(t)ⁿ) / t dt,
    E[Σ p s] = n ∫ E[s exp(alpha s - t exp(alpha s))] phi(t)ⁿ⁻¹ dt,
    E[Σ p²] = n ∫ t E[exp(2 alpha s - t exp(alpha s))] phi(t)ⁿ⁻¹ dt.
    Trapezoid sums over log t and s; both integrands are analytic in strips,
    and an error of exp(-π² / step) remains: 1e-17.
    """
    with mp.workdps(35):
        n, alpha = mpf(n), mpf(alpha)
        step_s = mpf(step) / max(alpha, 1)
        reach = int((mp.sqrt(2 * mp.log(n)) + 8) / step_s)
        nodes = []
        for k in range(-reach, reach + 1):
            s = k * step_s
            nodes.append((s, mp.exp(alpha * s), step_s * mp.npdf(s)))
        log_z = mean = squares = mpf(0)
        v = -mp.log(n) - alpha * reach * step_s - 40
        while v < 8 * alpha + 5:
            t = mp.exp(v)
            phi = first = second = mpf(0)
            for s, y, weight in nodes:
                if t * y > 90:
                    break
                power = weight * mp.exp(-t * y)
                phi += power
                first += power * y * s
                second += power * y * y
            others = phi ** (n - 1)
            log_z += mp.exp(-t) - phi * others
            mean += n * t * first * others
            squares += n * t * t * second * others
            v += step
        return tuple(float(x * step) for x in (log_z, mean, squares))


# (n, alpha): what long_integrals returns, in 1 to 30 s each.
LONG = {
    (2, 0.01): (0.6931721799349869, 0.0049997500249964735, 0.5000249975003526),
    (2, 1): (0.902661907720027, 0.36316184603163054, 0.6368381539683693),
    (2, 10): (5.6880354841920235, 0.5596274415985251, 0.9440372558401511),
    (3, 4): (3.559417556868435, 0.8042269591170348, 0.7989432602207398),
    (1e6, 3): (18.31310195862484, 2.989646526029386, 0.0034511579902048056),
    (1e12, 1): (28.131021115927688, 0.9999999999972818, 2.718281828438322e-12),
    (1e12, 4): (35.631017447454646, 3.999973980097519, 6.504975620494832e-06),
    (1e12, 10): (72.08115797861794, 6.947452718605015, 0.30525472813949844),
}


def over_the_line(density, low, high, step):
    """Nodes and weights of the trapezoid rule for a smooth density."""
    s = np.arange(low, high, step)
    weights = density(s)
    return s, weights / weights.sum()


def on_the_sphere(d, alpha):
    """Nodes and weights for the cosine in 3 or an even number of dimensions.

    Its angle has the density sin(angle)^(d - 2), for even d smooth as it
    goes around: a trapezoid sum converges as that in `over_the_line` does.
    """
    if d == 3:
        s, weights = np.polynomial.legendre.leggauss(120)
    else:
        count = max(int(alpha * np.pi / 0.6), 60)
        angle = np.pi * (np.arange(count) + 0.5) / count
        s, weights = np.cos(angle), np.sin(angle) ** (d - 2)
    matter = weights > 1e-16 * weights.max()
    return s[matter], weights[matter] / weights[matter].sum()


@pytest.mark.parametrize("n, alpha", LONG)
def test_normal_scores_as_in_long_arithmetic(n, alpha):
    log_z, mean, squares = LONG[n, alpha]
    wanted = log_z, mean, squares, log_z - alpha * mean
    found = averages(n, alpha)
    # 1e-10 is the promise; rounding leaves 1e-12, of 1 - E[Σ p²] less
    close(found, wanted, 1e-12)
    np.testing.assert_allclose(
        found.gradient_norm, alpha * (1 - squares), rtol=1e-12
    )


def test_the_long_numbers_are_what_their_program_returns():
    # a wider step, to be quick: a multiple of exp(-π² / 0.35) remains
    found = long_integrals(2, 1, 0.35)
    np.testing.assert_allclose(found, LONG[2, 1], rtol=1e-10)


@pytest.mark.parametrize(
    "n, spreads",
    [(2, 0.01), (2, 1), (2, 4), (2, 10), (3, 0.01), (3, 1), (3, 4)],
)
@pytest.mark.parametrize("d", [3, 4, 128])
def test_two_and_three_cosines_by_brute_force(d, n, spreads):
    alpha = spreads * d**0.5
    s, weights = on_the_sphere(d, alpha)
    close(averages(n, alpha, cosine(d)), over_all_rows(n, alpha, s, weights))


@pytest.mark.parametrize("alpha", [0.1, 0.7, 2])
def test_skew_scores_by_brute_force(alpha):
    for distribution, low, high in [
        (stats.gumbel_r(), -4, 34),
        (stats.gumbel_l(), -34, 4),
        (stats.skewnorm(2), -8, 9),
    ]:
        s, weights = over_the_line(distribution.pdf, low, high, 0.2)
        # what is left out has 1e-14 of the mass
        wanted = over_all_rows(2, alpha, s, weights)
        close(
            averages(2, alpha, distribution), wanted, shift=distribution.mean()
        )
    wanted = over_all_rows(3, alpha, s, weights)
    close(averages(3, alpha, distribution), wanted, shift=distribution.mean())


def kinked(alpha, distribution, edges):
    """Two keys by Gauss's rule between the edges, the last density's kinks."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    middle, half = np.diff(edges) / 2 + edges[:-1], np.diff(edges) / 2
    s = (middle[:, np.newaxis] + half[:, np.newaxis] * nodes).ravel()
    mass = (half[:, np.newaxis] * weights).ravel() * distribution.pdf(s)
    return over_all_rows(2, alpha, s, mass / mass.sum())


KINKED = {
    "laplace": (stats.laplace(), np.linspace(-36, 36, 25)),
    "triangle": (
        stats.triang(0.3),
        np.concatenate([np.linspace(0, 0.3, 5), np.linspace(0.3, 1, 8)[1:]]),
    ),
    "two slopes": (
        stats.laplace_asymmetric(0.6),
        np.concatenate([np.linspace(-24, 0, 9), np.linspace(0, 60, 16)[1:]]),
    ),
    "steps": (
        stats.rv_histogram(
            (np.array([1.0, 4, 2]), np.array([0.0, 1, 1.5, 3])), density=False
        ).freeze(),
        np.concatenate([np.linspace(0, 1, 5), np.linspace(1, 3, 9)[1:]]),
    ),
}


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
@pytest.mark.parametrize("distribution, edges", KINKED.values(), ids=KINKED)
def test_scores_with_kinks_are_right_to_the_tolerance_or_refused(
    distribution, edges, tolerance
):
    std = distribution.std()
    answers = 0
    for spreads in [0.4, 1.1, 2.3, 4.0]:
        wanted = kinked(spreads / std, distribution, edges)
        try:
            found = averages(2, spreads / std, distribution, tolerance)
        except ValueError as refusal:
            assert "allow a larger tolerance" in str(refusal)
            continue
        answers += 1
        close(found, wanted, tolerance, shift=distribution.mean())
    assert answers >= 3 or tolerance < 1e-3


@pytest.mark.parametrize("alpha", [0, 0.1, 2, 30])
@pytest.mark.parametrize("n", [2, 10, 1000])
@pytest.mark.parametrize("share", [0.3, 0.01])
def test_coins_as_a_binomial_sum(share, n, alpha):
    ones = np.arange(n + 1)
    chance = stats.binom.pmf(ones, n, share)
    z = ones * np.exp(alpha) + n - ones
    squares = (ones * np.exp(2 * alpha) + n - ones) / z**2
    mean = ones * np.exp(alpha) / z
    log_z = np.log(z)
    wanted = [
        chance @ value
        for value in (log_z, mean, squares, log_z - alpha * mean)
    ]
    close(averages(n, alpha, stats.bernoulli(share)), wanted)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("n", [20, 100, 5000])
def test_coins_far_out_share_among_the_ones(n, share):
    """Wide steps miss all that there is, at each of three steps alike."""
    alpha = 999 / np.sqrt(share * (1 - share))
    ones = np.arange(1, n + 1)
    chance = stats.binom.pmf(ones, n, share)
    none = (1 - share) ** n
    entropy = chance @ np.log(ones) + none * np.log(n)
    for found in (
        averages(n, alpha, stats.bernoulli(share)),
        averages_with(n, alpha / 10, distribution=stats.bernoulli(share)),
    ):
        np.testing.assert_allclose(found.entropy, entropy, rtol=1e-10)
        np.testing.assert_allclose(found.mean_score, 1 - none, rtol=1e-10)


def test_uneven_values_by_enumeration():
    values, chances = np.array([-2.0, 0.5, 3.25]), np.array([0.2, 0.7, 0.1])
    distribution = stats.rv_discrete(values=(values, chances))()
    elsewhere = stats.rv_discrete(values=([0, 3], [0.4, 0.6]))(loc=7)
    moved = stats.poisson(0.4, loc=-3)
    few = np.arange(16.0)  # beyond, 1e-20 of the mass
    for alpha in 0.3, 1.7:
        wanted = over_all_rows(5, alpha, values, chances)
        close(averages(5, alpha, distribution), wanted)
        wanted = over_all_rows(5, alpha, [7.0, 10], [0.4, 0.6])
        close(averages(5, alpha, elsewhere), wanted)
        wanted = over_all_rows(3, alpha, few - 3, stats.poisson.pmf(few, 0.4))
        close(averages(3, alpha, moved), wanted)


@pytest.mark.parametrize("n", [1, 2, 40, 1e6])
def test_between_whole_numbers_of_keys_the_averages_go_on(n):
    for alpha in 0.3, 1, 5:
        at_ends = averages([n, n + 1], alpha)
        assert averages_at_real_n(n, alpha) == averages(n, alpha)
        between = averages_at_real_n(n + np.array([0.3, 0.7]), alpha)
        for values, ends in zip(between, at_ends, strict=True):
            inside = np.diff([ends[0], *values, ends[1]])
            assert (inside > 0).all() or (inside < 0).all()


def test_real_n_too_end_at_one_key_and_where_n_squared_overflows():
    for n, reason in [
        (0.5, "0.5; .* at least 1"),
        (1e151, "1e.151; .* 1e150"),
    ]:
        with pytest.raises(ValueError, match=f"^n: {reason}"):
            averages_at_real_n(n, 1)


@settings(max_examples=60)
@given(COUNTS, ALPHAS, st.sampled_from([3, 4, 128, None]))
def test_averages_lie_within_their_bounds(n, spreads, d):
    distribution = stats.norm() if d is None else cosine(d)
    alpha = spreads / distribution.std()
    found = averages(n, alpha, distribution)
    rounding = 1e-12
    assert 1 / n <= found.collision <= 1
    assert 0 <= found.entropy <= np.log(n)
    # -log Σ p² is below the entropy in every row, and convex
    assert -np.log(found.collision) <= found.entropy + rounding
    log_moment = (
        alpha**2 / 2
        if d is None
        else float(mp.log(mp.hyp0f1(d / 2, alpha**2 / 4)))
    )
    assert np.log(n) <= found.log_partition * (1 + rounding)
    assert found.log_partition <= (np.log(n) + log_moment) * (1 + rounding)
    assert found.log_partition >= alpha * found.mean_score
    if d is not None:
        assert 0 <= found.mean_score <= 1


@pytest.mark.parametrize("n, highest", [(2, 1), (3, 1.5)])
def test_the_largest_score_takes_all_at_the_largest_scale(n, highest):
    found = averages(n, 1000.0)
    # E[max] of two and three; what is missing falls as 1 / alpha²
    highest = highest / np.sqrt(np.pi)
    np.testing.assert_allclose(found.mean_score, highest, rtol=2e-6)
    # log Z exceeds alpha max by O(1 / alpha)
    assert 0 <= found.log_partition - 1000 * highest < 2e-3
    assert 0.999 - 1e-3 < found.collision < 1
    assert 0 < found.entropy < 2e-3


DISTRIBUTIONS = [stats.norm(), cosine(5), stats.gamma(3), stats.poisson(2)]


@pytest.mark.parametrize(
    "distribution", DISTRIBUTIONS, ids=lambda x: x.dist.name
)
@pytest.mark.parametrize("n", [2, 30, 1e5, 1e12])
def test_derivatives_by_the_scale(n, distribution):
    """d E[log Z] / d alpha = E[Σ p s] and dH / d alpha = -alpha d<s>."""
    std, h = distribution.std(), 1e-3
    for spreads in 0.3, 1.5, 5:
        alpha = spreads / std
        five = averages(
            n, (spreads + h * np.arange(-2, 3)) / std, distribution
        )

        def slope(x):
            """Return the derivative to fourth order in h."""
            return (x[0] - 8 * x[1] + 8 * x[3] - x[4]) / (12 * h / std)

        size = max(abs(five.mean_score[2]), std)
        # h**4, and 1e-13 of values up to 50 divided by h
        np.testing.assert_allclose(
            slope(five.log_partition), five.mean_score[2], atol=5e-9 * size
        )
        np.testing.assert_allclose(
            slope(five.entropy),
            -alpha * slope(five.mean_score),
            atol=5e-8 * size,
        )


@settings(max_examples=30)
@given(COUNTS, st.floats(0.1, 6), st.floats(-20, 20), st.floats(0.05, 50))
def test_shifts_and_units_of_the_scores(n, spreads, shift, unit):
    plain = averages(n, spreads, stats.norm())
    other = averages(n, spreads / unit, stats.norm(shift, unit))
    wanted = (
        plain.log_partition + spreads / unit * shift,
        plain.mean_score * unit + shift,
        plain.collision,
        plain.entropy,
        plain.gradient_norm / unit,
    )
    # the shift's rounding is carried by both, times alpha
    rounding = 1e-12 * (1 + abs(shift) * max(1, spreads / unit))
    for one, two in zip(other, wanted, strict=True):
        np.testing.assert_allclose(one, two, rtol=2e-12, atol=rounding)


@pytest.mark.parametrize("n", [1, 2, 7, 1e12, 1e150])
def test_a_scale_of_zero_makes_all_weights_equal(n):
    for distribution in [*DISTRIBUTIONS, stats.expon(loc=-4)]:
        found = averages(n, 0, distribution)
        # rounding of a sum of a few hundred terms, in u of size log n
        rounding = {"rtol": 1e-13, "atol": 1e-14}
        np.testing.assert_allclose(found.log_partition, np.log(n), **rounding)
        np.testing.assert_allclose(found.entropy, np.log(n), **rounding)
        np.testing.assert_allclose(
            found.mean_score, distribution.mean(), **rounding
        )
        np.testing.assert_allclose(found.collision, 1 / n, rtol=1e-13)
        assert found.gradient_norm == 0


def test_rounding_carries_nothing_over_its_ends():
    n = np.arange(2, 60.0)
    for distribution in stats.norm(), stats.bernoulli(0.5), cosine(4):
        found = averages(n, 0, distribution)
        assert (found.collision >= 1 / n).all()
        assert (found.entropy <= np.log(n)).all()


def test_one_key_has_all_the_weight():
    found = averages(1, [0, 0.5, 3.0], stats.norm(2, 3))
    assert found.log_partition.tolist() == [0, 1, 6]
    assert found.mean_score.tolist() == [2, 2, 2]
    assert found.collision.tolist() == [1, 1, 1]
    assert found.entropy.tolist() == found.gradient_norm.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "n, alpha", [(1e50, 1), (1e50, 6), (1e150, 1), (1e150, 4), (1e150, 8)]
)
def test_astronomical_rows_average_themselves(n, alpha):
    """Below alpha_c / 2, √(2 log n) / 2, means over rows are means over keys.

    What they differ by is less than exp(alpha²) / n < 1e-22 of them.
    """
    wanted = (
        np.log(n) + alpha**2 / 2,
        alpha,
        np.exp(alpha**2) / n,
        np.log(n) - alpha**2 / 2,
    )
    close(averages(n, alpha), wanted)


@pytest.mark.parametrize("n", [1e12, 1e150])
def test_rows_of_any_length_hold_together(n):
    for alpha in 0.5, 12, 40, 200:
        found = averages(n, alpha)
        np.testing.assert_allclose(
            found.mean_score, found.gradient_norm, rtol=1e-11
        )
        assert 1 / n <= found.collision <= 1
        assert 0 <= found.entropy <= np.log(n)


def test_a_score_that_never_changes_makes_all_weights_equal():
    for distribution in (
        stats.bernoulli(1),
        stats.rv_discrete(values=([1], [1]))(),
    ):
        found = averages(5, 3, distribution)
        np.testing.assert_allclose(
            found, (np.log(5) + 3, 1, 0.2, np.log(5), 2.4), rtol=1e-14
        )


ACCEPTED = [
    stats.norm(3, 0.5),
    stats.gamma(0.5),
    stats.gamma(2, loc=-1, scale=3),
    stats.expon(),
    stats.logistic(),
    stats.gumbel_r(),
    stats.gumbel_l(),
    stats.uniform(-1, 2),
    stats.truncnorm(-1, 2),
    stats.skewnorm(5),
    stats.arcsine(),
    stats.beta(0.5, 3),
    stats.poisson(3, loc=-1),
    stats.binom(20, 0.3),
    stats.geom(0.3),
    stats.randint(-5, 6),
    stats.rv_discrete(values=([-1, 0, 30], [0.49, 0.5, 0.01]))(),
]


@pytest.mark.parametrize("distribution", ACCEPTED, ids=lambda x: x.dist.name)
def test_usual_scores_are_accepted_at_every_scale(distribution):
    """Without a warning, and with what holds for all."""
    mean, std = distribution.mean(), distribution.std()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in 2, 100, 1e6:
            found = averages(n, np.array([0.01, 1, 3]) / std, distribution)
            assert (found.collision >= (1 - 1e-12) / n).all()
            assert (found.collision <= 1).all()
            assert (found.mean_score >= mean - 1e-12 * std).all()
    # the first two terms in alpha, of which the next is alpha times skewness
    small = averages(1000, 1e-4 / std, distribution)
    np.testing.assert_allclose(
        (small.mean_score - mean) / std, 1e-4 * (1 - 1e-3), rtol=1e-2
    )


BAD_DISTRIBUTIONS = {
    "a name": ("norm", TypeError, "'norm'; it should be a frozen SciPy"),
    "not frozen": (stats.norm, TypeError, "it should be a frozen SciPy"),
    "numbers": (np.zeros(3), TypeError, "it should be a frozen SciPy"),
    "two-dimensional": (
        stats.multivariate_normal([0, 0]),
        TypeError,
        "it should be a frozen SciPy",
    ),
    "many at once": (stats.norm([0, 1]), (TypeError, ValueError), ""),
    "no mean": (stats.cauchy(), ValueError, r"cauchy\(\) has mean nan"),
    "no variance": (stats.t(1.5), ValueError, "standard deviation inf"),
    "no width": (stats.norm(0, 0), ValueError, "its parameters valid"),
    "NaN": (stats.norm(np.nan), ValueError, r"norm\(nan\) has mean nan"),
    "heavy": (stats.t(5), ValueError, r"the right tail of t\(5\)"),
    "heavy atoms": (stats.zipf(4), ValueError, "heavier than exponential"),
    "many atoms": (stats.randint(0, 10**6), ValueError, "50,000 values"),
    "an infinite atom": (
        stats.rv_discrete(values=([0, np.inf], [0.5, 0.5]))(),
        ValueError,
        "has mean inf",
    ),
}


@pytest.mark.parametrize(
    "distribution, error, reason",
    BAD_DISTRIBUTIONS.values(),
    ids=BAD_DISTRIBUTIONS,
)
def test_bad_scores_are_refused(distribution, error, reason):
    with pytest.raises(error, match=f"^distribution: .*{reason}"):
        averages(2, 1e-9, distribution)


BAD_ARGUMENTS = {
    "no keys": ((0, 1), "n: 0; .* whole number from 1 to 1e150"),
    "half a key": ((2.5, 1), "n: 2.5; it should be a whole"),
    "too many keys": ((1e151, 1), "n: 1e.151; it should"),
    "too large": (
        (2, 500.01, stats.norm(0, 2)),
        "scale: 500, for scores of standard deviation 2; .* at most 1000",
    ),
    "shapes": (([2, 3], [1, 2, 3]), "n, scale: their shapes"),
}


@pytest.mark.parametrize(
    "arguments, reason", BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS
)
def test_bad_arguments_are_refused(arguments, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"^{reason}"):
            averages(*arguments)


def test_scores_without_enough_smoothness_say_so():
    with pytest.raises(
        ValueError,
        match="^distribution: at n = 2 and the scale 1 the averages are "
        "known to .* only, which should be at most 1e-10; .* allow a "
        "larger tolerance",
    ):
        averages(2, 1, KINKED["steps"][0])
