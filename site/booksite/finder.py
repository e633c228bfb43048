"""A search that leads to the place: a section, theorem, exercise or word.

When the pages are written, the text of every place goes into one script. The
search page (site/templates/search.html) loads it, and looks (find.js); from a
folder too, where a page may not read others. A formula is there as one would
type it, α_c = √(2 log n).
"""

import json
import re
from pathlib import Path

from lxml import html

INDEX = "places.js"
# What has a name and an address beside sections, words and functions (dt).
BOXES = {"proof", "exercise", "claim-card"}
NAMES = {"h1", "h2", "h3", "h4", "dt"}
NAME_CLASSES = {"admonition-title", "claim-head"}
# Programs, what they print, and what a reader opens or presses.
LEFT_OUT = {"highlight", "output", "verdict-fold", "headerlink"}
LEFT_OUT |= {"claim-grounds", "claim-line", "sig-param", "sig-paren"}
LEFT_OUT |= {"near-miss", "reading-time", "source-note"}
LEFT_OUT_TAGS = {"script", "style", "svg", "pre", "button", "summary"}
INLINE = {"a", "b", "code", "em", "i", "span", "strong", "sub", "sup", "wbr"}

# In a line of text: what is raised, what has its place between two sides, and
# what only shows where a line may end.
RAISED = dict(zip("0123456789+−n′∗⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ′*ᵀ", strict=True))
APART = re.compile("[=<>≤≥≠≈∼∝→⟶∈+−±×⋅]")
WHOLE = re.compile(r"[\d.]*|\w(_\w)?|[A-Za-z]+|∞|\([^()]*\)")
MARKS = {"¯", "~"}


def grouped(text):
    """Return a part of a formula, in brackets where it is long."""
    text = " ".join(text.split())
    return text if WHOLE.fullmatch(text) else f"({text})"


def raised(text):
    """Return an exponent, or what else stands above."""
    if text in MARKS:
        return ""
    if set(text) <= RAISED.keys():
        return "".join(map(RAISED.get, text))
    return f"^{grouped(text)}"


def line_of(math):
    """Return MathML as a line of text."""
    parts = [line_of(part) for part in math]
    match math.tag:
        case "mfrac":
            return "/".join(map(grouped, parts))
        case "msqrt":
            return f"√{grouped(''.join(parts))}"
        case "msub" | "munder" | "msubsup" | "munderover":
            above = "".join(map(raised, parts[2:]))
            end = " " if math[0].tag == "mo" else ""
            return f"{parts[0].rstrip()}_{grouped(parts[1])}{above}{end}"
        case "msup" | "mover":
            return parts[0].rstrip() + raised(parts[1])
        case "mtd" | "mtr" | "mspace":
            return "".join(parts) + " "
    text = math.text or ""
    between = math.get("form") != "prefix" and APART.fullmatch(text)
    if between or math.tag == "mi" and len(text) > 1:
        return f" {text} "
    return text + "".join(parts)


def classes(element):
    """Return the classes of an element."""
    return {*element.get("class", "").split()}


def is_place(element):
    """Tell whether an element has a name and an address of its own."""
    if element.get("id") is None:
        return False
    return element.tag in {"section", "dt"} or bool(BOXES & classes(element))


def is_name(element):
    """Tell whether an element names the place that it is in."""
    return element.tag in NAMES or bool(NAME_CLASSES & classes(element))


def is_left_out(element):
    """Tell whether an element holds nothing that one would look for."""
    return (
        not isinstance(element.tag, str)
        or element.tag in LEFT_OUT_TAGS
        and element.find("h2") is None  # a section that folds
        or bool(LEFT_OUT & classes(element))
    )


def spaced(texts):
    """Return texts as one, with single spaces."""
    return " ".join("".join(texts).replace("\u200b", "").split())


def new_place(name="", id=""):
    """Return a place of which nothing is known yet."""
    return {"id": id, "name": name, "text": [], "terms": [], "rows": []}


def read(element, place, found):
    """Add what an element says to a place, and the places in it to `found`."""
    place["text"].append(element.text or "")
    if element.tag == "em":
        place["terms"].append(element.text or "")
    for part in element:
        inner = place
        if not is_left_out(part):
            if is_place(part):
                inner = new_place(id=part.get("id"))
                found.append(inner)
            if part.tag == "dt" and inner is not place:
                place = inner  # what follows explains it
            if part.get("data-tex") is not None:
                inner["text"] += map(line_of, part.iter("math"))
                inner["text"] += part.xpath("span/text()")  # a full stop
            elif is_name(part) and not inner["name"]:
                name = new_place()
                read(part, name, found)
                # Of a function: without what stood between its arguments.
                inner["name"] = spaced(name["text"]).rstrip(" ,")
            elif part.tag == "table":
                rows = new_place()
                read(part, rows, found)
                inner["rows"] += rows["text"]
            else:
                read(part, inner, found)
        if part.tag not in INLINE and part.get("data-tex") is None:
            place["text"].append(" ")
        place["text"].append(part.tail or "")


def places_of(article):
    """Return what is known of each place of a page.

    Its address and name, its text, the text of its tables, and the words that
    it stresses, which are those that it explains.
    """
    found = []
    read(article, new_place(), found)
    return [
        [
            place["id"],
            place["name"],
            spaced(place["text"]),
            spaced(place["rows"]),
            " | ".join(filter(None, map(spaced, place["terms"]))),
        ]
        for place in found
    ]


def write_index(app, exception):
    """Write the places of all pages, in reading order."""
    if exception or app.builder.name != "html":
        return
    pages = []
    for name in app.env.collect_relations():
        path = Path(app.outdir, f"{name}.html")
        article = html.parse(path).getroot().find(".//article")
        pages.append([f"{name}.html", places_of(article)])
    text = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
    index = Path(app.outdir, "_static", INDEX)
    index.write_text(f"const PAGES = {text};\n", encoding="utf-8")


def replace_search(app):
    """Have no index of words made."""
    if app.builder.name == "html":
        app.builder.search = False


def search_page(app):
    """Return the page that Sphinx writes only beside its own index."""
    return [("search", {}, "search.html")]


def link_script(app, pagename, templatename, context, doctree):
    """Give the search page the script that looks."""
    if pagename == "search":
        app.add_js_file("find.js")


def setup(app):
    """Replace Sphinx's search."""
    app.add_css_file("find.css")
    app.connect("builder-inited", replace_search)
    app.connect("html-collect-pages", search_page)
    app.connect("html-page-context", link_script)
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
