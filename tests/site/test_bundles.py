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

from booksite import bundles, fonts

BUDGET = 175_000
RULES, FONTS = 25_000, 56_000  # before which no text is shown
MOVING = 20_000  # of the scripts for what moves, when it is near
EMBEDDED = re.compile(r'font-family: "Scale (\w+)";[^}]*?base64,([\w+/=]+)')


def prune(css, page, *scripts):
    """Return a style sheet without the rules for other pages."""
    elements = bundles.elements_of([page])
    rules, used = bundles.parse(css), bundles.Used(elements, scripts)
    return "".join(bundles.prune(rules, used)).split("\n")[:-1]


STYLE = re.compile(r'<link [^>]*rel="stylesheet"[^>]*href="([^"]*)"')
SCRIPT = re.compile(r"[\w./-]*book-\w+\.js")
NEAR = re.compile(r"load\(([^)]*)\)\);\s*const watch")


def weight(text):
    """Return how many bytes a text has on its way."""
    return len(gzip.compress(text.encode()))


def file_of(path, address):
    """Return the text of a file that a page names."""
    name = address.partition("?")[0]
    return (path.parent / name).read_text(encoding="utf-8")


def test_pages_are_light(paths):
    """Text, styles, fonts and scripts of each page keep the budget."""
    for path in paths:
        html = path.read_text(encoding="utf-8")
        styles = set(STYLE.findall(html))
        scripts = set(SCRIPT.findall(html))
        later = set(SCRIPT.findall("".join(NEAR.findall(html))))
        parts = [*styles, *(scripts - later)]
        first = weight(html) + sum(weight(file_of(path, p)) for p in parts)
        assert first < BUDGET, (path.name, first)
        rules, faces = sorted(weight(file_of(path, s)) for s in styles)
        assert rules < RULES and faces < FONTS
        assert sum(weight(file_of(path, p)) for p in later) < MOVING, path


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
    assert len(first) == 1 and len(styles) == 2  # rules, and fonts
    assert second and not first & second


def test_code_has_no_marks_without_a_colour(pages, chapters):
    """Names and brackets look as the code around them; numbers do not."""
    marks = pages[chapters[0]].xpath("//pre//span/@class")
    assert len(marks) > 100 and "mi" in marks
    assert not {"n", "nn", "p", "w"} & {*marks}


def test_no_page_carries_the_theme_s_own_files(paths):
    """What the bundles hold is not asked for a second time."""
    for path in paths:
        html = path.read_text(encoding="utf-8")
        for name in ("bootstrap.js", "fontawesome", "pydata-sphinx-theme.css"):
            assert name not in html, path.name


def test_rules_are_kept_for_what_a_page_has():
    """A selector stays when all of its elements occur; others go alone."""
    page = '<p class="in" id="id"><a class="more">'
    css = "p{a:b} .in{a:b} .out{a:b} .in .out{a:b} #id,.out>p{a:b} b{a:b}"
    assert prune(css, page) == ["p{a:b}", ".in{a:b}", "#id{a:b}"]
    css = "p.in #id,a.in,.in.more,p.in>a.more::after{a:b}"
    assert prune(css, page) == ["p.in #id,p.in>a.more::after{a:b}"]
    css = ".in:not(.out){a:b} p:is(.out,.in){a:b} .in:hover::after{a:b}"
    assert len(prune(css, page)) == 3
    assert prune(":is(p) .out{a:b} [class*=out]{a:b}", page) == [
        "[class*=out]{a:b}"
    ]
    css = "@media print{.out{a:b}} @media print{.out,.in{a:b}}"
    assert "".join(prune(css, page)) == "@media print{.in{a:b}}"
    css = '@charset "utf-8";@font-face{src:url(x)} /* no */ :root{--a:b}'
    assert prune(css, page) == [":root{--a:b}"]


def test_what_scripts_name_may_come():
    """A class that only a script sets stays, also beside one of a page."""
    script = 'x.classList.add("d-e"); other = `<b class="f">`; gone(g)'
    css = ".in.d-e{a:b} b.f{a:b} .in .g{a:b}"
    kept = [".in.d-e{a:b}", "b.f{a:b}"]
    assert prune(css, '<p class="in">', script) == kept


def test_what_scripts_look_for_need_not_come():
    """A selector names what must be there already."""
    script = 'x.querySelector(".e > #f b.g")'
    assert prune(".e{a:b} #f{a:b} .g{a:b}", "<p>", script) == []


def test_what_the_book_has_not_does_not_come():
    """Though a script of the theme speaks of it; but what a page has stays."""
    css, script = ".card{a:b} .sidenote{a:b}", 'x("card", "sidenote")'
    assert prune(css, '<p class="card">', script) == [".card{a:b}"]


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


def test_the_fonts_in_the_styles_have_every_sign(paths, chapters):
    """They are there once, with the signs of formulas and of text."""
    styles = set(STYLE.findall(chapters[0].read_text(encoding="utf-8")))
    kept = {"Math": set(), "Text": set()}
    css = "".join(file_of(chapters[0], style) for style in styles)
    for family, data in EMBEDDED.findall(css):
        font = TTFont(io.BytesIO(base64.b64decode(data)))
        kept[family].update(map(chr, font.getBestCmap()))
    pages = [path.read_text(encoding="utf-8") for path in paths]
    signs = fonts.signs_in(pages)
    assert len(signs) > 100 and signs <= kept["Math"]
    # What the face lacks, as Chinese titles, is the reader's own.
    letters = fonts.letters_in(pages)
    assert {*"aZ09é“’–−½"} <= letters & kept["Text"]
    assert not kept["Text"] - letters - {" ", "A"}
    lent = fonts.lent(letters)
    assert {*"αΣ√"} <= lent <= kept["Math"] - kept["Text"]


def test_the_face_of_the_text_is_light():
    """Three cuts, with the signs of a long text."""
    text = "".join(map(chr, range(32, 127))) + "é½×–—’“”…−"
    weights = {n: len(fonts.cut_text(n, text)) for n in fonts.TEXT_FONTS}
    assert len(weights) == 3 and sum(weights.values()) < 31_000
