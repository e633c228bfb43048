"""The verbs of truth must say yes, no and undecided at the right times."""

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sympy import Interval, Rational, oo

from bookkit.checks import (
    Disagreement,
    Eq,
    FalseClaim,
    Ge,
    Gt,
    Le,
    Lt,
    NotRefuted,
    SampleTooSmall,
    Undecided,
    close_to,
    prove,
    refute,
    sample_mean,
    sample_variance,
)

a, b, t, p = sp.symbols("a b t p", real=True)
u, n, alpha = sp.symbols("u n alpha", positive=True)
z = sp.Symbol("z")
d = sp.Symbol("d", integer=True, positive=True)
m = sp.Symbol("m", integer=True)
i = sp.Symbol("i", integer=True)
x = sp.IndexedBase("x", real=True)
phi = sp.exp(-(t**2) / 2) / sp.sqrt(2 * sp.pi)
unit = {p: Interval(0, 1)}

TRUE = {
    "polynomial": Eq((a + b) ** 2, a**2 + 2 * a * b + b**2),
    "rational": Eq(1 / (1 + u) + u / (1 + u), 1),
    "complex": Eq((z + 1) * (z - 1), z**2 - 1),
    "power": Eq(sp.sqrt(u**2 * n), u * sp.sqrt(n)),
    "exponential": Eq(sp.exp(a + b), sp.exp(a) * sp.exp(b)),
    "hyperbolic": Eq(sp.cosh(a) ** 2 - sp.sinh(a) ** 2, 1),
    "trigonometric": Eq(sp.sin(2 * a), 2 * sp.sin(a) * sp.cos(a)),
    "logarithm": Eq(sp.log(u * n), sp.log(u) + sp.log(n)),
    "gamma": Eq(sp.gamma(u + 1), u * sp.gamma(u)),
    "Lambert W": Eq(sp.LambertW(n) * sp.exp(sp.LambertW(n)), n),
    "sum": Eq(sp.Sum(i, (i, 1, d)), d * (d + 1) / 2),
    "infinite sum": Eq(sp.Sum(1 / i**2, (i, 1, oo)), sp.pi**2 / 6),
    "sequence": Eq(2 * sp.Sum(x[i], (i, 1, d)), sp.Sum(2 * x[i], (i, 1, d))),
    "derivative": Eq(sp.Derivative(a**3 * b, a), 3 * a**2 * b),
    "value of a derivative": Eq(
        sp.Subs(sp.Derivative(sp.exp(a * t), (t, 2)), t, 0), a**2
    ),
    "integral": Eq(sp.Integral(phi * t**2, (t, -oo, oo)), 1),
    "integral with a letter": Eq(
        sp.Integral(t * sp.exp(-alpha * t), (t, 0, oo)), 1 / alpha**2
    ),
    "derivative of any function": Eq(
        sp.Derivative(t * sp.Function("f", real=True)(t), t),
        sp.Function("f", real=True)(t)
        + t * sp.Derivative(sp.Function("f", real=True)(t), t),
    ),
    "limit": Eq(sp.Limit((1 + a / n) ** n, n, oo), sp.exp(a)),
    "infinite limit": Eq(sp.Limit(n / sp.log(n), n, oo), oo),
    "matrix": Eq(
        sp.Matrix([[a, b], [b, a]]) ** 2,
        sp.Matrix([[a**2 + b**2, 2 * a * b], [2 * a * b, a**2 + b**2]]),
    ),
    "signs": Gt((2 * u + 3) * sp.exp(u), 0),
    "square": Ge(a**2, 0),
    "square moved": Ge(a**2 + b**2, 2 * a * b),
    "no real root": Gt(a**2 - a + 1, 0),
    "double root": Ge(a**4 - 2 * a**2 + 1, 0),
    "upper bound": Le(-(u**2), 0),
    "strict upper bound": Lt(1 / (1 + u), 1),
    "integers": Eq((-1) ** (2 * m), 1),
    "numbers": Eq(sp.sqrt(2) * sp.sqrt(3), sp.sqrt(6)),
    "sigmoid": Eq(1 / (1 + sp.exp(-a)), (1 + sp.tanh(a / 2)) / 2),
    "entry of a sequence": Eq(x[i], x[i]),
    "bound of a limit": Lt(sp.Limit(n / (n + 1), n, oo), 2),
    "limit of log n / n": Eq(sp.Limit(sp.log(n) / n, n, oo), 0),
    "limit of 1 / log n": Eq(sp.Limit(1 / sp.log(n), n, oo), 0),
    "limit at 0": Eq(sp.Limit(sp.sin(u) / u, u, 0), 1),
}

