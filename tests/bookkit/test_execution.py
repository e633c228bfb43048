"""What `make execute` stores, and when it refuses."""

import json
import sys

import psutil
import pytest

from bookkit import execute, fingerprints, notebooks


@pytest.mark.parametrize(
    "path", notebooks.chapters(notebooks.ROOT), ids=lambda path: path.stem
)
def test_chapter_is_stored_in_normal_form(path):
    nb = notebooks.read(path)
    assert notebooks.text_of(nb).encode() == path.read_bytes()
    assert notebooks.normalise(nb).cells == nb.cells


def test_second_run_changes_nothing(chapter, capsys):
    before = chapter.read_bytes()
    assert execute.update(chapter)
    assert chapter.read_bytes() == before
    assert capsys.readouterr().out.endswith(" unchanged\n")


def test_run_time_is_that_of_the_run_that_stored(book, chapter, edited):
    record = book / fingerprints.RECORD
    stored = json.loads(record.read_text())
    stored["notebooks/tiny.ipynb"]["seconds"] = 1_000
    record.write_text(json.dumps(stored))
    with edited() as cells:
        cells["prose"].source = "Four is its square."
    assert execute.update(chapter)
    (run,) = fingerprints.read_record(book).values()
    assert run["seconds"] == 1_000
    with edited() as cells:
        cells["define"].source = "x = 1 + 1"
    assert execute.update(chapter)
    (run,) = fingerprints.read_record(book).values()
    assert 1 <= run["seconds"] < 1_000


def test_only_what_changed_is_not_current(book, chapter, edited):
    assert execute.is_current(chapter)
    with edited() as cells:
        cells["prose"].source = "Four is its square."
    assert execute.is_current(chapter)
    with edited() as cells:
        cells["decide"].outputs = []
    assert not execute.is_current(chapter)
    assert execute.update(chapter)
    assert execute.is_current(chapter)


def test_a_program_is_run_again_when_its_code_changes(book):
    program = book / "site/explorables/drawn.py"
    program.parent.mkdir(parents=True)
    table = program.with_name("table.js")
    write = f"open({str(table)!r}, 'w').write('two')\n"
    program.write_text("from attention_scale import two\n" + write)
    assert execute.programs(book) == [program]
    assert not execute.is_current(program)
    assert execute.update(program)
    assert table.read_text() == "two" and execute.is_current(program)
    program.write_text("# a comment\n" + program.read_text())
    assert execute.is_current(program)
    (book / "attention_scale" / "__init__.py").write_text("two = 2.0\n")
    assert not execute.is_current(program)


def test_a_program_that_fails_is_named(book, capfd):
    program = book / "site/explorables/drawn.py"
    program.parent.mkdir(parents=True)
    program.write_text("raise SystemExit(3)")
    assert not execute.update(program)
    assert "drawn.py: it ended with 3" in capfd.readouterr().err
    assert not execute.is_current(program)


def test_kernel_is_this_interpreter(chapter, edited):
    with edited() as cells:
        cells["define"].source = "import sys\nx = 2\nprint(sys.executable)"
    output = notebooks.code_cells(notebooks.fresh(chapter))[0].outputs[0]
    assert output.text == sys.executable + "\n"


def test_kernel_uses_the_library_beside_the_notebooks(chapter, edited):
    with edited() as cells:
        cells["define"].source = "from attention_scale import two as x"
    notebooks.fresh(chapter)


def test_kernel_ends_with_the_run(chapter, edited):
    with edited() as cells:
        cells["define"].source = "import os\nx = 2\nprint(os.getpid())"
    output = notebooks.code_cells(notebooks.fresh(chapter))[0].outputs[0]
    assert not psutil.pid_exists(int(output.text))


def test_what_differs_between_runs_is_not_stored(chapter, edited):
    with edited() as cells:
        cells["define"].execution_count = 7
        cells["define"].metadata = {"execution": {"time": "now"}, "tags": []}
        cells["decide"].metadata["collapsed"] = True
    nb = notebooks.fresh(chapter)
    define, decide = notebooks.code_cells(nb)
    counts = [cell.execution_count for cell in (define, decide)]
    assert counts == [1, 1] and decide.outputs[0].execution_count == 1
    assert define.metadata == {}
    assert decide.metadata == {"tags": ["claim:four"]}
    assert set(nb.metadata) == {"kernelspec", "language_info"}


def test_pieces_of_a_stream_are_joined(chapter, edited):
    with edited() as cells:
        cells["define"].source = (
            "import time\nx = 2\nprint(1, flush=True)\n"
            "time.sleep(0.5)\nprint(2, flush=True)"
        )
    (output,) = notebooks.code_cells(notebooks.fresh(chapter))[0].outputs
    assert output.text == "1\n2\n"


FAILURES = {
    "a false assertion": ("assert x == 3, 'not three'", "not three"),
    "an error": ("1 / 0", "ZeroDivisionError"),
    "an error while displaying": (
        "class Bad:\n    def _repr_html_(self):\n        return 1 / 0\nBad()",
        "ZeroDivisionError",
    ),
    "a warning": ("import warnings\nwarnings.warn('odd')", "odd"),
    "a dead kernel": ("import os\nos._exit(1)", "died"),
    "a time-out": ("import time\ntime.sleep(60)", "timed out"),
}


@pytest.mark.parametrize("source, reason", FAILURES.values(), ids=FAILURES)
def test_failing_cell_is_named_and_nothing_is_stored(
    chapter, edited, capsys, monkeypatch, source, reason
):
    monkeypatch.setattr(notebooks, "SECONDS_PER_CELL", 3)
    with edited() as cells:
        cells["decide"].source = source
    before = chapter.read_bytes()
    assert not execute.update(chapter)
    message = capsys.readouterr().err
    assert "notebooks/tiny.ipynb, cell decide (claim four): " in message
    assert reason in message
    assert chapter.read_bytes() == before


def test_figures_on_other_pages_are_those_of_the_chapters():
    """A stored figure is a chapter's, or a program of the site writes it."""
    made = {}
    for path in notebooks.chapters(notebooks.ROOT):
        made |= notebooks.figures_of(notebooks.read(path), notebooks.ROOT)
    folder = notebooks.ROOT / "book/figures"
    stored = {path: path.read_text("utf-8") for path in folder.glob("*")}
    assert made.items() <= stored.items()
    programs = execute.programs(notebooks.ROOT)
    texts = [program.read_text("utf-8") for program in programs]
    for path in stored.keys() - made.keys():
        assert any(path.name in text for text in texts), path.name
