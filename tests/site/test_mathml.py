"""Mathematics in a small book of its own, and the copies of Temml and font."""

import hashlib
import io
import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from small_book import build, notebook, read

from booksite import fonts, mathml

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "site")!r})
extensions = ["myst_nb", "booksite.mathml", "booksite.self_contained"]
myst_enable_extensions = ["amsmath", "dollarmath"]
myst_update_mathjax = False
nb_execution_mode = "off"
nb_render_markdown_format = "myst"
html_math_renderer = "mathml"
html_static_path = [{str(ROOT / "site" / "assets")!r}]
"""
PAGE = r"""# A page

```{toctree}
plain
notebook
```

Text with $\lVert x \rVert \in \mathbb{R}$.

$$
a &= b \\
  &= c
$$ (eq-two)

See {eq}`eq-two`.

\begin{align}
x &= y \label{eq-z} \\
z &= \sum_{\substack{i \\ j}} w \nonumber
\end{align}
"""
BROKEN = r"""# A page on $d$, which a tab cannot show

Text with $\lVert x\rVert$ and $\undefined$.

$$
\frac{1
$$

![](dot.svg)

$中$
"""
DOT = (
    """<svg xmlns="http://www.w3.org/2000/svg" width="36pt" height="18pt"/>"""
)
DOT_IN_PAGE = "\n\n![A dot.](dot.svg)\n\n"


def shown(markdown, latex):
    """Return a notebook of one cell with two outputs."""
    outputs = [
        {
            "output_type": "display_data",
            "data": {kind: text},
            "metadata": {},
        }
        for kind, text in (("text/markdown", markdown), ("text/latex", latex))
    ]
    cells = [
        {
            "cell_type": "markdown",
            "id": "title",
            "metadata": {},
            "source": "# Notebook",
        },
        {
            "cell_type": "code",
            "execution_count": 1,
            "id": "cell",
            "metadata": {},
            "outputs": outputs,
            "source": "show()",
        },
    ]
    return notebook(*cells)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """Build a small book with many kinds of formulas."""
    files = {
        "conf.py": CONF,
        "plain.md": "# Plain\n\nText.\n",
        "index.md": PAGE + DOT_IN_PAGE + "## Later" + DOT_IN_PAGE,
        "dot.svg": DOT,
        "notebook.ipynb": shown("**So** $p = 1$", "$\\displaystyle q$"),
    }
    result, html = build(tmp_path_factory.mktemp("good"), files)
    assert result.returncode == 0, result.stderr
    return html


def tex(page):
    """Return the TeX that the formulas of a page keep."""
    return [formula["data-tex"] for formula in page.select("[data-tex]")]


def test_formulas_become_mathml_and_keep_their_tex(good):
    """Letters, amsmath, aligned lines and references all work."""
    page = read(good / "index.html")
    inline, two, align = tex(page)
    assert inline == r"\lVert x \rVert \in \mathbb{R}"
    assert two.startswith(r"\begin{aligned}")
    assert align.startswith(r"\begin{align*}")
    assert "label" not in align and "nonumber" not in align
    numbers = [n.get_text()[:3] for n in page.select(".eqno")]
    assert numbers == ["(1)", "(2)"]
    link = page.select_one("p a.reference[href='#equation-eq-two']")
    assert link.get_text() == "(1)"
    # The full stop goes with the last piece (repairs.py).
    assert page.select_one("p .math").get_text() == "‖x‖∈\u200bℝ."


def test_outputs_of_cells_are_rendered(good):
    """Formulas in Markdown and in LaTeX that a cell has shown work, too."""
    kept = tex(read(good / "notebook.html"))
    assert [formula.removeprefix("\\displaystyle ") for formula in kept] == [
        "p = 1",
        "q",
    ]


def test_all_pages_ask_for_the_same_files(good):
    """A page without mathematics, too: so all share one style sheet."""
    for page in ("index.html", "plain.html"):
        for file in ("math.css", "copy-math.js"):
            assert file in (good / page).read_text(encoding="utf-8")


def test_pictures_get_their_size(good):
    """Width and height are in the page; those further down load late."""
    first, second = read(good / "index.html").select("img")
    assert (first["width"], first["height"]) == ("48", "24")
    assert "loading" not in first.attrs
    assert second["loading"] == "lazy"


def test_faults_stop_the_build(tmp_path):
    """Each fault is named with its file and its line."""
    files = {
        "conf.py": CONF,
        "index.md": BROKEN,
        "dot.svg": DOT,
        "notebook.ipynb": shown(r"$\wrong$", r"$\false$"),
    }
    result, _ = build(tmp_path, files)
    assert result.returncode == 1
    for place, cause in [
        (r"index\.md", "write d without TeX"),
        (r"index\.md:3", r"\\undefined"),
        (r"index\.md:5", r"\\frac"),
        (r"index\.md:9", r"alternative text"),
        (r"index\.md:11", "中"),
        (r"notebook\.ipynb:cell 2", r"\\wrong"),
        (r"notebook\.ipynb:cell 2", r"\\false"),
    ]:
        assert re.search(f"{place}.*{cause}", result.stderr), result.stderr
    assert "lVert" not in result.stderr


def math(tex, display=False):
    """Return the MathML of a formula, its elements without attributes."""
    return re.sub(r"<(\w+)[^>]*>", r"<\1>", mathml.render(tex, display))


def test_rows_are_spared_where_browsers_need_none():
    assert math("x") == "<math><mi>x</mi></math>"
    root = "<msqrt><mi>n</mi><mo>+</mo><mn>1</mn></msqrt>"
    assert math(r"\sqrt{n+1}") == f"<math>{root}</math>"
    # an exponent is one child
    assert math("e^{2x}").count("<mrow>") == 1


def test_functions_stand_apart_from_letters():
    thin = "<mspace></mspace>"
    log = f"<mi>log</mi>{thin}<mi>p</mi>"
    assert math(r"p\log p") == f"<math><mi>p</mi>{thin}{log}</math>"
    assert math(r"-\log p") == f"<math><mo>−</mo>{log}</math>"
    assert thin not in math(r"\operatorname{E}") + math(r"x_{\max}")


def test_long_formulas_may_break_after_operators_with_two_sides():
    tex = r"\alpha = -\beta + \frac{\gamma + \delta}{2} - \varepsilon"
    pieces = mathml.render(tex, False).split(mathml.MAY_BREAK)
    ends = [piece.removesuffix("</mo></math>")[-1] for piece in pieces]
    assert ends == ["=", "+", "−", ">"]
    # at an end, too, they have the space of an operator of two sides
    assert all('form="infix"' in piece for piece in pieces[:-1])
    for whole in (mathml.render(tex, True), mathml.render("a = b + c", False)):
        assert mathml.MAY_BREAK not in whole


def test_a_long_displayed_formula_breaks_where_its_box_is_narrow():
    """As a machine writes it: in pieces as large as the whole."""
    tex = " + ".join(rf"\frac{{x_{{{i}}}}}{{2}}" for i in range(20))
    pieces = mathml.render(tex, True).split(mathml.MAY_BREAK)
    assert len(pieces) == 20
    start = '<math displaystyle="true">'
    assert all(piece.startswith(start) for piece in pieces)


def test_brackets_are_high_only_around_what_is_high():
    low = mathml.render(r"\left(x\right)", False)
    high = mathml.render(r"\left(\frac12\right)", False)
    assert "true" not in low and high.count('stretchy="true"') == 2
    large = mathml.render(r"\Bigl(x\Bigr)", False)
    assert large.index('"prefix"') < large.index('"postfix"')


def test_the_font_of_a_book_has_its_signs_and_no_others():
    upright = '<mi mathvariant="normal">E</mi>'
    letters = f"<mi>ρ</mi><mi>x</mi><mi>ab</mi>{upright}<mo>&lt;</mo>"
    page = f"<p>z<math>{letters}</math>β</p>"
    signs = fonts.signs_in([page])
    assert signs == {"𝜌", "𝑥", "a", "b", "E", "<", fonts.RADICAL}
    cut = TTFont(io.BytesIO(fonts.cut(signs)))
    kept = {*map(chr, cut.getBestCmap())}
    assert signs <= kept and not kept & {"x", "z", "β"}
    names = {r.toUnicode() for r in cut["name"].names if r.nameID in (1, 4)}
    assert names == {"ScaleMath"}


def test_high_brackets_are_equally_wide():
    """Chromium gives each the width of the widest."""
    cut = TTFont(io.BytesIO(fonts.cut(frozenset("([{⟨√"))))
    variants = cut["MATH"].table.MathVariants
    glyphs = variants.VertGlyphCoverage.glyphs
    for sign in "([{⟨√":
        place = glyphs.index(cut.getBestCmap()[ord(sign)])
        listed = variants.VertGlyphConstruction[place].MathGlyphVariantRecord
        widths = [cut["hmtx"][r.VariantGlyph][0] for r in listed]
        assert max(widths) <= 1.3 * widths[0], sign


@pytest.mark.parametrize(
    "tex, classes",
    [
        (r"[XY]", ["leans-far", "leans-far"]),
        (r"P_Y + Y_P", ["leans-far"]),
        (r"x F", ["leans"]),
        (r"\operatorname{Y} \mathrm{V}", []),
        (r"\overline{Y}", ["overline", "leans-far"]),
        (r"\underline{x}", ["underline"]),
    ],
)
def test_letters_that_lean_have_room_and_means_a_bar(tex, classes):
    """Not beside an exponent or index of their own, which know of it."""
    found = re.findall(r'class="([^"]*)"', mathml.render(tex, False))
    assert [name for name in found if not name.startswith("tml-")] == classes


def test_what_browsers_do_not_draw_is_refused():
    with pytest.raises(ValueError, match="do not draw"):
        mathml.render(r"\cancel{x}", False)


def test_brackets_around_a_table_keep_their_row():
    """Outside of one Firefox leaves them low."""
    matrix = mathml.render(r"\begin{pmatrix}a\\b\end{pmatrix}", True)
    assert re.match(r"<math[^>]*><mrow><mo [^>]*>\(</mo><mtable>", matrix)


@pytest.mark.parametrize("name", ["temml", "stix"])
def test_temml_and_fonts_are_what_their_packages_gave(name):
    """The files are those whose sums were written down, no more, no less."""
    folder = SITE / name
    text = (folder / "PROVENANCE.txt").read_text(encoding="utf-8")
    sums = dict(re.findall(r"^([0-9a-f]{64})  (\S+)$", text, re.MULTILINE))
    written = {name: checksum for checksum, name in sums.items()}
    found = {
        path.relative_to(folder).as_posix(): hashlib.sha256(
            path.read_bytes()
        ).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "PROVENANCE.txt"
    }
    assert found == written
    assert "LICENSE" in found
