"""Every reference is cited in the text, and says who, what, when and where."""

import re

import pytest
from pybtex.database import parse_string

from bookkit import notebooks

CITATION = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")
YEAR = re.compile(r"\d{4}|n\.d\.")  # no date: a page that bears none


def read_bibliography(text):
    """Return the entries of a bibliography by key."""
    return parse_string(text, "bibtex").entries


def lacks(entry):
    """Return what a reader would miss to find and to name a reference."""
    fields = entry.fields
    found = {
        "author": entry.persons.get("author"),
        "title": fields.get("title", "").strip(),
        "year": YEAR.fullmatch(fields.get("year", "")),
        "place": {"url", "doi", "eprint"} & {*fields},
    }
    return [name for name, value in found.items() if not value]


def cited(texts):
    """Return the keys that are cited."""
    groups = (group for text in texts for group in CITATION.findall(text))
    return {key.strip() for group in groups for key in group.split(",")}


@pytest.fixture(scope="module")
def entries():
    """Return the book's references by key."""
    path = notebooks.ROOT / "book" / "references.bib"
    return read_bibliography(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def texts():
    """Return what readers read: the prose of chapters, and the pages."""
    pages = [notebooks.ROOT / "index.md", *notebooks.ROOT.glob("book/*.md")]
    prose = [
        cell.source
        for path in notebooks.chapters(notebooks.ROOT)
        for cell in notebooks.read(path).cells
        if cell.cell_type == "markdown"
    ]
    return [*prose, *(page.read_text("utf-8") for page in pages)]


def test_every_reference_is_complete(entries):
    assert {key: lacks(e) for key, e in entries.items() if lacks(e)} == {}


def test_every_reference_is_cited(entries, texts):
    assert {*entries} - cited(texts) == set()


def test_what_is_missing_would_be_seen():
    bare = "@misc{bare, title = {A}, year = {in 2020}, note = {lost}}"
    (entry,) = read_bibliography(bare).values()
    assert lacks(entry) == ["author", "year", "place"]


def test_citations_are_found():
    text = "By {cite:t}`one`; known {cite:p}`two, three`, unlike `four`."
    assert cited([text]) == {"one", "two", "three"}
