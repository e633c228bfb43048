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
    """What a verb decided, in one line; then what that rests on.

    In a page the line opens, and shows the rest (`site/booksite/folds.py`).

    Attributes
    ----------
    line : the verdict, as wide as a phone.
    text, markdown : formulas, conditions, targets and errors; may be empty.
    """

    line: str
    text: str = ""
    markdown: str = ""

    def __repr__(self):
        return "\n".join(filter(None, [self.line, self.text]))

    def _repr_markdown_(self):
        line = f"**{self.line}**"
        return "\n\n".join(filter(None, [line, self.markdown]))
