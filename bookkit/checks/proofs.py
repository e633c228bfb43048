"""The symbolic verbs: `prove` and `refute`."""

import random
from functools import partial
from itertools import product

import sympy as sp

from bookkit.checks.decisions import (
    FAR,
    confirmed,
    done,
    holds,
    in_numbers,
    is_false,
    with_dummy,
)
from bookkit.checks.domains import (
    check_domains,
    check_exact,
    check_witness,
    contains,
    domain_of,
    pieces_of,
    sequence_names,
    some_value,
    unknowns_of,
)
from bookkit.checks.reality import check_real
from bookkit.checks.verdicts import (
    FalseClaim,
    NotRefuted,
    Undecided,
    Verdict,
)

Eq = partial(sp.Eq, evaluate=False)


Ge = partial(sp.Ge, evaluate=False)


Gt = partial(sp.Gt, evaluate=False)


Le = partial(sp.Le, evaluate=False)


Lt = partial(sp.Lt, evaluate=False)


def prove(claim, where=None, given=(), real=()):
    """Prove a relation for all values of its symbols, or raise.

    Parameters
    ----------
    claim : Eq, Ge, Gt, Le or Lt of this module. The sides are SymPy
        expressions, or explicit matrices of one shape (entry by entry).
        Unevaluated sums, integrals, derivatives and limits are shown as
        written and then evaluated.
    where : {symbol: set}, optional. Narrows a real symbol to an Interval,
        or an integer symbol to a Range, beyond its assumptions.
    given : premises, optional, each substituted from left to right and shown
        with the claim. `Eq(symbol, value)` fixes a symbol;
        `Eq(function(...), expression)` is a definition or known identity.
    real : expressions, optional, that must be real in the whole domain as
        both sides must. SymPy takes the square of a root, or the exponential
        of a logarithm, before the claim is seen: what stood under them is
        asked about here.

    Returns
    -------
    Verdict
        The claim with its domain and its premises. It holds wherever in the
        domain both sides are defined. Where a limit, an integral or an
        infinite sum has parameters, SymPy evaluates it for generic values
        of them; the verdict says so.

    Raises
    ------
    FalseClaim : at a point of the domain the claim is false; or, if it is
        about real numbers, a root, logarithm or Lambert W of it is not real.
    Undecided : the algebra does not reach a decision, or quadrature does not
        confirm the value of an integral.
    TypeError, ValueError : the claim is no such relation, holds a float or
        an undefined number; a symbol has assumptions that the verdict could
        not show; a domain or a premise does not fit.

    The decision is exact. An equation holds when rewriting turns the
    difference of its sides into the number 0. An inequality holds when the
    sign of the difference follows from the signs of the symbols or, for a
    polynomial in one symbol, from counting its roots with Sturm's theorem.
    Numbers only ever decide against a claim.

    Scalar relations, one for each entry of a matrix, are decided in turn:
    1. the premises are put in, and what is written must be real, at the ends
       of the domain, near them, and at some points between;
    2. exact points of the domain are tried as counterexamples, before
       evaluation, in which SymPy may have lost a special case;
    3. sums, integrals, derivatives and limits are evaluated, and the premises
       put in again, for what evaluation brought to light;
    4. algebra decides on each piece of the domain.
    """
    claim = _relation(claim, "claim")
    where = check_domains(claim, where)
    given = _premises(claim, given, where)
    check_real(claim, {"list `real`": sp.Tuple(*real)}, where)
    for part in _scalar_parts(claim):
        part = _relation(_substituted(part, given), "claim with its premises")
        sides = {"left side": part.lhs, "right side": part.rhs}
        check_real(claim, sides, where)
        _search_counterexample(claim, part, where)
        before, part = part, _evaluated(part)
        for case in _cases(_substituted(part, given), where):
            if not holds(case):
                _search_counterexample(claim, before, where, quick=False)
                rest = sp.simplify(case.lhs - case.rhs)
                raise Undecided(
                    f"{claim} was not decided: the difference of its sides "
                    f"was left as {rest}"
                )
    return _shown("Proved", claim, *_conditions(claim, where, given))