FALSE = {
    "one term too many": Eq((a + b) ** 2, a**2 + 2 * a * b + b**2 + a),
    "a constant off": Eq(a, a + Rational(1, 10**40)),
    "a factor off": Eq(sp.exp(u), (1 + Rational(1, 10**12)) * sp.exp(u)),
    "wrong sign of a root": Eq(sp.sqrt(a**2), a),
    "wrong sum": Eq(sp.Sum(i, (i, 1, d)), d * (d + 2) / 2),
    "wrong sequence": Eq(sp.Sum(x[i], (i, 1, d)), sp.Sum(2 * x[i], (i, 1, d))),
    "wrong derivative": Eq(sp.Derivative(a**3, a), 3 * a),
    "wrong limit": Eq(sp.Limit((1 + a / n) ** n, n, oo), sp.exp(2 * a)),
    "one entry of a matrix": Eq(sp.Matrix([a, b]), sp.Matrix([a, b + 1])),
    "strict where equal": Gt(a**2, 0),
    "inequality": Ge(a, 0),
    "upper bound": Lt(u, 1),
    "complex": Eq(z * sp.conjugate(z), z**2),
    "numbers": Eq(sp.sqrt(2) + sp.sqrt(3), sp.sqrt(10)),
}


@pytest.mark.parametrize("claim", TRUE.values(), ids=TRUE)
def test_prove_accepts_the_true(claim):
    assert "Proved" in repr(prove(claim))


@pytest.mark.parametrize("claim", FALSE.values(), ids=FALSE)
def test_prove_finds_the_false(claim):
    with pytest.raises(FalseClaim):
        prove(claim)


def test_false_integral_is_not_proved():
    claim = Eq(sp.Integral(phi * t**2, (t, -oo, oo)), Rational(1001, 1000))
    with pytest.raises((FalseClaim, Undecided)):
        prove(claim)


@pytest.mark.parametrize(
    "claim",
    [
        Eq(sp.Function("f")(a), sp.Function("f")(a + 1)),
        Gt(a**2 + b**2 - a * b * Rational(19999, 10000) + 1, 0),
        Eq(sp.Sum(sp.sin(i) ** 3 / (i + 7), (i, 1, d)), d - d),
    ],
    ids=["unknown function", "form in two symbols", "sum"],
)
def test_what_is_not_decided_is_never_called_proved(claim):
    with pytest.raises((Undecided, FalseClaim)):
        prove(claim)


def test_undecided_says_what_is_left():
    with pytest.raises(Undecided, match="difference of its sides"):
        prove(Gt(a**2 + b**2 - a * b * Rational(19999, 10000) + 1, 0))


@pytest.mark.parametrize(
    ("claim", "error", "words"),
    [
        (True, TypeError, "before it could be seen"),
        (sp.Eq(a, a), TypeError, "before it could be seen"),
        (a, TypeError, "not an equation or inequality"),
        ("a = b", TypeError, "not an equation or inequality"),
        (sp.Ne(a, b, evaluate=False), TypeError, "not an equation"),
        (Eq(a, 0.5), TypeError, "float"),
        (Eq(sp.exp(0.1 * a), 1), TypeError, "float"),
        (Eq(a, sp.nan), ValueError, "undefined"),
        (Eq(a, sp.zoo), ValueError, "undefined"),
    ],
)
def test_what_is_no_exact_relation_is_refused(claim, error, words):
    with pytest.raises(error, match=words):
        prove(claim)


def test_matrices_of_different_shapes_are_refused():
    claim = sp.Eq(sp.Matrix([a, b]), sp.Matrix([[a, b]]), evaluate=False)
    with pytest.raises((ValueError, TypeError)):
        prove(claim)


