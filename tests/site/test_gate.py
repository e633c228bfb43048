"""The gate is open for a sound notebook and shut for every other."""

import nbformat.v4
import pytest

from bookkit import execute, fingerprints, notebooks
from booksite import gate


@pytest.mark.parametrize(
    "path", notebooks.chapters(notebooks.ROOT), ids=lambda path: path.stem
)
def test_chapter_may_be_published(path):
    assert gate.problems(path) == []


def test_sound_notebook_may_be_published(chapter):
    assert gate.problems(chapter) == []


def the_problem(chapter):
    """Return the one thing that is wrong."""
    (problem,) = gate.problems(chapter)
    return problem


def test_unexecuted_notebook(chapter, edited):
    with edited() as cells:
        for cell in (cells["define"], cells["decide"]):
            cell.outputs = []
    problem = the_problem(chapter)
    assert "cell decide" in problem and "not executed" in problem


def test_output_written_by_hand(chapter, edited):
    with edited() as cells:
        cells["decide"].outputs[0].data["text/plain"] = "3"
    problem = the_problem(chapter)
    assert "cell decide (claim four)" in problem and "stale" in problem


def test_error_output(chapter, edited):
    with edited() as cells:
        cells["decide"].outputs = [
            nbformat.v4.new_output(
                "error", ename="AssertionError", evalue="no", traceback=[]
            )
        ]
    problem = the_problem(chapter)
    assert "cell decide (claim four): AssertionError: no" in problem


def test_no_deciding_cell(chapter, edited):
    with edited() as cells:
        cells["decide"].metadata = {}
    assert "no cell decides a claim" in the_problem(chapter)


def test_false_claim(chapter, edited):
    with edited() as cells:
        cells["decide"].source = "assert x**2 == 5\nx"
    assert "cell decide (claim four): AssertionError" in the_problem(chapter)


def test_claim_made_false_by_another_cell(chapter, edited):
    with edited() as cells:
        cells["define"].source = "x = 3"
    assert "cell decide (claim four): AssertionError" in the_problem(chapter)


def test_changed_code_with_other_outputs(chapter, edited):
    with edited() as cells:
        cells["decide"].source = "assert x**2 == 4\nx + 1"
    problem = the_problem(chapter)
    assert "cell decide" in problem and "stale" in problem


def test_changed_code_with_the_same_outputs(chapter, edited):
    with edited() as cells:
        cells["define"].source = "x = 1 + 1"
    assert "stored by other code" in the_problem(chapter)


def test_no_record(book, chapter):
    (book / fingerprints.RECORD).unlink()
    assert "run `make execute`" in the_problem(chapter)


@pytest.fixture
def importing(book, chapter, edited):
    """Return a module that the chapter imports, which has run since."""
    module = book / "attention_scale" / "numbers.py"
    module.write_text('"""Numbers."""\ntwo = 2  # even\n')
    with edited() as cells:
        cells["define"].source = "from attention_scale.numbers import two as x"
    assert execute.update(chapter)
    return module


def test_changed_module_is_named_without_a_run(chapter, importing):
    importing.write_text("raise SystemExit  # a run would fail here\n")
    problem = the_problem(chapter)
    assert "stored before attention_scale.numbers changed" in problem
    assert "run `make execute`" in problem


def test_changed_words_of_a_module_need_no_execution(chapter, importing):
    importing.write_text('"""Two numbers."""\n\ntwo = 2\n')
    assert gate.problems(chapter) == []


def test_module_that_is_not_imported_needs_no_execution(chapter, importing):
    importing.with_name("others.py").write_text("three = 3\n")
    assert gate.problems(chapter) == []


def test_changed_prose_needs_no_execution(chapter, edited):
    with edited() as cells:
        cells["prose"].source = "Its square is four."
    assert gate.problems(chapter) == []
