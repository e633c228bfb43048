"""Sources in the margin, beside the sentence that cites them.

Where there is room, author, year and title of a source stand beside it, with
a link to the source itself (book.css). They repeat what the citation leads
to, so they are for the eye alone, and elsewhere they are not shown.
"""

from functools import cache
from pathlib import Path

from lxml import etree
from pybtex.richtext import Text

from bookkit import ledger

# A note stands beside a paragraph; the cells of a table are too near.
CITATIONS = (
    "//a[contains(@href, 'references.html#') or starts-with(@href, '#')]"
    "[ancestor::span[@class='bibtex-citation']]"
    " | //a[contains(@href, 'scorecard.html#source-')]"
    "[not(ancestor::span[@class='claim-grounds'])]"
)
LONG = 60  # letters of a title
BLOCK = "ancestor::*[self::p or self::li][1]"


def plain(tex):
    """Return what stands in a bibliography as text."""
    return str(Text.from_latex(tex))


def authors_of(entry):
    """Return the last names of one author or two, or of the first."""
    people = entry.persons["author"]
    names = [plain(" ".join(p.prelast_names + p.last_names)) for p in people]
    return " and ".join(names) if len(names) < 3 else f"{names[0]} et al."


def papers(app):
    """Return who, when, title and address of each cited paper, by anchor."""
    found = {}
    for citation in app.env.get_domain("cite").citations:
        entry, fields = citation.entry, citation.entry.fields
        doi = fields.get("doi")
        address = f"https://doi.org/{doi}" if doi else fields.get("url")
        found[citation.citation_id] = (
            authors_of(entry),
            fields["year"],
            plain(fields["title"]),
            address,
        )
    return found


@cache
def articles(root):
    """Return the same of each article that claims come from, by anchor."""
    return {
        f"source-{name}": (
            source.get("author"),
            str(source.get("published", ""))[:4],
            source["title"],
            source.get("url"),
        )
        for name, source in ledger.read_sources(root).items()
    }


def note(who, when, title, address):
    """Return the element that names a source."""
    element = etree.Element("small", {"class": "source-note"})
    element.set("aria-hidden", "true")
    element.text = "".join(f"{part}, " for part in (who, when) if part)
    name = etree.SubElement(element, "a", {"tabindex": "-1"})
    name.set("href", address)
    # What follows a colon is seldom needed to tell one source from another.
    name.text = title.partition(": ")[0] if len(title) > LONG else title
    return element


def is_note(element):
    """Tell whether what follows another element is a note."""
    return element is not None and element.get("class") == "source-note"


def add_sources(app, tree):
    """Put each source once beside a paragraph, behind its citation."""
    links = tree.xpath(CITATIONS)
    known = papers(app) | articles(Path(app.srcdir)) if links else {}
    seen = set()
    for link in links:
        anchor = link.get("href").partition("#")[2]
        blocks = link.xpath(BLOCK)
        if anchor not in known or not blocks or link.xpath("ancestor::td"):
            continue
        if (blocks[0], anchor) not in seen:
            seen.add((blocks[0], anchor))
            behind = link
            if span := link.xpath("ancestor::span[@class='bibtex-citation']"):
                behind = span[0]
            while is_note(behind.getnext()) and not behind.tail:
                behind = behind.getnext()
            who, when, title, address = known[anchor]
            element = note(who, when, title, address or link.get("href"))
            element.tail, behind.tail = behind.tail, None
            behind.addnext(element)