# ---- domains ----


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        (Le(p * (1 - p), Rational(1, 4)), unit),
        (Eq(sp.sqrt((1 - p) ** 2), 1 - p), unit),
        (Gt(p**3, 0), {p: Interval.open(0, oo)}),
        (Ge(p**3, 0), {p: Interval(0, oo)}),
        (Lt(p, 2), {p: Interval(-oo, 1)}),
        (Gt(m**2, 8), {m: sp.Range(3, oo)}),
        (Eq((m - 1) * (m - 2) * (m - 3), 0), {m: sp.Range(1, 4)}),
        (Ge(a * p, 0), {p: Interval(0, 1), a: Interval(0, oo)}),
    ],
)
def test_prove_on_a_domain(claim, where):
    prove(claim, where=where)


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        (Lt(p * (1 - p), Rational(1, 4)), unit),
        (Gt(p, 0), unit),
        (Lt(p, 1), unit),
        (Eq(sp.sqrt((1 - p) ** 2), 1 - p), {p: Interval(0, 2)}),
        (Gt(m**2, 8), {m: sp.Range(2, oo)}),
        (Eq((m - 1) * (m - 2) * (m - 3), 0), {m: sp.Range(1, 5)}),
    ],
)
def test_false_at_the_edge_of_a_domain(claim, where):
    with pytest.raises(FalseClaim):
        prove(claim, where=where)


@pytest.mark.parametrize(
    ("where", "error", "words"),
    [
        ({b: Interval(0, 1)}, ValueError, "has no symbol b"),
        ({a: sp.FiniteSet(1)}, TypeError, "neither an Interval nor a Range"),
        ({a: sp.Range(3)}, ValueError, "does not fit"),
    ],
)
def test_domains_that_do_not_fit_are_refused(where, error, words):
    with pytest.raises(error, match=words):
        prove(Eq(a, a), where=where)


def test_domain_against_the_assumptions_is_refused():
    with pytest.raises(ValueError, match="does not fit the assumptions"):
        prove(Gt(u, 0), where={u: Interval(-1, 1)})


def test_premises_are_used_and_shown():
    total = sp.Symbol("S", positive=True)
    premise = Eq(total, 1)
    verdict = prove(Eq(a * total, a), given=[premise])
    assert "given" in verdict.markdown
    with pytest.raises(FalseClaim):
        prove(Eq(a * total, a))


def test_a_proof_shows_statement_and_domain():
    shown = prove(Eq(sp.Sum(1, (i, 1, d)), d))._repr_markdown_()
    assert r"\sum_{i=1}^{d} 1 = d" in shown
    assert r"d \in \{1, 2, \dots\}" in shown


# ---- property tests of prove and refute ----

numbers = st.fractions(-9, 9, max_denominator=9).map(
    lambda f: Rational(f.numerator, f.denominator)
)
leaves = numbers | st.sampled_from(
    [a, b, u, sp.exp(a), sp.exp(-2 * u), sp.sqrt(u), sp.log(u), 1 / u]
)


def _grow(children):
    pairs = st.tuples(children, children)
    return (
        pairs.map(lambda both: both[0] + both[1])
        | pairs.map(lambda both: both[0] * both[1])
        | children.map(lambda one: one**2)
    )


expressions = st.recursive(leaves, _grow, max_leaves=4)
# SymPy is slow, and whether it decides a claim is not for chance to find out.
few = settings(max_examples=12, derandomize=True)
more = settings(max_examples=40, derandomize=True)


@few
@given(expressions, expressions)
def test_an_identity_written_two_ways_is_proved(f, g):
    prove(Eq((f + g) ** 2 - (f - g) ** 2, 4 * f * g))


@more
@given(expressions, expressions, numbers)
def test_an_identity_off_by_a_little_is_never_proved(f, g, slip):
    assume(slip != 0)
    slip = slip / 10**30
    with pytest.raises((FalseClaim, Undecided)):
        prove(Eq((f + g) ** 2 - (f - g) ** 2, 4 * f * g + slip))


@more
@given(expressions)
def test_a_sum_of_squares_is_not_negative(f):
    prove(Ge(f**2, 0))
    with pytest.raises((FalseClaim, Undecided)):
        prove(Lt(f**2, 0))


@more
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=4))
def test_signs_of_polynomials_are_those_of_their_roots(roots):
    polynomial = sp.prod(a - root for root in roots)
    touches = all(roots.count(root) % 2 == 0 for root in roots)
    claim = Ge(polynomial, 0)
    if touches:
        prove(claim)
    else:
        with pytest.raises((FalseClaim, Undecided)):
            prove(claim)


@more
@given(numbers, numbers)
def test_refute_agrees_with_arithmetic(f, g):
    claim = Eq(a + b, a * b + 1)
    if (f - 1) * (g - 1) == 0:
        with pytest.raises(NotRefuted):
            refute(claim, {a: f, b: g})
    else:
        refute(claim, {a: f, b: g})


