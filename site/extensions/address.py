"""What a site can say only when it knows its address.

Where `html_baseurl` is set (`baseurl` under `html` in _config.yml), pages
name their one address and carry Open Graph tags, and there is a sitemap.
Without it the site works anywhere, a folder included.
"""


def setup(app):
    """Load the two extensions that need the address, if there is one."""
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
