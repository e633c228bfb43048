"""Write all mathematics as MathML while the book is built, with Temml.

The browser sets it by itself, in the font that the styles bring, and needs
no script to show it. A formula that Temml cannot read, or a sign that the
font does not have, is a Sphinx warning of type "formula", so that a build
with -W stops at it.
"""

import json
import re
from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes
from lxml import etree
from py_mini_racer import MiniRacer
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from booksite.fonts import lean, signs_of

logger = logging.getLogger(__name__)

TEMML = Path(__file__).parents[1] / "temml" / "temml.min.js"
RENDER = """
function render(tex, displayMode) {
  try {
    const options = {displayMode, throwOnError: true};
    return {math: temml.renderToString(tex, options)};
  } catch (error) {
    return {error: String(error.message ?? error)};
  }
}
"""

# Sphinx numbers the equations, so the forms that number themselves give way.
UNNUMBERED = {
    "align": "align*",
    "alignat": "alignat*",
    "equation": "equation*",
    "flalign": "align*",
    "flalign*": "align*",
    "gather": "gather*",
    "multline": "gather*",
    "multline*": "gather*",
}
ENVIRONMENT = re.compile(r"\\(begin|end)\{([a-z]+\*?)\}")
NUMBERING = re.compile(r"\\label\{[^}]*\}|\\(nonumber|notag)(?![a-zA-Z])")

# What opens and closes a group, what breaks a line, and what only looks so.
STRUCTURE = re.compile(r"\\begin\b|\\end\b|\\\\|\\.|[{}]")
DEPTH = {r"\begin": 1, "{": 1, r"\end": -1, "}": -1}

# What Temml puts on a letter, and what fonts have there.
OVERLINE, MACRON = "\u203e", "\u00af"

# What Temml writes for older browsers, or readers, than those of today.
IDLE = {"fence", "separator", "symmetric"}
# Large brackets stand in a row as operators do, unless told what they are.
FORM = dict.fromkeys("([{⟨⌊⌈", "prefix") | dict.fromkeys(")]}⟩⌋⌉", "postfix")
DOTS = {"…", "⋯"}
APPLICATION, THIN = "\u2061", "0.1667em"
MAY_BREAK = "\u200b"
# After these a line may end.
TWO_SIDED = {*"=<>≤≥≠≡≈∼≃∝∈→⇒↦≫≪+−±×·∘,;"}
# What needs brackets higher than a line.
HIGH = ".//mfrac|.//mtable|.//munder|.//munderover|.//mover"
# What takes its parts for a row without being told.
ROWS = {"math", "msqrt", "mstyle", "mtd", "mpadded"}
# What Chromium does not draw, as rows with a class (math.css).
BARS = {"top": "overline", "bottom": "underline"}
# What stands beside a letter in these knows by itself how far it leans.
BESIDE = {"msub", "msup", "msubsup"}
SCRIPTED = {*BESIDE, "mover", "munder", "munderover"}
# From these shares of the size on, a letter that leans needs room.
LEANING = {0.08: "leans-far", 0.04: "leans"}

# A formula in the text whose TeX has at most so many characters stays on one
# line, and one that is displayed if it shows at most so many signs.
SHORT, FITTING = 20, 25

engines = []


def engine():
    """Return V8 with Temml, started when first needed."""
    if not engines:
        context = MiniRacer()
        context.eval(TEMML.read_text(encoding="utf-8"))
        context.eval(RENDER)
        engines.append(context)
    return engines[0]


def stop_engine(app, exception):
    """Stop V8: its thread would keep Python 3.13 from ending."""
    while engines:
        engines.pop().close()


@cache
def render(tex, display):
    """Return the MathML of a formula, in pieces between which a line may end.

    Raises ValueError where Temml or the font do not know what to do.
    """
    call = f"render({json.dumps(tex)}, {json.dumps(display)})"
    answer = json.loads(engine().eval(f"JSON.stringify({call})"))
    if "error" in answer:
        raise ValueError(answer["error"])
    math = tidy(etree.fromstring(answer["math"].replace(OVERLINE, MACRON)))
    if unknown := set("".join(math.itertext())) - signs_of():
        raise ValueError(f"the font has no {' '.join(sorted(unknown))}")
    short = "".join(math.itertext()) if display else tex
    whole = len(short) <= (FITTING if display else SHORT)
    return MAY_BREAK.join(map(markup, [math] if whole else pieces(math)))


def tidy(math):
    """Say what browsers need to be told, and leave out what they do not."""
    for element in list(math.iter()):
        for name in IDLE.intersection(element.attrib):
            del element.attrib[name]
        if element.tag == "mo" and "minsize" in element.attrib:
            element.set("form", FORM.get(element.text, "infix"))
        elif element.tag == "mo" and element.text in DOTS:
            element.attrib.update({"lspace": "0", "rspace": THIN})
        elif element.text == APPLICATION:
            space_function(element)
        elif element.tag == "mo" and is_script(element):
            # WebKit would keep an exponent such as ∗ off its letter.
            element.attrib.update({"lspace": "0", "rspace": "0"})
    for enclosed in math.findall(".//menclose"):
        draw_bar(enclosed)
    for letter in math.findall(".//mi"):
        stand_apart(letter)
    for row in math.findall(".//mrow"):
        if not row.xpath(HIGH):
            # Chromium makes room for the widest of all high brackets.
            for bracket in row.iterfind("mo[@stretchy='true']"):
                bracket.set("stretchy", "false")
        parent = row.getparent()
        alone = len(parent) == 1 and parent.tag in ROWS
        if row.find("mtable") is not None:
            continue  # Firefox would leave the brackets around it low
        if not row.attrib and (len(row) == 1 or alone):
            unwrapped(row)
    return math


