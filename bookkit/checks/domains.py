"""Domains: what a symbol may stand for, exactly, and how that is shown."""

import sympy as sp
from sympy.core.function import AppliedUndef


def check_exact(expression, argument):
    """Refuse floats and undefined numbers: nothing exact can hold them."""
    floats = expression.atoms(sp.Float)
    if floats:
        raise TypeError(
            f"{argument}: {expression} holds the float {floats.pop()}; "
            "write an exact number, such as Rational(1, 2)"
        )
    if expression.has(sp.nan, sp.zoo):
        raise ValueError(f"{argument}: {expression} is undefined")


def sequence_names(relation):
    """The names of sequences: not symbols with a value of their own."""
    indexed = relation.atoms(sp.Indexed)
    bases = {entry.base for entry in indexed}
    return bases | {base.label for base in bases} | indexed


def unknowns_of(expression):
    """Symbols, functions and sequences that stand for any value."""
    sequences = {
        entry.base[sp.Symbol("i", integer=True)]
        for entry in expression.atoms(sp.Indexed)
    }
    symbols = expression.free_symbols - sequence_names(expression)
    functions = expression.atoms(AppliedUndef)
    return sorted(symbols | functions | sequences, key=str)


# assumptions: (TeX, plain text); more specific ones come first
DOMAINS = (
    (
        {"integer": True, "positive": True},
        r"\in \{1, 2, \dots\}",
        "= 1, 2, ...",
    ),
    (
        {"integer": True, "nonnegative": True},
        r"\in \{0, 1, 2, \dots\}",
        "= 0, 1, 2, ...",
    ),
    ({"integer": True}, r"\in \mathbb{Z}", "integer"),
    ({"positive": True}, "> 0", "> 0"),
    ({"negative": True}, "< 0", "< 0"),
    ({"nonnegative": True}, r"\ge 0", ">= 0"),
    ({"nonpositive": True}, r"\le 0", "<= 0"),
    (
        {"real": True, "nonzero": True},
        r"\in \mathbb{R} \setminus \{0\}",
        "real, not 0",
    ),
    ({"real": True}, r"\in \mathbb{R}", "real"),
    ({}, r"\in \mathbb{C}", "complex"),
)


def assumptions_of(unknown):
    if isinstance(unknown, AppliedUndef):
        return dict(unknown.func.default_assumptions)
    return unknown.assumptions0


def domain_of(unknown, argument, where=()):
    """The domain of a symbol in TeX and in plain text, if it can be said."""
    name, plain = sp.latex(unknown), str(unknown)
    if unknown in where:
        domain = where[unknown]
        return rf"{name} \in {sp.latex(domain)}", f"{plain} in {domain}"
    for assumptions, tex, words in DOMAINS:
        like = sp.Symbol("like", **assumptions)
        assumed = assumptions_of(unknown).items()
        if assumptions.items() <= assumed <= like.assumptions0.items():
            return f"{name} {tex}", f"{plain} {words}"
    raise TypeError(
        f"{argument}: the verdict could not show all that is assumed of "
        f"{unknown}; declare it real, positive, negative, nonnegative, "
        "nonpositive, nonzero or integer"
    )


def check_domains(claim, where):
    """The narrowed domains, when each fits the symbol it narrows."""
    if where is not None and not isinstance(where, dict):
        raise TypeError(f"where: {where!r} is not {{symbol: set}}")
    where = dict(where or {})
    for symbol, domain in where.items():
        if symbol not in claim.free_symbols:
            raise ValueError(f"where: the claim has no symbol {symbol}")
        if isinstance(domain, sp.Interval):
            of_its_kind = symbol.is_extended_real and not symbol.is_integer
            usable = domain.measure > 0
        elif isinstance(domain, sp.Range):
            of_its_kind = symbol.is_integer
            usable = domain.step == 1 and domain.inf.is_finite
        else:
            raise TypeError(
                f"where[{symbol}]: {domain!r} is neither an Interval nor a "
                "Range"
            )
        check_exact(domain, f"where[{symbol}]")
        if not (domain.inf.is_number and domain.sup.is_number):
            raise ValueError(f"where[{symbol}]: {domain} has symbols")
        hull = domain
        if isinstance(domain, sp.Range):
            hull = sp.Interval(domain.inf, domain.sup)
        inside = assumed_reals(symbol).is_superset(hull)
        if not (of_its_kind and usable and inside):
            raise ValueError(
                f"where[{symbol}]: {domain} does not fit the assumptions "
                f"of {symbol}"
            )
    return where


