"""One style sheet and one script for all pages, with what the book uses.

The theme and its plug-ins bring two dozen files, most of them about things
that this book does not have. A page with an explorable, and the search, have a
second script, for that alone; so the next page asks for little more than its
text.

1. While pages are written, `bundle_page` gives each the names of the files
   that stand for all that it asked for.
2. When all are written, `write_bundles` joins the scripts, without their
   comments, then the styles: of their rules, those stay that are for elements
   which occur somewhere in the book, or which a script can make; of their
   variables those that something asks for; and the fonts go into
   two style sheets (fonts.py).
3. `stamp_bundles` tells the pages what is in the files, by a digest, so that
   no browser takes an old file for a new one.

A page shows its title at once, by the rules that place it, which stand in the
page (`first_rules`). The rest comes when the styles are there, and the fonts,
in a style sheet of their own (fonts.py, layout.html among the templates); its
script is asked for after that (body_post in
site/templates/static/webpack-macros.html).
"""

import hashlib
import posixpath
import re
from functools import cache, partial
from pathlib import Path

import tinycss2
from lxml import etree, html
from rjsmin import jsmin
from sphinx.errors import ExtensionError

from booksite.fonts import parted

# The theme would link these by itself.
THEME_STYLES = ["basic.css", "styles/pydata-sphinx-theme.css"]
THEME_SCRIPTS = ["scripts/pydata-sphinx-theme.js"]
PATCHES = {
    "scripts/pydata-sphinx-theme.js": {
        # The theme asks every box of a page for its width, again after each
        # change to the page, and so has all of it laid out; wide-boxes.js
        # waits to be told.
        'function I(){const e=()=>{document.querySelectorAll(["pre"': (
            'function I(){return;const e=()=>{document.querySelectorAll(["pre"'
        ),
    },
    # The button that was pressed would lose the focus: a dialog could not
    # give it back, and the keyboard would begin at the top of the page.
    "scripts/sphinx-book-theme.js": {
        't&&t.addEventListener("click",(()=>{t.blur()}),!0)': "",
    },
    # A dozen buttons of a page would have one name.
    "togglebutton.js": {
        'title.insertAdjacentHTML("beforeend", collapseButton);': (
            "const [first, ...rest] = title.textContent.trim();"
            'title.insertAdjacentHTML("beforeend", collapseButton);'
            "title.lastElementChild.ariaLabel ="
            '"Show " + first.toLowerCase() + rest.join("");'
        ),
    },
}
# What copies code (copy-code.js does), tabs, which the book does not have,
# and what Sphinx has for searches and indices of its own.
IDLE = {
    "clipboard.min.js",
    "copybutton.js",
    "design-tabs.js",
    "doctools.js",
    "sphinx_highlight.js",
}
OPTIONS = "documentation_options.js"
FONTS = "book-typeface.css"
# What few pages need: scripts of explorables, and of the search.
OF_FEW = ("explorables/", "find.js")
# The only line that differs from page to page; nothing here reads it.
PAGE_NAME = "DOCUMENTATION_OPTIONS.pagename"
URL = re.compile(r"url\(\s*(['\"]?)(?!data:|#)([^'\")]+)\1\s*\)")
SOURCE_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)
# A name that nothing else in a page can be taken for: no need to parse it.
NAMED = re.compile(r"(book-\w{8}\.(?:css|js))(?:\?v=\w+)?")
FACE = re.compile(r"@font-face\{[^}]*\}")
FIRST = re.compile(r"(<style data-first>)[^<]*(</style>)")
# What a title has above it and at its side.
BESIDE = (
    "//*[contains(@class, 'bd-sidebar') or contains(@class, 'bd-header-')]"
)
# What a script gives an element; .name and #name are what it looks for.
WORD = re.compile(r"(?<![.#\w-])[\w-]+")
VARIABLE = re.compile(r"--[\w-]+")
ASKED = re.compile(r"var\(\s*(--[\w-]+)")
QUOTED = re.compile(
    r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`"""
)
# Scripts of the theme speak of these; the book has none of them.
ABSENT = {
    "bd-header-announcement",
    "card",
    "dropdown-menu",
    "dropdown-item",
    "full-width",
    "list-group-item",
    "margin",
    "margin-caption",
    "marginnote",
    "sidenote",
    "thebe-launch-button",
    "toggle-details",
    "version-switcher__button",
    "version-switcher__menu",
}
# Of the styles of others: their fonts, for signs that book.css draws itself,
# and what turns, grows and slides in by itself.
NEEDLESS = {"charset", "font-face", "keyframes"}


def css_of(folder, name):
    """Return a style sheet whose addresses hold in the folder above it."""
    text = (folder / name).read_text(encoding="utf-8")
    place = posixpath.dirname(name)

    def moved(match):
        return f'url("{posixpath.normpath(posixpath.join(place, match[2]))}")'

    return URL.sub(moved, text)


def js_of(folder, part):
    """Return a script, from a file or as it stands, to go between others."""
    text = part
    if part.endswith(".js"):
        text = SOURCE_MAP.sub("", (folder / part).read_text(encoding="utf-8"))
        for old, new in PATCHES.get(part, {}).items():
            if old not in text:
                raise ExtensionError(f"{part} has changed: it has no {old}")
            text = text.replace(old, new)
    # First in a file, "use strict" would be said to all that follow.
    return f";\n{text}\n"


def digest_of(text):
    """Return a short name for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def bundle_of(app, parts, suffix):
    """Return the name of the file that will join others of _static."""
    parts = tuple(dict.fromkeys(parts))
    bundle = f"book-{digest_of(chr(10).join(parts))}{suffix}"
    app.bundles[bundle] = parts
    return f"_static/{bundle}"


def part_of(asset):
    """Return the path below _static of a script or style, or its text."""
    if asset.filename:
        return str(asset.filename).removeprefix("_static/").partition("?")[0]
    return asset.attributes["body"]


def bundle_page(app, pagename, templatename, context, doctree):
    """Replace the files of a page by one of each kind."""
    if app.builder.name != "html":
        return
    styles = context["css_files"]
    if styles:
        parts = THEME_STYLES + [part_of(style) for style in styles]
        bundle = bundle_of(app, parts, ".css")
        context["css_files"] = []
        context["book_styles"] = [
            context["pathto"](name, resource=True)
            for name in (bundle, f"_static/{FONTS}")
        ]
    scripts = context["script_files"]
    if scripts:
        parts = [part_of(script) for script in scripts] + THEME_SCRIPTS
        names = [part for part in parts if part.startswith(PAGE_NAME)]
        if not names or OPTIONS not in parts:
            raise ExtensionError(
                "The theme has changed: no script on the page"
                f" {pagename} is {OPTIONS} or sets {PAGE_NAME}. Adapt"
                " site/booksite/bundles.py."
            )
        parts = [part for part in parts if part not in {*names, *IDLE}]
        # Settings come first, as in the page, where they did not wait.
        parts.sort(key=lambda part: part.endswith(".js") and part != OPTIONS)
        own = [part for part in parts if part.startswith(OF_FEW)]
        common = [part for part in parts if part not in own]
        common, own = (
            [bundle_of(app, kind, ".js")] if kind else []
            for kind in (common, own)
        )
        # The search page goes on with scripts that need these at once; others
        # ask for them when there is something to read (layout.html), and for
        # those of few when the reader is near to what they move.
        context["script_files"] = []
        if doctree is None:
            bundles = common + own
            context["script_files"] = [type(scripts[0])(b) for b in bundles]
        else:
            address = partial(context["pathto"], resource=True)
            context["book_scripts"] = [*map(address, common)]
            context["moving_scripts"] = [*map(address, own)]


def pages_of(app):
    """Return all pages as text by path, those of earlier builds included."""
    names = app.env.found_docs | {"search"}
    paths = [Path(app.outdir, f"{name}.html") for name in sorted(names)]
    return {path: path.read_text(encoding="utf-8") for path in paths}


def names_of(element):
    """Return what an element is: its name, classes and anchor.

    As in a selector: p, .class, #anchor.
    """
    classes = element.get("class", "").split()
    anchor = [f"#{element.get('id')}"] if element.get("id") else []
    return frozenset([element.tag, *anchor, *(f".{c}" for c in classes)])


def elements_of(pages):
    """Return what the elements of pages are."""
    return {
        names_of(element)
        for page in pages
        for element in html.document_fromstring(page).iter(etree.Element)
    }


def around_titles(pages):
    """Return what the titles of pages are, what they are in, and beside."""
    found = set()
    for page in pages:
        before, end, _ = page.partition("</h1>")
        if end:
            tree = html.document_fromstring(before)
            title = tree.xpath("//h1")[-1]
            around = [title, *title.iterancestors(), *tree.xpath(BESIDE)]
            found.update(map(names_of, around))
    return found


def words_of(scripts):
    """Return the words in scripts that can be names of what they change."""
    quoted = " ".join(text for s in scripts for text in QUOTED.findall(s))
    return set(WORD.findall(quoted))


class Used:
    """What styles can be for: elements of pages, and what scripts name."""

    def __init__(self, elements, scripts=()):
        """Take what elements there are, and read what may change them."""
        self.words = words_of(scripts) - ABSENT
        self.having, self.known = {}, {}
        for element in elements:
            for name in element:
                self.having.setdefault(name, set()).add(element)

    def has(self, names):
        """Tell whether an element has these names, or may get them."""
        if names not in self.known:
            sure = [n for n in names if n.lstrip(".#") not in self.words]
            sets = [self.having.get(name, set()) for name in sure]
            self.known[names] = not sets or bool(set.intersection(*sets))
        return self.known[names]


def compounds_of(selector):
    """Yield what a selector asks of each element, as sets of names."""
    names, previous = set(), None
    for token in selector:
        if token.type == "whitespace" or token in [">", "+", "~"]:
            yield frozenset(names)
            names = set()
        elif token.type == "hash":
            names.add(f"#{token.value}")
        elif token.type == "ident" and previous != ":":
            names.add("." * (previous == ".") + token.value)
        previous = token.value if token.type == "literal" else None
    yield frozenset(names)


def selectors_of(rule):
    """Yield the selectors of a rule, each as its tokens."""
    selector = []
    for token in rule.prelude:
        if token.type == "literal" and token.value == ",":
            yield selector
            selector = []
        else:
            selector.append(token)
    yield selector


def prune(rules, used):
    """Yield as text the rules that can match something in the book."""
    for rule in rules:
        if rule.type == "qualified-rule":
            kept = [
                tinycss2.serialize(selector).strip()
                for selector in selectors_of(rule)
                if all(map(used.has, compounds_of(selector)))
            ]
            if kept:
                content = tinycss2.serialize(rule.content).strip()
                yield f"{','.join(kept)}{{{content}}}\n"
        elif rule.type != "at-rule":
            yield tinycss2.serialize([rule]) + "\n"
        elif rule.lower_at_keyword in {"media", "supports"}:
            inner = "".join(prune(parse(rule.content), used))
            if inner:
                prelude = tinycss2.serialize(rule.prelude).strip()
                yield f"@{rule.lower_at_keyword} {prelude}{{{inner}}}\n"
        elif rule.lower_at_keyword not in NEEDLESS:
            yield tinycss2.serialize([rule]) + "\n"


def parse(css):
    """Return the rules of a style sheet."""
    return tinycss2.parse_rule_list(
        css, skip_comments=True, skip_whitespace=True
    )


@cache
def rules_of(css):
    """Return the rules of a style sheet that is in more than one bundle."""
    return parse(css)


def compact(tokens, asked):
    """Return the content of a style sheet or block without needless space.

    What is asked are the names of variables; others go.
    """
    kept, text, first = [], "", None
    for token in [*tokens, None]:
        if token is None or token == ";":
            if not idle(first, asked):
                # The space of an empty variable is its value.
                kept.append(text.strip() + " " * text.endswith(": "))
            text, first = "", None
        elif token.type in {"comment", "whitespace"}:
            text += "" if text.endswith((",", "}")) else " "
        else:
            first = first or token
            if token.type == "{} block":
                text = text.strip() + f"{{{compact(token.content, asked)}}}"
            else:
                text += tinycss2.serialize([token])
    return ";".join(filter(None, kept))


def idle(first, asked):
    """Tell whether a declaration sets a variable that nothing asks for."""
    name = first.value if first is not None and first.type == "ident" else ""
    return name.startswith("--") and name not in asked


def shortened(css, texts):
    """Return a style sheet without comments and needless space.

    Variables go as well that neither it nor one of the texts asks for.
    """
    asked = {name for text in texts for name in VARIABLE.findall(text)}
    asked.update(ASKED.findall(css))
    tokens = tinycss2.parse_component_value_list(css, skip_comments=True)
    return compact(tokens, asked)


def styles_of(app, names, used):
    """Join style sheets; the book's own have no rule to spare."""
    folder = Path(app.outdir, "_static")
    # Plug-ins add folders of theirs, with absolute paths.
    own = [
        Path(app.confdir, path)
        for path in app.config.html_static_path
        if not Path(path).is_absolute()
    ]
    for name in names:
        text = css_of(folder, name)
        if any((path / name).exists() for path in own):
            yield text
        else:
            yield from prune(rules_of(text), used)


def first_rules(css, pages):
    """Return the rules that place the titles of pages, on a screen."""
    used = Used(around_titles(pages))
    # The fonts that a computer may have; those of the book come later.
    text = "".join([*FACE.findall(css), *prune(parse(css), used)])
    return shortened(text, [])


def write_bundles(app, exception):
    """Write the joined files, without the rules that no page has a use for."""
    if exception or app.builder.name != "html" or not app.bundles:
        return  # or no page was written
    folder = Path(app.outdir, "_static")
    for bundle, names in app.bundles.items():
        if bundle.endswith(".js"):
            text = "".join(js_of(folder, name) for name in names)
            text = jsmin(text, keep_bang_comments=True)  # licences stay
            (folder / bundle).write_text(text, encoding="utf-8")
    pages = pages_of(app)
    named = names_of_bundles(pages)
    scripts = [folder / name for name in named if name.endswith(".js")]
    texts = [path.read_text(encoding="utf-8") for path in scripts]
    used = Used(elements_of(pages.values()), texts)
    for bundle, names in app.bundles.items():
        if bundle.endswith(".css"):
            text = "".join(styles_of(app, names, used))
            text = shortened(text, [*pages.values(), *texts])
            text, fonts = parted(text, pages.values())
            (folder / bundle).write_text(text, encoding="utf-8")
            (folder / FONTS).write_text(fonts, encoding="utf-8")
            first = first_rules(text, pages.values())
    stamp_bundles(folder, pages, named, first)


def names_of_bundles(pages):
    """Return the names of the bundles that the pages ask for."""
    named = set()
    for path, page in pages.items():
        found = {match[1] for match in NAMED.finditer(page)}
        if {Path(name).suffix for name in found} != {".css", ".js"}:
            raise ExtensionError(
                f"The theme has changed: {path} asks for the bundles"
                f" {sorted(found)}, not for a style sheet and a script."
                " Adapt site/templates and site/booksite/bundles.py."
            )
        named |= found
    return named


def stamp_bundles(folder, pages, named, first):
    """Name each bundle's content in the pages, and drop those of the past.

    The first rules are put into each page.
    """
    for path in folder.glob("book-*.*"):
        if path.name not in named:
            path.unlink()
    stamps = {
        name: digest_of((folder / name).read_text(encoding="utf-8"))
        for name in named
    }
    for path, page in pages.items():
        # So that no browser takes an old file for it.
        stamped = NAMED.sub(lambda m: f"{m[1]}?v={stamps[m[1]]}", page)
        stamped = FIRST.sub(lambda m: f"{m[1]}{first}{m[2]}", stamped)
        if stamped != page:
            path.write_text(stamped, encoding="utf-8")


def note_assets(app, config):
    """Have all pages written anew when a style, script or template changed."""
    digest = hashlib.sha256()
    for path in sorted(Path(app.confdir, "site").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.read_bytes())
    config.assets_digest = digest.hexdigest()
    app.bundles = {}


def setup(app):
    """Connect the steps, after all that name files for a page."""
    app.add_config_value("assets_digest", "", "html")
    app.connect("config-inited", note_assets)
    app.connect("html-page-context", bundle_page, priority=950)
    app.connect("build-finished", write_bundles, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
