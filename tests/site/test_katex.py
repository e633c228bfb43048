"""Mathematics in a small book of its own, and the copy of KaTeX."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from small_book import build, read

ROOT = Path(__file__).parents[2]
KATEX = ROOT / "site" / "katex"
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "site" / "extensions")!r})
extensions = ["myst_nb", "katex_static", "self_contained"]
myst_enable_extensions = ["amsmath", "dollarmath"]
nb_execution_mode = "off"
nb_render_markdown_format = "myst"
html_math_renderer = "katex_static"
katex_static_dist = {str(KATEX)!r}
katex_static_macros = {{
    r"\\R": r"\\mathbb{{R}}",
    r"\\norm": r"\\left\\lVert #1 \\right\\rVert",
}}
"""
PAGE = r"""# A page

```{toctree}
plain
notebook
```

Text with $\norm{x} \in \R$.

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

Text with $\norm{x}$ and $\undefined$.

$$
\frac{1
$$

![](dot.svg)

$☃$
"""
DOT = (
    """<svg xmlns="http://www.w3.org/2000/svg" width="36pt" height="18pt"/>"""
)
DOT_IN_PAGE = "\n\n![A dot.](dot.svg)\n\n"


def notebook(markdown, latex):
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
    metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python", "pygments_lexer": "python"},
    }
    return json.dumps(
        {
            "cells": cells,
            "metadata": metadata,
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """Build a small book with many kinds of formulas."""
    files = {
        "conf.py": CONF,
        "plain.md": "# Plain\n\nText.\n",
        "index.md": PAGE + DOT_IN_PAGE + "## Later" + DOT_IN_PAGE,
        "dot.svg": DOT,
        "notebook.ipynb": notebook("**So** $p = 1$", "$\\displaystyle q$"),
    }
    result, html = build(tmp_path_factory.mktemp("good"), files)
    assert result.returncode == 0, result.stderr
    return html


def tex(page):
    """Return the TeX that the formulas of a page keep."""
    return [a.get_text() for a in page.select(".katex annotation")]


def test_formulas_become_html_and_keep_their_tex(good):
    """Macros, amsmath, aligned lines and references all work."""
    page = read(good / "index.html")
    inline, two, align = tex(page)
    assert inline == r"\norm{x} \in \R"
    assert two.startswith(r"\begin{aligned}")
    assert align.startswith(r"\begin{align*}")
    assert "label" not in align and "nonumber" not in align
    numbers = [n.get_text()[:3] for n in page.select(".eqno")]
    assert numbers == ["(1)", "(2)"]
    link = page.select_one("p a.reference[href='#equation-eq-two']")
    assert link.get_text() == "(1)"
    assert len(page.select(".katex-mathml math")) == 3


def test_outputs_of_cells_are_rendered(good):
    """Formulas in Markdown and in LaTeX that a cell has shown work, too."""
    kept = tex(read(good / "notebook.html"))
    assert [formula.removeprefix("\\displaystyle ") for formula in kept] == [
        "p = 1",
        "q",
    ]


def test_only_pages_with_formulas_load_katex(good):
    """A page without mathematics has no style or font for it."""
    assert "katex" in (good / "index.html").read_text(encoding="utf-8")
    assert "katex" not in (good / "plain.html").read_text(encoding="utf-8")
    styles = (good / "_static/katex/katex.min.css").read_text("utf-8")
    for font in set(re.findall(r"url\(([^)]+)\)", styles)):
        assert (good / "_static/katex" / font).exists(), font
    assert not (good / "_static/katex/katex.min.js").exists()


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
        "notebook.ipynb": notebook(r"$\wrong$", r"$\false$"),
    }
    result, _ = build(tmp_path, files)
    assert result.returncode == 1
    for place, cause in [
        (r"index\.md", "write d without TeX"),
        (r"index\.md:3", r"\\undefined"),
        (r"index\.md:5", r"\\frac"),
        (r"index\.md:9", r"alternative text"),
        (r"index\.md:11", "☃"),
        (r"notebook\.ipynb:cell 2", r"\\wrong"),
        (r"notebook\.ipynb:cell 2", r"\\false"),
    ]:
        assert re.search(f"{place}.*{cause}", result.stderr), result.stderr
    assert "norm" not in result.stderr


def test_katex_is_what_npm_gave():
    """The files are those whose sums were written down, no more, no less."""
    text = (KATEX / "PROVENANCE.txt").read_text(encoding="utf-8")
    sums = dict(re.findall(r"^([0-9a-f]{64})  (\S+)$", text, re.MULTILINE))
    written = {name: checksum for checksum, name in sums.items()}
    found = {
        path.relative_to(KATEX).as_posix(): hashlib.sha256(
            path.read_bytes()
        ).hexdigest()
        for path in KATEX.rglob("*")
        if path.is_file() and path.name != "PROVENANCE.txt"
    }
    assert found == written
    assert {"LICENSE", "katex.min.css", "katex.min.js"} < found.keys()
