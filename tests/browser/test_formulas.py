"""Every kind of construct in the book's formulas, in three engines.

From the formulas of the built book the shortest pieces that have every kind
of part are set large, one by one, in Chromium, Firefox and WebKit. Firefox,
which knows of itself how far a letter leans and which lines to draw, is the
reference: what one engine inks and the other does not, even near there, is
a bar that is missing, a bracket that is low, or a letter on its bracket.
"""

import base64
import contextlib
import io
import json
import re
from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from engines import Firefox, WebKit
from lxml import html
from pages import SITE, built_pages
from PIL import Image
from scipy.ndimage import maximum_filter

from booksite import mathml
from booksite.fonts import FORMULA

SIZE = 40  # pixels
CELL = (600, 150)
COLUMNS, ROWS = 2, 6
WINDOW = {"width": COLUMNS * CELL[0] + 20, "height": ROWS * CELL[1] + 20}
LONGEST = 16  # elements: spaces that differ a little add up
# Engines differ in their spaces: in shares of the size.
NEAR = 0.2
# Of the ink: what may lie further off, where roots are of another height.
STRAY = 0.3
SHOW = """(formulas => {
  const start = "<article class='bd-article'>";
  document.body.innerHTML = start + formulas.map((f, i) =>
    `<div style="position: absolute; overflow: hidden; width: %(width)dpx;`
    + ` height: %(height)dpx; left: ${i %% %(columns)d * %(width)d}px;`
    + ` top: ${Math.floor(i / %(columns)d) * %(height)d}px; padding: 30px;`
    + ` box-sizing: border-box; text-align: left">`
    + `<span style="font-size: %(size)dpx">${f}</span></div>`).join("")
    + "</article>";
  document.body.style = "background: white; color: black; margin: 0";
  document.documentElement.dataset.theme = "light";
  return document.fonts.ready.then(() => new Promise(done =>
    requestAnimationFrame(() => setTimeout(done, 300)))).then(() => null);
})(%(formulas)s)"""


def alone(part):
    """Return an element as a formula, with as little around it as it needs."""
    while part.tag in {"mtr", "mtd", "mtable"} or "scriptlevel" in part.attrib:
        part = part.getparent()
    text = html.tostring(part, encoding="unicode", with_tail=False)
    text = re.sub("^<math[^>]*>|</math>$", "", text)
    return f"<math>{text}</math>"


@cache
def chosen():
    """Return few formulas that have every kind of part, as HTML.

    A kind is an element with its class, in the element that it stands in;
    the formula is the shortest that has nothing more around both.
    """
    kinds = defaultdict(set)
    pages = [path.read_text("utf-8") for path in built_pages().values()]
    # Most stand on many pages, or often on one.
    for formula in sorted({f for p in pages for f in FORMULA.findall(p)}):
        for part in html.fragment_fromstring(formula).iterdescendants():
            inside = part.getparent()
            marks = tuple(part.get(name) for name in ("class", "stretchy"))
            kind = (part.tag, *marks, inside.tag, inside[0] is part)
            if kind not in kinds or sum(1 for _ in inside.iter()) < 12:
                kinds[kind].add(alone(inside))
    return sorted({min(texts, key=len) for texts in kinds.values()})


class Chromium:
    """Chromium, with the orders of the other two."""

    def __init__(self, browser):
        """Open a page."""
        self.page = browser.new_page()

    def open(self, address):
        self.page.goto(address)

    def resize(self, width, height):
        self.page.set_viewport_size({"width": width, "height": height})

    def evaluate(self, expression):
        return self.page.evaluate(expression)


def picture(engine):
    """Return the screen of an engine as darkness, from 0 to 1."""
    if isinstance(engine, Chromium):
        data = engine.page.screenshot()
    elif isinstance(engine, Firefox):
        order = "browsingContext.captureScreenshot"
        data = base64.b64decode(engine.ask(order, context=engine.tab)["data"])
    else:
        answer = engine.ask("/screenshot", method="GET")
        data = base64.b64decode(answer)
    grey = np.asarray(Image.open(io.BytesIO(data)).convert("L"), float)
    return 1 - grey / 255


