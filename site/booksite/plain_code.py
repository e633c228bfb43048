"""Code without marks that colour nothing.

Names, brackets and spaces have the colour of the code around them. Pygments
puts each into a span all the same: two of three spans of a chapter.
"""

from pygments.formatters import HtmlFormatter
from pygments.token import Name, Punctuation, Text
from sphinx.highlighting import PygmentsBridge

PLAIN = {Name, Name.Namespace, Punctuation, Text, Text.Whitespace}


class PlainFormatter(HtmlFormatter):
    """Writes spans only around what has a colour of its own."""

    def _get_css_class(self, ttype):
        return "" if ttype in PLAIN else super()._get_css_class(ttype)


def setup(app):
    """Have Sphinx write all code so."""
    PygmentsBridge.html_formatter = PlainFormatter
    return {"parallel_read_safe": True, "parallel_write_safe": True}
