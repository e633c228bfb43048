"""What the code imports is asked for by name, not had by chance."""

import ast
import functools
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"^[\w.-]+")
# The others run in environments of their own, from their own lists.
ROOMS = ["bookkit", "site", "tests", "benchmarks"]
ELSEWHERE = ["tests/torch", "benchmarks/monitor.py"]


def asked_for():
    """Return the names of the packages that the book asks for by hand."""
    lines = (ROOT / "requirements.in").read_text("utf-8").splitlines()
    for project in ROOT / "pyproject.toml", ROOT / "bookkit/pyproject.toml":
        table = tomllib.loads(project.read_text("utf-8"))["project"]
        lines += [table["name"], *table["dependencies"]]
    found = filter(None, map(NAME.match, lines))
    return {name[0].lower().replace("_", "-") for name in found}


def imported(source):
    """Return the first names of what Python imports from outside its file."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


@functools.cache
def providers_of():
    """Return which packages bring a module, by its name."""
    return packages_distributions()


def undeclared(source, asked):
    """Return which imports are of packages that nobody asks for."""
    providers = providers_of()
    return {
        name
        for name in imported(source) - sys.stdlib_module_names
        if name in providers
        and not {p.lower().replace("_", "-") for p in providers[name]} & asked
    }


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_imported_is_asked_for(room):
    asked = asked_for()
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in (ROOT / room).rglob("*.py")
        if not path.relative_to(ROOT).as_posix().startswith(tuple(ELSEWHERE))
        if (names := undeclared(path.read_text("utf-8"), asked))
    }
    assert found == {}


def test_what_nobody_asks_for_would_be_seen():
    """Though another package brings it."""
    source = "import numpy\nfrom pip import main\nimport json\n"
    assert undeclared(source, asked_for()) == {"pip"}
