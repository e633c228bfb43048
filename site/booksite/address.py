"""What a site can say only when it knows its addresses.

Where `html_baseurl` is set (`baseurl` under `html` in _config.yml), pages
name their one address and carry Open Graph tags, and there is a sitemap.
Where the theme's `repository_url` is set (`url` under `repository`), the
words of the role `repository` lead there. Without either the site works
anywhere, a folder included.
"""

from docutils import nodes
from sphinx.util.docutils import SphinxRole


class Repository(SphinxRole):
    """Words that lead to the book's repository, if its address is known."""

    def run(self):
        """Return a link, or the words alone."""
        url = self.config.html_theme_options.get("repository_url")
        if not url:
            return [nodes.Text(self.text)], []
        return [nodes.reference("", self.text, refuri=url)], []


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
        # A picture for each page would have to be drawn and stored.
        app.config.ogp_social_cards = {"enable": False}
        app.config.sitemap_url_scheme = "{link}"
        app.config.sitemap_excludes = ["search.html"]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
