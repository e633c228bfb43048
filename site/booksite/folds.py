"""What folds in a page, and how long a chapter is.

The output of a verb begins with the verdict in bold, one line of a phone;
formulas, conditions and errors follow. In the page the line is the summary,
and the rest folds. Of a cell that only compares numbers the code folds too:
it says what the sentence before it has said. Cells that prepare others, and
are hidden, stand with the next code that folds. (`site/pdf.py` opens all
folds on paper.)

The last section of a chapter, FOLD, folds as a whole: browsers open it for a
link to a place in it, and book.css on paper. The imports of the chapter, a
cell with the tag of that name, move to its end. Below the chapter's title
stands how long the rest is to read.
"""

import re
from html import escape

from docutils import nodes

FOLD = "Proofs, sources, exercises"
VERDICT = re.compile("(Proved|Refuted|Measured|Computed) ✓")
COMPARED = "Computed ✓"
IMPORTS = "Every cell of this chapter runs after its imports:"
PROGRESS = '<div class="reading-progress" aria-hidden="true"></div>'

# Fitted to how long readers said that the chapters took them.
WORDS_A_MINUTE = 150
MINUTES_A_LOOK = 0.25
MINUTES_A_MOVE = 4  # for the figure that answers to the hand
LOOKED_AT = nodes.image, nodes.math_block, nodes.table
WORD = re.compile(r"\w[\w'’-]*")
# Formulas, tables and pictures are looked at, code is passed over.
NOT_READ = nodes.math, nodes.math_block, nodes.literal_block, nodes.table
NOT_READ += nodes.raw, nodes.comment, nodes.image


def raw(html):
    """Return HTML as a node."""
    return nodes.raw("", html, format="html")


def cells(node, kind):
    """Return the parts of a notebook's cells of one kind below a node."""
    containers = node.findall(nodes.container)
    return [c for c in containers if c.get("nb_element") == kind]


def verdicts_in(node):
    """Return the outputs below a node that begin with a verdict."""
    return [
        output
        for output in node.findall(nodes.container)
        if output.get("mime_type") == "text/markdown"
        and output.children
        and VERDICT.match(output[0].astext().strip())
    ]


def fold_verdicts(doctree):
    """Fold what stands below a verdict."""
    for output in verdicts_in(doctree):
        if len(output) > 1:
            line = escape(output[0].astext().strip())
            output[0] = raw(
                f'<details class="verdict-fold"><summary>{line}</summary>'
            )
            output += raw("</details>")


def fold_comparisons(doctree):
    """Put the code of cells that only compare below their verdict."""
    for cell in cells(doctree, "cell_code"):
        outputs = cells(cell, "cell_code_output")
        found = verdicts_in(cell)
        said = sum(map(len, outputs))
        if (
            found
            and said == len(found)
            and all(o[0].astext().startswith(COMPARED) for o in found)
        ):
            cell["compares"] = True
            output, code = found[0], cell.pop(0)
            cell.attributes.pop("hide_mode", None)
            if len(output) == 1:
                output += nodes.container()
            output.insert(1, code)


def gather(chapter):
    """Put hidden cells that say nothing before the next code that folds."""
    waiting = []
    for cell in cells(chapter, "cell_code"):
        hidden = cell.get("hide_mode") == "input"
        if hidden and len(cell) == 1:
            waiting.append(cell)
        elif waiting and (hidden or cell.get("compares")):
            (code,) = cells(cell, "cell_code_source")
            texts = [c.astext() for c in [*waiting, code]]
            block = code[0].deepcopy()
            block.rawsource = "\n\n".join(texts)
            block.children = []
            block += nodes.Text(block.rawsource)
            code[0] = block
            for other in waiting:
                other.parent.remove(other)
            waiting = []


def parts(doctree):
    """Return the section of a chapter, and the one in it that folds."""
    for chapter in doctree.findall(nodes.section):
        last = chapter[-1]
        if isinstance(last, nodes.section) and last[0].astext() == FOLD:
            return chapter, last
    return None, None


def words(node):
    """Return how many words of a node one reads."""
    if isinstance(node, nodes.Text):
        return len(WORD.findall(node))
    output = node.get("nb_element") == "cell_code_output"
    return (
        0
        if output or isinstance(node, NOT_READ)
        else sum(map(words, node.children))
    )


def minutes(sections):
    """Return how long sections are to read: words, looks, and moves."""
    looks = sum(
        isinstance(node, LOOKED_AT) for s in sections for node in s.findall()
    )
    moves = sum(
        'id="explore-' in node.astext()
        for s in sections
        for node in s.findall(nodes.raw)
    )
    spoken = sum(map(words, sections)) / WORDS_A_MINUTE
    return round(spoken + MINUTES_A_LOOK * looks + MINUTES_A_MOVE * moves)


def lead_in(chapter, fold):
    """Return the lines below the title of a chapter."""
    line = nodes.paragraph(classes=["reading-time"])
    line += nodes.Text(f"{minutes(chapter[:-1])} minutes; ")
    rest = "with proofs and exercises"
    line += nodes.reference("", rest, internal=True, refid=fold["ids"][0])
    line += nodes.Text(" an evening")
    return [line, raw(PROGRESS)]


def arrange(_app, doctree):
    """Fold code and verdicts, move imports, and say how long it is."""
    chapter, fold = parts(doctree)
    if fold:
        for section in chapter[:-1]:
            fold_comparisons(section)
    fold_verdicts(doctree)
    if not fold:
        return
    for cell in cells(chapter, "cell_code"):
        if "imports" in cell["cell_metadata"].get("tags", []):
            cell.parent.remove(cell)
            fold += [nodes.paragraph("", IMPORTS), cell]
    chapter.remove(fold)
    gather(chapter)
    chapter += fold
    chapter[1:1] = lead_in(chapter, fold)


def fold_section(_app, doctree, _docname):
    """Fold the last section; its title, which opens it, stays in lists."""
    _, fold = parts(doctree)
    if fold:
        title = fold.pop(0)
        opening = '<details class="further"><summary>'
        fold[:0] = [raw(opening), title, raw("</summary>")]
        fold += raw("</details>")


def setup(app):
    """Register the folds."""
    app.connect("doctree-read", arrange)
    app.connect("doctree-resolved", fold_section)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
