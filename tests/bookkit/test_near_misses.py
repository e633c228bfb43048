"""A near miss must fall, and by a check; whatever else it does is told."""

import os
import shutil
import subprocess
import sys

import pytest
import yaml

from bookkit import ledger, near_misses, notebooks

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="near misses need a system that can fork"
)
SOURCE = "from bookkit.checks import close_to\n\nclose_to(x**2, 4, to=0.1)"


def give(book, changes, source=SOURCE):
    """Give the tiny claim a cell and near misses."""
    chapter = book / "notebooks/tiny.ipynb"
    nb = notebooks.read(chapter)
    nb.cells[-1].source = source
    chapter.write_text(notebooks.text_of(nb), "utf-8")
    claims = book / ledger.CLAIMS
    (entry,) = yaml.safe_load(claims.read_text())
    entry["near_misses"] = [
        {"says": "It is.", "replace": old, "by": new, "because": "No."}
        for old, new in changes
    ]
    claims.write_text(yaml.dump([entry]))


@pytest.fixture
def claim(book):
    """Return a function that gives the tiny claim near misses."""
    return lambda *changes: give(book, changes)


# What a near miss does, as a change of the cell, and what is said of it.
FALLS = {
    "is false": ("4, to", "5, to", "the largest difference is 1"),
    "changes the state": ("x**2", "(x := 7)", "the largest difference is 3"),
    "finds the old state": ("x**2", "x**3", "the largest difference is 4"),
    "fails an assertion": ("assert x", "assert x - 2", "an assertion"),
}
STANDS = {
    "is true": ("4, to", "4.05, to", "it passes"),
    "is not defined": ("x**2", "y**2", "another error: NameError"),
    "leaves": ("close_to(x**2, 4, to=0.1)", "exit(3)", "error: SystemExit"),
    "dies": ("x**2", "__import__('os')._exit(0)", "it ended by itself"),
    "is undecided": ("range(200)", "range(50)", "undecided: SampleTooSmall"),
}
CELL = """
from bookkit.checks import close_to, sample_mean

assert x
close_to(x**2, 4, to=0.1)
sample_mean(list(range(200))).agrees_with(99.5, to=99)
"""


@pytest.fixture(scope="module")
def findings(tiny_book, tmp_path_factory):
    """Return what became of near misses of all kinds, by what they do."""
    book = shutil.copytree(tiny_book, tmp_path_factory.mktemp("near") / "book")
    changes = {what: change[:2] for what, change in (FALLS | STANDS).items()}
    give(book, changes.values(), CELL)
    found = near_misses.run_all(book)
    return dict(zip(changes, found, strict=True))


@pytest.mark.parametrize("what", FALLS)
def test_false_neighbour_falls_in_the_state_of_its_cell(findings, what):
    assert findings[what].fell
    assert FALLS[what][-1] in findings[what].reason


@pytest.mark.parametrize("what", STANDS)
def test_what_does_not_fall_by_a_check_is_told(findings, what):
    assert not findings[what].fell
    assert STANDS[what][-1] in findings[what].reason
    number = [*findings].index(what) + 1
    assert findings[what].name == (
        f"claim four, near miss {number}, cell decide"
    )


def test_a_true_cell_that_fails_is_told(book, edited, claim):
    claim(("4, to", "5, to"))
    with edited() as cells:
        cells["define"].source = "x = 2\nraise OSError('full')"
    (finding,) = near_misses.run_all(book)
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
