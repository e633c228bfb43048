"""The PDF on the site: there when it is up to date, and only then."""

import os
from pathlib import Path

import pytest
import small_book

from booksite import downloads

ROOT = Path(__file__).parents[2]
NAME = Path(downloads.PDF).name
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "site")!r})
extensions = ["booksite.downloads"]
exclude_patterns = ["_html"]
templates_path = ["site"]
"""
LAYOUT = """{% extends "!layout.html" %}
{% block footer %}<p>PDF: {{ book_pdf }}.</p>{% endblock %}
"""
FILES = {
    "conf.py": CONF,
    "_config.yml": "",
    "index.rst": "Title\n=====\n\n.. toctree::\n\n   book/page\n",
    "book/page.rst": "Page\n====\n",
    "site/layout.html": LAYOUT,
    downloads.PDF: "a PDF",
}


@pytest.fixture
def book(tmp_path):
    """Return the folder of a small book whose PDF is up to date."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        age(path, 60)
    age(tmp_path / downloads.PDF, -30)
    return tmp_path


def age(path, seconds):
    """Make a file older."""
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def build(book):
    """Build the book; return what its two pages say of the PDF."""
    result, html = small_book.build(book, {})
    assert result.returncode == 0, result.stderr
    pages = [html / "index.html", html / "book" / "page.html"]
    texts = [page.read_text("utf-8") for page in pages]
    return [text.split("PDF: ")[1].split(".</p>")[0] for text in texts]


def test_the_site_has_the_pdf_while_it_is_current(book):
    """Pages link it; when a source changes, link and copy are gone."""
    copied = book / "_html" / NAME
    assert build(book) == [NAME, f"../{NAME}"]
    assert copied.read_text() == "a PDF"
    age(book / "_config.yml", -60)
    assert build(book) == ["", ""]
    assert not copied.exists()


@pytest.mark.parametrize(
    "name",
    ["index.md", "notebooks/1.ipynb", "book/data/x.json", "site/pdf.py"],
)
def test_a_source_makes_the_pdf_old(book, name):
    """A page, a notebook, what they show, and the program all count."""
    assert downloads.is_current(book)
    path = book / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    assert not downloads.is_current(book)
    age(path, 90)
    assert downloads.is_current(book)


def test_no_pdf_is_no_matter(book):
    """A book that was never printed builds, without a link."""
    (book / downloads.PDF).unlink()
    assert build(book) == ["", ""]


def test_the_sources_are_those_of_this_book():
    """Every pattern finds something, and nothing that the build makes."""
    for pattern in downloads.SOURCES:
        assert list(ROOT.glob(pattern)), pattern
    found = downloads.sources(ROOT)
    assert ROOT / "site" / "assets" / "book.css" in found
    assert not any("__pycache__" in path.parts for path in found)
