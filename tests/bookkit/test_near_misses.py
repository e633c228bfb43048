"""A near miss must fall, and by a check; whatever else it does is told."""

import os
import subprocess
import sys

import pytest
import yaml

from bookkit import ledger, near_misses, notebooks

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="near misses need a system that can fork"
)
SOURCE = "from bookkit.checks import close_to\n\nclose_to(x**2, 4, to=0.1)"


@pytest.fixture
def claim(book, edited):
    """Return a function that gives the tiny claim near misses and a cell."""

    def give(*changes, source=SOURCE):
        with edited() as cells:
            cells["decide"].source = source
        claims = book / ledger.CLAIMS
        (entry,) = yaml.safe_load(claims.read_text())
        entry["near_misses"] = [
            {"says": "It is.", "replace": old, "by": new, "because": "No."}
            for old, new in changes
        ]
        claims.write_text(yaml.dump([entry]))

    return give


def findings(book):
    """Return what became of the near misses of the tiny book."""
    return near_misses.run_all(near_misses.near_misses_of(book))


def test_false_neighbour_falls_in_the_state_of_its_cell(book, claim):
    claim(("4, to", "5, to"), ("x**2", "(x := 7)"), ("x**2", "x**3"))
    found = findings(book)
    assert [finding.fell for finding in found] == [True, True, True]
    assert "the largest difference is 1" in found[0].reason
    # what one changes is not seen by the next
    assert "the largest difference is 4" in found[2].reason


@pytest.mark.parametrize(
    "change, reason",
    [
        (("4, to", "4.05, to"), "it passes"),
        (("x**2", "y**2"), "another error: NameError"),
        (("x**2", "(exec('import os; os._exit(0)'))"), "it ended by itself"),
        (("close_to(x**2, 4, to=0.1)", "exit(3)"), "another error"),
    ],
)
def test_what_does_not_fall_by_a_check_is_told(book, claim, change, reason):
    claim(change)
    (finding,) = findings(book)
    assert not finding.fell and reason in finding.reason
    assert finding.name == "claim four, near miss 1, cell decide"


def test_no_decision_is_no_answer(book, claim):
    claim(
        ("range(200)", "range(50)"),
        source="from bookkit.checks import sample_mean\n\n"
        "sample_mean(list(range(200))).agrees_with(99.5, to=20)",
    )
    (finding,) = findings(book)
    assert not finding.fell and "undecided: SampleTooSmall" in finding.reason


def test_a_true_cell_that_fails_is_told(book, edited, claim):
    claim(("4, to", "5, to"))
    with edited() as cells:
        cells["define"].source = "raise OSError('full')"
    (finding,) = findings(book)
    assert not finding.fell and "OSError: full" in finding.reason


@pytest.mark.parametrize(
    "changes, message",
    [
        ([("z", "y")], "stands there 0 times"),
        ([("o", "0")], "it should be once"),
        ([("4", "4")], "it changes nothing"),
        ([("4, to", "4 to")], "no Python"),
    ],
)
def test_change_that_does_not_apply(book, claim, changes, message):
    claim(*changes)
    with pytest.raises(ledger.LedgerError, match=message) as error:
        near_misses.near_misses_of(book)
    assert "claim four, near miss 1, cell decide" in str(error.value)


def test_claim_of_another_name(book):
    with pytest.raises(ledger.LedgerError, match="no claim five"):
        near_misses.near_misses_of(book, ["five"])


def test_cell_must_be_named_where_two_decide(book, chapter, claim):
    claim(("4, to", "5, to"))
    nb = notebooks.read(chapter)
    nb.cells[1].metadata.tags = ["claim:four"]
    chapter.write_text(notebooks.text_of(nb), "utf-8")
    with pytest.raises(ledger.LedgerError, match="define, decide"):
        near_misses.near_misses_of(book)


def test_every_near_miss_of_the_book_applies():
    by_notebook = near_misses.near_misses_of(notebooks.ROOT)
    claims = {miss.claim for some in by_notebook.values() for miss in some}
    assert claims == {*ledger.read_claims(notebooks.ROOT)}


def test_command_says_what_does_not_fall():
    done = subprocess.run(
        [sys.executable, "-m", "bookkit.near_misses", "no-such-claim"],
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 1
    assert "has no claim no-such-claim" in done.stderr
