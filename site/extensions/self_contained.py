"""Pages that ask no other host for anything, carry little, and can be heard.

The theme and its plug-ins are made for every book; what this one does not
use is left out here, and a few slips in their HTML are put right. The build
stops where one of them has changed and none of this meets it any more.
"""

from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from lxml import etree, html
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.images import get_image_size

from mathml import location
from repairs import check_templates, mend, part_names

logger = logging.getLogger(__name__)

# An extension, how the name of a file that it adds to every page begins, and
# how the name of a class begins that pages with a use for it have.
NEEDED_FOR = [
    ("mathml", "copy-math.js", "math"),
    ("mathml", "math.css", "math"),
    ("myst_nb", "mystnb", "cell"),
    ("sphinx.builders.html", "pygments.css", "highlight"),
    ("sphinx_copybutton", "clipboard.min.js", "highlight"),
    ("sphinx_copybutton", "copybutton.css", "highlight"),
    ("sphinx_copybutton", "copybutton.js", "highlight"),
    ("sphinx_design", "design-tabs.js", "sd-tab-set"),
    ("sphinx_design", "sphinx-design.min.css", "sd-"),
    ("sphinx_exercise", "exercise.css", "exercise"),
    ("sphinx_proof", "proof.css", "proof"),
    ("sphinx_thebe", "sphinx-thebe.css", "thebe-launch-button"),
    ("sphinx_togglebutton", "togglebutton.css", "dropdown"),
    ("sphinx_togglebutton", "togglebutton.js", "dropdown"),
]

# Plain strings: those that know their element take a second more a build.
CLASSES = etree.XPath("//@class", smart_strings=False)


def drop_thebe(app, config):
    """Disconnect sphinx-thebe, which would run cells on a remote host."""
    found = [
        listener.id
        for listeners in app.events.listeners.values()
        for listener in listeners
        if listener.handler.__module__ == "sphinx_thebe"
    ]
    if "sphinx_thebe" in app.extensions and not found:
        raise ExtensionError(
            "sphinx_thebe has changed: site/extensions/self_contained.py"
            " finds nothing of it to disconnect."
        )
    for listener in found:
        app.disconnect(listener)


def unneeded(app, assets, classes):
    """Return those scripts and styles that a page with these classes spares.

    Raises ExtensionError where an extension does not add what is sought.
    """
    spared = []
    for extension, start, mark in NEEDED_FOR:
        if extension not in app.extensions:
            continue
        found = [
            asset
            for asset in assets
            if Path(asset.filename or "").name.startswith(start)
        ]
        if not found:
            raise ExtensionError(
                f"{extension} has changed: it adds no file {start} to pages."
                " Adapt NEEDED_FOR in site/extensions/self_contained.py."
            )
        if not any(name.startswith(mark) for name in classes):
            spared += found
    return spared


def add_sizes(app, tree):
    """Give each picture its size, so that nothing jumps when it arrives."""
    sources = {name: source for source, name in app.builder.images.items()}
    for image in tree.xpath("//img[contains(@src, '_images/')]"):
        name = unquote(image.get("src")).rpartition("_images/")[2]
        width, height = get_image_size(Path(app.srcdir, sources[name]))
        image.set("width", str(width))
        image.set("height", str(height))
        # Only a page's first section is in sight when the page opens.
        if image.xpath("ancestor::section[2]"):
            image.set("loading", "lazy")


def finish_page(app, pagename, templatename, context, doctree):
    """Trim a page's scripts and styles and repair its text."""
    tree = html.fragment_fromstring(context.get("body", ""), "div")
    classes = set(" ".join(CLASSES(tree)).split())
    assets = context["script_files"] + context["css_files"]
    spared = unneeded(app, assets, classes)
    for kind in ("script_files", "css_files"):
        context[kind] = [f for f in context[kind] if f not in spared]
    if doctree is not None:
        mend(pagename, tree, doctree)
        part_names(tree)
        add_sizes(app, tree)
        text = html.tostring(tree, encoding="unicode")
        context["body"] = text.removeprefix("<div>").removesuffix("</div>")


def check_pictures(app, doctree, docname):
    """Warn of a picture without words for those who cannot see it."""
    for image in doctree.findall(nodes.image):
        if not image.get("alt", "").strip():
            message = "a picture needs an alternative text (alt)"
            logger.warning(message, location=location(image), type="picture")


def setup(app):
    """Connect the steps; the page is finished after all others had a say."""
    app.connect("config-inited", drop_thebe)
    app.connect("builder-inited", check_templates)
    app.connect("doctree-resolved", check_pictures)
    app.connect("html-page-context", finish_page, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
