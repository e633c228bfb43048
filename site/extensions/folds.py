"""A proof by machine is one line that opens: what it proved is in the prose.

The output of `prove` and `refute` begins with the verdict in bold; the
formula and its conditions follow. In the page the verdict is the summary, and
the rest folds. (`site/pdf.py` opens all folds on paper.)
"""

from docutils import nodes

SUMMARIES = {"Proved": "Proved ✓", "Refuted": "Refuted ✓"}


def verdict_of(bundle):
    """Return the verdict that an output begins with, or None."""
    if not bundle.children or not isinstance(bundle[0], nodes.paragraph):
        return None
    first = bundle[0].children
    if len(first) != 1 or not isinstance(first[0], nodes.strong):
        return None
    return SUMMARIES.get(first[0].astext())


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
