"""The scorecard leads to every claim, whose card leads to the cell."""

import pytest

from bookkit import ledger, notebooks

SCORECARD = 250_000  # bytes, with room for half as many claims again


def test_scorecard_leads_to_every_deciding_cell(site):
    scorecard = (site / "book/scorecard.html").read_text("utf-8")
    assert len(scorecard.encode()) < SCORECARD and "<math" not in scorecard
    claims = ledger.read_claims(notebooks.ROOT)
    assert len(claims) > 0
    for claim, entry in claims.items():
        chapter = entry["where"].replace(".ipynb", ".html")
        cards = chapter.replace("notebooks/", "claims/")
        text = (site / chapter).read_text("utf-8")
        card = (site / "book" / cards).read_text("utf-8")
        assert f'href="{cards}#scorecard-{claim}"' in scorecard
        assert f'href="../../{chapter}#claim-{claim}"' in card
        assert f'id="claim-{claim}"' in text
        assert f'href="../book/{cards}#scorecard-{claim}"' in text
        assert f'id="scorecard-{claim}"' in card


@pytest.mark.parametrize(
    ("text", "words", "wanted", "has"),
    [
        ("The cap PROVED", "cap", "", True),
        ("The cap", "CAP the", "", True),
        ("The cap", "cap sink", "", False),
        ("The cap", "", "proved", True),
        ("The cap", "cap", "measured", False),
    ],
)
def test_a_claim_has_what_is_asked_for(script, text, words, wanted, has):
    assert script("claimHas", text, "proved", words, wanted) == has
