"""Means of polynomials: known laws, and what is refused."""

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from bookkit.moments import mean, variance

x, y = sp.symbols("x y", real=True)
c = sp.Symbol("c", real=True)
COINS = st.lists(st.integers(-3, 3), min_size=1, max_size=4)


def moments_of(values, order):
    """Return the moments of a uniform choice among values."""
    n = sp.Integer(len(values))
    return [
        sum(sp.Integer(v) ** k for v in values) / n for k in range(order + 1)
    ]


@given(COINS, COINS)
def test_mean_is_the_mean_over_all_outcomes(first, second):
    polynomial = (x - 2 * y) ** 2 * x + 3
    outcomes = [polynomial.subs({x: a, y: b}) for a in first for b in second]
    moments = {x: moments_of(first, 3), y: moments_of(second, 2)}
    assert mean(polynomial, moments) == sum(outcomes) / sp.Integer(
        len(outcomes)
    )


def test_normal_variables():
    moments = {x: [1, 0, 1, 0, 3], y: [1, 0, 1, 0, 3]}
    assert variance(x * y, moments) == 1
    assert variance(x**2, moments) == 2
    assert variance(x, {x: [1, 5, 26]}) == 1
    assert sp.expand(variance(c * x + y, moments)) == c**2 + 1


def test_other_symbols_are_constants():
    assert mean(c * x + c, {x: [1, 5]}) == 6 * c


@pytest.mark.parametrize(
    "polynomial, moments, reason",
    [
        (x**3, {x: [1, 0, 1]}, "x needs its moment of order 3; .* ends at 2"),
        (
            sp.exp(x),
            {x: [1, 0]},
            r"polynomial: exp\(x\) is no polynomial in x",
        ),
        (x, {}, "there is no variable"),
    ],
)
def test_what_cannot_be_averaged_is_refused(polynomial, moments, reason):
    with pytest.raises(ValueError, match=reason):
        mean(polynomial, moments)
