"""SymPy's expressions in ball arithmetic: numbers with a proven error.

`ball(expression, values)` contains every value that the expression has for
values in the balls of its symbols (Arb, by python-flint, which rounds
outwards). What is not defined there is a ball that is not finite.
"""

from fractions import Fraction
from functools import reduce
from operator import mul

import sympy as sp

BITS = 100
GOAL = 2.0**-30  # of integrals: what decides signs, at little cost
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
    import flint

    def of(part):
        return ball(part, values, analytic)

    if expression in values:
        return values[expression]
    if expression.is_Rational:
        return flint.arb(flint.fmpq(int(expression.p), int(expression.q)))
    if expression in CONSTANTS:
        return getattr(flint.arb, CONSTANTS[expression])()
    kind = type(expression)
    if expression.is_Add:
        return sum(map(of, expression.args[1:]), of(expression.args[0]))
    if expression.is_Mul:
        return reduce(mul, map(of, expression.args))
    if expression.is_Pow:
        return _power(of(expression.base), expression.exp, of, analytic)
    if kind in RISING or kind in MEROMORPHIC or kind in REAL_ONLY:
        return _function(
            kind, [of(part) for part in expression.args], analytic
        )
    if kind in (sp.Abs, sp.Max, sp.Min):
        return _extreme(kind, [of(part) for part in expression.args])
    if kind in (sp.Sum, sp.Product):
        return _series(expression, values, analytic)
    if kind is sp.Integral:
        return _integral(expression, values)
    raise TypeError(f"claim: no ball arithmetic for {expression}")


def _is_real(value):
    import flint

    return isinstance(value, flint.arb)


def _function(kind, arguments, analytic):
    value, *rest = arguments
    name = (RISING | MEROMORPHIC | REAL_ONLY)[kind]
    if rest:  # another branch of W, or a logarithm of another base
        raise TypeError(f"claim: no ball arithmetic for {kind} of two numbers")
    if not _is_real(value):
        if kind in REAL_ONLY or (kind in CUT and kind is not sp.log):
            raise TypeError(f"claim: {kind} stands in an integral")
        if kind is sp.log:
            return value.log(analytic=analytic)
        return getattr(value, name)()
    if kind in RISING and value.is_finite():
        lower, upper = value.lower(), value.upper()
        return getattr(lower, name)().union(getattr(upper, name)())
    return getattr(value, name)()


def _power(base, exponent, of, analytic):
    if exponent.is_Integer:
        return _whole_power(base, int(exponent))
    if _is_real(base):
        half = sp.Rational(1, 2)
        if abs(exponent) == half:
            lower, upper = base.lower().sqrt(), base.upper().sqrt()
            root = lower.union(upper)
            return root if exponent > 0 else 1 / root
        return (base.log() * of(exponent)).exp()
    return base.pow(of(exponent), analytic=analytic)


def _whole_power(base, exponent):
    if exponent < 0:
        return 1 / _whole_power(base, -exponent)
    if _is_real(base) and base.is_finite() and exponent > 1:
        lower, upper = base.lower(), base.upper()
        ends = [_product([end] * exponent) for end in (lower, upper)]
        range_ = ends[0].union(ends[1])
        if exponent % 2 == 0 and base.contains(0):
            return range_.union(0 * base.mid())
        return range_
    return _product([base] * exponent) if exponent else base * 0 + 1


def _product(factors):
    """The product, by halves: a power takes few multiplications."""
    if len(factors) == 1:
        return factors[0]
    half = _product(factors[: len(factors) // 2])
    if len(factors) % 2:
        return half * half * factors[0]
    return half * half


def _extreme(kind, values):
    if not all(map(_is_real, values)):
        raise TypeError(f"claim: {kind} stands in an integral")
    if kind is sp.Abs:
        values = [values[0], -values[0]]
    join = "min" if kind is sp.Min else "max"
    return reduce(lambda x, y: getattr(x, join)(y), values)


def _series(expression, values, analytic):
    if len(expression.limits) > 1:
        raise TypeError(f"claim: {expression} has more than one index")
    index, lower, upper = expression.limits[0]
    if not (lower.is_Integer and upper.is_Integer):
        raise TypeError(f"claim: {expression} does not run over given numbers")
    terms = [
        ball(expression.function, values | {index: arb(k)}, analytic)
        for k in range(int(lower), int(upper) + 1)
    ]
    add = isinstance(expression, sp.Sum)
    start = arb(0 if add else 1)
    return sum(terms, start) if add else reduce(mul, terms, start)


def _integral(expression, values):
    """The integral over 0 to 1 of the same in t = lower + (upper - lower) u.

    Its ends may be balls; the variable never is.
    """
    import flint

    if len(expression.limits) > 1 or len(expression.limits[0]) != 3:
        raise TypeError(f"claim: {expression} is not over one interval")
    variable, lower, upper = expression.limits[0]
    if not (lower.is_finite and upper.is_finite):
        raise TypeError(
            f"claim: {expression} is over an infinite interval; give "
            "holds_on a function of balls, such as normal_mean makes"
        )
    start = ball(lower, values)
    width = ball(upper, values) - start
    inner = {k: flint.acb(v) for k, v in values.items()}

    def integrand(u, analytic):
        here = inner | {variable: start + width * u}
        return flint.acb(ball(expression.function, here, analytic))

    # no sharper than the values of the symbols allow
    goal = max([GOAL, *(float(v.rad()) / 512 for v in inner.values())])
    found = flint.acb.integral(integrand, 0, 1, rel_tol=GOAL, abs_tol=goal)
    return width * found.real
