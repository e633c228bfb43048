"""The pages of the built book, for the tests that read them or open them."""

from pathlib import Path

import pytest

SITE = Path(__file__).parents[1] / "_build" / "html"


def built_pages():
    """Return the paths of all pages by their place in the built book."""
    if not (SITE / "index.html").exists():
        pytest.fail(f"There is no book in {SITE}: run `make book` first.")
    paths = [p for p in SITE.rglob("*.html") if "_static" not in p.parts]
    return {p.relative_to(SITE).as_posix(): p for p in sorted(paths)}


def is_chapter(name):
    """Tell whether a page is made from a notebook, by its place."""
    return name.startswith("notebooks/")
