"""The fonts of text and formulas, cut to the book's signs, in the styles.

What is set in a font that is still on its way moves when the font comes. So
the fonts stand in the style sheet itself, with no more signs than the book
has; that of formulas with its table of how to set mathematics, those of text
with what they know of pairs of letters.
"""

import base64
import io
import logging
import re
import string
import unicodedata
from functools import cache
from html import unescape
from pathlib import Path

from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

SITE = Path(__file__).parents[1]
MATH_FONT = SITE / "temml" / "latinmodern-math.otf"
TEXT_FONTS = {path.name: path for path in (SITE / "stix").glob("*.woff2")}
# A browser reads a font when it first needs it, and paints without it. So as
# soon as the styles are there it is asked for those in them, and shows the
# page when it has read them, in less than a tenth of a second (layout.html).
SHOW = (
    "Promise.all([...document.fonts].filter(f=>/Scale/.test(f.family))"
    ".map(f=>f.load())).finally(show)"
)
ADDRESS = re.compile(r'url\("([\w-]+\.(?:otf|woff2))"\)')
# What letters know of their neighbours.
FEATURES = ["kern", "liga"]
FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
NO_TEXT = re.compile(
    r"<(head|math|pre|code|script)\b.*?</\1>|<[^>]*>", re.DOTALL
)
RADICAL = "√"  # drawn around a msqrt, which has no sign in it
# A letter alone is slanted, unless it is said to be a normal one.
LETTER = re.compile(r"<mi(?![^>]*mathvariant)[^>]*>(.)</mi>")

# Thousandths of the font's size. Browsers treat a letter as TeX treats a box,
# and a subscript alone as one with a superscript above it.
CONSTANTS = {
    "RadicalVerticalGap": 110,
    "SubscriptShiftDown": 150,
    "SubscriptBaselineDropMin": 0,
    "SuperscriptBaselineDropMax": 386,
}
PRIME = ord("\u2032")
# A bracket as high as this one, of eight, is as wide as all higher ones.
MIDDLE = 3
RADICAL_WIDTH, RADICAL_OVERLAP = 900, 20

# It would tell of every table and glyph that it drops.
logging.getLogger("fontTools").setLevel(logging.ERROR)


@cache
def signs_of():
    """Return the signs that a formula can have."""
    return {*map(chr, TTFont(MATH_FONT).getBestCmap())}


@cache
def italics():
    """Return the letters that browsers slant, with what they become."""
    slanted = [
        sign
        for sign in signs_of()
        if unicodedata.name(sign, "").startswith("MATHEMATICAL ITALIC")
    ]
    letters = [unicodedata.decomposition(s).split()[-1] for s in slanted]
    plain = [chr(int(letter, 16)) for letter in letters]
    return dict(zip(plain, slanted, strict=True)) | {"h": "\u210e"}


def signs_in(pages):
    """Return the signs of the formulas of pages, as they are shown."""
    found = {RADICAL}
    for page in pages:
        for formula in FORMULA.findall(page):
            found.update(italics().get(c, c) for c in LETTER.findall(formula))
            found.update(unescape(TAG.sub("", LETTER.sub("", formula))))
    return frozenset(found)


def letters_in(pages):
    """Return the signs of the text of pages, neither code nor mathematics."""
    found = {*string.ascii_letters, *string.digits}
    for page in pages:
        found.update(unescape(NO_TEXT.sub("", page)))
    return frozenset(found)