POLE = 1 / (n - 1)


@pytest.mark.parametrize(
    "domain, at",
    [
        (None, "n = 1"),
        (Interval(Rational(1, 2), 3), "n = 1"),
        (Interval(1, oo), "n = 1"),
        (Interval.open(1, oo), None),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_a_proof_divides_by_zero_nowhere(domain, at, named):
    claim = Eq(n + 1, 1 + n) if named else Eq(n * POLE - POLE, 1)
    where = {} if domain is None else {n: domain}
    real = [POLE] if named else []
    if at is None:
        prove(claim, where=where, real=real)
    else:
        with pytest.raises(FalseClaim, match=f"says nothing at {at}"):
            prove(claim, where=where, real=real)


def test_a_proof_divides_by_no_function_that_is_zero_at_an_end():
    claim = Eq((n + 1) / sp.log(n), n / sp.log(n) + 1 / sp.log(n))
    prove(claim, where={n: Interval.open(1, 2)})
    with pytest.raises(FalseClaim, match="says nothing at n = 1"):
        prove(claim, where={n: Interval(1, 2)})


# ---- what a hostile reader tried ----

c = sp.Symbol("c", real=True)
y = sp.Symbol("y", real=True)
large, small = 1 + (d - 1) * c, 1 - c
effective_dimension = (large**2 + (d - 1) * small**2) ** 2 / (
    large**4 + (d - 1) * small**4
)
quartic = sp.exp(-((y - Rational(1, 2)) ** 4))
A = sp.MatrixSymbol("A", 2, 2)
E, F = sp.Matrix([[0, 1], [0, 0]]), sp.Matrix([[0, 0], [1, 0]])


@pytest.mark.parametrize(
    "claim",
    [
        sp.Eq(A, 2 * A, evaluate=False),
        sp.Eq(sp.Identity(2), sp.ZeroMatrix(2, 2), evaluate=False),
        sp.Eq(sp.MatMul(E, F), sp.MatMul(F, E), evaluate=False),
        Eq(sp.Trace(A), 0),
        Gt(z + 1, z),
        Gt(1 + sp.I, sp.I),
        Eq(sp.Sum(1, (i, 1, m)), m),
        Eq(sp.Derivative(sp.Abs(a), a), sp.sign(a)),
        Eq(sp.Symbol("k", even=True), 0),
        Eq(sp.Symbol("k", irrational=True), 0),
        Eq(sp.Function("f", positive=True)(a), 0),
        Eq(sp.Limit(effective_dimension, d, oo), 1),
        Eq(sp.Limit(sp.coth(u) - 1 / u, u, 0), -oo),
        Eq(sp.Limit(sp.sin(u), u, oo), sp.Limit(sp.cos(u), u, oo)),
        Eq(sp.Sum(sp.Integral(quartic, (y, 0, 1)), (i, 1, 2)), 0),
        Eq(sp.Derivative(sp.Integral(quartic**alpha, (y, 0, 1)), alpha), 0),
        Gt(sp.Symbol("a", positive=True) + a**2, 0),
        Eq(sp.Sum(1, (i, 1, u)), u),
        Eq(
            sp.Integral(1 / (y - a - 5) ** 2, (y, 0, 1)),
            1 / ((a + 5) * (a + 6)),
        ),
    ],
)
def test_prove_is_not_fooled(claim):
    with pytest.raises((FalseClaim, Undecided, TypeError, ValueError)):
        prove(claim)


@pytest.mark.parametrize(
    ("claim", "witness"),
    [
        (Gt(sp.Integral(sp.sin(y**3 + y), (y, 0, oo)), Rational(1, 100)), {}),
        (
            Eq(sp.Limit((a * y + 1) / (a * y + 2), y, oo), Rational(1, 2)),
            {a: 0},
        ),
        (Ge(m**2, m), {m: sp.EulerGamma}),
        (Eq(sp.Limit(sp.coth(u) - 1 / u, u, 0), 0), {}),
        (Lt(sp.Limit(1 + 1 / n, n, oo), n), {n: Rational(3, 2)}),
        (Gt(sp.Sum(sp.Integral(quartic, (y, 0, 1)), (i, 1, 2)), 1), {}),
        # which SymPy gets wrong
        (Gt(sp.Integral(quartic, (y, 0, 1)), Rational(1, 2)), {}),
    ],
)
def test_refute_is_not_fooled(claim, witness):
    with pytest.raises((NotRefuted, Undecided, ValueError)):
        refute(claim, witness)


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        (Eq(sp.Derivative(a**2, a), 0), Eq(a**2, 1)),
        (Eq(sp.Derivative(a**2, a), 0), Eq(a, 1)),
        (Eq(a, b), Eq(a, b)),
        (Lt(u, 0), Eq(u, -1)),
        (Eq(a, 0), Eq(sp.Integer(1), 0)),
        (Eq(sp.exp(a), 0), Eq(sp.exp(a), 0)),
        (Eq(sp.cos(a), 0), Eq(sp.cos(a), sp.sin(a))),
        (Eq(a, a), Gt(a, 0)),
    ],
)
def test_premises_are_no_back_door(claim, premise):
    with pytest.raises((FalseClaim, Undecided, TypeError, ValueError)):
        prove(claim, given=[premise])


