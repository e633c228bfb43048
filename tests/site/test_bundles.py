"""One style sheet and one script: small, and with all that is used."""

import base64
import gzip
import io
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from fontTools.ttLib import TTFont
from sphinx.errors import ExtensionError

import bundles
import fonts

BUDGET = 160_000  # bytes of a page before its figures, compressed
EMBEDDED = re.compile(r'font-family: "Scale Math";[^}]*?base64,([\w+/=]+)')


def prune(css, words):
    """Return a style sheet without the rules for other words."""
    rules = bundles.parse(css)
    return "".join(bundles.prune(rules, set(words.split()))).split("\n")[:-1]


STYLE = re.compile(r'<link [^>]*rel="stylesheet"[^>]*href="([^"]*)"')
SCRIPT = re.compile(r"[\w./-]*book-\w+\.js")


def file_of(path, address):
    """Return the text of a file that a page names."""
    name = address.partition("?")[0]
    return (path.parent / name).read_text(encoding="utf-8")


def test_pages_are_light(paths):
    """Text, styles, font and scripts of each page keep the budget."""
    for path in paths:
        html = path.read_text(encoding="utf-8")
        (style,) = STYLE.findall(html)
        scripts = set(SCRIPT.findall(html))
        parts = [html, *(file_of(path, part) for part in [style, *scripts])]
        weight = sum(len(gzip.compress(part.encode())) for part in parts)
        assert weight < BUDGET, (path.name, weight)


def test_the_next_page_costs_its_text(paths, chapters):
    """All pages share styles and a script; a few have a second script."""
    styles, first, second = set(), set(), set()
    for path in paths:
        html = path.read_text(encoding="utf-8")
        styles.update(Path(name).name for name in STYLE.findall(html))
        names = dict.fromkeys(Path(n).name for n in SCRIPT.findall(html))
        first.add(next(iter(names)))
        second.update([*names][1:])
        assert len(names) <= 2, path.name
    assert len(styles) == len(first) == 1
    assert second and not first & second


def test_no_page_carries_the_theme_s_own_files(paths):
    """What the bundles hold is not asked for a second time."""
    for path in paths:
        html = path.read_text(encoding="utf-8")
        for name in ("bootstrap.js", "fontawesome", "pydata-sphinx-theme.css"):
            assert name not in html, path.name


def test_rules_are_kept_for_what_a_page_has():
    """A selector stays when all of its classes occur; others go alone."""
    css = "p{a:b} .in{a:b} .out{a:b} .in .out{a:b} #id,.out>p{a:b}"
    kept = ["p{a:b}", ".in{a:b}", "#id{a:b}"]
    assert prune(css, "in id") == kept
    css = ".in:not(.out){a:b} p:is(.out,.in){a:b} .in:hover::after{a:b}"
    assert len(prune(css, "in")) == 3
    assert prune(":is(p) .out{a:b} [class*=out]{a:b}", "in") == [
        "[class*=out]{a:b}"
    ]
    css = "@media print{.out{a:b}} @media print{.out,.in{a:b}}"
    assert "".join(prune(css, "in")) == "@media print{.in{a:b}}"
    css = '@charset "utf-8";@font-face{src:url(x)} /* no */ :root{--a:b}'
    assert prune(css, "") == ["@font-face{src:url(x)}", ":root{--a:b}"]


def test_what_says_nothing_goes():
    """Comments, spaces, and variables that nobody asks for."""
    css = """
    /* no */ p , a { --in: 1px; --out: url("a;b"); --of-script: 2px }
    @media print { p { /* no */ margin: var(--in) calc(1px + 2px) ; --no: 1 } }
    b { --empty: ; width: var(--empty) }
    """
    assert bundles.shortened(css, ['get("--of-script")']) == (
        "p ,a{--in: 1px;--of-script: 2px}"
        "@media print{p{margin: var(--in) calc(1px + 2px)}}"
        "b{--empty: ;width: var(--empty)}"
    )


def test_words_of_scripts_count():
    """A class that only a script sets is a class of the book."""
    pages, scripts = ['<p class="a b" id="c">'], ['x.classList.add("d-e")']
    assert {"a", "b", "c", "d-e"} <= bundles.used_words(pages, scripts)


def test_addresses_in_styles_are_moved(tmp_path):
    """A font beside its style sheet is found from the folder above."""
    (tmp_path / "fold").mkdir()
    css = "a{b:url(fonts/x.woff2)} c{d:url('../e.png')} f{g:url(data:h)}"
    (tmp_path / "fold" / "k.css").write_text(css)
    assert bundles.css_of(tmp_path, "fold/k.css") == (
        'a{b:url("fold/fonts/x.woff2")} c{d:url("e.png")} f{g:url(data:h)}'
    )


@pytest.mark.parametrize("name", bundles.PATCHES)
def test_a_theme_that_has_changed_is_noticed(tmp_path, name):
    """The patch of a script that it no longer fits stops the build."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("function J(){}")
    with pytest.raises(ExtensionError, match="has changed"):
        bundles.js_of(tmp_path, name)


def test_a_theme_without_what_bundles_rely_on_is_noticed(tmp_path):
    """Neither a page's settings nor its template may change unseen."""
    app = SimpleNamespace(builder=SimpleNamespace(name="html"))
    script = SimpleNamespace(filename="_static/documentation_options.js")
    context = {"css_files": [], "script_files": [script]}
    with pytest.raises(ExtensionError, match="pagename"):
        bundles.bundle_page(app, "page", "page.html", context, None)
    page = "<link href='_static/book-12345678.css'>"
    with pytest.raises(ExtensionError, match="a style sheet and a script"):
        bundles.names_of_bundles({tmp_path: page})
    page += "<script src='_static/book-12345678.js'></script>"
    assert bundles.names_of_bundles({tmp_path: page}) == {
        "book-12345678.css",
        "book-12345678.js",
    }


def test_the_font_in_the_styles_has_every_sign(paths, chapters):
    """It is there once, with the signs of the formulas of all pages."""
    (style,) = STYLE.findall(chapters[0].read_text(encoding="utf-8"))
    (data,) = EMBEDDED.findall(file_of(chapters[0], style))
    cut = TTFont(io.BytesIO(base64.b64decode(data)))
    pages = [path.read_text(encoding="utf-8") for path in paths]
    signs = {*map(ord, fonts.signs_in(pages))}
    assert len(signs) > 100 and signs <= {*cut.getBestCmap()}
