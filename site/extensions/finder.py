"""A search that finds theorems by name and number, and symbols as written.

Sphinx knows the words of a page and, of a formula, its TeX. So here Greek
letters and signs are put into words, in pages and in questions alike, and
theorems and exercises are listed by their numbers.
"""

import json

from sphinx.search.en import SearchEnglish

GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu"
GREEK += " xi omicron pi rho sigma tau upsilon phi chi psi omega"
SIGNS = {
    "√": "sqrt", "Σ": "sum", "∑": "sum", "∏": "prod", "∫": "int",
    "∞": "infty", "∂": "partial", "∇": "nabla", "⟨": "langle",
    "⟩": "rangle", "‖": "lVert", "½": "half", "ς": "sigma",
}  # fmt: skip
NAMES = {
    chr(0x3B1 + i + (i > 16)): name for i, name in enumerate(GREEK.split())
}
NAMES |= {letter.upper(): name for letter, name in NAMES.items()} | SIGNS

# As SearchSymbols.split does; language_data.js gets it.
SPLITTER = """
const NAMES = %s;
function splitQuery(query) {
  const words = Array.from(query.normalize("NFC"), sign =>
    Object.hasOwn(NAMES, sign) ? ` ${NAMES[sign]} ` : sign).join("");
  return words.replace(/ _/g, "_").split(/[^\\p{Letter}\\p{Number}_]+/gu)
    .filter(word => word);
}
"""


class SearchSymbols(SearchEnglish):
    """English, with signs put into words."""

    lang = "symbols"
    language_name = "English with mathematics"
    js_splitter_code = SPLITTER % json.dumps(NAMES, ensure_ascii=False)

    def split(self, input):
        """Return the words of a text; `α_c` gives the words of `\\alpha_c`."""
        words = "".join(f" {NAMES[c]} " if c in NAMES else c for c in input)
        return super().split(words.replace(" _", "_"))


# The search reads the pages that it found, to show where; a browser does not
# let it in a folder, and complains. A formula is shown as its TeX.
EXTRACTS = """
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const plain = Search.htmlToText;
  const asTex = html => html.replace(/<math.*?<\\/math>/gs, "")
    .replace(/ data-tex="([^"]*)">/g, ">$1");
  Search.htmlToText = (html, ...rest) =>
    plain.call(Search, asTex(html), ...rest);
});
"""


def title_of(kind, number):
    """Return what the page calls a numbered thing."""
    return f"{kind.title()} {'.'.join(map(str, number))}"


def list_numbered(app):
    """Add theorems and exercises by number, and name them without brackets."""
    titles = app.builder.indexer._all_titles
    for docname, listed in titles.items():
        named = [
            (title.strip().removeprefix("(").removesuffix(")"), anchor)
            if title.startswith(" (")
            else (title, anchor)
            for title, anchor in listed
        ]
        for kind, numbers in app.env.toc_fignumbers.get(docname, {}).items():
            if kind not in {"figure", "table", "code-block", "section"}:
                named += [(title_of(kind, n), a) for a, n in numbers.items()]
        titles[docname] = list(dict.fromkeys(named))
    return []


def setup(app):
    """Register the language, and the list made before the index is stored."""
    app.add_search_language(SearchSymbols)
    app.add_js_file(None, body=EXTRACTS)
    app.connect("html-collect-pages", list_numbered)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