def assumed_reals(symbol):
    """The real numbers that the assumptions of a symbol leave."""
    half_lines = (
        ("is_positive", sp.Interval.open(0, sp.oo)),
        ("is_negative", sp.Interval.open(-sp.oo, 0)),
        ("is_nonnegative", sp.Interval(0, sp.oo)),
        ("is_nonpositive", sp.Interval(-sp.oo, 0)),
    )
    for attribute, half_line in half_lines:
        if getattr(symbol, attribute):
            return half_line
    return sp.Reals - sp.FiniteSet(0) if symbol.is_nonzero else sp.Reals


def check_witness(claim, witness, where):
    """The witness as exact numbers, when it lies in the claim's domain."""
    if not isinstance(witness, dict):
        raise TypeError(f"witness: {witness!r} is not {{symbol: value}}")
    witness = {key: sp.sympify(value) for key, value in witness.items()}
    for symbol in claim.free_symbols - sequence_names(claim) - witness.keys():
        raise ValueError(f"witness: no value for {symbol}")
    for symbol, value in witness.items():
        if symbol not in claim.free_symbols:
            raise ValueError(f"witness: the claim has no symbol {symbol}")
        check_exact(value, f"witness[{symbol}]")
        inside = symbol not in where or contains(where[symbol], value)
        if not (inside and fits_assumptions(symbol, value)):
            raise ValueError(
                f"witness[{symbol}]: {value} is outside the domain of {symbol}"
            )
    return witness


def contains(domain, value):
    return domain.contains(value) is sp.true


def fits_assumptions(symbol, value):
    """Whether a number has the properties that a symbol was declared with."""
    return value.is_number and all(
        getattr(value, f"is_{name}") is expected
        for name, expected in symbol.assumptions0.items()
    )


def some_value(symbol, domain, rng, first=None):
    """An exact number that a symbol may stand for; None if none is found."""
    if first is not None:
        if domain is not None:
            points = points_of(domain, rng)  # its ends come last
            return points[-1] if first else points[-2 % len(points)]
        if fits_assumptions(symbol, sp.sympify(first)):
            return sp.sympify(first)
    for _ in range(60):
        if domain is not None:
            value = rng.choice(points_of(domain, rng))
        elif symbol.is_integer:
            value = sp.Integer(rng.randint(-6, 6))
        elif symbol.is_extended_real:
            value = sp.Rational(rng.randint(-21, 21), 7)
        else:
            parts = [sp.Rational(rng.randint(-9, 9), 4) for _ in range(2)]
            value = parts[0] + sp.I * parts[1]
        if fits_assumptions(symbol, value):
            return value
    return None


def points_of(domain, rng):
    """Some exact points of an interval or range, near its ends and inside."""
    lower, upper = domain.inf, domain.sup
    if isinstance(domain, sp.Range):
        span = 6 if upper is sp.oo else int(upper - lower)
        return [lower + i for i in range(span + 1)]
    shares = [sp.Rational(rng.randint(1, 99), 100) for _ in range(5)]
    shares.append(sp.Rational(1, 2))
    if lower is -sp.oo:
        lower = (0 if upper is sp.oo else upper) - 20
    if upper is sp.oo:
        upper = lower + 40
    points = [lower + (upper - lower) * share for share in shares]
    ends = [domain.inf, domain.sup]
    return points + [end for end in ends if contains(domain, end)]


def pieces_of(domain, symbol):
    """What a symbol may be on a domain: its closed ends, and the inside."""
    lower, upper = domain.inf, domain.sup
    if isinstance(domain, sp.Range):
        if upper is not sp.oo:
            return list(domain)
        rest = sp.Dummy(symbol.name, integer=True, nonnegative=True)
        return [lower + rest]
    inside = sp.Dummy(symbol.name, positive=True)
    if lower is -sp.oo and upper is sp.oo:
        return [sp.Dummy(symbol.name, real=True)]
    if lower is -sp.oo:
        pieces = [upper - inside]
    elif upper is sp.oo:
        pieces = [lower + inside]
    else:
        pieces = [(lower + upper * inside) / (1 + inside)]
    return pieces + [end for end in (lower, upper) if contains(domain, end)]
