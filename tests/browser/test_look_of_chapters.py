"""A look at the chapters, in a file of their own: for another worker."""

import pytest
from pages import built_pages, is_chapter


@pytest.mark.parametrize("name", [*filter(is_chapter, built_pages())])
def test_nothing_is_wrong(look, name):
    """It is quiet, fits, and axe finds nothing: light, dark, on a phone."""
    assert look(name) == []
