"""What holds on a whole interval, by enclosing every value there.

`holds_on` cuts the domain into pieces until ball arithmetic shows the claim
on each; `rises_on` and `falls_on` do so for a derivative.
"""

from fractions import Fraction
from itertools import product
from math import log2

import sympy as sp

from bookkit.checks.balls import BITS, arb, ball, hull
from bookkit.checks.domains import check_domains, check_exact
from bookkit.checks.verdicts import FalseClaim, Undecided, Verdict

MOST_PIECES = 4_000
MOST_NUMBERS = 4_000
MOST_ZEROS = 6  # derivatives that vanish where an interval ends
SMALLEST = Fraction(1, 2**40)  # piece, as a share of the whole
FINEST = 2**80  # an end that is no fraction is moved outwards by less


def holds_on(claim, where):
    """Show that an inequality holds on a whole interval, or raise.

    Parameters
    ----------
    claim : Ge, Gt, Le or Lt of this package, between SymPy's expressions of
        one real symbol or several; or a function that takes a ball
        (`flint.arb`) and returns one, which is to be positive.
    where : {symbol: Interval or Range}, finite, one for each symbol; for a
        function the Interval alone. A Range is tried number by number.

    Returns
    -------
    Verdict
        The claim, its domain, and how many pieces that took.

    Raises
    ------
    FalseClaim : it is surely false at a point of the domain, which is told.
    Undecided : some piece was too hard: inside it the two sides meet, or one
        of them is not defined.
    TypeError, ValueError : the claim is no inequality, or has an operation
        that balls do not have; a domain is missing or infinite.

    The values of both sides on a piece lie in balls, of which Arb proves that
    nothing is outside them. A piece where they do not decide is cut in two.
    Where the sides meet exactly, at an end of the interval, the first
    derivative that does not vanish there decides.
    """
    if callable(claim) and not isinstance(claim, sp.Basic):
        symbol = sp.Dummy("x", real=True)
        domains = _finite({symbol: where}, {symbol})
        pieces = _decided(_Sign(claim, [symbol], True), domains)
        domain = domains[symbol]
        return Verdict(
            _line(pieces),
            f"positive for all x in {domain}",
            f"positive for all $x \\in {sp.latex(domain)}$",
        )
    if not isinstance(claim, sp.Ge | sp.Gt | sp.Le | sp.Lt):
        raise TypeError(
            f"claim: {claim!r}; it should be Ge, Gt, Le or Lt of "
            "bookkit.checks, or a function"
        )
    domains = _finite(check_domains(claim, where), claim.free_symbols)
    difference = claim.lhs - claim.rhs
    if isinstance(claim, sp.Le | sp.Lt):
        difference = -difference
    strict = isinstance(claim, sp.Gt | sp.Lt)
    sign = _sign_of(difference, domains, strict, claim)
    pieces = _decided(sign, domains, claim)
    return _shown(
        pieces, domains, str(claim), f"$$\n{sp.latex(claim)}\n$$\n\n"
    )


def rises_on(expression, where):
    """Show that an expression rises strictly on a whole interval, or raise.

    Its derivative is positive: see `holds_on`.

    Parameters
    ----------
    expression : SymPy's, of one real symbol.
    where : {symbol: Interval}, finite.
    """
    return _monotone(expression, where, 1, "rises")


def falls_on(expression, where):
    """Show that an expression falls strictly on a whole interval, or raise.

    Parameters
    ----------
    expression, where : as in `rises_on`.
    """
    return _monotone(expression, where, -1, "falls")


def _monotone(expression, where, sign, word):
    expression = sp.sympify(expression)
    domains = _finite(
        check_domains(sp.Eq(expression, 0, evaluate=False), where),
        expression.free_symbols,
    )
    if len(domains) != 1 or isinstance(*domains.values(), sp.Range):
        raise ValueError(f"where: {where}; it should be one Interval")
    ((symbol, domain),) = domains.items()
    # at an end alone the derivative may vanish
    inside = {symbol: sp.Interval.open(domain.inf, domain.sup)}
    slope = sign * sp.diff(expression, symbol)
    said = f"{expression} {word}"
    pieces = _decided(_sign_of(slope, inside, True, said), inside, said)
    return _shown(
        pieces, domains, said, f"${sp.latex(expression)}$ {word} strictly, "
    )


