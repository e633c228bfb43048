"""Every statement of the five articles, and what became of it.

book/sentences.yml lists them in the order of the articles. Each has the
verdict of the claim that decides it, or one of its own with the reason. Where
nothing can be decided it says why: it is no claim, or it is open.
"""

from typing import NamedTuple

from bookkit import ledger

SENTENCES = "book/sentences.yml"
FIELDS = ("source", "place", "says")
DETAILS = ("claim", "verdict", "because")
NO_CLAIM, OPEN = "no claim", "open"
VERDICTS = (*ledger.VERDICTS, OPEN, NO_CLAIM)
EXPLAINED = {"corrected", "refuted", OPEN, NO_CLAIM}


class Sentence(NamedTuple):
    """A statement, in the book's words."""

    source: str
    place: str
    says: str
    claims: tuple
    verdict: str
    because: str


def read(root):
    """Return all statements, or raise a `LedgerError`."""
    claims, sources = ledger.read_claims(root), ledger.read_sources(root)
    listing = ledger.compose(root, SENTENCES)
    sentences = []
    for node in listing:
        where = f"{SENTENCES}, line {node.start_mark.line + 1}"
        entry = ledger.read_entry(node, where, FIELDS, DETAILS)
        named = tuple(entry.get("claim", "").split())
        if missing := [claim for claim in named if claim not in claims]:
            raise ledger.LedgerError(f"{where}: no claim {missing[0]}")
        if entry["source"] not in sources:
            raise ledger.LedgerError(f"{where}: no source {entry['source']}")
        sentence = Sentence(
            *(entry[field] for field in FIELDS),
            named,
            entry.get("verdict") or verdict_of(claims, named),
            entry.get("because", ""),
        )
        if reason := unfounded(sentence, entry, claims):
            raise ledger.LedgerError(f"{where}: {reason}")
        sentences.append(sentence)
    return sentences


def verdict_of(claims, named):
    """Return the verdict of the first of the claims that are named."""
    return claims[named[0]]["verdict"] if named else "missing"


def unfounded(sentence, entry, claims):
    """Return what a verdict lacks."""
    if sentence.verdict not in VERDICTS:
        return f"verdict {sentence.verdict} is none of {', '.join(VERDICTS)}"
    if sentence.verdict in ledger.VERDICTS and not sentence.claims:
        return f"{sentence.verdict}, and no claim decides it"
    if "verdict" in entry:
        explained = sentence.verdict not in EXPLAINED or sentence.because
        return None if explained else f"{sentence.verdict}, without a reason"
    if claims[sentence.claims[0]]["source"] == ledger.OWN:
        return "decided by a claim of our own, and has no verdict"
    return None


def unnamed(root):
    """Return the claims of the articles that no statement names."""
    named = {claim for sentence in read(root) for claim in sentence.claims}
    return [
        id
        for id, claim in ledger.read_claims(root).items()
        if claim["source"] != ledger.OWN and id not in named
    ]
