"""What the verbs say: a verdict, or an error that names what failed."""

from dataclasses import dataclass


class ClaimError(AssertionError):
    """A claim of the book does not stand."""


class FalseClaim(ClaimError):
    """A counterexample was found."""


class Undecided(ClaimError):
    """Exact algebra reached neither a proof nor a counterexample."""


class NotRefuted(ClaimError):
    """The near miss is true at its witness."""


class Disagreement(ClaimError):
    """Theory and numbers disagree, or a wrong theory was not ruled out."""


class SampleTooSmall(ClaimError):
    """The sample cannot carry the precision that is asked of it."""


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a verb decided; shows itself as text and as mathematics."""

    text: str
    markdown: str

    def __repr__(self):
        return self.text

    def _repr_markdown_(self):
        return self.markdown