def test_a_premise_keeps_to_the_domain():
    with pytest.raises(ValueError, match="outside the domain"):
        prove(Eq(a * p, 2 * a), where=unit, given=[Eq(p, 2)])


def test_what_premises_assume_is_shown():
    assert "u > 0" in repr(prove(Gt(a, 0), given=[Eq(a, u)]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: prove(Eq(a, a), where=Interval(0, 1)),
        lambda: prove(Eq(a, a), where={a: Interval(0, 0.5)}),
        lambda: prove(Eq(a, a), where={a: Interval(0, b)}),
        lambda: prove(Eq(a, a), given=Eq(a, 1)),
        lambda: refute(Eq(a, 1), 2),
        lambda: close_to(1j, 0, to=1),
        lambda: close_to("1", 1, to=1),
        lambda: close_to(1, 1, to="x"),
        lambda: sample_mean(np.arange(200.0)).agrees_with("zero", to=1e3),
        lambda: sample_mean(np.arange(200.0)).rules_out(1e6, sigmas="4"),
    ],
)
def test_a_bad_argument_is_named(call):
    with pytest.raises((TypeError, ValueError), match=r"^\w+(\[a\])?: "):
        call()


def test_a_symbol_is_fixed_once():
    with pytest.raises(ValueError, match="fixed twice"):
        prove(Eq(a + b, 1 + b), given=[Eq(a, 1), Eq(a, 2)])


def test_what_is_evaluated_for_generic_values_says_so():
    integral = sp.Integral(alpha * t, (t, 0, 1))
    shown = repr(prove(Eq(integral, alpha / 2)))
    assert shown.endswith("for all alpha > 0, evaluated for generic alpha")
    assert "generic" not in repr(prove(TRUE["sum"]))


def test_text_and_mathematics_both_name_domain_and_premises():
    total = sp.Symbol("S", positive=True)
    shown = repr(prove(Eq(a * total, a), given=[Eq(total, 1)]))
    assert "for all S > 0, a real" in shown
    assert "given Eq(S, 1)" in shown


# ---- refute ----


def test_refute_shows_both_sides():
    verdict = refute(Eq(sp.Sum(1, (i, 1, d)), d / 2), {d: 4})
    assert "at $d = 4$ the sides are $4$ and $2$" in verdict.markdown
    assert repr(verdict).endswith("at d = 4: 4 and 2")


def test_rows_of_a_matrix_keep_their_distance():
    verdict = prove(Eq(sp.Matrix([a, b]), sp.Matrix([a, b])))
    assert r"a\\[1ex]b" in verdict.markdown


def test_refute_needs_no_witness_without_symbols():
    verdict = refute(Eq(sp.Sum(i, (i, 1, 3)), 5), {})
    assert verdict.markdown.endswith("$$\n\nthe sides are $6$ and $5$")


@pytest.mark.parametrize("relation", [Lt, Gt])
def test_refute_knows_strict_from_weak(relation):
    refute(relation(a, 1), {a: 1})


@pytest.mark.parametrize("relation", [Le, Ge, Eq])
def test_refute_refuses_what_is_true_there(relation):
    with pytest.raises(NotRefuted):
        refute(relation(a, 1), {a: 1})