def refute(claim, witness, where=None):
    """Show that a near miss is false at a witness, or raise.

    Parameters
    ----------
    claim : a relation as in `prove`.
    witness : {symbol: exact value} for every symbol of the claim, each
        inside its symbol's domain.
    where : {symbol: set}, optional, as in `prove`.

    Returns
    -------
    Verdict
        The near miss, the witness, and the two sides there.

    Raises
    ------
    NotRefuted : the claim is true at the witness.
    Undecided : whether it is could not be told.
    TypeError, ValueError : as in `prove`; or the witness misses a symbol, is
        not exact, or lies outside the domain.
    """
    claim = _relation(claim, "claim")
    where = check_domains(claim, where)
    witness = check_witness(claim, witness, where)
    parts = _scalar_parts(claim)
    true_parts = 0
    for part in parts:
        here = _evaluated(_at_point(part, witness))
        if here.has(sp.Integral) or not confirmed(part, witness):
            continue  # numbers alone decide nothing
        if is_false(here):
            sides = f"${sp.latex(here.lhs)}$ and ${sp.latex(here.rhs)}$"
            at = f"at ${_point_tex(witness)}$ " if witness else ""
            return _shown(
                "Refuted",
                claim,
                f"{at}the sides are {sides}",
                f"at {_point_text(witness)}: {here.lhs} and {here.rhs}",
            )
        true_parts += holds(here)
    if true_parts == len(parts):
        raise NotRefuted(f"{claim} is true at {_point_text(witness)}")
    raise Undecided(f"{claim} was not decided at {_point_text(witness)}")


def _relation(claim, argument):
    """The claim, when it is a relation with exact sides."""
    if isinstance(claim, bool | sp.logic.boolalg.BooleanAtom):
        raise TypeError(
            f"{argument}: SymPy evaluated it to {claim} before it could be "
            "seen; build it with Eq, Ge, Gt, Le or Lt of "
            "bookkit.checks"
        )
    if not isinstance(claim, sp.Eq | sp.Ge | sp.Gt | sp.Le | sp.Lt):
        raise TypeError(
            f"{argument}: {claim!r} is a {type(claim).__name__}, not an "
            "equation or inequality (Eq, Ge, Gt, Le, Lt)"
        )
    for side in (claim.lhs, claim.rhs):
        check_exact(side, argument)
        _plain(side, argument)
    shapes = [
        side.shape if getattr(side, "is_Matrix", False) else ()
        for side in (claim.lhs, claim.rhs)
    ]
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"{argument}: the sides have shapes {shapes[0]} and {shapes[1]}"
        )
    return claim


def _plain(expression, argument):
    """Refuse what the verbs would read otherwise than its author."""
    explicit = isinstance(expression, sp.MatrixBase)
    if expression.has(sp.MatrixSymbol) or (
        isinstance(expression, sp.MatrixExpr) and not explicit
    ):
        raise TypeError(
            f"{argument}: {expression} is not a matrix of entries; "
            "use Matrix, or as_explicit()"
        )
    for term in expression.atoms(sp.Sum, sp.Product):
        for _, lower, upper in term.limits:
            steps = upper - lower + 1
            whole = steps.is_integer or steps.is_infinite
            if not (whole and steps.is_extended_nonnegative):
                raise ValueError(
                    f"{argument}: {term} may run backwards, or in parts of "
                    "steps; give its limits symbols that are integer, and "
                    "positive or nonnegative"
                )
    for term in expression.atoms(sp.Derivative):
        if term.has(sp.Abs, sp.sign, sp.Max, sp.Min, sp.Piecewise, sp.floor):
            raise TypeError(f"{argument}: {term} may not exist everywhere")
    names = [str(unknown) for unknown in unknowns_of(expression)]
    for symbol in unknowns_of(expression):
        domain_of(symbol, argument)
        if names.count(str(symbol)) > 1:
            raise ValueError(
                f"{argument}: two symbols of different assumptions are both "
                f"called {symbol}"
            )


def _premises(claim, given, where):
    """The premises, when each may be put into the claim."""
    if isinstance(given, sp.Basic):
        raise TypeError(
            f"given: {given} stands alone; give a list of premises"
        )
    given = [_relation(premise, "given") for premise in given]
    fixed = set()
    for premise in given:
        lhs, rhs = premise.lhs, premise.rhs
        if not isinstance(premise, sp.Eq) or premise == claim:
            raise ValueError(f"given: {premise} is no premise of {claim}")
        if isinstance(lhs, sp.Symbol):
            _check_fixed(claim, lhs, rhs, fixed, where)
            fixed.add(lhs)
        elif isinstance(lhs, sp.Function):
            _search_counterexample(premise, premise, where)
        else:
            raise TypeError(
                f"given: the left side of {premise} is neither a symbol nor "
                "a function"
            )
    return given


