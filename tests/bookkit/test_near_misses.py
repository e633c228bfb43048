"""A near miss must fall, and by a check; whatever else it does is told."""

import os
import shutil
import subprocess
import sys

import nbformat.v4
import pytest
import yaml

from bookkit import ledger, near_misses, notebooks

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="near misses need a system that can fork"
)
SOURCE = "from bookkit.checks import close_to\n\nclose_to(x**2, 4, to=0.1)"


def give(book, changes, source=SOURCE, cells=()):
    """Give the tiny claim a cell and near misses, and cells between.

    A change is what to replace and by what, and perhaps in which cell.
    """
    chapter = book / "notebooks/tiny.ipynb"
    nb = notebooks.read(chapter)
    nb.cells[-1].source = source
    for number, before in enumerate(cells):
        nb.cells.insert(2, nbformat.v4.new_code_cell(before, id=f"c{number}"))
    chapter.write_text(notebooks.text_of(nb), "utf-8")
    claims = book / ledger.CLAIMS
    (entry,) = yaml.safe_load(claims.read_text())
    entry["near_misses"] = [
        {"says": "It is.", "words": "4", "replace": old, "by": new}
        | {"because": "No."}
        | ({"cell": cell[0]} if cell else {})
        for old, new, *cell in changes
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


def fates(book):
    """Return what became of the book's near misses, in their order.

    As run_all does, without a program of its own.
    """
    ((path, misses),) = near_misses.near_misses_of(book).items()
    found = near_misses.in_a_copy(
        lambda: [*near_misses.run_notebook(path, misses)]
    )
    by_name = {name: (name, *fate) for name, *fate in found}
    return [near_misses.Finding(*by_name[miss.name]) for miss in misses]


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


# A check that is changed is tried where it stands: what it would leave behind
# must not be there for the next one.
LEAVING = [
    "(x := 3) == 2",
    "xs.pop() == 7",
    "rng.random() > 2",
    "next(steps) == 7",
    "list(steps) == 7",
    "put() == 7",
    "xs.__delitem__(0)",
]
STATE = """
import numpy as np
rng, steps, xs = np.random.default_rng(0), iter([1, 2]), [2]
def put():
    xs.append(5)
"""
AS_IT_WAS = """
assert x == 2
assert xs == [2]
assert list(steps) == [1, 2]
assert np.isclose(rng.random(), 0.6369616873214543)
"""


def test_a_near_miss_leaves_nothing_behind(book):
    changes = [("x == 2", left) for left in LEAVING]
    give(book, changes, AS_IT_WAS, cells=[STATE])
    reasons = [finding.reason for finding in fates(book)]
    assert reasons == ["an assertion"] * len(changes)


def test_a_check_that_falls_where_it_stands_needs_no_copy(monkeypatch):
    monkeypatch.setattr(near_misses, "in_a_copy", lambda *_: ("a", "copy"))
    cell = nbformat.v4.new_code_cell("assert x == 4\nassert x\nx", id="c")
    found = {
        by: near_misses.with_change(
            cell, ("c",), "four", 1, {"replace": "x == 4", "by": by}
        )
        for by in ("x == 5", "x == 4.0", "y == 4", "(x := 5) == 4")
    }
    names = {"__name__": "__main__", "x": 4}
    fates = {
        by: [
            fate.reason
            for _, fate in near_misses.run_cell(
                cell, [miss], lambda _: [], False, names
            )
        ]
        for by, miss in found.items()
    }
    assert fates.pop("x == 5") == ["an assertion"]
    assert {*map(tuple, fates.values())} == {("copy",)}
    assert names["x"] == 4


@pytest.mark.parametrize("what", STANDS)
def test_what_does_not_fall_by_a_check_is_told(findings, what):
    assert not findings[what].fell
    assert STANDS[what][-1] in findings[what].reason
    number = [*findings].index(what) + 1
    assert findings[what].name == (
        f"claim four, near miss {number}, cell decide"
    )


# How a cell changes what the claim is about, in words that hide it: the true
# neighbour of a claim must not fall because the cell was left out.
HIDDEN = {
    "set.add": ("x = {1}", "x.add(2)", "len(x) == 2"),
    "list.remove": ("x = [2, 3]", "x.remove(3)", "x == [2]"),
    "copyto": (
        "import numpy as np\nx = np.zeros(2)",
        "np.copyto(x, [1, 1])",
        "x.sum() == 2",
    ),
    "next": ("x = iter([1, 2])", "y = next(x)", "list(x) == [2]"),
    "setdefault": ("x = {}", "y = x.setdefault(1, 2)", "x == {1: 2}"),
    "a function": (
        "x = []\ndef put(y):\n    y.append(2)",
        "z = put(x)",
        "x == [2]",
    ),
    "another name": ("x = []\ny = x", "y.append(2)", "x == [2]"),
}


@pytest.mark.parametrize("first, hidden, test", HIDDEN.values(), ids=HIDDEN)
def test_a_cell_that_changes_things_unseen_runs(book, first, hidden, test):
    neighbours = [("2", "1 + 1"), ("2", "3")]
    if test.count("2") > 1:
        neighbours = [("2}", "1 + 1}"), ("2}", "3}")]
    give(book, neighbours, f"assert {test}", cells=[hidden, first])
    true, false = fates(book)
    assert not true.fell and true.reason == "it passes"
    assert false.fell and false.reason == "an assertion"


def test_near_miss_of_a_cell_that_prepares(book):
    changes = [
        ("x + 1", "x + 2", "c1"),
        ("x + 1", "1 + x", "c1"),
        ("x + 1", "y + 1", "c1"),
    ]
    cells = ["u = 7\nassert z == 6\nz", "y = x + 1\nz = 2 * y"]
    give(book, changes, "assert x\nassert z == 6 and u == 7", cells)
    false, true, broken = fates(book)
    assert false.fell and false.name.endswith("cell c1")
    assert not true.fell and true.reason == "it passes"
    assert not broken.fell and "NameError" in broken.reason


def test_a_deciding_cell_that_fails_as_it_stands_is_told(book):
    give(book, [("4", "5")], "assert x\nassert x**2 == 4\nassert not x")
    (finding,) = fates(book)
    assert not finding.fell
    assert finding.reason == "cell decide, as it stands: an assertion"


def test_a_true_cell_that_fails_is_told(book, edited, claim):
    claim(("4, to", "5, to"))
    with edited() as cells:
        cells["define"].source = "x = 2\nraise OSError('full')"
    (finding,) = fates(book)
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


@pytest.mark.parametrize("cell", ["after", "nowhere"])
def test_cell_must_be_one_before_those_that_decide(book, chapter, cell):
    give(book, [("4, to", "5, to", cell)])
    nb = notebooks.read(chapter)
    nb.cells.append(nbformat.v4.new_code_cell("4, to", id="after"))
    chapter.write_text(notebooks.text_of(nb), "utf-8")
    with pytest.raises(ledger.LedgerError, match="or one before them"):
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
