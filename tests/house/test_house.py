"""What is said in several places is said alike, and files are where said."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

import attention_scale

ROOT = Path(__file__).parents[2]
# Pages outside the book; links of the others are checked as built.
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
PAGES += [path.relative_to(ROOT) for path in ROOT.glob(".github/**/*.md")]


def text(name):
    """Return the text of a file of the repository."""
    return (ROOT / name).read_text("utf-8")


@pytest.fixture(scope="module")
def citation():
    """Return what CITATION.cff says."""
    return yaml.safe_load(text("CITATION.cff"))


def bibtex(field):
    """Return a field of the BibTeX entry on the front page."""
    return re.search(rf"^  {field} += {{+(.+?)}}+,?$", text("index.md"), re.M)[
        1
    ]


def test_one_version(citation):
    """Package, citation, changelog and front page have the same one."""
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    latest = re.search(r"^## (\S+)", text("CHANGELOG.md"), re.M)[1]
    assert attention_scale.__version__ == version
    edition = f"Version {version}"
    book = citation["preferred-citation"]
    assert latest == citation["version"] == version
    assert bibtex("edition") == book["edition"] == edition


def test_one_title_one_author_one_year(citation):
    """Settings, citation, README and front page name the same book."""
    config = yaml.safe_load(text("_config.yml"))
    book = citation["preferred-citation"]
    title, author = config["title"], config["author"]
    assert text("README.md").startswith(f"# {title}\n")
    headings = re.findall(r"^# (.*)$", text("index.md"), re.MULTILINE)
    assert headings[0] == title
    assert bibtex("title") == citation["title"] == book["title"] == title
    assert citation["authors"] == book["authors"] == [{"name": author}]
    assert bibtex("author") == author
    assert bibtex("year") == str(book["year"]) == config["copyright"]
    assert f"Copyright (c) {book['year']} " in text("LICENSE")


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_to_files(page):
    """Every link and picture of a page that is no address is a file."""
    links = re.findall(r"\]\(([^)\s]+)\)", text(page))
    paths = [link for link in links if not urlsplit(link).scheme]
    folder = (ROOT / page).parent
    assert [path for path in paths if not (folder / path).exists()] == []


def test_commands_are_targets_of_make():
    """What the pages tell to run with make is in the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.M))
    for page in PAGES:
        for words in re.findall(
            r"(?:^|`|=\S+ )make ([a-z -]+)", text(page), re.M
        ):
            assert set(words.split()) <= targets, (page, words)


def imported(path):
    """Return the first names of the modules that a program imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module.split(".")[0])
    return names


ROOMS = {
    "attention_scale": {"bookkit", "sympy", "IPython", "joblib"},
    "bookkit": {path.stem for path in (ROOT / "site").rglob("*.py")},
}


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_know_one_direction_only(room):
    """The library imports no bookkit, and bookkit nothing of the site."""
    paths = [*(ROOT / room).rglob("*.py")]
    assert len(paths) > 5
    known = {path.name: imported(path) & ROOMS[room] for path in paths}
    assert {name: found for name, found in known.items() if found} == {}


def test_the_library_loads_no_more_than_it_needs():
    """Whoever imports it waits for NumPy and SciPy only."""
    modules = {path.stem for path in (ROOT / "attention_scale").glob("*.py")}
    # the one is a program, the other asks for what the reader may not have
    modules -= {"__init__", "__main__", "torch"}
    names = [f"attention_scale.{m}" for m in sorted(modules)]
    program = f"import sys, {', '.join(names)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    names = set(done.stdout.split())
    loaded = {name.split(".")[0] for name in names}
    heavy = ROOMS["attention_scale"] | {"matplotlib", "torch"}
    assert loaded & heavy == set()
    assert "scipy" in loaded
    # each takes longer to load than NumPy
    assert names & {"scipy.stats", "scipy.optimize"} == set()
