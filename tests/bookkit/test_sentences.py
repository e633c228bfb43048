"""Every statement of the articles has a verdict, or the reason for none."""

import re
from collections import Counter

import pytest

from bookkit import ledger, notebooks, sentences

COUNTED = 109  # distinct ones, by a reader who counted them alone
FIGURE = re.compile(r"\d+\.\d+|\d+(?=%)|(?<![\d,.])\d{3}(?!\d|[,.]\d)")


@pytest.fixture(scope="module")
def listed():
    return sentences.read(notebooks.ROOT)


def test_no_statement_is_missing(listed):
    of = Counter(sentence.source for sentence in listed)
    assert of == {"000": 72, "001": 58, "002": 35, "003": 23, "004": 54}
    assert len({sentence.says for sentence in listed}) >= COUNTED


def test_every_claim_of_an_article_is_a_statement_of_it(listed):
    assert sentences.unnamed(notebooks.ROOT) == []


def test_no_statement_stands_twice_in_an_article(listed):
    times = Counter((s.source, s.place, s.says) for s in listed)
    assert [said for said, n in times.items() if n > 1] == []


def test_an_open_statement_says_why(listed):
    left = [s for s in listed if s.verdict in {sentences.OPEN, "no claim"}]
    assert all(len(s.because.split()) >= 2 for s in left)
    assert sum(s.verdict == sentences.OPEN for s in left) <= 12


def test_a_reason_has_the_figures_of_its_claims(listed):
    """A decimal, percentage or count of a reason stands in what it links."""
    statements = {
        id: claim["statement"]
        for id, claim in ledger.read_claims(notebooks.ROOT).items()
    }
    figures = [
        (figure, " ".join(statements[claim] for claim in s.claims))
        for s in listed
        for figure in FIGURE.findall(s.because)
        if s.claims
    ]
    assert len(figures) > 10
    assert [f for f, text in figures if f not in FIGURE.findall(text)] == []


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("verdict: perhaps", "verdict perhaps is none of"),
        ("verdict: proved", "no claim decides it"),
        ("verdict: open", "without a reason"),
        ("claim: not-there", "no claim not-there"),
        ("claim: half-lipschitz", "has no verdict"),
        ("because: So it is.", "verdict missing is none of"),
    ],
)
def test_a_verdict_needs_its_grounds(tmp_path, entry, reason):
    (tmp_path / "book").mkdir()
    for file in (ledger.CLAIMS, ledger.SOURCES):
        (tmp_path / file).symlink_to(notebooks.ROOT / file)
    text = f'- source: "000"\n  place: Here\n  says: So.\n  {entry}\n'
    (tmp_path / sentences.SENTENCES).write_text(text)
    with pytest.raises(ledger.LedgerError, match=re.escape(reason)):
        sentences.read(tmp_path)
