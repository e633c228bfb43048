"""What is said in several places is said alike, and files are where said."""

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

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
    targets = set(re.findall(r"^([a-z]+):", text("Makefile"), re.M))
    for page in PAGES:
        for words in re.findall(
            r"(?:^|`|=\S+ )make ([a-z ]+)", text(page), re.M
        ):
            assert set(words.split()) <= targets, (page, words)