@pytest.mark.parametrize(
    ("claim", "witness", "error", "words"),
    [
        (Eq(a, b), {a: 1}, ValueError, "no value for b"),
        (Eq(a, 1), {a: 2, b: 1}, ValueError, "no symbol b"),
        (Eq(a, 1), {a: 0.5}, TypeError, "float"),
        (Eq(u, 1), {u: -1}, ValueError, "outside the domain"),
        (Eq(u, 1), {u: b}, ValueError, "outside the domain"),
        (Eq(d, 1), {d: Rational(1, 2)}, ValueError, "outside the domain"),
        (Eq(a, 1), {a: sp.nan}, ValueError, "undefined"),
    ],
)
def test_a_witness_must_lie_in_the_domain(claim, witness, error, words):
    with pytest.raises(error, match=words):
        refute(claim, witness)


def test_a_witness_must_lie_in_the_narrowed_domain():
    refute(Gt(p, Rational(1, 2)), {p: 0}, where=unit)
    with pytest.raises(ValueError, match="outside the domain"):
        refute(Gt(p, Rational(1, 2)), {p: -1}, where=unit)


def test_refute_does_not_decide_the_undecidable():
    f = sp.Function("f")
    with pytest.raises(Undecided):
        refute(Eq(f(a), 0), {a: 1})


# ---- numbers ----


def test_close_to_compares_every_entry():
    close_to([1.0, 2.0], [1.0, 2.0 + 1e-9], to=1e-8)
    with pytest.raises(Disagreement, match="largest difference is 0.1"):
        close_to([1.0, 2.0], [1.0, 2.1], to=1e-8)


@pytest.mark.parametrize(
    "value, reference",
    [(math.nan, 1), (math.inf, 1), (math.inf, math.inf), (1e308, -1e308)],
)
def test_close_to_refuses_what_is_no_number(value, reference):
    with pytest.raises(Disagreement):
        close_to(value, reference, to=1.0)


@pytest.mark.parametrize("to", [0, -1, math.nan, math.inf, 10**400, [1, 2]])
def test_a_tolerance_must_be_a_positive_number(to):
    kind = TypeError if isinstance(to, list) else ValueError
    with pytest.raises(kind, match="^to: .*; it should be"):
        close_to(1.0, 1.0, to=to)
    with pytest.raises(kind, match="^to: .*; it should be"):
        sample_mean(np.arange(50.0)).agrees_with(24.5, to=to)


def test_close_to_refuses_to_compare_nothing():
    with pytest.raises(ValueError, match="nothing to compare"):
        close_to([], [], to=1.0)


# ---- estimates ----


def test_standard_error_of_a_mean_is_right():
    samples = np.random.default_rng(0).exponential(2, (2_000, 400))
    estimates = sample_mean(samples)
    spread = sample_variance(estimates.value)
    # the mean of 400 has variance 4/400; its own estimates must average it
    spread.agrees_with(4 / 400, to=0.002)
    sample_mean(estimates.standard_error**2).agrees_with(4 / 400, to=1e-3)


def test_standard_error_of_a_variance_is_right():
    samples = np.random.default_rng(1).standard_normal((2_000, 400))
    estimates = sample_variance(samples)
    sample_mean(estimates.value).agrees_with(1, to=0.01)
    # exact for normal samples: 2 / (N - 1)
    sample_variance(estimates.value).agrees_with(2 / 399, to=0.001)
    sample_mean(estimates.standard_error**2).agrees_with(2 / 399, to=3e-4)


def test_agreement_is_turned_down_as_often_as_promised():
    samples = np.random.default_rng(2).standard_normal((20_000, 100))
    estimates = sample_mean(samples)
    far = np.abs(estimates.value) > 2 * estimates.standard_error
    # two-sided 2 sigma of a t law with 99 degrees of freedom: 4.82%
    sample_mean(far).agrees_with(0.0482, to=0.007)


@more
@given(st.integers(0, 10**6), st.floats(-3, 3), st.floats(0.1, 10))
def test_a_true_mean_agrees_and_one_far_off_is_ruled_out(seed, mean, scale):
    rng = np.random.default_rng(seed)
    estimate = sample_mean(rng.normal(mean, scale, 2_000))
    to = 0.15 * scale
    estimate.agrees_with(mean, to=to)
    wrong = mean + 2 * to
    estimate.rules_out(wrong)
    with pytest.raises(Disagreement):
        estimate.agrees_with(wrong, to=to)
    with pytest.raises(Disagreement):
        estimate.rules_out(mean)


def test_a_small_sample_is_refused():
    estimate = sample_mean(np.arange(99.0))
    with pytest.raises(SampleTooSmall, match="99 samples"):
        estimate.agrees_with(49, to=100)
    with pytest.raises(SampleTooSmall, match="99 samples"):
        estimate.rules_out(1000)


