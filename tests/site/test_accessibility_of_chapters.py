"""Axe on the chapters, in a file of their own: for another worker to run."""

import pytest
from window import built_pages, is_chapter


@pytest.mark.parametrize("name", [*filter(is_chapter, built_pages())])
def test_axe_finds_nothing(audit, name):
    """No violation, light, dark, or 360 pixels wide."""
    assert audit(name) == []
