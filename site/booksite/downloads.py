"""Put the PDF of the book on the site, when there is one that is up to date.

`make pdf` makes the PDF from the built pages, and builds the site again. A
PDF that is older than anything it was made from is neither linked nor kept.
"""

import shutil
from pathlib import Path

PDF = "_build/pdf/the-scale-of-attention.pdf"
SOURCES = (
    "_config.yml",
    "_toc.yml",
    "index.md",
    "book/**/*",
    "notebooks/*.ipynb",
    "site/**/*",
)


def sources(root):
    """Return the files that the PDF is made from."""
    found = [path for pattern in SOURCES for path in root.glob(pattern)]
    compiled = "__pycache__"  # newer than any source, when it's first used
    return [p for p in found if p.is_file() and compiled not in p.parts]


def is_current(root):
    """Tell whether there is a PDF, newer than all its sources."""
    pdf = root / PDF
    if not pdf.exists():
        return False
    made = pdf.stat().st_mtime
    return all(path.stat().st_mtime < made for path in sources(root))


def look(app, config):
    """Set the name of the PDF; where it's another one, pages are rebuilt."""
    config.book_pdf = Path(PDF).name if is_current(Path(app.srcdir)) else ""


def offer(app, pagename, templatename, context, doctree):
    """Tell the page's template the address of the PDF, if there is one."""
    if app.config.book_pdf:
        context["book_pdf"] = context["pathto"](app.config.book_pdf, 1)


def copy(app, exception):
    """Put the PDF at the root of the site, or take an old one away."""
    if exception or app.builder.name != "html":
        return
    there = Path(app.outdir, Path(PDF).name)
    if app.config.book_pdf:
        shutil.copy2(Path(app.srcdir, PDF), there)
    else:
        there.unlink(missing_ok=True)


def setup(app):
    """Look for the PDF before Sphinx decides which pages to write."""
    app.add_config_value("book_pdf", "", "html")
    app.connect("config-inited", look)
    app.connect("html-page-context", offer)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