@cache
def inked(engine, *formulas):
    """Return the ink of formulas in an engine, each from its own corner."""
    found = []
    width, height = CELL
    for start in range(0, len(formulas), COLUMNS * ROWS):
        batch = formulas[start : start + COLUMNS * ROWS]
        order = {
            "formulas": json.dumps(batch), "width": width, "height": height,
            "columns": COLUMNS, "size": SIZE,
        }  # fmt: skip
        engine.evaluate(SHOW % order)
        screen = picture(engine)
        for i in range(len(batch)):
            row, column = divmod(i, COLUMNS)
            cell = screen[
                row * height : (row + 1) * height,
                column * width : (column + 1) * width,
            ]
            ink = cell > 0.4
            rows, columns = np.any(ink, 1), np.any(ink, 0)
            assert rows.any(), f"nothing is drawn of {batch[i]}"
            found.append(
                ink[rows.argmax() : -rows[::-1].argmax() or None,
                    columns.argmax() : -columns[::-1].argmax() or None]
            )  # fmt: skip
    return found


def beyond(ink, other):
    """Return the share of ink that has none of another picture near it."""
    reach = round(NEAR * SIZE)
    height = max(ink.shape[0], other.shape[0])
    width = max(ink.shape[1], other.shape[1])
    around = np.zeros((height, width), bool)
    around[: other.shape[0], : other.shape[1]] = other
    near = maximum_filter(around, 2 * reach + 1, mode="constant")
    near = near[: ink.shape[0], : ink.shape[1]]
    return (ink & ~near).sum() / ink.sum()


@pytest.fixture(scope="module")
def reference():
    """Return Firefox, open at a page of the book."""
    with contextlib.ExitStack() as stack:
        try:
            firefox = Firefox(stack)
        except FileNotFoundError as error:
            pytest.skip(str(error))
        firefox.resize(**WINDOW)
        firefox.open((SITE / "book" / "glossary.html").as_uri())
        yield firefox


@pytest.fixture(scope="module", params=["Chromium", "WebKit"])
def engine(request, browser):
    """Return another engine, open at the same page."""
    with contextlib.ExitStack() as stack:
        other = opened(request, browser, stack)
        other.resize(**WINDOW)
        other.open((SITE / "book" / "glossary.html").as_uri())
        yield other


def opened(request, browser, stack):
    """Return an engine by name, or skip its tests."""
    if request.param == "Chromium":
        return Chromium(browser)
    try:
        return WebKit(stack)
    except FileNotFoundError as error:
        pytest.skip(str(error))


def groups(ink):
    """Return how many pieces stand beside each other, with room between."""
    columns = np.any(ink, axis=0)
    return int(columns[0]) + int(np.sum(columns[1:] & ~columns[:-1]))


def rendered(*tex):
    """Return formulas as MathML."""
    return [mathml.render(formula, False) for formula in tex]


def test_every_kind_of_construct_looks_alike(engine, reference):
    """But tables, whose rows each engine sets at a distance of its own."""
    formulas = [
        formula
        for formula in chosen()
        if "<mtable" not in formula and formula.count("</") <= LONGEST
    ]
    assert len(formulas) > 40
    pairs = zip(
        inked(engine, *formulas), inked(reference, *formulas), strict=True
    )
    shares = [max(beyond(a, b), beyond(b, a)) for a, b in pairs]
    odd = [
        f"{100 * share:.1f}%: {formula}"
        for share, formula in zip(shares, formulas, strict=True)
        if share > STRAY
    ]
    assert not odd, "\n".join(odd)


def test_no_letter_touches_its_bracket(engine, reference):
    """A letter that leans, and a fence: two things side by side."""
    letters = "YPVTWFNKXHIMU"
    formulas = rendered(*(rf"{letter}]" for letter in letters))
    for one in (engine, reference):
        found = [groups(ink) for ink in inked(one, *formulas)]
        assert found == [2] * len(letters)


def test_a_mean_has_its_bar(engine, reference):
    """The uppermost line of ink is as long as what it stands over."""
    formulas = rendered(r"\overline{x^2}", r"\overline{h_L^2}")
    for one in (engine, reference):
        for ink in inked(one, *formulas):
            assert ink[:2].any(axis=0).mean() > 0.9


def test_brackets_are_as_high_as_their_table(engine, reference):
    formulas = rendered(r"\begin{pmatrix} a \\ b \\ c \end{pmatrix}")
    for one in (engine, reference):
        (ink,) = inked(one, *formulas)
        bracket = ink[:, : SIZE // 4].any(axis=1)
        assert bracket.mean() > 0.9
