"""The book's verbs of truth: what a chapter says, these decide.

Symbolic: `prove` decides a relation by exact algebra over the domains of its
symbols, `refute` shows that a near miss is false at a witness. Build the
relations with `Eq`, `Ge`, `Gt`, `Le` and `Lt` of this module: they are
SymPy's, kept as written, so that both sides can still be seen.

On an interval: `holds_on` encloses all values of an expression in balls,
`rises_on` and `falls_on` those of its derivative; what only floats can reach,
`holds_from`, `rises_from` and `falls_from` try on a grid that ends where the
claim does.

Numerical: `close_to` compares numbers that have no sampling error.
Statistical: `sample_mean` and `sample_variance` make an `Estimate`, which
`agrees_with` a theory or `rules_out` a wrong one, in standard errors.

Every verb returns a `Verdict` that shows itself in a notebook, or raises a
`ClaimError`, which is an `AssertionError`.
"""

from bookkit.checks.balls import arb, normal_mean
from bookkit.checks.enclosures import falls_on, holds_on, rises_on
from bookkit.checks.grids import falls_from, holds_from, rises_from
from bookkit.checks.measurements import (
    Estimate,
    close_to,
    sample_mean,
    sample_variance,
)
from bookkit.checks.proofs import Eq, Ge, Gt, Le, Lt, prove, refute
from bookkit.checks.verdicts import (
    ClaimError,
    Disagreement,
    FalseClaim,
    NotRefuted,
    SampleTooSmall,
    Undecided,
    Verdict,
)

__all__ = [
    "ClaimError",
    "Disagreement",
    "Eq",
    "Estimate",
    "FalseClaim",
    "Ge",
    "Gt",
    "Le",
    "Lt",
    "NotRefuted",
    "SampleTooSmall",
    "Undecided",
    "Verdict",
    "arb",
    "close_to",
    "falls_from",
    "falls_on",
    "holds_from",
    "holds_on",
    "normal_mean",
    "prove",
    "refute",
    "rises_from",
    "rises_on",
    "sample_mean",
    "sample_variance",
]
