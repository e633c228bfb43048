"""The fonts of most formulas, cut to the book's characters, in the styles.

A formula set in a font that is still on its way moves when the font comes.
So the few fonts that nearly every formula needs stand in the style sheet
itself, with no more characters than the book has; the others are files.
"""

import base64
import io
import logging
import re
from functools import cache

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

EVERYWHERE = (
    r"KaTeX_(?:AMS-Regular|Main-Regular|Math-Italic|Size[1-4]-Regular)\.woff2"
)
# A browser reads a font when it first needs it, and paints without it. So as
# soon as the styles are there it is asked for those in them, and shows the
# page when it has read them, in less than a tenth of a second (layout.html).
SHOW = (
    "Promise.all([...document.fonts]"
    ".filter(f=>f.weight==='400'&&/AMS|Main normal|Math|Size/"
    ".test(f.family+' '+f.style)).map(f=>f.load())).finally(show)"
)
ADDRESS = re.compile(rf'url\("([^"]*{EVERYWHERE})"\)')


# It would tell of every table and glyph that it drops.
logging.getLogger("fontTools").setLevel(logging.WARNING)


@cache
def cut(path, characters):
    """Return a font with the characters only, as the content of a file."""
    # Without its own time of change the same book gives the same bytes.
    font = TTFont(path, recalcTimestamp=False)
    subsetter = Subsetter(Options(layout_features=[], hinting=False))
    subsetter.populate(text=characters)
    subsetter.subset(font)
    font.flavor = "woff2"
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()


def with_fonts(css, folder, characters):
    """Put the fonts that are needed everywhere into a style sheet."""

    def embedded(match):
        content = cut(folder / match[1], "".join(sorted(characters)))
        data = base64.b64encode(content).decode()
        return f'url("data:font/woff2;base64,{data}")'

    return ADDRESS.sub(embedded, css)