class _Sign:
    """What is to be positive, or at least not negative.

    Attributes
    ----------
    function : of balls, one for each symbol.
    symbols : the names of its arguments.
    strict : whether it must not be 0.
    slopes : functions, its derivatives by each symbol; or none.
    at_ends : {(symbol, end): function}: where it vanishes at an end, what is
        positive beside the end just when it is.
    """

    def __init__(self, function, symbols, strict, slopes=(), at_ends=()):
        self.function = function
        self.symbols = symbols
        self.strict = strict
        self.slopes = slopes
        self.at_ends = dict(at_ends)

    def value(self, box):
        """Return a ball with all values on a box."""
        return self.function(*(hull(*box[s]) for s in self.symbols))

    def holds(self, box):
        """Tell whether balls show it on a box."""
        value = self.value(box)
        if value > 0 or (value >= 0 and not self.strict):
            return True
        if self.slopes:
            # by the mean value theorem: sharper where the box is small
            middle = {s: (x, x) for s, x in _middle(box).items()}
            balls = [hull(*box[s]) for s in self.symbols]
            value = self.value(middle)
            for symbol, ball_, slope in zip(
                self.symbols, balls, self.slopes, strict=True
            ):
                value += slope(*balls) * (ball_ - arb(middle[symbol][0]))
            if value > 0:
                return True
        return any(
            end in box[symbol] and function(hull(*box[symbol])) > 0
            for (symbol, end), function in self.at_ends.items()
        )


def _sign_of(expression, domains, strict, said):
    """The sign of an expression of SymPy, on a domain."""
    check_exact(expression, "claim")
    expression = expression.doit(integrals=False)
    symbols = sorted(expression.free_symbols & {*domains}, key=str)

    def function_of(part):
        return lambda *balls: ball(
            part, dict(zip(symbols, balls, strict=True))
        )

    slopes = [function_of(sp.diff(expression, symbol)) for symbol in symbols]
    at_ends = {}
    if len(symbols) == 1:
        (symbol,) = symbols
        for end, inwards in _ends(domains[symbol]):
            if order := _zeros_at(expression, symbol, end):
                if strict and domains[symbol].contains(end) == sp.true:
                    raise FalseClaim(
                        f"{said}: the sides are equal at {symbol} = {end}"
                    )
                found = inwards**order * sp.diff(expression, symbol, order)
                at_ends[symbol, _fraction(end)] = function_of(found)
    return _Sign(function_of(expression), symbols, strict, slopes, at_ends)


def _ends(domain):
    """The ends of an interval, each with the direction that leads inside."""
    if isinstance(domain, sp.Range):
        return []
    return [(domain.inf, 1), (domain.sup, -1)]


def _zeros_at(expression, symbol, end):
    """How many derivatives vanish at a point, exactly; 0 if it does not."""
    if expression.has(sp.Integral):
        return 0  # SymPy would look for its value first, and long
    for order in range(MOST_ZEROS):
        value = expression.subs(symbol, end)
        if value != 0 and not (value.is_number and sp.simplify(value) == 0):
            return order
        expression = sp.diff(expression, symbol)
    return 0


def _finite(domains, symbols):
    """The domains, when each symbol has one that is finite."""
    for symbol in symbols:
        domain = domains.get(symbol)
        if not isinstance(domain, sp.Interval | sp.Range):
            raise ValueError(
                f"where: {symbol} should have an Interval or a Range"
            )
        if not (domain.inf.is_finite and domain.sup.is_finite):
            raise ValueError(
                f"where[{symbol}]: {domain} is infinite; prove the claim "
                "beyond some number, and enclose it before"
            )
        if isinstance(domain, sp.Range) and domain.size > MOST_NUMBERS:
            raise ValueError(
                f"where[{symbol}]: {domain.size} numbers; they should be "
                f"{MOST_NUMBERS} at most, or an Interval of a real symbol"
            )
    return domains


