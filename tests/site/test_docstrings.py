"""The library's docstrings on its page."""

import inspect
from importlib import import_module

import pytest

import attention_scale
from booksite.docstrings import shown

DOCSTRING = """Weights of `p`.

Parameters
----------
p : array (..., n), weights that sum
    to 1.

Raises
------
TypeError, ValueError : p is none.

Parameters, errors : as `other`; n : the
number of keys.

>>> 2 * 3
6
"""


def test_sections_are_lists_and_backquotes_code():
    assert shown(DOCSTRING.splitlines()) == [
        "Weights of ``p``.",
        "",
        "**Parameters**",
        "",
        "``p``",
        "    array (..., n), weights that sum",
        "    to 1.",
        "",
        "**Raises**",
        "",
        "``TypeError, ValueError``",
        "    p is none.",
        "",
        "Parameters, errors : as ``other``; n : the",
        "number of keys.",
        "",
        ">>> 2 * 3",
        "6",
    ]


@pytest.mark.parametrize("name", attention_scale.__all__)
def test_every_module_has_its_place_on_the_page(name):
    module = import_module(f"attention_scale.{name}")
    page = inspect.getsourcefile(attention_scale).replace(
        "attention_scale/__init__.py", "book/library.md"
    )
    with open(page, encoding="utf-8") as file:
        assert f".. automodule:: {module.__name__}\n" in file.read()
