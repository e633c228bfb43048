"""What folds in a page, and how long a chapter is.

The output of a verb begins with the verdict in bold, one line of a phone;
formulas, conditions and errors follow. In the page the line is the summary,
and the rest folds. (`site/pdf.py` opens all folds on paper.)

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
IMPORTS = "Every cell of this chapter runs after its imports:"
PROGRESS = '<div class="reading-progress" aria-hidden="true"></div>'

WORDS_A_MINUTE = 180
MINUTES_A_PICTURE = 0.25
WORD = re.compile(r"\w[\w'’-]*")
# What is looked at or passed over: formulas, code and tables.
NOT_READ = nodes.math, nodes.math_block, nodes.literal_block, nodes.table
NOT_READ += nodes.raw, nodes.comment, nodes.image


def raw(html):
    """Return HTML as a node."""
    return nodes.raw("", html, format="html")


def cells(node, kind):
    """Return the parts of a notebook's cells of one kind below a node."""
    containers = node.findall(nodes.container)
    return [c for c in containers if c.get("nb_element") == kind]


def fold_verdicts(doctree):
    """Fold what stands below a verdict."""
    for output in list(doctree.findall(nodes.container)):
        if output.get("mime_type") != "text/markdown" or not output.children:
            continue
        line = output[0].astext().strip()
        if len(output) == 1 or not VERDICT.match(line):
            continue
        opening = (
            f'<details class="verdict-fold"><summary>{escape(line)}</summary>'
        )
        output[0] = raw(opening)
        output += raw("</details>")


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
    """Return how long sections are to read: words, and a look at pictures."""
    pictures = sum(len([*s.findall(nodes.image)]) for s in sections)
    spoken = sum(map(words, sections)) / WORDS_A_MINUTE
    return round(spoken + MINUTES_A_PICTURE * pictures)


def lead_in(chapter, fold):
    """Return the lines below the title of a chapter."""
    line = nodes.paragraph(classes=["reading-time"])
    line += nodes.Text(f"{minutes(chapter[:-1])} minutes; ")
    rest = "with proofs and exercises"
    line += nodes.reference("", rest, internal=True, refid=fold["ids"][0])
    line += nodes.Text(" an evening")
    return [line, raw(PROGRESS)]


def arrange(_app, doctree):
    """Fold verdicts, move imports, and say how long a chapter is."""
    fold_verdicts(doctree)
    chapter, fold = parts(doctree)
    if not fold:
        return
    for cell in cells(chapter, "cell_code"):
        if "imports" in cell["cell_metadata"].get("tags", []):
            cell.parent.remove(cell)
            fold += [nodes.paragraph("", IMPORTS), cell]
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
