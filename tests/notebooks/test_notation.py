"""The page of notation says what the chapters and the library say."""

import ast
import importlib
import inspect
import re
from collections import Counter

import pytest

from bookkit import notebooks

PAGE = notebooks.ROOT / "book" / "notation.md"
CHAPTERS = notebooks.chapters(notebooks.ROOT)
PACKAGES = ("attention_scale", "bookkit")

TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
# A name in roman or blackboard letters is one token, as a command is.
NAME = r"\\(?:operatorname|mathrm|mathcal|mathbb|text)(?:\{[^}]*\}|\s\w)"
TOKEN = re.compile(NAME + r"|\\[A-Za-z]+|\\.|[A-Za-z]|\d+|\S")
LAYOUT = re.compile(r"\\[,;:! ]|\\(left|right|[bB]igg?[lr]?)|[{}&]")
LABEL = re.compile(
    r"^\(([\w-]+)\)=|^:label: ([\w-]+)|^\$\$ \(([\w-]+)\)$", re.MULTILINE
)
LINK = re.compile(r"\]\(#?([^)]+)\)|\{[\w:]+\}`([\w-]+)`")
CODE = re.compile(r"`([\w.]+)(?:\((\w+)\))?`")
OTHER_MEANING = re.compile(r"(?:^|; )(\d+): ")


def number(path):
    """Return the number of a chapter."""
    return int(path.name[:2])


def the_one(groups):
    """Return the group that matched."""
    return next(filter(None, groups))


def tokens(tex):
    """Return what a formula is made of, without what only moves it."""
    return [t for t in TOKEN.findall(tex) if not LAYOUT.fullmatch(t)]


def formulas(text):
    """Return the formulas of a text, as tokens."""
    return [tokens(the_one(groups)) for groups in FORMULA.findall(text)]


def prose(nb):
    """Return the text and the captions of a chapter."""
    texts = []
    for cell in nb.cells:
        figure = cell.metadata.get("mystnb", {}).get("figure", {})
        is_text = cell.cell_type == "markdown"
        texts.append(cell.source if is_text else figure.get("caption", ""))
    return "\n\n".join(texts)


NOTEBOOKS = {number(path): notebooks.read(path) for path in CHAPTERS}
PROSE = {k: prose(nb) for k, nb in NOTEBOOKS.items()}
FORMULAS = {k: formulas(text) for k, text in PROSE.items()}
PLACES = {
    the_one(label): k
    for k, text in PROSE.items()
    for label in LABEL.findall(text)
} | {f"../notebooks/{path.name}": number(path) for path in CHAPTERS}


def contains(formula, symbol):
    """Tell whether a symbol stands in a formula, and not as an index."""
    return any(
        formula[i : i + len(symbol)] == symbol
        for i in range(len(formula))
        if formula[i - 1 : i] != ["_"]
    )


def chapters_with(symbol):
    """Return the numbers of the chapters that use a symbol."""
    return {
        k
        for k, found in FORMULAS.items()
        if any(contains(formula, symbol) for formula in found)
    }


def bound_in(nb):
    """Return the names that the cells of a chapter define."""
    names = set()
    for cell in notebooks.code_cells(nb):
        for node in ast.walk(ast.parse(cell.source)):
            match node:
                case ast.Name(id=name, ctx=ast.Store()):
                    names.add(name)
                case ast.FunctionDef(name=name) | ast.arg(arg=name):
                    names.add(name)
    return names


NAMES = {k: bound_in(nb) for k, nb in NOTEBOOKS.items()}


def in_package(name, argument):
    """Tell whether a package has a name, and its function an argument."""
    module, *attributes = name.split(".")
    for package in PACKAGES:
        try:
            found = importlib.import_module(f"{package}.{module}")
            for attribute in attributes:
                found = getattr(found, attribute)
        except (ImportError, AttributeError):
            continue
        return not argument or argument in inspect.signature(found).parameters
    return False


def rows(page, column):
    """Return the rows of all tables with a column, each as a dict."""
    found = []
    for table in TABLE.findall(page):
        head, _, *body = [
            [cell.strip() for cell in line[1:-1].split("|")]
            for line in table.splitlines()
        ]
        if column in head:
            found += [dict(zip(head, line, strict=True)) for line in body]
    return found


def first_formula(cell):
    """Return the first formula of a cell, as it is written and as tokens."""
    tex = the_one(FORMULA.search(cell).groups())
    return tex, tuple(tokens(tex))


