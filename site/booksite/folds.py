"""A proof by machine is one line that opens: what it proved is in the prose.

The output of `prove` and `refute` begins with the verdict in bold; the
formula and its conditions follow. In the page the verdict is the summary, and
the rest folds. (`site/pdf.py` opens all folds on paper.)
"""

from docutils import nodes

SUMMARIES = {"Proved": "Proved ✓", "Refuted": "Refuted ✓"}


def verdict_of(output):
    """Return the line that an output folds to, or None."""
    first = output.children[0] if output.children else None
    if not isinstance(first, nodes.paragraph):
        return None
    return SUMMARIES.get(first.astext().strip())


def fold_verdicts(_app, doctree):
    """Fold the outputs of the symbolic verbs."""
    for output in list(doctree.findall(nodes.container)):
        if output.get("mime_type") != "text/markdown":
            continue
        if summary := verdict_of(output):
            opening = (
                f'<details class="verdict-fold"><summary>{summary}</summary>'
            )
            output[0] = nodes.raw("", opening, format="html")
            output += nodes.raw("", "</details>", format="html")


def setup(app):
    """Register the fold."""
    app.connect("doctree-read", fold_verdicts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
