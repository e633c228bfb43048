"""What a site can say only when it knows its addresses.

Where `html_baseurl` is set (`baseurl` under `html` in _config.yml), pages
name their one address and carry Open Graph tags, and there is a sitemap.
Where the theme's `repository_url` is set (`url` under `repository`), the
words of the role `repository` lead there. Without either the site works
anywhere, a folder included.
"""

from html import escape

from docutils import nodes
from lxml import html
from sphinx.util.docutils import SphinxRole

from booksite.finder import line_of, spaced
from booksite.mathml import render

LONGEST = 200  # letters of a description
ANSWER = "boxed-answer"


class Repository(SphinxRole):
    """Words that lead to the book's repository, if its address is known."""

    def run(self):
        """Return a link, or the words alone."""
        url = self.config.html_theme_options.get("repository_url")
        if not url:
            return [nodes.Text(self.text)], []
        return [nodes.reference("", self.text, refuri=url)], []


def plain(node):
    """Return the text of a node, formulas as one would type them."""
    if isinstance(node, nodes.math):
        parts = html.fragment_fromstring(render(node.astext(), False), "div")
        return "".join(map(line_of, parts.iter("math")))
    if isinstance(node, nodes.Text):
        return node.astext()
    return "".join(map(plain, node.children))


def description_of(doctree):
    """Return what a page says first: its answer, or its first paragraph."""
    answers = doctree.findall(
        lambda node: (
            ANSWER in getattr(node, "attributes", {}).get("classes", [])
        )
    )
    for part in [*answers, doctree]:
        for paragraph in part.findall(nodes.paragraph):
            text = spaced([plain(paragraph)])
            if len(text) <= LONGEST:
                return text
            return text[:LONGEST].rpartition(" ")[0] + " …"
    return ""


def describe(app, pagename, templatename, context, doctree):
    """Give a page its description, and its picture the same as a text."""
    if doctree is None or not app.config.html_baseurl:
        return
    text = description_of(doctree)
    context["meta"] = {
        "og:description": text,
        "og:image:alt": text,
        **(context["meta"] or {}),
    }
    context["metatags"] += (
        f'<meta name="description" content="{escape(text, quote=True)}" />'
    )


def setup(app):
    """Add the role, and what needs the site's address if there is one."""
    app.add_role("repository", Repository())
    address = app.config.html_baseurl
    if address:
        app.setup_extension("sphinxext.opengraph")
        app.setup_extension("sphinx_sitemap")
        app.config.ogp_site_url = address
        app.config.ogp_site_name = app.config.html_title
        # It would be made of formulas, as TeX.
        app.config.ogp_description_length = 0
        app.config.ogp_enable_meta_description = False
        app.connect("html-page-context", describe, priority=400)
        app.config.sitemap_url_scheme = "{link}"
        app.config.sitemap_excludes = ["search.html"]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