def test_precision_beyond_the_sample_is_refused():
    estimate = sample_mean(np.random.default_rng(3).standard_normal(400))
    with pytest.raises(SampleTooSmall, match="times as many"):
        estimate.agrees_with(0, to=0.01)


def test_what_a_small_sample_rules_out_is_false_at_every_precision():
    estimate = sample_mean(np.random.default_rng(3).standard_normal(400))
    with pytest.raises(Disagreement):
        estimate.agrees_with(1, to=0.01)


def test_a_tail_that_carries_the_error_is_refused():
    samples = np.random.default_rng(4).standard_normal(1_000)
    samples[0] = 1e6
    with pytest.raises(SampleTooSmall, match="tail"):
        sample_mean(samples).agrees_with(0, to=1e9)
    with pytest.raises(SampleTooSmall, match="tail"):
        sample_variance(samples).rules_out(1)


@pytest.mark.parametrize("value", [0, 1, 0.1])
def test_equal_samples_carry_no_error(value):
    with pytest.raises(SampleTooSmall, match="hardly differ"):
        sample_mean(np.full(200, value)).agrees_with(value, to=0.1)
    with pytest.raises(SampleTooSmall, match="hardly differ"):
        sample_mean(np.full(200, value)).rules_out(value)


@pytest.mark.parametrize("seed", range(20))
def test_the_variance_of_signs_is_not_measured(seed):
    # all samples are as far from the mean: the standard error misses most
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], 10_000)
    with pytest.raises(SampleTooSmall, match="hardly differ"):
        sample_variance(signs).agrees_with(1, to=0.5)


@pytest.mark.parametrize("sigmas", [0, 1, 1e4, math.nan, [4, 4]])
def test_standard_errors_are_counted_within_reason(sigmas):
    estimate = sample_mean(np.arange(200.0))
    kind = TypeError if isinstance(sigmas, list) else ValueError
    with pytest.raises(kind, match="^sigmas: .*; it should be"):
        estimate.agrees_with(99.5, to=1e3, sigmas=sigmas)
    with pytest.raises(kind, match="^sigmas: .*; it should be"):
        estimate.rules_out(1e6, sigmas=sigmas)


def test_a_theory_of_another_shape_is_refused():
    estimate = sample_mean(np.arange(600.0).reshape(3, 200))
    with pytest.raises(ValueError, match="theory"):
        estimate.agrees_with([[1], [2], [3]], to=1e3)
    with pytest.raises(ValueError, match="theory"):
        sample_mean(np.arange(200.0)).rules_out([1e6, 2e6])


@pytest.mark.parametrize(
    "samples",
    [
        np.array([1, 1j] * 100),
        np.ma.masked_less(np.arange(200.0), 5),
        ["a", "b"],
        [None, 1.0],
        [{}, {}],
    ],
    ids=["complex", "masked", "words", "nothing", "dicts"],
)
def test_samples_are_plain_real_numbers(samples):
    with pytest.raises(TypeError, match="^samples: .*should be real numbers"):
        sample_mean(samples)
    with pytest.raises(TypeError, match="^value: .*should be real numbers"):
        close_to(samples, 1.0, to=1.0)


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (
            ([1.0, 2.0], [1.0, 2.0, 3.0]),
            ValueError,
            r"reference: shape \(3,\)",
        ),
        (([[1.0], [1.0, 2.0]], 1.0), ValueError, "value: its rows differ"),
        ((1.0, "one"), TypeError, "reference: 'one'"),
        ((sp.Symbol("x"), 1.0), TypeError, "value: x; it should be real"),
        ((1.0, sp.I), TypeError, "reference: I; it should be real"),
        ((10**400, 1.0), ValueError, "value: 1000.*; it should be numbers t"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments, kind, words):
    with pytest.raises(kind, match=f"^{words}"):
        close_to(*arguments, to=1.0)


@pytest.mark.parametrize(
    ("axis", "kind"), [(5, ValueError), (-3, ValueError), (0.5, TypeError)]
)
def test_an_axis_that_is_none_is_refused(axis, kind):
    with pytest.raises(kind, match=f"^axis: {axis}; "):
        sample_mean(np.ones((3, 4)), axis=axis)


def test_exact_numbers_are_numbers():
    assert "Computed" in repr(close_to([sp.Rational(1, 3)], 1 / 3, to=1e-15))


