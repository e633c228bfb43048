"""Give a page the scripts of the explorables that stand in it.

An explorable is a custom element in a page's Markdown, around the figure
that stands for it without scripts and on paper:

    <softmax-jacobian id="explore-softmax">

    ```{figure} …
    ```

    </softmax-jacobian>

Here alone elements are named: styles know them by the class `moves`, which
those that have an anchor get.
"""

import re
import shutil
from pathlib import Path

FOLDER = "site/explorables"
BASE = ["explorable.js", "plot.js", "drag.js"]
# element: the scripts that it needs beside the base and its own
AVERAGES = ["averages-table.js", "averages.js"]
CALCULATOR = [*AVERAGES, "normal-rows.js", "calculator.js"]
ELEMENTS = {
    "softmax-jacobian": ["softmax.js", "heat-map.js"],
    "attention-row": ["softmax.js"],
    "optimum-curve": [*AVERAGES, "annealed.js", "geometric-mean-table.js"],
    "length-laws": [*AVERAGES, "growth-rules.js"],
    "cosine-window": ["typed.js"],
    "dot-walk": ["softmax.js", "drawn-row.js", "bars.js"],
    "start-map": ["softmax.js", "bars.js", "typed.js"],
    "row-hill": [*AVERAGES, "annealed.js", "drawn-row.js"],
    "row-turns": ["softmax.js", "annealed.js", "drawn-row.js", "bars.js"],
    "added-row": [*AVERAGES, "normal-rows.js"],
    "row-trade": ["softmax.js", "typed.js"],
    "sampling-order": ["softmax.js"],
    "head-words": ["softmax.js", "head-words-table.js"],
    "training-film": ["training-film-table.js"],
    "stored-row": ["drawn-row.js"],
    "share-number": AVERAGES,
    "longer-factor": ["longer-factor-table.js"],
    "scale-calculator": CALCULATOR,
    "length-calculator": [*CALCULATOR, "growth-rules.js"],
    "census-table": ["census-rows.js"],
    "claim-filter": [],
}
# elements that have no sliders and draw nothing, and need no base
ALONE = {"census-table", "claim-filter"}


def copy_scripts(app):
    """Put the scripts beside the pages."""
    if app.builder.format == "html":
        folder = Path(app.outdir, "_static", "explorables")
        folder.mkdir(parents=True, exist_ok=True)
        # What writes their tables stands beside them, and stays at home.
        for script in Path(app.confdir, FOLDER).glob("*.js"):
            shutil.copy2(script, folder)


def link_scripts(app, pagename, templatename, context, doctree):
    """Link what the elements of the page need, each file once."""
    body = context.get("body", "")
    found = [name for name in ELEMENTS if f"<{name}" in body]
    if not found:
        return
    named = re.compile(rf"<({'|'.join(found)})(?= id=)")
    context["body"] = named.sub(r'<\1 class="moves"', body)
    others = [script for name in found for script in ELEMENTS[name]]
    own = [f"{name}.js" for name in found]
    context["moving"] = ", ".join(found)
    base = [] if ALONE.issuperset(found) else BASE
    for script in dict.fromkeys(base + others + own):
        app.add_js_file(f"explorables/{script}", loading_method="defer")


def setup(app):
    """Connect the two steps."""
    app.connect("builder-inited", copy_scripts)
    app.connect("html-page-context", link_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
