"""Averages with a cap or a sink, against sums, brute force and chance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from attention_scale.added import averages_with
from attention_scale.distributions import cosine
from attention_scale.quenched import averages

COUNTS = st.floats(0, 9).map(lambda power: float(round(10**power)))
ALPHAS = st.floats(0.01, 10)
CAPS = st.one_of(st.floats(0.2, 100), st.just(np.inf))
SINKS = st.one_of(st.floats(-20, 60), st.just(-np.inf))


def row_values(s, alpha, cap, sink):
    """Return the six numbers of rows, straight from their definitions."""
    x = alpha * s
    bent = np.tanh(x / cap)
    slope = np.ones_like(x) if cap == np.inf else 1 - bent**2
    logits = x if cap == np.inf else cap * bent
    logits = np.concatenate(
        [logits, np.full((*s.shape[:-1], 1), sink)], axis=-1
    )
    top = logits.max(axis=-1, keepdims=True)
    log_z = top[..., 0] + np.log(np.exp(logits - top).sum(axis=-1))
    log_p = logits - log_z[..., np.newaxis]
    p = np.exp(log_p)
    terms = np.where(p > 0, p * np.where(p > 0, log_p, 0), 0)
    keys = p[..., :-1]
    return np.array(
        [
            log_z,
            (keys * s).sum(axis=-1),
            (p**2).sum(axis=-1),
            -terms.sum(axis=-1),
            (alpha * slope * keys * (1 - keys)).sum(axis=-1),
            p[..., -1],
        ]
    )


def over_all_rows(n, alpha, values, chances, cap=np.inf, sink=-np.inf):
    """Return the means of the six numbers over all rows of n values."""
    total = np.zeros(6)
    for first, chance in zip(values, chances, strict=True):
        rows = np.meshgrid(first, *[values] * (n - 1), indexing="ij")
        means = row_values(np.stack(rows, axis=-1), alpha, cap, sink)
        for _ in range(n - 1):
            means = means @ chances
        total += chance * means[:, 0]
    return total


@pytest.mark.parametrize("sink", [-np.inf, -3.0, 0.0, 8.0])
@pytest.mark.parametrize("cap", [0.5, 4.0, np.inf])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_values_by_enumeration(n, cap, sink):
    values, chances = np.array([-2.0, 0.5, 3.25]), np.array([0.2, 0.7, 0.1])
    distribution = stats.rv_discrete(values=(values, chances))()
    for alpha in 0.0, 0.3, 1.7, 20.0:
        found = averages_with(
            n, alpha, cap=cap, sink=sink, distribution=distribution
        )
        wanted = over_all_rows(n, alpha, values, chances, cap, sink)
        # the promise: 1e-10, of 0.001 where an average is less
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(
    "n, alpha, step, cap, sink, near",
    [
        # to twice what was seen, 8e-15
        (2, 1, 0.1, np.inf, -np.inf, 1.6e-14),
        (2, 3, 0.05, np.inf, -np.inf, 1.6e-14),
        (3, 1, 0.25, np.inf, -np.inf, 1.6e-14),
        (3, 2, 0.15, np.inf, -np.inf, 1.6e-14),
        (2, 2, 0.05, np.inf, 1.0, 1e-10),
        (2, 0.7, 0.05, 1.0, -np.inf, 1e-10),
        (2, 0.7, 0.05, 1.0, 1.0, 1e-10),
        (2, 2, 0.05, 3.0, -np.inf, 1e-10),
        (2, 2, 0.05, 3.0, 1.0, 1e-10),
    ],
)
def test_normal_scores_by_a_sum_over_all_rows(n, alpha, step, cap, sink, near):
    """Poles are π / alpha away: the sum misses by exp(-2π² / (alpha step)).

    Those of the cap are at i π cap / (2 alpha): exp(-2π · 0.75 / 0.05).
    """
    s = np.arange(-9, 9 + step / 2, step)
    weights = np.exp(-(s**2) / 2)
    weights /= weights.sum()
    wanted = over_all_rows(n, alpha, s, weights, cap, sink)
    found = averages_with(n, alpha, cap=cap, sink=sink)
    np.testing.assert_allclose(found, wanted, rtol=near, atol=1e-3 * near)
    if cap == -sink == np.inf:
        np.testing.assert_allclose(averages(n, alpha), wanted[:5], rtol=near)


@settings(max_examples=25)
@given(COUNTS, ALPHAS, st.sampled_from([3, 128, None]))
def test_with_nothing_added_they_are_the_exact_averages(n, spreads, d):
    distribution = stats.norm() if d is None else cosine(d)
    alpha = spreads / distribution.std()
    found = averages_with(n, alpha, distribution=distribution)
    wanted = averages(n, alpha, distribution)
    np.testing.assert_allclose(found[:5], wanted, rtol=1e-9, atol=1e-12)
    assert found.sink == 0


@settings(max_examples=30)
@given(COUNTS, ALPHAS, CAPS, SINKS)
def test_normal_scores_pull_as_far_as_the_gradient(n, alpha, cap, sink):
    """Stein: the two come from integrals of different functions."""
    found = averages_with(n, alpha, cap=cap, sink=sink)
    np.testing.assert_allclose(
        found.mean_score, found.gradient_norm, rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("cap", [0.3, 5.0])
@pytest.mark.parametrize("n", [2, 512])
def test_far_out_a_cap_leaves_only_signs(n, cap):
    positive = np.arange(n + 1)
    chance = stats.binom.pmf(positive, n, 0.5)
    up, down = positive * np.exp(cap), (n - positive) * np.exp(-cap)
    limit = np.sqrt(2 / np.pi) * chance @ ((up - down) / (up + down))
    far = averages_with(n, [50.0, 100.0], cap=cap, tolerance=1e-8).mean_score
    # what is missing falls like 1 / alpha: extrapolated, like its square
    distance = far - limit
    assert (distance > 0).all()
    assert abs(2 * distance[1] - distance[0]) < 0.15 * distance[0]


@pytest.mark.parametrize(
    "arguments, reason",
    [
        ({"n": 0}, "n: 0; it should be a whole number"),
        ({"scale": 200.0}, "scale: 200, .* at most 100"),
        ({"cap": 0.0}, "cap: 0; it should be positive"),
        ({"distribution": stats.t(9)}, "distribution: .* tail"),
        ({"distribution": stats.laplace()}, "allow a larger tolerance"),
    ],
)
def test_what_is_wrong_is_named(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        averages_with(**({"n": 2, "scale": 1.0} | arguments))
