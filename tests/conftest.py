"""What tests share: a tiny sound book to make unsound, and the built pages."""

import os
import shutil
from contextlib import contextmanager

import lxml.html
import nbformat.v4
import pytest
from hypothesis import settings
from pages import SITE, built_pages

from bookkit import execute, notebooks

# A slow machine is no counterexample; in CI a run must not depend on chance.
settings.register_profile(
    "book", deadline=None, derandomize="CI" in os.environ
)
settings.load_profile("book")

CLAIMS = """
- id: four
  source: own
  statement: $2^2 = 4$
  verdict: proved
  in_words: thm-four
  near_misses:
    - says: $2^2 = 2 + 2 + 2$
      words: = 4$
      replace: "== 4"
      by: "== 6"
      because: $2^2 = 2 + 2$.
  where: notebooks/tiny.ipynb
"""
SOURCES = """
- id: own
  title: This book
"""
PROSE = "```{prf:theorem}\n:label: thm-four\nIts square is 4.\n```"


def tiny_notebook():
    """Return a notebook, not yet executed, that decides one claim."""
    nb = nbformat.v4.new_notebook()
    nb.cells = [
        nbformat.v4.new_markdown_cell("# Tiny", id="title"),
        nbformat.v4.new_code_cell("x = 2", id="define"),
        nbformat.v4.new_markdown_cell(PROSE, id="prose"),
        nbformat.v4.new_code_cell("assert x**2 == 4\nx", id="decide"),
    ]
    nb.cells[-1].metadata.tags = ["claim:four"]
    return nb


@pytest.fixture(scope="session")
def tiny_book(tmp_path_factory):
    """Return the folder of the tiny book, executed."""
    root = tmp_path_factory.mktemp("tiny")
    for folder in ("attention_scale", "book", "notebooks"):
        (root / folder).mkdir()
    (root / "attention_scale" / "__init__.py").write_text("two = 2\n")
    (root / "book" / "claims.yml").write_text(CLAIMS)
    (root / "book" / "sources.yml").write_text(SOURCES)
    chapter = root / "notebooks" / "tiny.ipynb"
    chapter.write_text(notebooks.text_of(tiny_notebook()))
    assert execute.update(chapter)
    return root


@pytest.fixture
def book(tiny_book, tmp_path):
    """Return the folder of a copy of the tiny book, to be spoilt."""
    return shutil.copytree(tiny_book, tmp_path / "book")


@pytest.fixture
def chapter(book):
    """Return the path of the tiny book's notebook."""
    return book / "notebooks" / "tiny.ipynb"


@pytest.fixture
def edited(chapter):
    """Return a context that opens the cells by id and stores the change."""

    @contextmanager
    def edit():
        nb = notebooks.read(chapter)
        yield {cell.id: cell for cell in nb.cells}
        chapter.write_text(notebooks.text_of(nb), "utf-8")

    return edit


@pytest.fixture(scope="session")
def site():
    """Return the folder of the built book."""
    assert built_pages()
    return SITE


@pytest.fixture(scope="session")
def paths():
    """Return the paths of all pages."""
    return [*built_pages().values()]


@pytest.fixture(scope="session")
def pages(paths):
    """Return the parsed pages, by their path."""
    return {path: lxml.html.parse(path).getroot() for path in paths}


@pytest.fixture(scope="session")
def chapters(paths):
    """Return the paths of the pages that are made from notebooks."""
    return [path for path in paths if path.parent.name == "notebooks"]
