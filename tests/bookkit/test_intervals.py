"""What holds on an interval is enclosed; what begins, begins where it says."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Interval, Rational

from bookkit.checks import (
    Eq,
    FalseClaim,
    Ge,
    Gt,
    Le,
    Lt,
    Undecided,
    arb,
    falls_from,
    falls_on,
    holds_from,
    holds_on,
    normal_mean,
    prove,
    rises_from,
    rises_on,
)

x, y = sp.symbols("x y", real=True)
u = sp.Symbol("u", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
k = sp.Symbol("k", integer=True)
hundredths = st.integers(-300, 300).map(lambda i: Rational(i, 100))
humps = st.tuples(hundredths, st.integers(1, 40))


@given(humps)
@settings(max_examples=20, deadline=None)
def test_a_hump_falls_from_its_top_and_no_unit_sooner(hump):
    top, height = hump
    bell = height * sp.exp(-((x - top) ** 2))
    assert "Proved" in repr(falls_on(bell, {x: Interval(top, top + 5)}))
    assert "Proved" in repr(rises_on(bell, {x: Interval(top - 5, top)}))
    sooner = Interval(top - Rational(1, 100), top + 5)
    with pytest.raises(FalseClaim):
        falls_on(bell, {x: sooner})


@given(humps)
@settings(max_examples=20, deadline=None)
def test_a_bound_one_unit_too_low_is_false(hump):
    top, height = hump
    bell = height * sp.exp(-((x - top) ** 2))
    domain = {x: Interval(top - 3, top + 2)}
    assert holds_on(Lt(bell, height + Rational(1, 100)), domain)
    with pytest.raises(FalseClaim):
        holds_on(Lt(bell, height - Rational(1, 100)), domain)
    with pytest.raises(Undecided):
        holds_on(Le(bell, height), domain)


SHOWN = {
    "several zeros at the end": (Ge(x, sp.sin(x)), {x: Interval(0, 10)}),
    "open there": (Gt(x, sp.sin(x)), {x: Interval.Lopen(0, 10)}),
    "two symbols": (
        Gt(x**2 + y**2 + 1, Rational(19, 10) * x * y),
        {x: Interval(-2, 3), y: Interval(-1, 4)},
    ),
    "Lambert's W, far": (
        Lt(sp.LambertW(u), sp.log(u)),
        {u: Interval(3, 2**100)},
    ),
    "whole numbers": (
        Gt(sp.log(n) + 1, sp.Sum(1 / k, (k, 1, 5)) - Rational(7, 10)),
        {n: sp.Range(2, 40)},
    ),
    "an integral": (
        Gt(sp.Integral(sp.exp(-(y**2)), (y, 0, x)), x * sp.exp(-(x**2))),
        {x: Interval(Rational(1, 10), 1)},
    ),
    "irrational end": (Ge(sp.cosh(x), 1 + x / 9), {x: Interval(1, sp.E)}),
    "modulus and larger": (
        Ge(sp.Max(sp.Abs(x), 1), Rational(99, 100)),
        {x: Interval(-2, 2)},
    ),
}


@pytest.mark.parametrize("claim, where", SHOWN.values(), ids=SHOWN)
def test_what_holds_is_shown(claim, where):
    assert "Proved" in repr(holds_on(claim, where))


def test_an_integral_with_a_parameter():
    squares = sp.exp(-(y**2) / 2) * sp.tanh(x * y) ** 2
    mean = sp.Integral(squares, (y, -8, 8))
    found = rises_on(mean, {x: Interval(Rational(1, 10), 5)})
    assert "Proved" in repr(found)
    with pytest.raises(FalseClaim):
        falls_on(mean, {x: Interval(Rational(1, 10), 5)})


def test_a_function_of_balls():
    def rest(a):
        return normal_mean(lambda z: (a * z).tanh() * z, 1_000) - a / 2

    assert "Proved" in repr(holds_on(rest, Interval(Rational(1, 10), 1)))
    with pytest.raises(FalseClaim, match="x = 3"):
        holds_on(rest, Interval(Rational(1, 10), 3))


@given(st.fractions(-2, 2, max_denominator=9), st.integers(2, 12))
@settings(max_examples=30, deadline=None)
def test_balls_contain_what_they_are_of(at, power):
    of = sp.Rational(at.numerator, at.denominator)
    for f in (x**power, sp.tanh(x) / (2 + x**2), sp.Abs(x) ** 3, 2**x):
        ball = arb(f.subs(x, of))
        value = arb(sp.Rational(str(sp.N(f.subs(x, of), 40))))
        assert ball.overlaps(value)
        assert ball.rad() <= 1e-12 * (1 + abs(value))


@pytest.mark.parametrize(
    "claim, where, error, words",
    [
        (Gt(sp.log(x), 0), {x: Interval(1, 2)}, FalseClaim, "equal at x = 1"),
        (Gt(sp.log(x), -9), {x: Interval(-1, 2)}, Undecided, "not defined"),
        (Gt(x, -1), {x: Interval(0, sp.oo)}, ValueError, "infinite"),
        (Gt(x * u, -1), {x: Interval(0, 1)}, ValueError, "u should have"),
        (Gt(x, y), None, ValueError, "should have an Interval"),
        (Eq(x, x), {x: Interval(0, 1)}, TypeError, "Ge, Gt, Le or Lt"),
        (Gt(sp.zeta(x), 0), {x: Interval(2, 3)}, TypeError, "no ball"),
        (Gt(x + 0.5, 0), {x: Interval(2, 3)}, TypeError, "float"),
    ],
)
def test_what_cannot_be_shown_says_why(claim, where, error, words):
    with pytest.raises(error, match=words):
        holds_on(claim, where)


tops = st.integers(-300, 300).map(lambda i: round(i / 100, 2))


@given(tops, st.floats(-0.004, 0.004))
@settings(max_examples=50)
def test_a_grid_finds_the_onset_to_its_unit(top, beyond_the_digit):
    def hump(t):
        return -((t - top - beyond_the_digit) ** 2)

    assert "Computed" in repr(falls_from(hump, top, top + 40, 0.01))
    rises_from(hump, top, top - 40, 0.01)
    for off in (-0.01, 0.01):
        with pytest.raises(FalseClaim):
            falls_from(hump, round(top + off, 2), top + 40, 0.01)
        with pytest.raises(FalseClaim):
            rises_from(hump, round(top + off, 2), top - 40, 0.01)


@given(st.integers(2, 500), st.integers(1, 10_000))
@settings(max_examples=50)
def test_a_test_that_passes_from_a_whole_number_on(first, more):
    def test(ns):
        return ns >= first

    until = first + more
    holds_from(test, first, until, 1)
    holds_from(test, first + 1, until + 1, 1, edge=True)
    with pytest.raises(FalseClaim, match="it holds at"):
        holds_from(test, first + 1, until + 1, 1)
    with pytest.raises(FalseClaim, match="does not hold at"):
        holds_from(test, first - 1, until, 1)


@pytest.mark.parametrize(
    "test, start, until, unit, words",
    [
        (np.isfinite, 3.06, 9, 0.1, "multiple of the unit"),
        (np.isfinite, 3.06, 3.06, 0.01, "not the start"),
        (np.sin, 3.06, 9, 0.01, "a boolean for each"),
        (lambda t: True, 3.06, 9, 0.01, "a boolean for each"),
    ],
)
def test_a_grid_that_makes_no_sense(test, start, until, unit, words):
    with pytest.raises(ValueError, match=words):
        holds_from(test, start, until, unit)


half_open = {u: Interval.open(1, sp.oo)}


@pytest.mark.parametrize(
    "claim, where",
    [
        (Eq(2 * sp.sqrt(x - 1), sp.sqrt(4 * x - 4)), None),
        (Eq(sp.log(u) - sp.log(u - 1), sp.log(u / (u - 1))), None),
        (Eq(sp.LambertW(-u) * sp.exp(sp.LambertW(-u)), -u), None),
        (Eq(sp.Subs(x**2, x, sp.sqrt(u - 1)), u - 1), None),
        (
            Eq(sp.Subs(x**2, x, sp.sqrt(u - 1)), u - 1),
            {u: Interval.open(Rational(99, 100), sp.oo)},
        ),
    ],
)
def test_prove_refuses_what_is_not_real(claim, where):
    with pytest.raises(FalseClaim, match="is not real"):
        prove(claim, where=where)


def test_prove_takes_what_is_real_in_the_domain():
    assert prove(Eq(sp.Subs(x**2, x, sp.sqrt(u - 1)), u - 1), where=half_open)
    claim, root = Eq(sp.exp(2 * sp.log(u)), u**2), [sp.sqrt(u - 1)]
    assert prove(claim, where=half_open, real=root)
    with pytest.raises(FalseClaim, match="`real`, is not real"):
        prove(claim, real=root)
