"""The examples of the docstrings run, and every public function has one."""

import doctest
import inspect
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import attention_scale

# What some need may not be there; `make test-torch` runs their examples.
ROOT = Path(attention_scale.__file__).parents[1]
PARTS = [
    path.relative_to(ROOT).with_suffix("").parts
    for path in sorted(ROOT.glob("attention_scale/**/*.py"))
]
MODULES = [
    ".".join(parts).removesuffix(".__init__")
    for parts in PARTS
    if not {"torch", "live", "__main__"} & {*parts}
]
# These take what their callers have checked.
INTERNAL = {"name_of", "nodes", "remainder", "spread", "steepness"}


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name):
    module = import_module(name)
    found = doctest.testmod(module, extraglobs={"np": np})
    assert found.failed == 0


@pytest.mark.parametrize("name", attention_scale.__all__)
def test_every_public_function_has_an_example(name):
    module = import_module(f"attention_scale.{name}")
    functions = {f: getattr(module, f) for f in set(module.__all__) - INTERNAL}
    bare = [
        f
        for f, function in functions.items()
        if inspect.isfunction(function) and ">>>" not in function.__doc__
    ]
    assert bare == []


def test_the_namespace_shows_what_there_is():
    modules = {p.stem for p in Path(attention_scale.__file__).parent.glob("*")}
    shown = set(dir(attention_scale)) - {"__version__"}
    # how arguments are checked, and integrals summed, is no reader's concern
    assert shown == modules - {
        "__init__",
        "__main__",
        "__pycache__",
        "arguments",
        "py",
        "quadrature",
    }
    for name in attention_scale.__all__:
        assert getattr(attention_scale, name).__doc__
        assert f"    {name} " in attention_scale.__doc__
    with pytest.raises(
        AttributeError, match="'sofmax'; it has added, annealed, "
    ):
        attention_scale.sofmax  # noqa: B018