def _fraction(number, up=False):
    """A number as a fraction; one that is none, moved down or up a little."""
    if number.is_Rational:
        return Fraction(int(number.p), int(number.q))
    whole = sp.ceiling(number * FINEST) if up else sp.floor(number * FINEST)
    return Fraction(int(whole), FINEST)


def _decided(sign, domains, said="the claim"):
    """How many pieces it takes to show a sign on the whole domain."""
    import flint

    sides = [
        [(n, n) for n in map(_fraction, domain)]
        if isinstance(domain, sp.Range)
        else [(_fraction(domain.inf), _fraction(domain.sup, up=True))]
        for domain in domains.values()
    ]
    with flint.ctx.workprec(BITS):
        return sum(
            _cut(sign, dict(zip(domains, box, strict=True)), said)
            for box in product(*sides)
        )


def _cut(sign, whole, said):
    """How many pieces it takes to show a sign on a box."""
    for corner in product(*whole.values()):
        _refute_at(sign, dict(zip(whole, corner, strict=True)), said)
    waiting, pieces = [whole], 0
    while waiting:
        box = waiting.pop()
        if sign.holds(box):
            pieces += 1
            continue
        _refute_at(sign, _middle(box), said)
        shares = {
            s: (box[s][1] - box[s][0]) / (whole[s][1] - whole[s][0])
            for s in whole
            if whole[s][0] != whole[s][1]
        }
        widest = max(shares, key=shares.get, default=None)
        too_many = pieces + len(waiting) > MOST_PIECES
        if widest is None or too_many or _is_tiny(box[widest], shares[widest]):
            raise Undecided(
                f"{said} was not decided near {_told(_middle(box))}: there "
                "the sides meet, or one is not defined, or too many pieces "
                f"are needed (after {pieces:,})"
            )
        lower, upper = box[widest]
        cut = _between(lower, upper)
        waiting += [box | {widest: (cut, upper)}, box | {widest: (lower, cut)}]
    return pieces


def _is_tiny(ends, share):
    """Whether a piece is small, and so also beside its distance from 0."""
    lower, upper = ends
    far = min(abs(lower), abs(upper)) if lower * upper > 0 else 0
    return share < SMALLEST and upper - lower < far * SMALLEST + (far == 0)


def _middle(box):
    """The middle of a box, as a point."""
    return {s: sum(ends) / 2 for s, ends in box.items()}


def _between(lower, upper):
    """Where to cut: in the middle, by ratios if the ends differ widely."""
    if lower > 0 and upper > 4 * lower:
        return lower * 2 ** round(log2(upper / lower) / 2)
    return (lower + upper) / 2


def _refute_at(sign, point, said):
    """Raise if it is surely false at a point."""
    if sign.value({s: (x, x) for s, x in point.items()}) < 0:
        raise FalseClaim(f"{said} is false at {_told(point)}")


def _told(point):
    return ", ".join(
        f"{s} = {x if len(str(x)) < 9 else format(float(x), '.9g')}"
        for s, x in point.items()
    )


def _line(pieces):
    return f"Proved ✓ on {pieces:,} piece{'' if pieces == 1 else 's'}"


def _shown(pieces, domains, text, markdown):
    plain = ", ".join(f"{s} in {d}" for s, d in domains.items())
    tex = ", ".join(
        rf"${sp.latex(s)} \in {sp.latex(d)}$" for s, d in domains.items()
    )
    return Verdict(
        _line(pieces),
        f"{text}, for all {plain}",
        f"{markdown}for all {tex}, each value enclosed by ball arithmetic",
    )
