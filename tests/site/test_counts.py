"""What the cells check, counted: on the page How to check us."""

import nbformat.v4
import pytest
from bs4 import BeautifulSoup

from bookkit import ledger, notebooks
from bookkit.cells import VERBS, solutions
from booksite import counts

CODE = nbformat.v4.new_code_cell
PROSE = nbformat.v4.new_markdown_cell
OPEN = "```{exercise} Why\n:label: ex-why\n```\n```{solution-start} ex-why\n"
SHUT = "```{solution-end}\n```"


def a_notebook(*cells):
    """Return a notebook of these cells."""
    return nbformat.v4.new_notebook(cells=list(cells))


def test_calls_are_counted_by_verb_and_place():
    found = counts.count_checks(
        a_notebook(
            PROSE("prove(a), in words"),
            CODE("for a in range(9):\n    prove(Eq(a, a))\nprove"),
            CODE("f = lambda: checks.prove(a)  # prove(b)\n'refute(c)'"),
            CODE("refute(a, {b: 1})\nestimate.rules_out(2)"),
            CODE("close_to(a, b, to=1)\nassert a\nassert b"),
            CODE("sample_mean(x).agrees_with(1, to=1)"),
        )
    )
    assert found == {
        "Proofs": 2,
        "Measurements": 1,
        "Comparisons": 1,
        "Refutations": 2,
        "Assertions": 2,
        "Exercises": 0,
    }


def test_every_verb_is_counted_once():
    counted = [verb for verbs in counts.CHECKS.values() for verb in verbs]
    assert sorted(counted) == sorted([*VERBS, "assert"])


@pytest.mark.parametrize(
    "cells, expected",
    [
        ([PROSE(OPEN), CODE("prove(a)"), PROSE(SHUT)], True),
        ([PROSE(OPEN), CODE("a"), CODE("assert a"), PROSE(SHUT)], True),
        ([PROSE(OPEN), CODE("a"), PROSE(SHUT)], False),
        ([PROSE(OPEN + SHUT), CODE("prove(a)")], False),
        ([CODE("prove(a)"), PROSE(OPEN + SHUT)], False),
        ([PROSE(OPEN.split("```{sol")[0]), CODE("prove(a)")], False),
    ],
    ids=["verb", "assertion", "neither", "after", "before", "no solution"],
)
def test_solution_is_checked(cells, expected):
    assert solutions(a_notebook(*cells)) == {"ex-why": expected}


def test_each_exercise_has_its_own_solution():
    other = OPEN.replace("ex-why", "ex-how")
    nb = a_notebook(
        PROSE(OPEN), CODE("a"), PROSE(f"{SHUT}\n{other}"), CODE("prove(a)")
    )
    assert solutions(nb) == {"ex-why": False, "ex-how": True}


@pytest.fixture(scope="module")
def rows(site):
    """Return the rows of the table in the built book, without its head."""
    html = (site / "book/how-to-check-us.html").read_bytes()
    table = BeautifulSoup(html, "lxml").select_one("article table.counts")
    _, *rows = [row.find_all(["th", "td"]) for row in table.find_all("tr")]
    return rows


def test_every_chapter_is_in_the_table(rows):
    stems = [path.stem for path in notebooks.chapters(notebooks.ROOT)]
    links = [row[0].a["href"] for row in rows[:-1]]
    assert links == [f"../notebooks/{stem}.html" for stem in stems]


def test_columns_add_up(rows):
    columns = zip(*(map(int, texts(row)[1:]) for row in rows), strict=True)
    totals = []
    for *numbers, total in columns:
        assert sum(numbers) == total > 0
        totals.append(total)
    claims = ledger.read_claims(notebooks.ROOT).values()
    misses = sum(len(claim[ledger.NEAR_MISSES]) for claim in claims)
    assert totals[-2:] == [len(claims), misses]


def texts(row):
    """Return the texts of a row's cells."""
    return [cell.get_text(strip=True) for cell in row]
