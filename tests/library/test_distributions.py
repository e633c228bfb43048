"""Score distributions: the cosine's law, nodes, and what is refused."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from attention_scale.distributions import (
    FURTHEST,
    LEVELS,
    cosine,
    name_of,
    nodes,
    remainder,
    spread,
)


@pytest.mark.parametrize("d", [2, 3, 4, 7.5, 64, 1e6, 1e9])
def test_the_cosine_has_its_density_and_variance(d):
    distribution = cosine(d)
    assert distribution.support() == (-1, 1)
    np.testing.assert_allclose(
        [distribution.mean(), distribution.var()],
        [0, 1 / d],
        rtol=1e-12,
        atol=1e-15,
    )
    s = np.array([0.0, 0.5, -0.9]) / max(d, 4) ** 0.5 * 2
    ratio = np.exp(np.log1p(-(s**2)) * (d - 3) / 2)
    # SciPy's density is a difference of logarithms of size d
    np.testing.assert_allclose(
        distribution.pdf(s) / distribution.pdf(0),
        ratio,
        rtol=1e-12 * max(d, 10),
    )


@pytest.mark.parametrize("d", [1.99, 0, -3, 1e9 + 1, 1e308, np.inf])
def test_dimensions_without_directions_are_refused(d):
    with pytest.raises(
        ValueError, match="^d: .*; it should be a number from 2 to 1e9"
    ):
        cosine(d)


MOMENTS = [
    stats.norm(-2, 3),
    cosine(3),
    cosine(64),
    stats.gamma(3),
    stats.logistic(1),
    stats.gumbel_l(),
    stats.poisson(4),
    stats.bernoulli(0.2),
    stats.rv_discrete(values=([-1, 0.5, 9], [0.3, 0.6, 0.1]))(),
]


@pytest.mark.parametrize("distribution", MOMENTS, ids=lambda x: x.dist.name)
def test_means_over_nodes_are_moments(distribution):
    mean, std = spread(distribution)
    assert (mean, std) == (distribution.mean(), distribution.std())
    s, weights = nodes(distribution, 0.1, 12)
    assert weights.shape == (s.size, LEVELS)
    # gumbel_l has 1e-19 of its mass left of the nodes, 40 away
    np.testing.assert_allclose(weights.sum(axis=0), 1, rtol=1e-13)
    np.testing.assert_allclose(s @ weights, mean, rtol=1e-11, atol=1e-11)
    second = (s - mean) ** 2 @ weights
    np.testing.assert_allclose(second, std**2, rtol=1e-10)
    third = (s - mean) ** 3 @ weights[:, 0] / std**3
    np.testing.assert_allclose(
        third, distribution.stats("s"), rtol=1e-9, atol=1e-9
    )


def test_nodes_are_quantiles_out_to_the_ends_asked_for():
    distribution = stats.norm(2, 3)
    s, weights = nodes(distribution, 0.5, 20.25)
    np.testing.assert_allclose(
        (s - 2) / 3, np.arange(-18, 42) / 2, rtol=1e-12, atol=1e-12
    )
    assert (weights[:, 0] > 0).all()
    assert ((weights[:, 1] > 0) == (np.arange(60) % 2 == 0)).all()
    assert ((weights[:, 2] > 0) == (np.arange(60) % 4 == 0)).all()
    furthest, _ = nodes(stats.expon(), 0.5, FURTHEST)
    # -log of the normal tail 37.5 standard deviations out
    np.testing.assert_allclose(furthest[-1], 707.67, rtol=1e-4)


def test_discrete_scores_are_their_own_nodes():
    s, weights = nodes(stats.binom(3, 0.5, loc=2), 0.1, 10)
    assert s.tolist() == [2, 3, 4, 5]
    np.testing.assert_allclose(
        weights, np.repeat([[1], [3], [3], [1]], LEVELS, 1) / 8, rtol=1e-12
    )


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_frozen_values_keep_their_place_and_chance(share):
    values = stats.rv_discrete(values=([0, 1], [1 - share, share]))
    for loc in 0, 7:
        s, weights = nodes(values(loc=loc), 0.1, 10)
        # SciPy's own mean, which the averages use, moves by loc
        np.testing.assert_allclose(s @ weights[:, 0], values(loc=loc).mean())


@given(st.floats(-1, 1), st.sampled_from([1e-4, 1e-2, 0.1, 0.25, 0.5]))
def test_remainder_is_at_least_what_a_geometric_series_leaves(size, ratio):
    coarsest, coarse, fine = (size * ratio**power for power in range(3))
    left = remainder(fine, coarse, coarsest)
    # where the limit is 0, the last sum is the error
    assert abs(fine) * (1 - 1e-9) - 1e-300 <= left <= 100 * abs(fine) + 1e-300


def test_remainder_of_what_hardly_shrinks_is_the_last_change_or_more():
    assert 2 <= remainder(3.0, 1.0, 2.0) <= 16
    # as at a kink: changes of 1 and 1/4, or of 1 and 1/16
    assert remainder(0.0, 0.25, 1.25) >= 1.5
    assert remainder(0.0, 1 / 16, 17 / 16) >= 6 / 16
    assert remainder(1.0, 1.0, 1.0) == remainder(1.0, 1.0, 5.0) == 0


LIGHT = [
    stats.norm(),
    stats.expon(),
    stats.gamma(0.1),
    stats.gamma(30),
    stats.chi2(1),
    stats.logistic(),
    stats.laplace(),
    stats.gumbel_r(),
    stats.gumbel_l(),
    stats.hypsecant(),
    stats.weibull_min(1.5),
    stats.norminvgauss(1, 0),
    stats.weibull_max(2),
    stats.loggamma(1),
    stats.skewnorm(3),
    stats.uniform(),
    stats.truncnorm(-3, 40),
    stats.truncpareto(2, 5),
]


@pytest.mark.parametrize("distribution", LIGHT, ids=lambda x: x.dist.name)
def test_tails_no_heavier_than_exponential_pass(distribution):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean, std = spread(distribution)
        assert (mean, std) == (distribution.mean(), distribution.std())
        moved = spread(
            type(distribution)(
                distribution.dist, *distribution.args, loc=9, scale=4
            )
        )
        np.testing.assert_allclose(moved, [9 + 4 * mean, 4 * std], rtol=1e-9)


@pytest.mark.parametrize(
    "distribution, side",
    [
        (stats.t(5), "right"),
        (stats.t(30), "right"),
        (stats.lognorm(1), "right"),
        (stats.lognorm(0.1), "right"),
        (stats.pareto(5), "right"),
        (stats.f(29, 18), "right"),
        (stats.weibull_min(0.5), "right"),
        (stats.weibull_min(0.95), "right"),
        (stats.weibull_max(0.95), "left"),
        # SciPy's quantiles end where 1 - q rounds to 1
        (stats.exponnorm(1.5), "right"),
        (stats.invgamma(5), "right"),
        (stats.genextreme(-0.1), "right"),
        (stats.johnsonsu(0, 2), "right"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.dist.name,
)
def test_heavier_tails_are_refused_with_their_side(distribution, side):
    name = distribution.dist.name
    message = f"^distribution: the {side} tail of {name}.* is heavier"
    with pytest.raises(ValueError, match=message):
        spread(distribution)


def test_names_are_what_a_reader_would_write():
    assert name_of(stats.norm()) == "norm()"
    assert name_of(stats.gamma(2.5, scale=3)) == "gamma(2.5, scale=3)"
    assert name_of(stats.norm(1, 2)) == "norm(1, 2)"


@pytest.mark.parametrize("d", [*range(3, 20), 64, 1024, 1e6])
def test_the_cosine_has_nodes_as_far_as_floats_go(d):
    s, weights = nodes(cosine(d), 0.1, FURTHEST)
    assert (np.diff(s) >= 0).all()
    np.testing.assert_allclose(s**2 @ weights, 1 / d, rtol=1e-10)


def test_quantiles_beyond_the_floats_are_refused():
    endless = stats.genpareto(2)
    with pytest.raises(
        ValueError, match="^distribution: genpareto.* no finite"
    ):
        nodes(endless, 1, FURTHEST)


@pytest.mark.parametrize("shape", [-3, -5])
def test_quantiles_that_scipy_gets_wrong_are_refused(shape):
    # isf(1e-20) of skewnorm(-5) is 4.1, where the tail is 1e-98
    with pytest.raises(
        ValueError, match="^distribution: SciPy cannot compute"
    ):
        spread(stats.skewnorm(shape))
