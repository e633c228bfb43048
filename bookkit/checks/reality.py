"""Whether what a claim speaks of is real wherever it says that it holds."""

import random
from contextlib import suppress
from itertools import product
from math import prod

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.polys.polyerrors import BasePolynomialError

from bookkit.checks.domains import assumed_reals, contains, fits_assumptions
from bookkit.checks.verdicts import FalseClaim

# SymPy's functions that are not real at every real number.
PARTIAL = (sp.log, sp.LambertW, sp.acos, sp.asin, sp.acosh, sp.atanh)
HALF = sp.Rational(1, 2)
NEAR = sp.Rational(1, 1000)
MOST_POINTS = 400


def check_real(claim, expressions, where):
    """Raise if a root, a logarithm or the like is not real in the domain.

    Or if it divides by 0 there, where one symbol decides that. A claim that
    has complex symbols, or the imaginary unit, is about complex numbers and
    may do either.

    Parameters
    ----------
    claim : relation, to be named in the message.
    expressions : {name of a side: expression}.
    where : {symbol: set}, as in `prove`.
    """
    symbols = set().union(*(e.free_symbols for e in expressions.values()))
    if any(e.has(sp.I) for e in expressions.values()) or not all(
        symbol.is_extended_real for symbol in symbols
    ):
        return
    for name, expression in expressions.items():
        for term in dict.fromkeys(_perhaps_unreal(expression, set())):
            point = _where_unreal(term, where) or _where_infinite(term, where)
            if point:
                at = ", ".join(f"{k} = {v}" for k, v in point.items())
                raise FalseClaim(
                    f"{claim} says nothing at {at or 'any point'}: there "
                    f"{term}, on its {name}, is not real"
                )


def _perhaps_unreal(expression, bound):
    """Yield terms that could be unreal, with no symbol that is bound."""
    if isinstance(expression, sp.Subs):
        inner, variables, values = expression.args
        for value in values:
            yield from _perhaps_unreal(value, bound)
        yield from _perhaps_unreal(inner, bound | {*variables})
        return
    if isinstance(expression, sp.Sum | sp.Product | sp.Integral | sp.Limit):
        names = expression.atoms(sp.Symbol) - expression.free_symbols
        bound = bound | names
    power = isinstance(expression, sp.Pow)
    partial = isinstance(expression, PARTIAL) or (
        power and not expression.exp.is_integer
    )
    unsure = partial and not expression.is_extended_real
    unsure |= power and _divides(expression) and not expression.base.is_nonzero
    known = not expression.free_symbols & bound
    if unsure and known and not expression.has(sp.Indexed, AppliedUndef):
        yield expression
    for argument in expression.args:
        yield from _perhaps_unreal(argument, bound)


def _where_unreal(term, where):
    """A point of the domain at which a term is not real, or None."""
    symbols = sorted(term.free_symbols, key=str)
    values = [_edges_of(symbol, where.get(symbol)) for symbol in symbols]
    points = product(*values)
    if prod(map(len, values)) > MOST_POINTS:
        rng = random.Random(0)
        points = (map(rng.choice, values) for _ in range(MOST_POINTS))
    for chosen in points:
        point = dict(zip(symbols, chosen, strict=True))
        try:
            value = sp.N(term.xreplace(point), 15, strict=True)
        except (ArithmeticError, NotImplementedError, TypeError, ValueError):
            continue  # its digits are not sure
        if value.is_number and value.is_finite and not value.is_extended_real:
            return point
    return None


def _divides(power):
    return bool(power.exp.is_extended_negative)


def _where_infinite(term, where):
    """A point of the domain at which a term divides by 0, or None.

    Of terms in one symbol only; at a root of what it divides by, if that is
    a polynomial, and at the ends of the domain.
    """
    symbols = term.free_symbols
    if not (isinstance(term, sp.Pow) and _divides(term) and len(symbols) == 1):
        return None
    (symbol,) = symbols
    domain = where.get(symbol, assumed_reals(symbol))
    values = [domain.inf, domain.sup]
    with suppress(BasePolynomialError):
        values += sp.roots(sp.Poly(term.base, symbol))
    for value in values:
        inside = contains(domain, value) and fits_assumptions(symbol, value)
        if inside and term.base.xreplace({symbol: value}).is_zero:
            return {symbol: value}
    return None


def _edges_of(symbol, domain):
    """Some values of a symbol, at the ends of its domain and near them."""
    if domain is None:
        domain = assumed_reals(symbol)
    lower, upper = domain.inf, domain.sup
    if symbol.is_integer:
        first = lower if lower.is_finite else sp.Integer(-2)
        values = [first + i for i in (0, 1, 2, 1000)] + [upper]
    else:
        ends = [end for end in (lower, upper) if end.is_finite]
        width = upper - lower if len(ends) == 2 else sp.Integer(1)
        values = [*ends, lower + width * NEAR, upper - width * NEAR]
        values += [lower + width / 2, upper - width / 2]
        values += [s * x for x in (NEAR, HALF, 2, 1 / NEAR) for s in (1, -1)]
    values = dict.fromkeys(map(sp.sympify, values))
    return [
        v
        for v in values
        if v.is_finite and contains(domain, v) and fits_assumptions(symbol, v)
    ]
