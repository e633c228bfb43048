"""The chapters keep to the house style: short cells, led by prose."""

import re
from statistics import median, quantiles

import pytest

from bookkit import notebooks
from bookkit.cells import solutions

MEDIAN_LINES = 5
MOST_LINES = 15  # of 95 % of the cells
MAX_LINES = 40
MAX_COLUMNS = 79
LED_BY_PROSE = 0.85
MAX_IN_A_ROW = 2
FEWEST_EXERCISES = 5
FOLD = "## Proofs, sources, exercises"
MOST_WORDS = 2_200  # of the main line, formulas and tables aside: 12 minutes
MOST_WORDS_BEFORE_A_PICTURE = 250  # the first screen, or the second of a phone
MOST_WORDS_WITHOUT_A_PICTURE = 700  # two screens
# A figure of another page, or an explorable, in a text.
SHOWN = re.compile(r"^(?:`{3}\{figure\}|<[a-z]+-[a-z-]+)", re.M)
# Words of this house, which a reader has not been told.
HOUSE_WORDS = re.compile(
    r"near[- ]miss|\bdecid(?:es|ing) (?:cells?|the claim)|\bverbs?\b"
    r"|\bsources?[ -]00\d",
    re.I,
)
# lines of tables, fences, options and labels; formulas and roles
NOT_READ = re.compile(
    r"^(?:\||`{3}|:).*$|^\(.*\)=$|\$+[^$]*\$+|\{[\w:]+\}`[^`]*`", re.M
)


@pytest.fixture(
    params=notebooks.chapters(notebooks.ROOT),
    ids=lambda path: path.stem,
    scope="module",
)
def chapter(request):
    """Return a chapter's notebook."""
    return notebooks.read(request.param)


@pytest.fixture
def cells(chapter):
    """Return the cells of a chapter."""
    return chapter.cells


def code(cells):
    """Return the code cells."""
    return [cell for cell in cells if cell.cell_type == "code"]


def lines(cell):
    """Return how many lines of a cell are not blank."""
    return sum(bool(line.strip()) for line in cell.source.splitlines())


def test_no_code_cell_is_empty(cells):
    assert [cell.id for cell in code(cells) if not cell.source.strip()] == []


def test_cells_are_short(cells):
    """The imports, which the page moves out of sight, do not count.

    Nor do folded cells for the median, of what stands open: where small ones
    were made one, less is between the sentences.
    """
    _, *others = code(cells)
    lengths = {cell.id: lines(cell) for cell in others}
    assert {k: n for k, n in lengths.items() if n > MAX_LINES} == {}
    folded = {
        c.id for c in others if "hide-input" in c.metadata.get("tags", ())
    }
    assert median(lengths[k] for k in lengths.keys() - folded) <= MEDIAN_LINES
    *_, percentile_95 = quantiles(lengths.values(), n=20, method="inclusive")
    assert percentile_95 <= MOST_LINES


def test_lines_are_short(cells):
    too_long = [
        (cell.id, line)
        for cell in code(cells)
        for line in cell.source.splitlines()
        if len(line) > MAX_COLUMNS
    ]
    assert too_long == []


def test_prose_leads_to_code(cells):
    kinds = "".join(cell.cell_type[0] for cell in cells)
    assert kinds.count("mc") >= LED_BY_PROSE * kinds.count("c")
    assert "c" * (MAX_IN_A_ROW + 1) not in kinds


def pictures(cells):
    """Return the code cells with a picture among their outputs."""
    return [
        cell
        for cell in code(cells)
        for output in cell.outputs
        if any(mime.startswith("image/") for mime in output.get("data", {}))
    ]


def main_line(cells):
    """Return the cells before the fold."""
    starts = (
        n for n, cell in enumerate(cells) if cell.source.startswith(FOLD)
    )
    return cells[: next(starts)]


def stretches(cells):
    """Return how many words of the main line lie between two pictures."""
    seen = {cell.id for cell in pictures(cells)}
    words = [0]
    for cell in main_line(cells):
        if cell.cell_type == "markdown":
            read = (NOT_READ.sub("", s) for s in SHOWN.split(cell.source))
            counts = [len(re.findall(r"\w[\w'’-]*", text)) for text in read]
            words[-1] += counts[0]
            words += counts[1:]
        elif cell.id in seen:
            words.append(0)
    return words


def test_the_main_line_is_short(cells):
    assert sum(stretches(cells)) <= MOST_WORDS


def test_the_main_line_has_pictures_and_opens_with_one(cells):
    first, *others = stretches(cells)
    assert first <= MOST_WORDS_BEFORE_A_PICTURE
    assert max(others) <= MOST_WORDS_WITHOUT_A_PICTURE


def test_the_main_line_has_no_words_of_the_house(cells):
    texts = [c.source for c in main_line(cells) if c.cell_type == "markdown"]
    shown = re.sub(r"<[\w-]+>`", "`", "\n".join(texts))  # not where links lead
    assert HOUSE_WORDS.findall(shown) == []


def test_the_last_section_is_the_fold(cells):
    text = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    *before, last = re.findall(r"^## .+$", text, re.M)
    assert last == FOLD
    assert FOLD not in before
    assert before[-1] == "## What to take from it"
    folded = text.partition(FOLD)[2]
    assert re.findall(r"^### .+$", folded, re.M)[-1] == "### Exercises"


def test_every_picture_has_a_text_and_a_caption(cells):
    for cell in pictures(cells):
        figure = cell.metadata.get("mystnb", {})
        alt = figure.get("image", {}).get("alt", "")
        caption = figure.get("figure", {}).get("caption", "")
        assert len(alt.split()) >= 5, f"cell {cell.id}: alt text {alt!r}"
        assert len(caption.split()) >= 3, f"cell {cell.id}: {caption!r}"
        assert alt != caption, f"cell {cell.id}: the alt text is the caption"


def test_every_exercise_has_a_solution_that_is_checked(chapter):
    checked = solutions(chapter)
    assert [label for label, sound in checked.items() if not sound] == []
    assert len(checked) >= FEWEST_EXERCISES


def test_every_solution_is_hidden_at_first(cells):
    text = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    starts = re.findall(r"^`{3,}\{solution(?:-start)?\}.*\n(.*)", text, re.M)
    assert len(starts) >= FEWEST_EXERCISES
    assert set(starts) == {":class: dropdown"}
