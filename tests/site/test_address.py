"""A site that knows its addresses says so, and another says nothing."""

from pathlib import Path

import pytest
import small_book

ROOT = Path(__file__).parents[2]
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "site")!r})
extensions = ["booksite.address", "booksite.mathml"]
html_math_renderer = "mathml"
html_title = "A book"
html_baseurl = ADDRESS
html_theme = "sphinx_book_theme"
html_theme_options = OPTIONS
"""
REPOSITORY = "https://github.com/example/book"
PAGE = """Title
=====

It is in :repository:`the repository`, for :math:`\\alpha_c = 1`.
"""


def build(folder, address):
    """Build a book of one page; return the folder of its pages."""
    options = {"repository_url": REPOSITORY} if address else {}
    conf = CONF.replace("ADDRESS", repr(address))
    conf = conf.replace("OPTIONS", repr(options))
    files = {"conf.py": conf, "index.rst": PAGE}
    result, html = small_book.build(folder, files)
    assert result.returncode == 0, result.stderr
    return html


@pytest.mark.parametrize("address", ["", "https://example.org/book/"])
def test_what_needs_an_address(tmp_path, address):
    """Canonical address, Open Graph tags, sitemap, repository, or none."""
    html = build(tmp_path, address)
    text = (html / "index.html").read_text(encoding="utf-8")
    for part in (
        'property="og:url" content="https://example.org/book/',
        'property="og:site_name" content="A book"',
        'rel="canonical" href="https://example.org/book/',
        f'href="{REPOSITORY}">the repository</a>',
        'property="og:description" content="It is in the repository, for α_c',
        'property="og:image" content="https://example.org/book/_images/',
    ):
        assert (part in text) == bool(address)
    assert "the repository" in text
    sitemap = html / "sitemap.xml"
    assert sitemap.exists() == bool(address)
    if address:
        where = "<loc>https://example.org/book/index.html</loc>"
        assert where in sitemap.read_text(encoding="utf-8")
