"""The map of results: its arcs lie beside the words, on phones as well."""

import pytest
from window import DESKTOP, PHONE, open_page

# How far arcs reach into the rows, and the rows that are too low for their
# words, both in pixels.
CROWDED = """
() => {
  const map = document.querySelector(".results-map");
  const arcs = map.querySelector("svg").getBoundingClientRect();
  const rows = [...map.querySelectorAll("li")];
  const words = Math.min(...rows.map(row =>
    row.firstElementChild.getBoundingClientRect().left));
  const tall = rows.filter(row =>
    row.firstElementChild.getBoundingClientRect().height > row.clientHeight);
  return [arcs.right - words, tall.map(row => row.textContent.trim())];
}
"""
NARROW = {"width": 320, "height": 640}


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE, NARROW], ids=str)
def test_arcs_lie_beside_the_words(browser, site, viewport):
    with open_page(browser, viewport=viewport) as page:
        page.goto((site / "book" / "map-of-results.html").as_uri())
        reach, tall = page.evaluate(CROWDED)
        assert reach < 0
        assert tall == []
