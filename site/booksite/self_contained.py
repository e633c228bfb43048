"""Pages that ask no other host for anything, and can be heard.

The theme and its plug-ins are made for every book; what this one may not use
is left out here, and a few slips in their HTML are put right. The build stops
where one of them has changed and none of this meets it any more.
"""

import re
from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from lxml import html
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.images import get_image_size

from booksite.margin import add_sources
from booksite.mathml import location
from booksite.repairs import (
    add_links,
    check_templates,
    hold_numbers,
    hold_together,
    lighten,
    mend,
    move_code,
    part_names,
)
from booksite.tables import finish_tables

logger = logging.getLogger(__name__)
THEBE = "sphinx-thebe.css"
VIEWPORT = re.compile(r'<meta[^>]*name="viewport"[^>]*>')
NO_CONTENTS = "html_theme.sidebar_secondary.remove"


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
            "sphinx_thebe has changed: site/booksite/self_contained.py"
            " finds nothing of it to disconnect."
        )
    for listener in found:
        app.disconnect(listener)


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
    """Repair the text of a page, without the styles of what was dropped."""
    styles = context["css_files"]
    context["css_files"] = [
        style for style in styles if THEBE not in str(style.filename)
    ]
    # The theme has one of its own.
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))
    if doctree is not None:
        tree = html.fragment_fromstring(context.get("body", ""), "div")
        mend(pagename, tree, doctree)
        part_names(tree)
        move_code(tree)
        add_links(tree)
        lighten(tree)
        hold_together(tree)
        hold_numbers(tree)
        finish_tables(tree)
        add_sources(app, tree)
        add_sizes(app, tree)
        context["has_contents"] = NO_CONTENTS not in context["meta"] and bool(
            tree.xpath(".//section//section")
        )
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