def _check_fixed(claim, symbol, value, fixed, where):
    """Refuse a premise that contradicts the domain, another, or the claim."""
    moving = (sp.Derivative, sp.Limit, sp.Integral, sp.Subs, sp.Sum)
    if any(term.has(symbol) for term in claim.atoms(*moving)):
        raise ValueError(
            f"given: {symbol} stands under a derivative, limit, integral or "
            "sum of the claim, where it is not a fixed value"
        )
    if symbol in fixed or value.has(symbol):
        raise ValueError(f"given: {symbol} is fixed twice, or by itself")
    inside = symbol not in where or contains(where[symbol], value)
    if not inside or not all(
        getattr(value, f"is_{name}") is expected
        for name, expected in symbol.assumptions0.items()
    ):
        raise ValueError(f"given: {value} is outside the domain of {symbol}")


def _scalar_parts(claim):
    """The claim as scalar relations: itself, or one for each matrix entry."""
    if not getattr(claim.lhs, "is_Matrix", False):
        return [claim]
    entries = zip(claim.lhs, claim.rhs, strict=True)
    return [claim.func(a, b, evaluate=False) for a, b in entries]


def _substituted(relation, given):
    """The relation with every premise put in."""
    lhs, rhs = relation.lhs, relation.rhs
    for premise in given:
        lhs = lhs.subs(premise.lhs, premise.rhs)
        rhs = rhs.subs(premise.lhs, premise.rhs)
    return relation.func(lhs, rhs, evaluate=False)


def _without_derivatives(relation):
    """The relation with its derivatives taken."""
    taken = relation.atoms(sp.Derivative, sp.Subs)
    done = {term: term.doit() for term in taken}
    sides = relation.lhs.xreplace(done), relation.rhs.xreplace(done)
    return relation.func(*sides, evaluate=False)


def _at_point(relation, point):
    """The relation at a point; finite sums are written out there."""
    sides = []
    # a derivative is taken before its variable is fixed, a limit after its
    # parameters are: at special values it may be another one
    relation = _without_derivatives(relation)
    for side in (relation.lhs, relation.rhs):
        limits = side.atoms(sp.Limit)
        side = side.xreplace({term: with_dummy(term) for term in limits})
        side = _with_values(side, point)
        taken = side.atoms(sp.Sum, sp.Product, sp.Limit)
        sides.append(
            side.xreplace({term: _written_out(term) for term in taken})
        )
    return relation.func(*sides, evaluate=False)


def _with_values(expression, point):
    """An expression with values for its free symbols and entries."""
    bound = set()
    for term in expression.atoms(sp.Sum, sp.Product, sp.Integral, sp.Limit):
        bound |= term.atoms(sp.Symbol) - term.free_symbols
    moving = expression.has(sp.Derivative, sp.Subs)
    if moving or bound & point.keys():
        return expression.subs(point, simultaneous=True)
    return expression.xreplace(point)  # much faster, but blind to binding


def _written_out(term):
    """A sum or product over a few numbers term by term; else as SymPy does.

    SymPy would look for a closed form first, which takes far longer.
    """
    if not isinstance(term, sp.Sum | sp.Product) or len(term.limits) > 1:
        return term.doit()
    index, lower, upper = term.limits[0]
    if not (lower.is_Integer and upper.is_Integer and upper - lower < 100):
        return term.doit()
    joined = sp.Add if isinstance(term, sp.Sum) else sp.Mul
    inner = term.function.atoms(sp.Sum, sp.Product)
    terms = term.function.xreplace({t: _written_out(t) for t in inner})
    return joined(*(terms.subs(index, k) for k in range(lower, upper + 1)))


def _evaluated(relation):
    """The relation with sums, integrals, derivatives and limits taken."""
    # at a point numbers have asked for the same integrals
    numbers = [t for t in relation.atoms(sp.Integral) if not t.free_symbols]
    sides = relation.lhs, relation.rhs
    try:
        values = {term: done(term) for term in numbers}
        sides = [side.xreplace(values).doit() for side in sides]
    except NotImplementedError as error:
        raise Undecided(f"SymPy cannot evaluate {relation}: {error}") from None
    return relation.func(*sides, evaluate=False)


