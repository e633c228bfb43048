"""What the status page counts."""

import subprocess
from types import SimpleNamespace

import nbformat.v4
import pytest

import status
from bookkit import fingerprints
from bookkit.cells import VERBS, solutions

CODE = nbformat.v4.new_code_cell
PROSE = nbformat.v4.new_markdown_cell
OPEN = "```{exercise} Why\n:label: ex-why\n```\n```{solution-start} ex-why\n"
SHUT = "```{solution-end}\n```"


def notebook(*cells):
    """Return a notebook of these cells."""
    return nbformat.v4.new_notebook(cells=list(cells))


def test_calls_are_counted_by_verb_and_place():
    found = status.count_checks(
        notebook(
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
    counted = [verb for verbs in status.CHECKS.values() for verb in verbs]
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
    assert solutions(notebook(*cells)) == {"ex-why": expected}


def test_each_exercise_has_its_own_solution():
    other = OPEN.replace("ex-why", "ex-how")
    nb = notebook(
        PROSE(OPEN), CODE("a"), PROSE(f"{SHUT}\n{other}"), CODE("prove(a)")
    )
    assert solutions(nb) == {"ex-why": False, "ex-how": True}


def test_chapter_tells_its_run_time(book, chapter):
    assert status.read_chapter(chapter).seconds >= 1
    (book / fingerprints.RECORD).unlink()
    assert status.read_chapter(chapter).seconds is None


def test_a_sum_of_times_has_all_of_them():
    assert status.total([1, 2]) == 3
    assert status.total([1, None]) is None
    assert status.duration(status.total([None])) == "not measured"


def git(folder, *arguments):
    """Run git in a folder, as somebody."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    command = ["git", *who, *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def test_commit_is_that_of_the_book(book):
    git(book.parent, "init")
    git(book.parent, "commit", "--allow-empty", "-m", "around the book")
    assert status.commit(book) == "unknown"
    git(book, "init")
    git(book, "add", ".")
    git(book, "commit", "-m", "the book")
    clean = status.commit(book)
    assert len(clean) >= 7 and clean.isalnum()
    (book / "book" / "claims.yml").write_text("")
    assert status.commit(book) == f"{clean}, and changes"


def test_page_is_read_again_when_a_version_changes(book):
    (book / "pyproject.toml").write_text("[project]\nversion = '1'")
    app = SimpleNamespace(srcdir=book)
    env = SimpleNamespace(found_docs={"index", status.PAGE})
    nothing = set(), set(), set()
    assert status.outdated(app, env, *nothing) == [status.PAGE]
    assert status.outdated(app, env, *nothing) == []
    (book / "pyproject.toml").write_text("[project]\nversion = '2'")
    assert status.outdated(app, env, *nothing) == [status.PAGE]
