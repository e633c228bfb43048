"""Slips in the HTML that other packages write, and how they are mended.

What a repair is for is counted twice, as nodes in the doctree of a page and
as elements in its HTML. When the counts differ, the package has changed, and
the build stops: the repair has to follow, or can go. It stops as well when a
template of ours replaces nothing in the theme any more.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import jinja2
from docutils import nodes
from jinja2.nodes import Block, Extends, Macro
from lxml import etree
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.errors import ExtensionError
from sphinx_exercise.nodes import is_exercise_node, is_solution_node
from sphinx_proof.nodes import NODE_TYPES, proof_node, unenumerable_node

from booksite.finder import line_of, spaced

TEMPLATES = "site/templates"
BRACKET = re.compile(r"(?<=\w) \[")  # of what a name is applied to
# Punctuation right before a formula, and right behind it.
OPENING = re.compile(r"[(\[“‘]*$")
CLOSING = re.compile(r"[)\].,;:!?’”]*")
# After a slash, a bracket, a comma, and the dot of a module; not of a file.
BETWEEN_NAMES = re.compile(
    r"(?<=[/(,=])(?=.)|(?<=[a-z]\.)(?=[A-Za-z])(?!(?:py|h|cc|cpp|cu|json)\b)"
)
# Before a number: what it numbers. Around ±: what it belongs to.
NUMBERED = re.compile(
    r"\b((?:chapter|theorem|lemma|proposition|corollary|definition|exercise"
    r"|fig\.|figure|table|section|source|part)s?) (?=\d|[IVX]+\b)",
    re.IGNORECASE,
)
PLUS_MINUS = re.compile(r"(?<=\d) ± (?=\d)")
# What has an anchor and begins with its title.
LINKED = (
    ".//div[@id][contains(@class, 'proof ') or contains(@class, 'exercise ')"
    " or contains(@class, 'claim-card')]"
    "[*[1][self::p]]"
)
THEOREMS = (*NODE_TYPES.values(), unenumerable_node)


class Repair(NamedTuple):
    """A slip: whose it is, in which nodes, in which elements, its cure."""

    package: str
    concerns: Callable
    xpath: str
    mend: Callable


def instances(*classes):
    """Return a function that tells whether a node is of these classes."""
    return lambda node: isinstance(node, classes)


def without(name):
    """Return a function that takes an attribute from an element."""
    return lambda element: element.attrib.pop(name)


def is_empty_head(node):
    """Tell whether a node is a cell without words in the head of a table."""
    return (
        isinstance(node, nodes.entry)
        and isinstance(node.parent.parent, nodes.thead)
        and not node.astext().strip()
    )


def into_plain_cell(element):
    """Make the head of a column that has no words an empty cell."""
    element.tag = "td"
    del element[:]


def set_apart(element):
    """Tell the word from the proof that it stands before."""
    word = etree.Element("em")
    word.text = "Proof."
    word.tail = element.text.removeprefix(word.text)
    element.text = None
    element.insert(0, word)


def put_space_before(element):
    """Move the space at the start of a link to where the link begins."""
    element.getparent().text += " "
    element.text = element.text.removeprefix(" ")


def without_roles(element):
    """Take the roles from an entry of a bibliography, and from the list."""
    del element.attrib["role"]
    element.getparent().attrib.pop("role", None)


def say_which(summary):
    """Let what opens be heard with its figure, or its number on the page."""
    del summary.attrib["aria-label"]
    figures = summary.xpath(
        "../..//figcaption//span[@class='caption-number']/text()"
    )
    before = summary.xpath("count(preceding::details[@class and summary/p])")
    which = etree.SubElement(summary, "span", {"class": "visually-hidden"})
    which.text = (
        f"of figure {figures[0].split()[-1]}"
        if figures
        else f"{before + 1:.0f}"
    )


REPAIRS = [
    # All the boxes of a page have the same anchor.
    Repair(
        "sphinx-proof",
        instances(*THEOREMS),
        "//section[@id='proof-content']",
        without("id"),
    ),
    Repair(
        "sphinx-exercise",
        is_exercise_node,
        "//section[@id='exercise-content']",
        without("id"),
    ),
    Repair(
        "sphinx-exercise",
        is_solution_node,
        "//section[@id='solution-content']",
        without("id"),
    ),
    Repair(
        "sphinx-proof",
        instances(proof_node),
        "//div[@class='proof admonition'][@id='proof']",
        without("id"),
    ),
    Repair(
        "sphinx-proof",
        instances(proof_node),
        "//div[@class='proof admonition']/p[1][starts-with(text(), 'Proof.')]",
        set_apart,
    ),
    Repair(
        "sphinx-exercise",
        is_solution_node,
        "//p[@class='admonition-title'][text()='Solution to']"
        "/a[starts-with(text(), ' ')]",
        put_space_before,
    ),
    # The roles promise children that these elements do not have.
    Repair(
        "docutils",
        instances(nodes.citation),
        "//div[@role='list']/div[@role='doc-biblioentry']",
        without_roles,
    ),
    Repair(
        "docutils",
        is_empty_head,
        "//th[starts-with(@class, 'head')][not(normalize-space())]",
        into_plain_cell,
    ),
    # The label hides the words that everyone else reads.
    Repair(
        "MyST-NB",
        instances(HideCodeCellNode),
        "//summary[@aria-label='Toggle hidden content']",
        say_which,
    ),
]


def part_names(tree):
    """Let code in tables end a line between names; styles forbid it within."""
    for element in tree.iterfind(".//table//code//*"):
        if len(element) or not element.text:
            continue
        element.text, *others = BETWEEN_NAMES.split(element.text)
        for other in others:
            etree.SubElement(element, "wbr").tail = other


def hold_together(tree):
    """Let no line end between a formula and the punctuation beside it.

    A formula of several pieces may be parted itself: what stands behind it
    goes into it, to its last piece.
    """
    for last in tree.xpath(".//span[@data-tex]/math[position() > 1][last()]"):
        formula = last.getparent()
        closing = CLOSING.match(formula.tail or "")[0]
        if not closing:
            continue
        held = etree.Element("span", {"class": "held"})
        last.addprevious(held)
        held.append(last)
        last.tail = closing
        formula.tail = formula.tail[len(closing) :]
    for formula in tree.xpath(".//span[@data-tex][count(.//math) = 1]"):
        before = formula.getprevious()
        text = formula.getparent().text if before is None else before.tail
        opening = OPENING.search(text or "")[0]
        closing = CLOSING.match(formula.tail or "")[0]
        if not opening + closing:
            continue
        held = etree.Element("span", {"class": "held"})
        held.text = opening
        held.tail = formula.tail[len(closing) :] if formula.tail else None
        formula.tail = closing
        formula.addprevious(held)
        held.append(formula)
        if opening and before is None:
            held.getparent().text = text[: -len(opening)]
        elif opening:
            before.tail = text[: -len(opening)]


def add_links(tree):
    """Give theorems, exercises and claims a visible link of their own.

    A heading that opens a fold has none: it is something to press already.
    """
    for link in tree.xpath(".//summary//a[@class='headerlink']"):
        link.drop_tree()
    for box in tree.xpath(LINKED):
        title = box.xpath("./*[1]")[0]
        if title.xpath(".//a[contains(@class, 'headerlink')]"):
            continue
        link = etree.SubElement(title, "a", {"class": "headerlink"})
        link.set("href", f"#{box.get('id')}")
        link.set("aria-label", "Link to this place")
        link.text = "#"


def lighten(tree):
    """Take from the cards of claims, which are many, what nothing asks for.

    Where a claim has but a line, its formulas are text in that line.
    """
    for card in tree.xpath(".//div[contains(@class, 'claim-card')]"):
        line = "claim-line" in card.get("class")
        card.set("class", "claim-card claim-line" if line else "claim-card")
        for formula in card.xpath(".//*[@data-tex]") if line else []:
            text = spaced(map(line_of, formula.iter("math")))
            del formula[:]
            formula.tag, formula.text = "pending", BRACKET.sub("[", text)
        for link in card.iterfind(".//a[@class='reference internal']"):
            del link.attrib["class"]
        for words in card.xpath(".//span[@class='std std-ref']"):
            words.tag = "pending"
        etree.strip_tags(card, "pending")


def move_code(tree):
    """Let what a cell shows stand before its code, where that is folded."""
    for fold in tree.xpath(".//div/details[contains(@class, 'above-input')]"):
        shown = fold.getnext()
        if shown is not None and "cell_output" in shown.get("class", ""):
            shown.addnext(fold)


def hold_numbers(tree):
    """Let no line end between the two words of Theorem 6.1, or beside a ±."""
    for text in tree.xpath(
        ".//text()[not(ancestor::pre or ancestor::code or ancestor::math)]"
    ):
        held = NUMBERED.sub("\\1\u00a0", text)
        held = PLUS_MINUS.sub("\u00a0±\u00a0", held)
        if held == text:
            continue
        element = text.getparent()
        if text.is_tail:
            element.tail = held
        else:
            element.text = held


def mend(page, tree, doctree):
    """Mend the HTML of a page in place.

    Raises ExtensionError where a package does not write what is to be mended.
    """
    written = list(doctree.findall(nodes.Element))
    for repair in REPAIRS:
        expected = sum(map(repair.concerns, written))
        if not expected:
            continue
        found = tree.xpath(repair.xpath)
        if len(found) != expected:
            raise ExtensionError(
                f"{repair.package} has changed: of {expected} elements on"
                f" the page {page}, {len(found)} match {repair.xpath}."
                " Adapt this repair in site/booksite/repairs.py, or drop it."
            )
        for element in found:
            repair.mend(element)


def defined_in(environment, name):
    """Return the blocks and macros of a template, and what it extends."""
    source, _, _ = environment.loader.get_source(environment, name)
    tree = environment.parse(source)
    names = {node.name for node in tree.find_all((Block, Macro))}
    return names, [node.template.value for node in tree.find_all(Extends)]


def check_template(ours, theirs, name):
    """Raise ExtensionError where a template of ours replaces nothing.

    The templates of both sides are asked for in their Jinja environments.
    """
    replaced, ancestors = set(), [name]
    try:
        while ancestors:
            names, above = defined_in(theirs, ancestors.pop())
            replaced |= names
            ancestors += above
    except jinja2.TemplateNotFound as error:
        raise ExtensionError(
            f"The theme has changed: it has no template {error}, on which"
            f" {TEMPLATES}/{name} relies."
        ) from error
    if idle := sorted(defined_in(ours, name)[0] - replaced):
        raise ExtensionError(
            f"The theme has changed: {', '.join(idle)} in {TEMPLATES}/{name}"
            " replaces nothing of it."
        )


def check_templates(app):
    """Check that all templates of the book replace something in the theme."""
    if TEMPLATES not in app.config.templates_path:
        return
    folder = Path(app.confdir, TEMPLATES)
    ours = app.builder.templates.environment
    loaders = [
        loader
        for loader in ours.loader.loaders
        if str(folder) not in loader.searchpath
    ]
    theirs = ours.overlay(loader=jinja2.ChoiceLoader(loaders))
    for path in sorted(folder.rglob("*.html")):
        check_template(ours, theirs, path.relative_to(folder).as_posix())
