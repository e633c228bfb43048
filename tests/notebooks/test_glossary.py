"""The glossary explains words of the book, and says where they stand."""

import re

import pytest
from test_notation import LINK, PLACES, PROSE, the_one

from bookkit import notebooks

BOOK = notebooks.ROOT / "book"
TERM_ROLE = re.compile(r"\{term\}`[^`]+`")
ENTRY = re.compile(r"^((?:\S.*\n)+)((?:  .+\n)+)", re.MULTILINE)


def entries(text):
    """Yield the terms of each entry and where it leads."""
    listing = re.search(r":sorted:\n\n(.*)```", text, re.DOTALL)[1]
    for terms, body in ENTRY.findall(listing):
        links = LINK.findall(TERM_ROLE.sub("", body))
        yield terms.splitlines(), [the_one(link) for link in links]


def text_at(place):
    """Return the text that a link leads to, or nothing."""
    if place.endswith(".md"):
        return (BOOK / place).read_text(encoding="utf-8").lower()
    return PROSE.get(PLACES.get(place), "").lower()


def lost(text):
    """Return the terms that are not found where their entry leads."""
    return [
        term
        for terms, places in entries(text)
        for term in terms
        if not any(term.lower() in text_at(place) for place in places)
        or not all(map(text_at, places))
    ]


@pytest.fixture(scope="module")
def glossary():
    """Return the glossary."""
    return (BOOK / "glossary.md").read_text(encoding="utf-8")


def test_words_are_found_where_the_glossary_leads(glossary):
    assert sum(len(terms) for terms, _ in entries(glossary)) > 80
    assert lost(glossary) == []


@pytest.mark.parametrize(
    "change",
    [
        ("\nRow\n", "\nCrow\n"),
        ("{prf:ref}`thm-majorise`", "{prf:ref}`thm-minorise`"),
        ("{prf:ref}`thm-majorise`", "{prf:ref}`thm-dot`"),
        ("{prf:ref}`thm-majorise`", ""),
    ],
)
def test_lost_word_would_be_seen(glossary, change):
    changed = glossary.replace(*change)
    assert changed != glossary and len(lost(changed)) == 1
