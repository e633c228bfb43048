"""The book's verbs of truth: what a chapter says, these decide.

Symbolic: `prove` decides a relation by exact algebra over the domains of its
symbols, `refute` shows that a near miss is false at a witness. Build the
relations with `Eq`, `Ge`, `Gt`, `Le` and `Lt` of this module: they are
SymPy's, kept as written, so that both sides can still be seen.

Numerical: `close_to` compares numbers that have no sampling error.
Statistical: `sample_mean` and `sample_variance` make an `Estimate`, which
`agrees_with` a theory or `rules_out` a wrong one, in standard errors.

Every verb returns a `Verdict` that shows itself in a notebook, or raises a
`ClaimError`, which is an `AssertionError`.
"""

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
    "close_to",
    "prove",
    "refute",
    "sample_mean",
    "sample_variance",
]
