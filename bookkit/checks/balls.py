"""SymPy's expressions in ball arithmetic: numbers with a proven error.

`ball(expression, values)` contains every value that the expression has for
values in the balls of its symbols (Arb, by python-flint, which rounds
outwards). What is not defined there is a ball that is not finite.
"""

from fractions import Fraction
from functools import lru_cache, reduce
from operator import add, mul

import sympy as sp

BITS = 100
GOAL = 2.0**-30  # of integrals: what decides signs, at little cost
EFFORT = 2_000  # evaluations
CONSTANTS = {sp.pi: "pi", sp.E: "const_e", sp.EulerGamma: "const_euler"}
# Rising wherever they are real: the values at both ends are the whole range.
RISING = {
    sp.exp: "exp",
    sp.sinh: "sinh",
    sp.tanh: "tanh",
    sp.asinh: "asinh",
    sp.atan: "atan",
    sp.erf: "erf",
    sp.erfi: "erfi",
    sp.log: "log",
    sp.LambertW: "lambertw",
}
MEROMORPHIC = {
    sp.sin: "sin",
    sp.cos: "cos",
    sp.tan: "tan",
    sp.cot: "cot",
    sp.cosh: "cosh",
    sp.coth: "coth",
    sp.sech: "sech",
    sp.csch: "csch",
    sp.erfc: "erfc",
    sp.gamma: "gamma",
    sp.digamma: "digamma",
}
REAL_ONLY = {sp.loggamma: "lgamma", sp.asin: "asin", sp.acos: "acos"}
CUT = (sp.log, sp.LambertW, sp.asinh, sp.atan)  # not analytic everywhere


def arb(number):
    """Return the ball of a number, or of the text of one.

    A decimal in quotation marks is that decimal, a float what it stores.
    """
    import flint

    if isinstance(number, flint.arb):
        return number
    if isinstance(number, int | float):
        return flint.arb(number)
    if isinstance(number, Fraction):
        return flint.arb(flint.fmpq(number.numerator, number.denominator))
    return ball(sp.sympify(number, rational=True), {})


def hull(lower, upper):
    """Return the ball from one number or ball to another."""
    return arb(lower).union(arb(upper))


def normal_mean(function, bound, reach=12):
    """Return the mean of a function of a standard normal number, as a ball.

    Parameters
    ----------
    function : takes a complex ball (`flint.acb`), and is analytic near the
        real line: made of + - * /, exp, tanh, erf and the like.
    bound : what its size cannot exceed on the real line beyond `reach`.
    reach : how far the integral goes; what lies beyond, at most `bound` times
        its probability, is added as an error.
    """
    import flint

    one = flint.acb(1)
    root = (2 * flint.acb.pi()).sqrt()
    inside = flint.acb.integral(
        lambda z, _: function(z) * (-z * z / 2 * one).exp() / root,
        -reach,
        reach,
        rel_tol=GOAL,
        abs_tol=GOAL,
    ).real
    tail = (arb(reach) / arb(2).sqrt()).erfc() * arb(bound)
    return inside + tail.union(-tail)


def ball(expression, values, analytic=False):
    """Return a ball that contains an expression's values.

    Parameters
    ----------
    expression : of SymPy: sums, products, powers, the functions above,
        `Abs`, `Max`, `Min`, sums and products over given numbers, integrals
        over finite intervals.
    values : {symbol: ball}; real, or complex inside an integral.
    analytic : whether a ball where it is not analytic must not be finite.

    Raises
    ------
    TypeError : an operation has no such form here.
    """
    return _program(expression)(values, analytic)


@lru_cache(maxsize=10_000)
def _program(expression):
    """What computes an expression: a function of values and of `analytic`."""
    import flint

    kind, parts = type(expression), expression.args
    if expression.is_Symbol:
        return lambda values, _: values[expression]
    if expression.is_Rational:
        quotient = flint.fmpq(int(expression.p), int(expression.q))
        return lambda *_: flint.arb(quotient)
    if expression in CONSTANTS:
        return lambda *_: getattr(flint.arb, CONSTANTS[expression])()
    if expression.is_Pow:
        return _power(expression)
    if kind in (sp.Sum, sp.Product):
        return _series(expression)
    if kind is sp.Integral:
        return _integral(expression)
    inner = [_program(part) for part in parts]
    if expression.is_Add:
        return lambda *given: reduce(add, [of(*given) for of in inner])
    if expression.is_Mul:
        return lambda *given: reduce(mul, [of(*given) for of in inner])
    if kind in (sp.Abs, sp.Max, sp.Min):
        return lambda *given: _extreme(kind, [of(*given) for of in inner])
    # not another branch of W, or a logarithm of another base
    if len(inner) == 1 and kind in RISING | MEROMORPHIC | REAL_ONLY:
        return lambda *given: _function(kind, inner[0](*given), given[1])
    raise TypeError(f"claim: no ball arithmetic for {expression}")


