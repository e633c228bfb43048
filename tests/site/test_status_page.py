"""The status page of the built book."""

import pytest
from bs4 import BeautifulSoup

from bookkit import notebooks

CHECKS = ["Proofs", "Measurements", "Comparisons", "Refutations"]
CLAIMS = ["Proved", "Measured", "Corrected", "Refuted", "Claims"]


@pytest.fixture(scope="module")
def tables(site):
    """Return the tables of the page: rows of cells."""
    html = (site / "book/status.html").read_bytes()
    page = BeautifulSoup(html, "lxml")
    return [
        [row.find_all(["th", "td"]) for row in table.find_all("tr")]
        for table in page.select("article table")
    ]


def texts(row):
    """Return the texts of a row's cells."""
    return [cell.get_text(strip=True) for cell in row]


def test_every_chapter_stands_in_every_table(tables):
    _, *of_chapters = tables
    assert len(of_chapters) == 3
    stems = [path.stem for path in notebooks.chapters(notebooks.ROOT)]
    for _, *rows, _ in of_chapters:
        links = [row[0].a["href"] for row in rows]
        assert links == [f"../notebooks/{stem}.html" for stem in stems]


def test_what_the_site_was_built_with_has_a_version(tables):
    versions = dict(map(texts, tables[0]))
    for name in ("The Scale of Attention", "Python", "numpy", "sphinx"):
        assert versions[name][0].isdigit()
    assert versions["commit"]


@pytest.mark.parametrize("number, titles", [(1, CHECKS), (2, CLAIMS)])
def test_columns_add_up(tables, number, titles):
    head, *rows, last = map(texts, tables[number])
    for title in titles:
        column = head.index(title)
        numbers = [int(row[column]) for row in rows]
        assert sum(numbers) == int(last[column]) > 0