def _search_counterexample(claim, part, where, quick=True):
    """Raise if the claim is false at one of some points of its domain.

    Exact arithmetic is spared, if it may be quick, where the claim clearly
    holds: as yet nobody knows whether algebra can decide it.
    """
    rng = random.Random(0)
    bases = sequence_names(part)
    symbols = sorted(part.free_symbols - bases, key=str)
    # integrals and limits are slow; elsewhere the edges of signs come first,
    # and more points in a domain, where a claim may be false at a few only
    slow = part.has(sp.Integral, sp.Limit)
    others = [None] * (10 if where else 4)
    tries = [0, FAR, None] if slow else [0, 1, -1, *others]
    taken, tried = _without_derivatives(part), []
    clearly_holds = in_numbers(taken, symbols) if not slow and quick else None
    for first in tries:
        point = {
            symbol: some_value(symbol, where.get(symbol), rng, first)
            for symbol in symbols
        }
        again = point in tried and not part.has(sp.Indexed)
        if again or None in point.values():
            continue
        tried.append(point)
        if clearly_holds and clearly_holds(point):
            continue
        if not confirmed(part, point):
            raise Undecided(
                f"{claim} was not decided: numbers do not confirm SymPy's "
                f"integral or limit at {_point_text(point)}"
            )
        here = _at_point(taken, point)
        entries = sorted(here.atoms(sp.Indexed), key=str)
        values = {entry: some_value(entry, None, rng) for entry in entries}
        here = _evaluated(_at_point(here, values))
        if is_false(here):
            raise FalseClaim(
                f"{claim} is false at {_point_text(point | values)}"
            )


def _cases(relation, where):
    """The relation over each piece of its domain, on unbounded symbols.

    A symbol on an interval becomes a rational function of one that is only
    positive, and each closed end a case of its own; so what is left to
    decide rests on the signs of symbols.
    """
    symbols = [symbol for symbol in where if symbol in relation.free_symbols]
    pieces = [pieces_of(where[symbol], symbol) for symbol in symbols]
    for choice in product(*pieces):
        yield _at_point(relation, dict(zip(symbols, choice, strict=True)))


def _shown(word, claim, conditions, plain):
    tex = sp.latex(claim).replace(r"\\", r"\\[1ex]")  # rows of fractions touch
    markdown = f"$$\n{tex}\n$$\n\n{conditions}".rstrip()
    text = " ".join(str(claim).split())  # a matrix prints on many lines
    return Verdict(
        f"{word} ✓", f"{text}, {plain}" if plain else text, markdown
    )


def _conditions(claim, where, given):
    """The domains, premises and reservations of a proof, in TeX and plain."""
    unknowns = set(unknowns_of(claim)).union(*map(unknowns_of, given))
    domains = [
        domain_of(unknown, "claim", where)
        for unknown in sorted(unknowns, key=str)
    ]
    tex = [f"for all {', '.join(f'${t}$' for t, _ in domains)}"]
    plain = [f"for all {', '.join(p for _, p in domains)}"]
    if not domains:
        tex, plain = [], []
    if given:
        tex.append("given " + ", ".join(f"${sp.latex(g)}$" for g in given))
        plain.append("given " + ", ".join(map(str, given)))
    generic = sorted(_generic(claim), key=str)
    if generic:
        tex.append(
            "evaluated for generic "
            + ", ".join(f"${sp.latex(symbol)}$" for symbol in generic)
        )
        plain.append("evaluated for generic " + ", ".join(map(str, generic)))
    return ", ".join(tex), ", ".join(plain)


def _generic(claim):
    """The parameters of limits, integrals and infinite sums."""
    sums = (sp.Sum, sp.Product)
    terms = claim.atoms(sp.Limit, sp.Integral, *sums)
    infinite = [
        term for term in terms if not isinstance(term, sums) or term.has(sp.oo)
    ]
    return set().union(*(term.free_symbols for term in infinite))


def _point_tex(point):
    ordered = sorted(point.items(), key=str)
    return ",\\ ".join(f"{sp.latex(k)} = {sp.latex(v)}" for k, v in ordered)


def _point_text(point):
    ordered = sorted(point.items(), key=str)
    return ", ".join(f"{k} = {v}" for k, v in ordered) or "every point"
