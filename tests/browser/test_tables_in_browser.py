"""Columns of numbers, point under point, and tables on a phone."""

from lxml import html
from window import LAID, PHONE, open_page

from booksite import tables

CELLS = """
() => [...document.querySelectorAll("td")].map(cell => {
  const text = cell.firstElementChild.firstChild;
  const range = document.createRange();
  const at = /[.]|$/.exec(text.data).index;
  range.setStart(text, 0);
  range.setEnd(text, at);
  return range.getBoundingClientRect().right;
})
"""


def test_points_stand_under_points(browser, site):
    """In the book's own face, to a pixel."""
    column = ["12.5", "3", "0.125", "-0.25", "0.5 ± 0.1", "0.25 ± 0.02"]
    rows = "".join(f"<tr><td><p>{text}</p></td></tr>" for text in column)
    head = "<table class='table'><tr><th><p>head</p></th></tr>"
    tree = html.fragment_fromstring(f"<div>{head}{rows}</table></div>")
    tables.finish_tables(tree)
    with open_page(browser) as page:
        page.goto((site / "book" / "glossary.html").as_uri())
        page.wait_for_selector(LAID, state="attached")
        page.evaluate(
            "text => { document.querySelector('article').innerHTML = text; }",
            html.tostring(tree, encoding="unicode"),
        )
        places = page.evaluate(CELLS)
    assert len(places) == len(column)
    # The spaces around ± and the sign itself are halves of a digit nearly.
    assert max(places) - min(places) < 2


def test_symbols_fit_a_phone(browser, site):
    """A row is a paragraph there, and nothing scrolls."""
    with open_page(browser, viewport=PHONE) as page:
        page.goto((site / "book" / "notation.html").as_uri())
        page.wait_for_selector(LAID, state="attached")
        wide = "e => e.scrollWidth > e.clientWidth + 1"
        boxes = page.locator(".pst-scrollable-table-container:has(.notation)")
        assert boxes.count() > 5
        assert not any(box.evaluate(wide) for box in boxes.all())
        row = page.locator(".notation tbody tr").first
        assert row.locator("td").first.bounding_box()["width"] > 300
        shown = "e => getComputedStyle(e, '::before').content"
        last = row.locator("td").last
        assert last.evaluate(shown) == '"first use: "'
