"""The published approximation, against Bessel functions, W and searches."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy import optimize, stats

from attention_scale.annealed import gradient_norm, optimal_scale
from attention_scale.distributions import cosine
from attention_scale.quenched import averages

COUNTS = st.floats(0.301, 149).map(lambda power: float(round(10**power)))


def written_out(n, alpha, mean_exp):
    """Return alpha (1 - R / n), given the mean of exp(alpha s)."""
    ratio = mean_exp(2 * alpha) / mean_exp(alpha) ** 2
    return float(alpha * (1 - ratio / n))


def cosine_mean(d):
    """E[exp(alpha s)] = Γ(d/2) (2/alpha)^(d/2 - 1) I_(d/2 - 1)(alpha)."""

    def mean_exp(alpha):
        order = mpf(d) / 2 - 1
        power = (2 / mpf(alpha)) ** order
        return mp.gamma(order + 1) * power * mp.besseli(order, alpha)

    return mean_exp


@pytest.mark.parametrize("spreads", [0.01, 1, 5, 25])
@pytest.mark.parametrize("d", [2, 3, 4, 5, 8, 12, 16, 128, 1000])
def test_the_cosine_has_bessel_functions(d, spreads):
    alpha = spreads * d**0.5
    found = gradient_norm(1e9, alpha, cosine(d))
    with mp.workdps(40):
        wanted = written_out(mpf(10) ** 9, mpf(alpha), cosine_mean(d))
    # log R to 1e-10, the promise
    np.testing.assert_allclose(found, wanted, rtol=2e-10)
    few = gradient_norm(2, alpha, cosine(d))
    with mp.workdps(40):
        wanted = written_out(2, mpf(alpha), cosine_mean(d))
    np.testing.assert_allclose(few, wanted, rtol=1e-9)


def test_other_scores_have_their_moment_generating_functions():
    alpha = np.array([0.0, 0.1, 0.45])
    for distribution, mean_exp in [
        (stats.norm(5, 2), lambda a: np.exp(5 * a + 2 * a**2)),
        (stats.gamma(3, loc=-1), lambda a: (1 - a) ** -3 * np.exp(-a)),
        (stats.expon(), lambda a: 1 / (1 - a)),
        (stats.uniform(0, 1), lambda a: np.expm1(a + 1e-99) / (a + 1e-99)),
        (stats.logistic(), lambda a: np.pi * a / np.sin(np.pi * (a + 1e-99))),
        (stats.poisson(2), lambda a: np.exp(2 * np.expm1(a))),
        (stats.bernoulli(0.3), lambda a: 0.7 + 0.3 * np.exp(a)),
    ]:
        keep = alpha[1:]
        ratio = mean_exp(2 * keep) / mean_exp(keep) ** 2
        np.testing.assert_allclose(
            gradient_norm(20, keep, distribution),
            keep * (1 - ratio / 20),
            rtol=1e-9,
            err_msg=distribution.dist.name,
        )
        assert gradient_norm(20, 0, distribution) == 0


@pytest.mark.parametrize("alpha", [0.45, 0.48, 0.49, 0.495, 0.499, 0.4999])
def test_close_to_the_pole_means_are_right_or_refused(alpha):
    # E[exp(2 alpha s)] = 1 / (1 - 2 alpha)
    wanted = alpha * (1 - (1 - alpha) ** 2 / (1 - 2 * alpha) / 100)
    try:
        found = gradient_norm(100, alpha, stats.expon())
    except ValueError as refusal:
        assert "is infinite there, or cannot be computed" in str(refusal)
        assert alpha > 0.45
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-9)


@settings(max_examples=50)
@given(COUNTS, st.floats(0.05, 50), st.floats(-10, 10))
def test_normal_scores_have_lamberts_w(n, unit, shift):
    distribution = stats.norm(shift, unit)
    best = optimal_scale(n, distribution)
    # the maximum is flat: a step of 1e-6 loses 1e-12, which floats see
    around = best * np.array([1 - 1e-5, 1, 1 + 1e-5])
    below, top, above = gradient_norm(n, around, distribution)
    assert below < top > above
    a2 = (best * unit) ** 2
    # the derivative is 0: exp(a²) (1 + 2 a²) = n
    np.testing.assert_allclose(a2 + np.log1p(2 * a2), np.log(n), rtol=1e-12)


SEARCHED = {
    "cosine(4)": (cosine(4), 1000),
    "cosine(64)": (cosine(64), 1e9),
    "gumbel_l": (stats.gumbel_l(), 1e6),
    "gamma": (stats.gamma(3), 10),
    "gamma, many keys": (stats.gamma(2), 100),
    "logistic": (stats.logistic(), 30),
    "poisson": (stats.poisson(3), 1e6),
    "coin": (stats.bernoulli(0.01), 50),
    "rare": (
        stats.rv_discrete(values=([-1, 1, 100], [0.49, 0.5, 0.01]))(),
        90,
    ),
}


@pytest.mark.parametrize("distribution, n", SEARCHED.values(), ids=SEARCHED)
def test_the_optimum_is_the_highest_of_a_fine_grid(distribution, n):
    best = optimal_scale(n, distribution)
    top = gradient_norm(n, best, distribution)
    alphas = best * np.geomspace(1e-3, 1.005, 400)
    assert (gradient_norm(n, alphas, distribution) <= top * (1 + 1e-12)).all()
    h = 1e-4 * best
    below, above = gradient_norm(n, best + [-h, h], distribution)
    # h² times the third derivative, relative to best
    assert abs(above - below) / (2 * h) <= 1e-5
    assert top > 0


def test_of_two_maxima_the_higher_one_is_found():
    """One outlier in 100 lifts R to 100, one in 10⁷ lifts it once more."""
    distribution = stats.rv_discrete(
        values=([0, 10, 10.5], [0.99 - 1e-7, 0.01, 1e-7])
    )()
    for n in 110, 2000:
        alphas = np.geomspace(1e-3, 60, 20_000)
        curve = gradient_norm(n, alphas, distribution)
        peaks = (curve[1:-1] > curve[:-2]) & (curve[1:-1] > curve[2:])
        best = optimal_scale(n, distribution)
        assert gradient_norm(n, best, distribution) >= curve.max()
        np.testing.assert_allclose(best, alphas[curve.argmax()], rtol=1e-3)
        if n == 110:
            assert peaks.sum() == 2


@pytest.mark.parametrize(
    "distribution, n, reason",
    [
        (stats.bernoulli(0.5), 10, "it grows without end"),
        (
            stats.rv_discrete(values=([0, 1], [0.999, 0.001]))(),
            2000,
            "no largest value: it",
        ),
        (stats.bernoulli(1), 10, "is one value"),
        (stats.rv_discrete(values=([2], [1]))(), 10, "is one value"),
        (stats.expon(), 1e6, "beyond the scale 0.48"),
    ],
)
def test_where_there_is_no_optimum_the_reason_is_told(distribution, n, reason):
    with pytest.raises(ValueError, match=f"^distribution: .*{reason}"):
        optimal_scale(n, distribution)


def test_bounded_scores_have_an_optimum_however_far():
    # R = (alpha / 2) coth(alpha / 2), close to alpha / 2: best at alpha = n
    np.testing.assert_allclose(
        optimal_scale(1e6, stats.uniform()), 1e6, rtol=1e-5
    )


def test_outliers_far_beyond_the_standard_deviation():
    distribution = stats.rv_discrete(values=([0, 1e9], [1 - 1e-12, 1e-12]))()
    best = optimal_scale(100, distribution)
    alphas = np.geomspace(1e-10, 1e-7, 3000)
    assert gradient_norm(100, best, distribution) >= (
        gradient_norm(100, alphas, distribution).max() * (1 - 1e-9)
    )


def test_the_approximation_is_that_of_the_exact_average():
    """Below half of alpha_c both agree; and for one key it is wrong."""
    for alpha in 0.5, 1, 2:
        exact = averages(1e12, alpha)
        wanted = alpha * (1 - exact.collision)
        np.testing.assert_allclose(
            gradient_norm(1e12, alpha), wanted, rtol=1e-10
        )
    assert gradient_norm(1, 1.0) < 0
    assert optimal_scale(1) == 0


def test_shifts_and_units_of_the_scores():
    for unit, shift in (0.01, 5), (30, -2):
        plain, other = stats.gamma(9), stats.gamma(9, shift, unit)
        np.testing.assert_allclose(
            optimal_scale(500, other) * unit,
            optimal_scale(500, plain),
            rtol=1e-8,
        )
        np.testing.assert_allclose(
            gradient_norm(500, 0.2 / unit, other) * unit,
            gradient_norm(500, 0.2, plain),
            rtol=1e-9,
        )


@pytest.mark.parametrize("distribution", [stats.norm(), cosine(8)])
def test_any_scale_is_accepted_without_a_warning(distribution):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for alpha in 0, 1e-300, 50, 1e4:
            gradient_norm(10, alpha, distribution)
        assert gradient_norm(10, 1e200) == -np.inf


@pytest.mark.parametrize(
    "arguments, error, reason",
    [
        ((0, 1), ValueError, "n: 0; it should be a whole number"),
        ((2, 1, "norm"), TypeError, "distribution: 'norm'; it should be a"),
        ((2, 1, stats.t(4)), ValueError, "distribution: the right tail of t"),
        ((2, 1, stats.triang(0.3)), ValueError, "distribution: .* not smooth"),
        ((2, 0.5, stats.expon()), ValueError, "scale: .* is infinite there"),
        ((2, [0.1, 2], stats.gamma(3)), ValueError, "scale: .* is infinite"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, reason):
    with pytest.raises(error, match=f"^{reason}"):
        gradient_norm(*arguments)


def test_an_exponential_tail_to_the_left_is_no_obstacle():
    # E[exp(alpha s)] = Γ(1 + alpha) for minus a Gumbel variable
    with mp.workdps(30):
        wanted = written_out(
            mpf(10) ** 30, mpf(40), lambda alpha: mp.gamma(1 + alpha)
        )
    found = gradient_norm(1e30, 40.0, stats.gumbel_l())
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def optimum_of_exponential(n):
    """Solve R (1 + alpha (log R)') = n with R = (1 - alpha)²/(1 - 2 alpha)."""

    def excess(a):
        ratio = (1 - a) ** 2 / (1 - 2 * a)
        return ratio * (1 + 2 * a**2 / (1 - a) / (1 - 2 * a)) / n - 1

    return optimize.brentq(excess, 0, 0.5 - 1e-12, xtol=1e-15)


@pytest.mark.parametrize("n", [3, 10, 30, 100])
def test_an_optimum_close_to_the_pole_is_found(n):
    # from 30 keys on the search has to close in on 1/2
    np.testing.assert_allclose(
        optimal_scale(n, stats.expon()), optimum_of_exponential(n), rtol=1e-8
    )