def even_out(font):
    """Make all high brackets of a kind equally wide.

    Chromium gives each the width of the widest, and so much empty space.
    """
    variants = font["MATH"].table.MathVariants
    radical = font.getBestCmap()[ord(RADICAL)]
    for sign, construction in zip(
        variants.VertGlyphCoverage.glyphs,
        variants.VertGlyphConstruction,
        strict=True,
    ):
        records = construction.MathGlyphVariantRecord
        sizes = [record.VariantGlyph for record in records]
        if len(sizes) <= MIDDLE + 1:
            continue
        first = 1 if sign == radical else MIDDLE + 1
        groups = [[size] for size in sizes[first:]]
        if construction.GlyphAssembly:
            parts = construction.GlyphAssembly.PartRecords
            groups.append(sorted({part.glyph for part in parts}))
        for group in groups:
            left, right = extent(font, group)
            if sign == radical:
                shift = RADICAL_WIDTH + RADICAL_OVERLAP - right
                move(font, group, shift, RADICAL_WIDTH)
            else:
                width = font["hmtx"][sizes[MIDDLE]][0]
                move(font, group, (width - left - right) // 2, width)


def extent(font, names):
    """Return where the ink of glyphs begins and ends."""
    glyphs, pen = font.getGlyphSet(), BoundsPen(font.getGlyphSet())
    for name in names:
        glyphs[name].draw(pen)
    return round(pen.bounds[0]), round(pen.bounds[2])


def move(font, names, shift, width):
    """Move the ink of glyphs sideways, and make them so wide."""
    glyphs = font.getGlyphSet()
    outlines = font["CFF "].cff.topDictIndex[0].CharStrings
    for name in names:
        pen = T2CharStringPen(None, glyphs)
        glyphs[name].draw(TransformPen(pen, (1, 0, 0, 1, shift, 0)))
        old = outlines[name]
        outlines[name] = pen.getCharString(old.private, old.globalSubrs)
        font["hmtx"][name] = (width, font["hmtx"][name][1] + shift)


def raise_prime(font):
    """Give the prime the form that it has in exponents, where it stands."""
    (exponents,) = {
        record.Feature.LookupListIndex[0]
        for record in font["GSUB"].table.FeatureList.FeatureRecord
        if record.FeatureTag == "ssty"
    }
    (forms,) = font["GSUB"].table.LookupList.Lookup[exponents].SubTable
    form = forms.alternates[font.getBestCmap()[PRIME]][0]
    for table in font["cmap"].tables:
        table.cmap[PRIME] = form


def subset(path, signs, features):
    """Return a font of which these signs and features are left."""
    # Without its own time of change the same book gives the same bytes.
    font = TTFont(path, recalcTimestamp=False)
    if path == MATH_FONT:
        raise_prime(font)
    options = Options(layout_features=features, hinting=False)
    options.drop_tables += ["STAT", "gasp"]
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(sorted(signs)))
    subsetter.subset(font)
    return font


def saved(font, name):
    """Return the content of a file with a font, under another name.

    The licence of one asks that what has changed has one.
    """
    for record in font["name"].names:
        if record.nameID in (1, 4, 6, 16):
            record.string = name
    font.flavor = "woff2"
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()


@cache
def cut(signs):
    """Return the font of formulas with these signs, as content of a file."""
    font = subset(MATH_FONT, signs, [])
    for name, value in CONSTANTS.items():
        getattr(font["MATH"].table.MathConstants, name).Value = value
    even_out(font)
    outlines = font["CFF "].cff
    outlines.fontNames = ["ScaleMath"]
    outlines.topDictIndex[0].FullName = "ScaleMath"
    outlines.topDictIndex[0].FamilyName = "ScaleMath"
    return saved(font, "ScaleMath")


@cache
def cut_text(name, signs):
    """Return a font of text with these signs, as content of a file."""
    return saved(subset(TEXT_FONTS[name], signs, FEATURES), "ScaleText")


def with_fonts(css, pages):
    """Put the fonts into a style sheet that asks for them."""

    def embedded(match):
        if match[1] == MATH_FONT.name:
            font = cut(signs_in(pages))
        else:
            font = cut_text(match[1], letters_in(pages))
        data = base64.b64encode(font).decode()
        return f'url("data:font/woff2;base64,{data}")'

    return ADDRESS.sub(embedded, css)
