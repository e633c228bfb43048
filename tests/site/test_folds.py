"""What the verbs say is one line that opens; the end of a chapter folds."""

import re

import pytest

from bookkit import notebooks

CHAPTERS = [path.stem for path in notebooks.chapters(notebooks.ROOT)]
VERDICT = re.compile("(Proved|Refuted|Measured|Computed) ✓")
FITS = 45  # characters, on a phone


@pytest.fixture(params=CHAPTERS)
def page(site, pages, request):
    """Return the tree of a chapter's page."""
    return pages[site / f"notebooks/{request.param}.html"]


def folds(page):
    """Return what folds at the end of a page."""
    return page.xpath("//details[contains(@class, 'further')]")


def lines(page):
    """Return the lines of the verdicts on a page."""
    found = page.xpath(
        ".//details[contains(@class, 'verdict-fold')]/summary"
        "|.//div[contains(@class, 'cell_output')]//p[strong]"
    )
    return [text for e in found if VERDICT.match(text := e.text_content())]


def test_a_verdict_is_one_line(page):
    assert lines(page)
    assert [line for line in lines(page) if len(line) > FITS] == []


def test_what_stands_below_a_verdict_folds(page):
    """What is proved has its formula, what is measured its errors; what was
    tried on a grid says where it ends; what compares shows its code."""
    for fold in page.find_class("verdict-fold"):
        line = fold.find("summary").text_content()
        if line.startswith("Computed") and fold.find_class("cell_input"):
            continue
        formula = line.startswith(("Proved", "Refuted"))
        within = (
            fold.find_class("math") if formula else fold.findall(".//table")
        )
        assert within or "and not at" in fold.text_content()
        assert fold.get("open") is None


def comparisons(page):
    """Return the cells of the main line whose outputs are comparisons only."""
    (end,) = folds(page)
    for cell in page.xpath("//div[contains(@class, 'cell_output')]/.."):
        shown = cell.xpath("div[contains(@class, 'cell_output')]/*")
        said = [e.text_content().strip() for e in shown]
        if end not in cell.iterancestors() and all(
            line.startswith("Computed ✓") for line in said
        ):
            yield cell, said, shown[0]


def test_what_only_compares_is_one_line(site, pages):
    """Its code is within, and that of hidden cells which prepare it."""
    found = [
        comparison
        for name in CHAPTERS
        for comparison in comparisons(pages[site / f"notebooks/{name}.html"])
    ]
    assert len(found) > 10
    for cell, said, first in found:
        assert len(said) == len(lines(cell))
        assert cell.find_class("cell_input") == first.find_class("cell_input")
        assert first.find_class("highlight")


DEEDS = {"Refuted": "by a counterexample"}


def test_a_badge_says_what_its_cell_says(page):
    """Of a claim that was changed it says so; else what the cell does."""
    badges = page.find_class("claim-badge")
    assert badges
    for badge in badges:
        said, _ = (link.text_content() for link in badge.iter("a"))
        if said.startswith("an article’s claim, "):
            assert said.endswith(("corrected", "refuted"))
            continue
        deed = said.removeprefix("checked: ")
        cell = next(a for a in badge.iterancestors() if "cell" in a.classes)
        for verdict in (VERDICT.match(line)[1] for line in lines(cell)):
            assert deed == DEEDS.get(verdict, verdict.lower())


def test_the_end_of_a_chapter_folds(page):
    (fold,) = folds(page)
    assert fold.get("open") is None
    (title,) = fold.xpath("summary/h2")
    assert "Proofs, sources, exercises" in title.text_content()
    titles = [h.text_content() for h in fold.xpath("section/h3")]
    assert any("What the sources say" in t for t in titles)
    assert "Exercises" in titles[-1]
    # nothing follows in the chapter
    section = fold.getparent()
    assert section.getnext() is None
    assert fold.getnext() is None


def test_the_fold_is_in_the_contents(page):
    links = page.xpath("//*[@id='pst-page-toc-nav']//a/@href")
    (fold,) = folds(page)
    assert f"#{fold.getparent().get('id')}" in links
    inside = [f"#{s.get('id')}" for s in fold.xpath("section")]
    assert {*inside} <= {*links}


def test_imports_stand_in_the_fold(page):
    (fold,) = folds(page)
    cells = page.xpath("//div[contains(@class, 'tag_imports')]")
    assert cells
    assert all(fold in cell.iterancestors() for cell in cells)


def test_a_chapter_says_how_long_it_is(page):
    (line,) = page.find_class("reading-time")
    number = re.match(r"(\d+) minutes; ", line.text_content())
    assert 5 <= int(number[1]) <= 25
    assert line.getprevious().tag == "h1"
    (link,) = line.iter("a")
    (fold,) = folds(page)
    assert link.get("href") == f"#{fold.getparent().get('id')}"
