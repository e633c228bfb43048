"""Decisions: whether a relation holds, by algebra; or is false, by numbers."""

import functools

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.polys.polyerrors import BasePolynomialError


def holds(relation):
    """Whether exact algebra shows a scalar relation."""
    if relation.has(sp.nan, sp.zoo, sp.AccumBounds):
        return False
    ordered = not isinstance(relation, sp.Eq)
    if ordered and not (
        relation.lhs.is_extended_real and relation.rhs.is_extended_real
    ):
        return False
    difference = relation.lhs - relation.rhs
    if isinstance(relation, sp.Eq):
        if relation.lhs == relation.rhs:  # infinity - infinity is not 0
            return True
        return any(form == 0 for form in _rewritings(difference))
    if isinstance(relation, sp.Le | sp.Lt):
        difference = -difference
    strict = isinstance(relation, sp.Gt | sp.Lt)
    sign = "is_positive" if strict else "is_nonnegative"
    by_sign = any(getattr(form, sign) for form in _rewritings(difference))
    return by_sign or _positive_by_sturm(difference, strict)


# Forms of an expression that are equal to it by exact algebra.
FORMS = (
    sp.expand,
    sp.factor,
    lambda e: _over_one_denominator(e),
    lambda e: sp.powsimp(sp.expand(e, func=True)),
    lambda e: sp.expand(e.rewrite(sp.exp)),
    sp.gammasimp,
)
# And some that are then simplified, which is slow.
TO_SIMPLIFY = (
    lambda e: e,
    lambda e: _without_exponential_of_lambert_w(e),
    sp.expand_func,
    lambda e: e.rewrite(sp.exp),  # tanh and the sigmoid
    lambda e: e.as_dummy(),  # sums over different indices
)


def _rewritings(expression):
    """Yield the expression in forms that are equal by exact algebra."""
    yield expression
    yield from _tried(FORMS, expression)
    simplified = set()
    for form in _tried(TO_SIMPLIFY, expression):
        if form not in simplified:
            simplified.add(form)
            yield from _tried([sp.simplify], form)


def _tried(steps, expression):
    """Yield what each step makes of the expression, where it does."""
    for step in steps:
        try:
            yield step(expression)
        except (BasePolynomialError, NotImplementedError, RecursionError):
            continue


def _over_one_denominator(expression):
    numerator, denominator = sp.fraction(sp.together(expression))
    return sp.expand(numerator) / denominator


def _without_exponential_of_lambert_w(expression):
    """Use W(x) e^W(x) = x, the definition of W, which SymPy leaves alone."""

    def rewrite(exponent):
        kept, factor = [], sp.Integer(1)
        for term in sp.Add.make_args(sp.expand(exponent)):
            count, rest = term.as_coeff_Mul()
            if isinstance(rest, sp.LambertW) and count.is_Integer:
                factor *= (rest.args[0] / rest) ** count
            else:
                kept.append(term)
        return factor * sp.exp(sp.Add(*kept))

    return expression.replace(sp.exp, rewrite)


def _positive_by_sturm(expression, strict):
    """Whether a rational function of one real symbol keeps its sign."""
    numerator, denominator = sp.fraction(sp.together(expression))
    symbols = expression.free_symbols
    if len(symbols) != 1 or not next(iter(symbols)).is_extended_real:
        return False
    symbol = symbols.pop()
    try:
        # the product has the sign of the quotient
        polynomial = sp.Poly(numerator * denominator, symbol, domain="QQ")
    except BasePolynomialError:
        return False
    if polynomial.is_zero:
        return not strict
    if symbol.is_negative or symbol.is_nonpositive:
        polynomial = polynomial.compose(sp.Poly(-symbol, symbol))
    half_line = bool(symbol.is_nonnegative or symbol.is_nonpositive)
    lower, inside = (0, 1) if half_line else (None, 0)
    open_at_zero = bool(symbol.is_nonzero)
    for factor, multiplicity in polynomial.factor_list()[1]:
        at_zero = half_line and factor.eval(0) == 0
        roots = factor.count_roots(lower, None) - at_zero
        if roots and (strict or multiplicity % 2):
            return False
        if at_zero and strict and not open_at_zero:
            return False
    while polynomial.eval(inside) == 0:
        inside += 1
    return bool(polynomial.eval(inside) > 0)


def is_false(relation):
    """Whether a relation between numbers is certainly false."""
    if relation.has(sp.AccumBounds):
        return False
    infinite = [side.is_infinite for side in (relation.lhs, relation.rhs)]
    if isinstance(relation, sp.Eq) and True in infinite and False in infinite:
        return True
    try:
        if isinstance(relation, sp.Eq) and _agree(relation):
            return False
        # strict: a number that is not sure in every digit raises
        gap = sp.N(relation.lhs - relation.rhs, 15, strict=True)
    except (ArithmeticError, NotImplementedError, TypeError, ValueError):
        return False
    if not gap.is_number or not gap.is_finite:
        return False
    if isinstance(relation, sp.Eq):
        return bool(gap != 0)
    if not gap.is_real:
        return False
    if isinstance(relation, sp.Ge | sp.Gt):
        gap = -gap
    strict = isinstance(relation, sp.Gt | sp.Lt)
    return bool(gap >= 0 if strict else gap > 0)


