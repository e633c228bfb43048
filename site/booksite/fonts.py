"""The fonts of text and formulas, cut to the book's signs, as a style sheet.

What is set in a font that is still on its way moves when the font comes. So
a page shows its title, in any font, and the rest when a second style sheet has
come, with the fonts in it. (As files they would not be read where a page is
opened from a folder.) They have no more signs than the book; that of formulas
has its table of how to set mathematics, those of text what they know of pairs
of letters.
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

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

SITE = Path(__file__).parents[1]
MATH_FONT = SITE / "stix" / "stix-two-math-latin-400-normal.woff2"
TEXT_FONTS = {p.name: p for p in (SITE / "stix").glob("stix-two-text-*")}
FACE = re.compile(r"@font-face\s*\{[^}]*url[^}]*\}")
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
# and a fraction in a line is to fit into the line.
CONSTANTS = {
    "FractionDenominatorShiftDown": 430,
    "FractionNumeratorShiftUp": 480,
    "SubscriptBaselineDropMin": 0,
    "SuperscriptBaselineDropMax": 386,
}
# A prime is set as an exponent, for which it is too small and too high.
PRIME = ord("\u2032")
PRIME_IN_EXPONENT = (1.3, 1.5, -500)
# A bracket as high as this one, of a dozen, is as wide as all higher ones.
MIDDLE = 3
ROOT_WIDTH = 860
# The two lowest roots, which browsers hang from their bars, reach far below a
# line: what is left of their heights.
ROOT_HEIGHTS = [0.8, 0.72]

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


@cache
def lean():
    """Return how far letters lean out of their width, in shares of the size.

    By the letter as it is written, before browsers slant it.
    """
    font = TTFont(MATH_FONT)
    table = font["MATH"].table.MathGlyphInfo.MathItalicsCorrectionInfo
    values = [record.Value for record in table.ItalicsCorrection]
    by_glyph = dict(zip(table.Coverage.glyphs, values, strict=True))
    glyphs, size = font.getBestCmap(), font["head"].unitsPerEm
    return {
        plain: by_glyph.get(glyphs[ord(slanted)], 0) / size
        for plain, slanted in italics().items()
    }


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


def lent(letters):
    """Return what no font of text has, as Greek letters."""
    fonts = map(TTFont, TEXT_FONTS.values())
    own = {chr(code) for font in fonts for code in font.getBestCmap()}
    return letters & signs_of() - own


def transform(font, name, across, up=1, shift=0):
    """Scale a glyph across, with its width, and up, and shift it up."""
    glyph, (width, bearing) = font["glyf"][name], font["hmtx"][name]
    glyph.coordinates.scale((across, up))
    glyph.coordinates.translate((0, shift))
    glyph.coordinates.toInt()
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][name] = (round(width * across), round(bearing * across))


def even_out(font):
    """Make high brackets and roots as wide as those of middle height.

    Chromium gives each the width of the widest, and so much empty space.
    """
    variants = font["MATH"].table.MathVariants
    root = font.getBestCmap()[ord(RADICAL)]
    for sign, construction in zip(
        variants.VertGlyphCoverage.glyphs,
        variants.VertGlyphConstruction,
        strict=True,
    ):
        records = construction.MathGlyphVariantRecord
        sizes = [record.VariantGlyph for record in records]
        if sign == root:
            widest = ROOT_WIDTH
            for record, share in zip(records, ROOT_HEIGHTS, strict=False):
                transform(font, record.VariantGlyph, 1, share)
                height = round(share * record.AdvanceMeasurement)
                record.AdvanceMeasurement = height
        elif len(sizes) > MIDDLE:
            widest = font["hmtx"][sizes[MIDDLE]][0]
        else:
            continue
        if construction.GlyphAssembly:
            parts = construction.GlyphAssembly.PartRecords
            sizes += {
                part.glyph: None for part in parts if part.glyph not in sizes
            }
        for name in sizes:
            width = font["hmtx"][name][0]
            if width > widest:
                transform(font, name, widest / width)


def subset(path, signs, features):
    """Return a font of which these signs and features are left."""
    # Without its own time of change the same book gives the same bytes.
    font = TTFont(path, recalcTimestamp=False)
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
    if PRIME in font.getBestCmap():
        transform(font, font.getBestCmap()[PRIME], *PRIME_IN_EXPONENT)
    even_out(font)
    return saved(font, "ScaleMath")


@cache
def cut_text(name, signs):
    """Return a font of text with these signs, as content of a file."""
    return saved(subset(TEXT_FONTS[name], signs, FEATURES), "ScaleText")


def parted(css, pages):
    """Return two style sheets: the rules, and the fonts."""

    def embedded(match):
        if match[1] == MATH_FONT.name:
            font = cut(signs_in(pages) | lent(letters_in(pages)))
        else:
            font = cut_text(match[1], letters_in(pages))
        data = base64.b64encode(font).decode()
        return f'url("data:font/woff2;base64,{data}")'

    rules, faces = FACE.sub("", css), "".join(FACE.findall(css))
    return rules, ADDRESS.sub(embedded, faces)
