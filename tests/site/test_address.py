"""A site that knows its address says so, and another says nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "site" / "extensions")!r})
extensions = ["address"]
html_title = "A book"
html_baseurl = ADDRESS
"""


def build(folder, address):
    """Build a book of one page; return the folder of its pages."""
    conf = CONF.replace("ADDRESS", repr(address))
    (folder / "conf.py").write_text(conf, encoding="utf-8")
    (folder / "index.rst").write_text("Title\n=====\n", encoding="utf-8")
    html = folder / "html"
    command = [sys.executable, "-m", "sphinx", "-W", "-q", folder, html]
    subprocess.run(command, check=True)
    return html


@pytest.mark.parametrize("address", ["", "https://example.org/book/"])
def test_what_needs_an_address(tmp_path, address):
    """Canonical address, Open Graph tags and sitemap, or none of them."""
    html = build(tmp_path, address)
    text = (html / "index.html").read_text(encoding="utf-8")
    for part in (
        'property="og:url" content="https://example.org/book/',
        'property="og:site_name" content="A book"',
        'rel="canonical" href="https://example.org/book/',
    ):
        assert (part in text) == bool(address)
    sitemap = html / "sitemap.xml"
    assert sitemap.exists() == bool(address)
    if address:
        where = "<loc>https://example.org/book/index.html</loc>"
        assert where in sitemap.read_text(encoding="utf-8")


def test_the_book_has_no_address_yet(paths):
    """No page names an address that nobody has."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert 'rel="canonical"' not in text and "og:url" not in text, path