# What has no meaning before it is evaluated, or one of its own.
EVALUATED = (sp.Integral, sp.Limit, sp.Sum, sp.Product, sp.Derivative)
EVALUATED += (sp.Subs, sp.Indexed, AppliedUndef)
DIGITS = 30  # with which numbers are tried, and agree in two thirds of them


def in_numbers(relation, symbols):
    """Return a function of a point: whether a relation clearly holds there.

    None for one that has to be evaluated first. Where it says no, a side may
    be undefined, or the two may be too near to be told apart.
    """
    if relation.has(*EVALUATED):
        return None
    sides = sp.lambdify(symbols, [relation.lhs, relation.rhs], "mpmath")

    def clearly_holds(point):
        with mpmath.workdps(DIGITS):
            try:
                values = [
                    mpmath.mpmathify(point[symbol]) for symbol in symbols
                ]
                left, right = map(mpmath.mpmathify, sides(*values))
                gap = left - right
                size = max(1, abs(left), abs(right))
                near = size / 10 ** (2 * DIGITS // 3)
                if isinstance(relation, sp.Eq):
                    return abs(gap) <= near
                if isinstance(relation, sp.Le | sp.Lt):
                    gap = -gap
                return mpmath.im(gap) == 0 and mpmath.re(gap) > near
            except (ArithmeticError, NameError, TypeError, ValueError):
                return False

    return clearly_holds


def _agree(relation):
    """Whether the sides are the same in 36 digits, which is soon seen.

    Their difference would be sought to a hundred digits, in vain.
    """
    if relation.has(sp.Integral, sp.Sum, sp.Limit):
        return False
    left, right = sp.N(relation.lhs, 40), sp.N(relation.rhs, 40)
    return bool(abs(left - right) <= abs(left) / 10**36)


# a value off the whole numbers, at which special functions degenerate
FAR = sp.Rational(4, 3)


def with_dummy(limit):
    """The limit in a variable that no symbol outside it shares."""
    expression, variable, *rest = limit.args
    dummy = sp.Dummy(variable.name, **variable.assumptions0)
    return sp.Limit(expression.xreplace({variable: dummy}), dummy, *rest)


@functools.cache
def done(integral):
    """Return what SymPy makes of an integral, which takes it long."""
    return integral.doit()


def confirmed(relation, point):
    """Whether numbers confirm what SymPy makes of integrals and limits."""
    for term in relation.atoms(sp.Integral, sp.Limit):
        # what an operation outside the term binds may have any value
        bound = term.free_symbols - point.keys()
        values = {s: sp.Integer(2) if s.is_integer else FAR for s in bound}
        if isinstance(term, sp.Limit):
            term = with_dummy(term)
        term = term.subs(point | values)
        check = (
            _integral_confirmed
            if isinstance(term, sp.Integral)
            else _limit_confirmed
        )
        if not check(term):
            return False
    return True


def _integral_confirmed(integral):
    """Whether quadrature gives an integral the value that SymPy gives it."""
    try:
        value = done(integral)
        if value.has(sp.Integral):
            return True  # SymPy gives none: the claim will stay undecided
        by_quadrature, value = complex(sp.N(integral, 9)), complex(value)
    except (ArithmeticError, NotImplementedError, TypeError, ValueError):
        return False
    return abs(by_quadrature - value) <= 1e-6 * max(1, abs(value))


def _limit_confirmed(limit):
    """Whether an expression comes nearer to its limit, as SymPy has it."""
    expression, variable, target, direction = limit.args
    steps = [sp.Integer(10) ** power for power in (2, 4, 8)]
    if target.is_infinite:
        points = [sp.sign(target) * step for step in steps]
    else:
        side = -1 if str(direction) == "-" else 1
        points = [target + side / step for step in steps]
    try:
        value = limit.doit()
        if value.has(sp.Limit):
            return True  # SymPy gives none: the claim will stay undecided
        expression = expression.doit()
        # put in as a number of 40 digits: an exact power would be as long
        numbers = [expression.evalf(40, subs={variable: x}) for x in points]
        if value.is_infinite:
            sizes = [sp.sign(value) * number for number in numbers]
            return bool(0 < sizes[0] < sizes[1] < sizes[2])
        gaps = [abs(number - value) for number in numbers]
        shrinks = gaps[1] < 0.9 * gaps[0] and gaps[2] < 0.9 * gaps[1]
        return bool(gaps[2] < 1e-6 or shrinks)
    except (ArithmeticError, NotImplementedError, TypeError, ValueError):
        return False