def other_meanings(page):
    """Return, for each letter that changes, the chapters where it does."""
    return {
        first_formula(row["letter"]): set(
            map(int, OTHER_MEANING.findall(row["meaning"]))
        )
        for row in rows(page, "letter")
    }


def wrong_symbols(page):
    """Return the symbols that are first met elsewhere than the page says."""
    wrong = []
    elsewhere = {symbol: k for (_, symbol), k in other_meanings(page).items()}
    for row in rows(page, "symbol"):
        tex, symbol = first_formula(row["symbol"])
        places = [the_one(link) for link in LINK.findall(row["first use"])]
        if not places or any(place not in PLACES for place in places):
            wrong.append(f"{tex}: leads to no chapter")
            continue
        first = PLACES[places[0]]
        used = chapters_with(list(symbol)) - elsewhere.get(symbol, set())
        if min(used, default=0) != first:
            wrong.append(f"{tex}: chapters {sorted(used)}, not {first}")
    for (tex, symbol), chapters in other_meanings(page).items():
        if missing := chapters - chapters_with(list(symbol)):
            wrong.append(f"{tex}: not in chapters {sorted(missing)}")
    return wrong


def wrong_names(page):
    """Return the names in code that nothing has."""
    wrong = []
    for row in rows(page, "in code"):
        links = LINK.findall(row.get("first use", ""))
        bound = {
            name for link in links for name in NAMES[PLACES[the_one(link)]]
        }
        wrong += [
            name
            for name, argument in CODE.findall(row["in code"])
            if not (
                in_package(name, argument) if "." in name else name in bound
            )
        ]
    return wrong


def twice(page):
    """Return what stands in two rows: symbols, letters, names in code."""
    keys = [
        (column, first_formula(row[column])[1])
        for column in ("symbol", "letter")
        for row in rows(page, column)
    ]
    keys += [
        code
        for row in rows(page, "in code")
        for code in CODE.findall(row["in code"])
    ]
    return [key for key, times in Counter(keys).items() if times > 1]


@pytest.fixture(scope="module")
def page():
    """Return the page of notation."""
    return PAGE.read_text(encoding="utf-8")


def test_symbols_are_first_met_where_the_page_says(page):
    assert len(rows(page, "symbol")) > 50 and len(other_meanings(page)) > 20
    assert wrong_symbols(page) == []


def test_names_in_code_exist(page):
    assert wrong_names(page) == []


def test_nothing_is_listed_twice(page):
    assert twice(page) == []


HEAD = "| symbol | in code | first use |\n|:--|:--|:--|\n"
LETTERS = "\n| letter | meaning |\n|:--|:--|\n"


@pytest.mark.parametrize(
    "row",
    [
        r"| $\alpha$ | | {prf:ref}`thm-derivatives` |",  # in chapter 3 already
        r"| $\alpha$ | | {prf:ref}`thm-dot` |",  # not yet in chapter 1
        r"| $\aleph$ | | {prf:ref}`thm-dot` |",
        r"| $n$ | | {prf:ref}`thm-none` |",
        r"| $n$ | | chapter 1 |",
    ],
)
def test_wrong_symbol_would_be_seen(row):
    assert len(wrong_symbols(f"{HEAD}{row}\n")) == 1


def test_letter_that_changes_is_let_be_where_it_does():
    beta = HEAD + "| $\\beta$ | | {eq}`eq-alpha-beta` |\n"
    known = LETTERS + "| $\\beta$ | 2: a shift |\n"
    assert len(wrong_symbols(beta)) == 1
    assert wrong_symbols(beta + known) == []
    assert len(wrong_symbols(LETTERS + "| $\\beta$ | 1: a slope |\n")) == 1


@pytest.mark.parametrize(
    "code",
    [
        "entropy.shanon",
        "entropie.shannon",
        "softmax.softmax(temperature)",
        "never_bound",
        "quenched",  # a name of chapter 5, not of chapter 1
    ],
)
def test_wrong_name_would_be_seen(code):
    row = f"| $n$ | `{code}` | {{prf:ref}}`thm-dot` |\n"
    assert len(wrong_names(HEAD + row)) == 1


def test_second_row_would_be_seen():
    row = "| $n$ | `width` | {prf:ref}`thm-dot` |\n"
    assert len(twice(HEAD + 2 * row)) == 2
