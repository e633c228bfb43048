"""Which result rests on which, as the proofs say themselves.

A result is a theorem, lemma or corollary with a label. Its proof stands right
below it, begins with "Of" and a reference to it, or has a section of its own
that the text after the result links to. What a result rests on is what it,
or its proof, refers to: other results, their formulas, or the section of one.
"""

import re
from dataclasses import dataclass, field

from bookkit import ledger, notebooks
from bookkit.cells import checks_in

KINDS = {"theorem", "lemma", "corollary", "proposition"}
BLOCK = re.compile(r"^(`{3,})\{prf:(\w+)\} *(.*)$")
LABEL = re.compile(r"^:label: *(\S+)$", re.M)
SECTION = re.compile(r"^\(([\w-]+)\)=$")
FORMULA = re.compile(r"\((eq-[\w-]+)\)")
OF = re.compile(r"^Of \{prf:ref\}`([\w-]+)`")
REFERENCES = re.compile(
    r"\{(?:prf:ref|eq)\}`(?P<role>[\w-]+)`"
    r"|\{ref\}`[^`]*<(?P<text>[\w-]+)>`|\]\(#(?P<link>[\w-]+)\)"
)
HELD = ("machine", "prose", "measured")


@dataclass
class Result:
    """A result: where it stands, how it is held, what it rests on."""

    label: str
    kind: str
    title: str
    chapter: str
    section: str
    text: str
    proofs: list = field(default_factory=list)
    held: str = "prose"
    rests_on: list = field(default_factory=list)


def blocks_of(nb):
    """Yield the parts of a chapter: sections, links, code, prf blocks."""
    for cell in nb.cells:
        if cell.cell_type == "code":
            yield "code", cell, ""
            continue
        lines = iter(cell.source.splitlines())
        for line in lines:
            if found := SECTION.match(line):
                yield "section", found[1], ""
            elif found := BLOCK.match(line):
                body = []
                for inner in lines:
                    if inner.strip() == found[1]:
                        break
                    body.append(inner)
                yield found[2], found[3], "\n".join(body)
            else:
                for link in REFERENCES.finditer(line):
                    yield "link", next(filter(None, link.groups())), ""


def read_chapter(path):
    """Return the results of a chapter, its proofs, and its deciding cells.

    Each proof comes with its section and the result above it, each cell with
    its section, and each link with the result above it.
    """
    results, proofs, cells, links = [], [], [], {}
    section = ""
    for kind, what, body in blocks_of(notebooks.read(path)):
        if kind == "section":
            section = what
        elif kind == "link" and results:
            links.setdefault(what, results[-1])
        elif kind == "code":
            cells += [(section, what)] if results else []
        elif kind == "proof":
            proofs.append((section, results[-1] if results else None, body))
        elif kind in KINDS:
            label = LABEL.search(body)[1]
            text = LABEL.sub("", body).strip()
            found = Result(label, kind, what, path.stem, section, text)
            results.append(found)
    return results, proofs, cells, links


def owner(section, above, body, links, by_label):
    """Return the result that a proof belongs to."""
    if said := OF.match(body.strip()):
        return by_label[said[1]]
    if above and (above.section == section or section not in links):
        return above
    return links[section]


def held(result, sections, claims, cells):
    """Return how a result is held: by machine, in words, or by numbers."""
    if any(c.get(ledger.IN_WORDS) == result.label for c in claims.values()):
        return "prose"
    verbs = set()
    for section, cell in cells:
        named = [claims[c] for c in notebooks.claims_of(cell.metadata)]
        if section in sections and named:
            verbs |= set(checks_in(cell.source))
    if verbs & ledger.DECIDING["proved"]:
        return "machine"
    return "measured" if verbs & ledger.DECIDING["measured"] else "prose"


def results_of(root):
    """Return all results of the book by label, in reading order."""
    claims, by_label, read = ledger.read_claims(root), {}, []
    for path in notebooks.chapters(root):
        chapter = read_chapter(path)
        read.append(chapter)
        by_label |= {result.label: result for result in chapter[0]}
    home = {formula: r for r in by_label.values()
            for formula in FORMULA.findall(r.text)}  # fmt: skip
    home |= {r.label: r for r in by_label.values()}
    in_section = {}
    for result in by_label.values():
        in_section.setdefault(result.section, []).append(result)
    home |= {s: rs[0] for s, rs in in_section.items() if s and len(rs) == 1}
    for results, proofs, cells, links in read:
        sections = {r.label: {r.section} - {""} for r in results}
        for section, above, body in proofs:
            mine = owner(section, above, body, links, by_label)
            mine.proofs.append(body)
            sections.setdefault(mine.label, set()).add(section)
        for result in results:
            result.held = held(result, sections[result.label], claims, cells)
    for result in by_label.values():
        for found in REFERENCES.finditer("\n".join([result.text, *result.proofs])):
            other = home.get(next(filter(None, found.groups())))
            if other and other is not result:
                if other.label not in result.rests_on:
                    result.rests_on.append(other.label)
    return by_label