@pytest.mark.parametrize("estimate", [sample_mean, sample_variance])
@pytest.mark.parametrize(
    ("samples", "words"),
    [
        ([1.0, math.nan, 2.0], "NaN or infinite"),
        ([1.0, math.inf, 2.0], "NaN or infinite"),
        ([1.0], "needs two"),
        ([], "needs two"),
        (np.ones((5, 1)), "needs two"),
        ([1e308, 1e308, -1e308], "^samples: 1e\\+308 in size; .* at most 1e"),
    ],
)
def test_samples_that_are_none_are_refused(estimate, samples, words):
    with pytest.raises(ValueError, match=words):
        estimate(samples)


@given(seed=st.integers(0, 2**20))
@settings(max_examples=20, deadline=None)
def test_a_sample_tells_n_from_its_neighbour_or_says_that_it_cannot(seed):
    drawn = np.random.default_rng(seed).standard_normal((2, 20_000, 3))
    squares = drawn**2
    lengths = sample_mean(
        [s[:, :n].sum(1) for s, n in zip(squares, (2, 3), strict=True)]
    )
    n = np.array([2, 3])
    assert lengths.agrees_with(n, to=0.2, rather_than=n + 1, sigmas=6)
    few = sample_mean(squares[0, :1_000, :2].sum(1))
    with pytest.raises(SampleTooSmall, match="2.05 is only .* not tell 2"):
        few.agrees_with(2, to=2, sigmas=6, rather_than=2.05)


@pytest.mark.parametrize("theory", [math.nan, math.inf])
def test_a_theory_that_is_no_number_agrees_with_nothing(theory):
    estimate = sample_mean(np.arange(100.0))
    with pytest.raises(Disagreement):
        estimate.agrees_with(theory, to=1e3)
    with pytest.raises(Disagreement):
        estimate.rules_out(theory)


def test_many_estimates_are_checked_one_by_one():
    samples = np.random.default_rng(5).standard_normal((3, 1_000))
    samples[1] += 1
    sample_mean(samples).agrees_with([0, 1, 0], to=0.2)
    with pytest.raises(Disagreement):
        sample_mean(samples).agrees_with(0, to=0.2)


def test_axis_says_where_the_samples_are():
    samples = np.random.default_rng(6).standard_normal((500, 3))
    by_axis = sample_variance(samples, axis=0)
    assert by_axis.size == 500
    np.testing.assert_allclose(by_axis.value, samples.var(axis=0, ddof=1))


def test_an_estimate_shows_value_error_and_size():
    estimate = sample_mean(np.tile([1.0, 3.0], 5_000))
    assert repr(estimate) == "mean: 2.000 ± 0.010 (10,000 samples)"


def test_an_integral_is_proved_on_a_domain():
    integral = sp.Integral(y**2, (y, 0, a))
    prove(Eq(integral, a**3 / 3), where={a: Interval(0, 1)})
    with pytest.raises((FalseClaim, Undecided)):
        prove(Eq(integral, a**3 / 2), where={a: Interval(0, 1)})


def test_a_verdict_is_one_line_and_what_it_rests_on():
    estimate = sample_mean(np.tile([1.0, 3.0], 5_000))
    shown = {
        prove(Eq(a, a)): "Proved ✓",
        close_to(2.6234, 2.62, to=0.005): "Computed ✓ 2.62, to within 0.005",
        close_to([1, 2], [1, 2], to=0.1): "Computed ✓ 2 values, to within 0.1",
        estimate.agrees_with(2, to=0.05): "Measured ✓ 2.000 ± 0.010",
        estimate.rules_out(1): "Measured ✓ 2.000 ± 0.010, not 1",
    }
    for verdict, line in shown.items():
        assert repr(verdict).splitlines()[0] == line
        assert verdict._repr_markdown_().startswith(f"**{line}**")


def test_a_list_of_measurements_is_a_table():
    estimate = sample_mean(np.tile([[1.0, 3.0], [2.0, 6.0]], 5_000))
    verdict = estimate.agrees_with([2, 4], to=0.1)
    assert verdict.line == "Measured ✓ 2 values"
    assert "| 4.000 ± 0.020 | 4 | 0.0 |" in verdict.markdown
    assert "4.000 ± 0.020; claimed 4, 0.0" in verdict.text
    assert str(estimate).startswith("mean: 2.000 ± 0.010; 4.000 ± 0.020")
