"""Render all mathematics with KaTeX while the book is built.

The browser gets finished HTML, with MathML and the TeX source inside, and
needs no script to show it. A formula that KaTeX cannot read is a Sphinx
warning of type "katex", so that a build with -W stops at it.
"""

import json
import re
import shutil
from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes
from py_mini_racer import MiniRacer
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)

# A character that KaTeX has no glyph for is an error; its other doubts
# concern strict LaTeX, which nobody runs here.
RENDER = """
function render(tex, displayMode, macros) {
  const strict = code => code === "unknownSymbol" ? "error" : "ignore";
  try {
    return {html: katex.renderToString(
      tex, {displayMode, strict, macros: JSON.parse(macros)})};
  } catch (error) {
    return {error: error.rawMessage ?? String(error)};
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

# A formula in the text with at most so many characters stays on one line.
SHORT = 20

# On pages with mathematics only; the folder has the fonts as well.
STYLE = "katex/katex.min.css"
SCRIPT = "katex/copy-tex.min.js"


engines = {}


def engine(folder):
    """Return V8 with the KaTeX of the folder, started when first needed."""
    if folder not in engines:
        context = MiniRacer()
        context.eval((folder / "katex.min.js").read_text(encoding="utf-8"))
        context.eval(RENDER)
        engines[folder] = context
    return engines[folder]


def stop_engines(app, exception):
    """Stop V8: its thread would keep Python 3.13 from ending."""
    while engines:
        engines.popitem()[1].close()


@cache
def render(tex, display, macros, folder):
    """Return {"html": …} or {"error": …} for a formula."""
    arguments = ", ".join(map(json.dumps, (tex, display, macros)))
    answer = engine(folder).eval(f"JSON.stringify(render({arguments}))")
    return json.loads(answer)


def breaks_a_line(tex):
    r"""Tell whether a \\ stands outside all groups and environments."""
    depth = 0
    for token in STRUCTURE.findall(tex):
        if token == r"\\" and depth == 0:
            return True
        depth += DEPTH.get(token, 0)
    return False


def display_form(tex):
    """Rewrite a displayed formula into what KaTeX understands."""
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


def html_of(writer, node, tex, display):
    """Return the HTML of a formula, or warn and show its TeX."""
    config = writer.builder.config
    folder = Path(writer.builder.confdir, config.katex_static_dist)
    macros = json.dumps(config.katex_static_macros)
    answer = render(tex, display, macros, folder)
    if "error" in answer:
        message = f"{answer['error']} (in the formula {tex})"
        logger.warning(message, location=location(node), type="katex")
        return f"<code>{escape(tex)}</code>"
    return answer["html"]


def visit_math(writer, node):
    """Write a formula in the text."""
    tex = node.astext()
    html = html_of(writer, node, tex, display=False)
    short = " math-short" if len(tex) <= SHORT else ""
    start = writer.starttag(node, "span", "", CLASS=f"math{short} notranslate")
    writer.body.append(f"{start}{html}</span>")
    raise nodes.SkipNode


def visit_math_block(writer, node):
    """Write a displayed formula in a box that scrolls, and its number."""
    html = html_of(writer, node, display_form(node.astext()), display=True)
    start = writer.starttag(node, "div", CLASS="math notranslate")
    writer.body.append(f'{start}<div class="equation">{html}</div>')
    if node.get("number"):
        number = get_node_equation_number(writer, node)
        writer.body.append(f'<span class="eqno">({number})')
        writer.add_permalink_ref(node, _("Link to this equation"))
        writer.body.append("</span>")
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def link_assets(app, pagename, templatename, context, doctree):
    """Link KaTeX's styles and fonts on the pages that need them."""
    if 'class="katex"' in context.get("body", ""):
        app.add_css_file(STYLE)
        app.add_js_file(SCRIPT, loading_method="defer")


def check_titles(app, env):
    """Warn of a formula in a page's title, which has to work as plain text."""
    for docname, title in env.titles.items():
        for formula in title.findall(nodes.math):
            message = (
                f"the title of a page also names its tab and its links: "
                f"write {formula.astext()} without TeX"
            )
            logger.warning(message, location=docname, type="katex")


def copy_assets(app):
    """Put styles, fonts and their licence beside the pages."""
    if app.builder.format == "html":
        shutil.copytree(
            Path(app.confdir, app.config.katex_static_dist),
            Path(app.outdir, "_static", "katex"),
            ignore=shutil.ignore_patterns("katex.min.js"),
            dirs_exist_ok=True,
        )


def setup(app):
    """Register the renderer and its settings."""
    app.add_config_value("katex_static_dist", "site/katex", "html")
    app.add_config_value("katex_static_macros", {}, "html")
    app.add_html_math_renderer(
        "katex_static", (visit_math, None), (visit_math_block, None)
    )
    app.connect("builder-inited", copy_assets)
    app.connect("env-check-consistency", check_titles)
    app.connect("html-page-context", link_assets)
    app.connect("build-finished", stop_engines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