def is_script(element):
    """Tell whether an element is raised or lowered beside another."""
    parent = element.getparent()
    return parent.tag in BESIDE and element is not parent[0]


def draw_bar(enclosed):
    """Make a row with a line above or below of what Temml encloses.

    Raises ValueError for what else it can draw around a formula.
    """
    notation = enclosed.get("notation")
    if notation not in BARS:
        raise ValueError(f"browsers do not draw the notation {notation}")
    enclosed.tag = "mrow"
    enclosed.attrib.clear()
    enclosed.set("class", BARS[notation])


def stand_apart(letter):
    """Keep what follows a letter that leans out of its width off it.

    Firefox does so by itself; for the others there is a class.
    """
    first = letter is letter.getparent()[0]
    if "mathvariant" in letter.attrib or (
        first and letter.getparent().tag in SCRIPTED
    ):
        return
    leaning = lean().get(letter.text, 0)
    for least, name in LEANING.items():
        if leaning >= least:
            classes = [*letter.get("class", "").split(), name]
            letter.set("class", " ".join(classes))
            return


def space_function(application):
    """Put a thin space before a function's name, as TeX does.

    The sign behind it, that it is applied, is seen in Firefox, so it goes;
    and the space after it, where nothing comes.
    """
    name, row = application.getprevious(), application.getparent()
    alone = all(part.tag == "mspace" for part in {*row} - {name, application})
    if alone and row.getparent().tag in {"mrow", *ROWS}:
        row = unwrapped(row)
    before, after = name.getprevious(), application.getnext()
    if before is not None and before.tag not in {"mo", "mspace"}:
        name.addprevious(etree.Element("mspace", width=THIN))
    if after is not None and after.tag == "mspace" and after is row[-1]:
        row.remove(after)
    row.remove(application)


def unwrapped(row):
    """Put what is in a row in its place; return what that is in."""
    parent = row.getparent()
    parent[parent.index(row) : parent.index(row) + 1] = list(row)
    return parent


def pieces(math):
    """Return a formula in pieces, each of which stays on one line."""
    found = [[]]
    for part in list(math):
        found[-1].append(part)
        operator = part.tag == "mo" and part.text in TWO_SIDED
        if operator and part.get("form") != "prefix" and part is not math[-1]:
            # At the end of its piece it would be taken for one of one side.
            part.set("form", "infix")
            found.append([])
    if len(found) > 1 and math.get("display") == "block":
        math.attrib.clear()
        math.set("displaystyle", "true")
    formulas = [etree.Element("math", dict(math.attrib)) for _ in found]
    for formula, parts in zip(formulas, found, strict=True):
        formula.extend(parts)
    return formulas


def markup(element):
    """Return an element as HTML wants it."""
    return etree.tostring(element, encoding="unicode", method="html")


def breaks_a_line(tex):
    r"""Tell whether a \\ stands outside all groups and environments."""
    depth = 0
    for token in STRUCTURE.findall(tex):
        if token == r"\\" and depth == 0:
            return True
        depth += DEPTH.get(token, 0)
    return False


def display_form(tex):
    """Rewrite a displayed formula into what Temml understands."""
    tex = NUMBERING.sub("", tex.strip())
    tex = ENVIRONMENT.sub(
        lambda m: rf"\{m[1]}{{{UNNUMBERED.get(m[2], m[2])}}}", tex
    )
    if breaks_a_line(tex):
        tex = rf"\begin{{aligned}}{tex}\end{{aligned}}"
    return tex


def location(node):
    """Return file and line of a node; in a notebook, cell and line."""
    while node.parent is not None and not (node.source and node.line):
        node = node.parent
    cell, line = divmod(node.line or 0, 10_000)
    # MyST-NB adds 10,000 a cell to the line numbers of a notebook.
    place = f"cell {cell}, line {line}" if cell else f"{line}"
    return f"{node.source}:{place}"


def math_of(node, tex, display):
    """Return the MathML of a formula, or warn and show its TeX."""
    try:
        return render(tex, display)
    except ValueError as error:
        message = f"{error} (in the formula {tex})"
        logger.warning(message, location=location(node), type="formula")
        return f"<code>{escape(tex)}</code>"


def visit_math(writer, node):
    """Write a formula in the text."""
    tex = node.astext()
    math = math_of(node, tex, display=False)
    start = writer.starttag(
        node, "span", "", CLASS="math notranslate", **{"data-tex": tex}
    )
    writer.body.append(f"{start}{math}</span>")
    raise nodes.SkipNode


def visit_math_block(writer, node):
    """Write a displayed formula in a box that scrolls, and its number."""
    tex = display_form(node.astext())
    math = math_of(node, tex, display=True)
    start = writer.starttag(
        node, "div", CLASS="math notranslate", **{"data-tex": tex}
    )
    writer.body.append(f'{start}<div class="equation">{math}</div>')
    if node.get("number"):
        number = get_node_equation_number(writer, node)
        writer.body.append(f'<span class="eqno">({number})')
        writer.add_permalink_ref(node, _("Link to this equation"))
        writer.body.append("</span>")
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def check_titles(app, env):
    """Warn of a formula in a page's title, which has to work as plain text."""
    for docname, title in env.titles.items():
        for formula in title.findall(nodes.math):
            message = (
                f"the title of a page also names its tab and its links: "
                f"write {formula.astext()} without TeX"
            )
            logger.warning(message, location=docname, type="formula")


def setup(app):
    """Register the renderer."""
    app.add_html_math_renderer(
        "mathml", (visit_math, None), (visit_math_block, None)
    )
    app.add_css_file("math.css")
    app.add_js_file("copy-math.js")
    app.connect("env-check-consistency", check_titles)
    app.connect("build-finished", stop_engine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
