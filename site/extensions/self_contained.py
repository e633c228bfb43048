"""Pages that ask no other host for anything, carry little, and can be heard.

The theme and its plug-ins are made for every book; what this one does not
use is left out here, and a few slips in their HTML are put right.
"""

import re
from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from sphinx.util import logging
from sphinx.util.images import get_image_size

from katex_static import location

logger = logging.getLogger(__name__)

# A file of a plug-in goes only where its mark is found in the page's text.
NEEDED_FOR = {
    "clipboard.min.js": 'class="highlight"',
    "copybutton.css": 'class="highlight"',
    "copybutton.js": 'class="highlight"',
    "design-tabs.js": "sd-tab-set",
    "exercise.css": 'class="exercise',
    "mystnb": 'class="cell',
    "proof.css": 'class="proof',
    "pygments.css": 'class="highlight"',
    "sphinx-design.min.css": 'class="sd-',
    "sphinx-thebe.css": "thebe-launch-button",
    "togglebutton": "dropdown",
}

REPAIRS = [
    # sphinx-proof and sphinx-exercise give all their boxes the same anchor
    (r'(<section\b[^>]*?) id="(proof|exercise|solution)-content"', r"\1"),
    (r'(<div class="proof admonition") id="proof"', r"\1"),
    # sphinx-proof: the word is not told from the proof
    (
        r'(<div class="proof admonition"[^>]*>\s*<p>)(Proof\.)',
        r"\1<em>\2</em>",
    ),
    # sphinx-exercise: a space that belongs before the link, not in it
    (r"(Solution to)(<a [^>]*>) ", r"\1 \2"),
    # sphinxcontrib-bibtex: roles that promise children they do not have
    (r' role="list"(?= class="citation-list")', ""),
    (r' role="doc-biblioentry"', ""),
    # MyST-Parser: an empty cell in a table's head is no heading of anything
    (r'<th class="([^"]*)">(?:<p></p>)?</th>', r'<td class="\1"></td>'),
    # MyST-NB: a label that hides the words which everyone else reads
    (r' aria-label="Toggle hidden content"', ""),
]
# As many characters of HTML may be in sight when a page opens.
FIRST_SCREEN = 20_000
IMAGE = re.compile(r'<img\b[^>]*?\bsrc="(?:\.\./)*_images/([^"]+)"[^>]*>')


def drop_thebe(app, config):
    """Disconnect sphinx-thebe, which would run cells on a remote host."""
    for listeners in list(app.events.listeners.values()):
        for listener in list(listeners):
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)


def is_needed(asset, body):
    """Tell whether the page's text has what a script or style is for."""
    name = Path(asset.filename or "").name
    marks = [NEEDED_FOR[key] for key in NEEDED_FOR if name.startswith(key)]
    return all(mark in body for mark in marks)


def with_size(app, body):
    """Give each picture its size, so that nothing jumps when it arrives."""
    sources = {name: source for source, name in app.builder.images.items()}

    def complete(match):
        path = Path(app.srcdir, sources[unquote(match[1])])
        width, height = get_image_size(str(path))
        lazy = ' loading="lazy"' if match.start() > FIRST_SCREEN else ""
        extra = f'<img width="{width}" height="{height}"{lazy}'
        return extra + match[0].removeprefix("<img")

    return IMAGE.sub(complete, body)


def finish_page(app, pagename, templatename, context, doctree):
    """Trim a page's scripts and styles and repair its text."""
    body = context.get("body", "")
    for kind in ("script_files", "css_files"):
        context[kind] = [f for f in context[kind] if is_needed(f, body)]
    for pattern, replacement in REPAIRS:
        body = re.sub(pattern, replacement, body)
    if doctree is not None:
        context["body"] = with_size(app, body)


def check_pictures(app, doctree, docname):
    """Warn of a picture without words for those who cannot see it."""
    for image in doctree.findall(nodes.image):
        if not image.get("alt", "").strip():
            message = "a picture needs an alternative text (alt)"
            logger.warning(message, location=location(image), type="picture")


def setup(app):
    """Connect the steps; the page is finished after all others had a say."""
    app.connect("config-inited", drop_thebe)
    app.connect("doctree-resolved", check_pictures)
    app.connect("html-page-context", finish_page, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