def _function(kind, value, analytic):
    import flint

    if not isinstance(value, flint.arb):
        if kind is sp.log:
            return value.log(analytic=analytic)
        if kind in (*REAL_ONLY, *CUT):
            raise TypeError(f"claim: {kind} stands in an integral")
    elif kind in RISING and value.is_finite():
        ends = value.lower(), value.upper()
        return hull(*(getattr(end, RISING[kind])() for end in ends))
    return getattr(value, (RISING | MEROMORPHIC | REAL_ONLY)[kind])()


def _power(expression):
    base, exponent = map(_program, expression.args)
    if expression.exp.is_Integer:
        times = int(expression.exp)
        return lambda *given: _whole_power(base(*given), times)

    def power(*given):
        import flint

        value = base(*given)
        if not isinstance(value, flint.arb):
            return value.pow(exponent(*given), analytic=given[1])
        if abs(expression.exp) == sp.Rational(1, 2):
            root = hull(value.lower().sqrt(), value.upper().sqrt())
            return root if expression.exp > 0 else 1 / root
        return (value.log() * exponent(*given)).exp()

    return power


def _whole_power(base, exponent):
    import flint

    if exponent < 0:
        return 1 / _whole_power(base, -exponent)
    if exponent > 1 and isinstance(base, flint.arb) and base.is_finite():
        ends = [_times(end, exponent) for end in (base.lower(), base.upper())]
        through = [0] * (exponent % 2 == 0 and base.contains(0))
        return reduce(hull, ends + through)
    return _times(base, exponent)


def _times(factor, count):
    """A product of equal factors, by halves."""
    if count < 2:
        return factor if count else factor * 0 + 1
    half = _times(factor, count // 2)
    return half * half * factor if count % 2 else half * half


def _extreme(kind, values):
    import flint

    if not all(isinstance(value, flint.arb) for value in values):
        raise TypeError(f"claim: {kind} stands in an integral")
    if kind is sp.Abs:
        values = [values[0], -values[0]]
    join = flint.arb.min if kind is sp.Min else flint.arb.max
    return reduce(join, values)


def _series(expression):
    index, lower, upper = expression.limits[0]
    if len(expression.limits) > 1 or not (
        lower.is_Integer and upper.is_Integer
    ):
        raise TypeError(f"claim: {expression} does not run over given numbers")
    term = _program(expression.function)
    join, start = (add, 0) if isinstance(expression, sp.Sum) else (mul, 1)

    def series(values, analytic):
        numbers = range(int(lower), int(upper) + 1)
        terms = (term(values | {index: arb(k)}, analytic) for k in numbers)
        return reduce(join, terms, arb(start))

    return series


def _integral(expression):
    """The integral over 0 to 1 of the same in t = lower + (upper - lower) u.

    Its ends may be balls; the variable never is.
    """
    import flint

    limits = expression.limits[0]
    if len(expression.limits) > 1 or len(limits) != 3:
        raise TypeError(f"claim: {expression} is not over one interval")
    if not all(end.is_finite for end in limits[1:]):
        raise TypeError(
            f"claim: {expression} is over an infinite interval; give "
            "holds_on a function of balls, such as normal_mean makes"
        )
    function, lower, upper = map(_program, (expression.function, *limits[1:]))

    def integral(values, _):
        start = lower(values, False)
        width = upper(values, False) - start
        inner = {k: flint.acb(v) for k, v in values.items()}

        def integrand(u, analytic):
            here = inner | {limits[0]: start + width * u}
            return flint.acb(function(here, analytic))

        # no sharper than the values of the symbols allow
        goal = max([GOAL, *(float(v.rad()) / 8 for v in inner.values())])
        found = flint.acb.integral(
            integrand, 0, 1, rel_tol=GOAL, abs_tol=goal, eval_limit=EFFORT
        )
        return width * found.real

    return integral
