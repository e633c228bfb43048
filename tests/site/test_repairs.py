"""Repairs of what other packages write: made, or missed loudly."""

from pathlib import Path
from types import SimpleNamespace

import jinja2
import pytest
import sphinx_exercise.nodes
import sphinx_proof.nodes
from docutils import nodes
from docutils.utils import new_document
from lxml import html
from small_book import build, notebook, read
from sphinx.errors import ExtensionError

from booksite import repairs, self_contained

ROOT = Path(__file__).parents[2]
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "site")!r})
extensions = ["myst_nb", "sphinx_proof", "sphinx_exercise"]
extensions += ["booksite.self_contained"]
nb_execution_mode = "off"
"""
# As if another version of sphinx-proof gave its boxes another anchor.
CHANGED = """
def change(app, doctree):
    for section in doctree.findall():
        if section.tagname == "section" and "proof-content" in section["ids"]:
            section["ids"] = ["theorem-content"]

def setup(app):
    app.connect("doctree-read", change)
"""
PAGE = """\
# A page

```{toctree}
plain
```

```{prf:theorem} One
:label: one
A theorem.
```

```{prf:lemma} Two
A lemma.
```

```{prf:proof}
It is so.
```

```{exercise}
:label: task
Do it.
```

```{solution} task
Done.
```

|      | Number |
| ---- | ------ |
| half | 1/2    |

```{eval-rst}
See [One]_ and [Two]_.

.. [One] A book.
.. [Two] Its second volume.
```
"""


TITLE = {
    "cell_type": "markdown",
    "id": "title",
    "metadata": {},
    "source": PAGE,
}
HIDDEN = {
    "cell_type": "code",
    "execution_count": 1,
    "id": "hidden",
    "metadata": {"tags": ["hide-input"]},
    "outputs": [],
    "source": "1 + 1",
}
FILES = {
    "conf.py": CONF,
    "index.ipynb": notebook(TITLE, HIDDEN),
    # What a repair is for need not be on every page.
    "plain.md": "# Plain\n\nText.\n",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Build a page that has every slip, and one that has none."""
    result, html = build(tmp_path_factory.mktemp("book"), FILES)
    assert result.returncode == 0, result.stderr
    return read(html / "index.html")


def test_boxes_have_no_anchor_in_common(page):
    """Those of theorems, proofs, exercises and solutions are their own."""
    boxes = page.select(".proof.admonition, .exercise, .solution")
    anchors = [box.get("id") for box in boxes]
    assert anchors == ["one", "lemma-1", None, "task", "index-solution-3"]
    assert [box.find(id=True) for box in boxes] == [None] * 5


def test_titles_of_boxes(page):
    """The word is told from the proof, and a link does not begin blank."""
    assert "<p><em>Proof.</em> It is so.</p>" in str(page)
    title = page.select_one(".solution > .admonition-title")
    assert title.get_text() == "Solution to Exercise\u00a01"
    assert title.a.get_text() == "Exercise\u00a01"


def test_what_is_heard(page):
    """No role, head or label says what is not there."""
    assert len(page.select(".citation-list > .citation")) == 2
    assert page.select(".citation-list[role], .citation[role]") == []
    first, second = page.select("thead tr > *")
    assert (first.name, first.contents, second.name) == ("td", [], "th")
    summary = page.select_one("details > summary")
    assert "aria-label" not in summary.attrs
    assert summary.span.get_text() == "1"


def test_a_package_that_has_changed_stops_the_build(tmp_path):
    """The message names the package, the page and the repair."""
    files = {**FILES, "conf.py": CONF + CHANGED}
    result, _ = build(tmp_path, files)
    assert result.returncode
    assert "sphinx-proof has changed: of 2 elements on the page index, 0" in (
        result.stderr
    )
    assert "repairs.py" in result.stderr


def concerned():
    """Return the doctree of a page with something for every repair."""
    document = new_document("page")
    document += [
        repairs.HideCodeCellNode(),
        repairs.proof_node(),
        sphinx_exercise.nodes.exercise_node(),
        sphinx_exercise.nodes.solution_node(),
        sphinx_proof.nodes.theorem_node(),
        nodes.citation(),
        nodes.thead("", nodes.row("", nodes.entry())),
    ]
    return document


@pytest.mark.parametrize("repair", repairs.REPAIRS, ids=lambda r: r.xpath)
def test_no_repair_is_missed_in_silence(repair, monkeypatch):
    """To find nothing is an error on a page with what a repair is for."""
    monkeypatch.setattr(repairs, "REPAIRS", [repair])
    tree = html.fragment_fromstring("<p>Nothing to mend.</p>")
    repairs.mend("page", tree, new_document("page"))
    with pytest.raises(ExtensionError, match=f"{repair.package} has changed"):
        repairs.mend("page", tree, concerned())


def test_a_plug_in_that_cannot_be_dropped_is_an_error():
    """sphinx-thebe is there, and hears of pages in some other way."""
    events = SimpleNamespace(listeners={})
    self_contained.drop_thebe(
        SimpleNamespace(extensions={}, events=events), config=None
    )
    with pytest.raises(ExtensionError, match="sphinx_thebe has changed"):
        self_contained.drop_thebe(
            SimpleNamespace(extensions={"sphinx_thebe"}, events=events),
            config=None,
        )


def environment(**templates):
    """Return a Jinja environment with templates of these names."""
    texts = {f"{name}.html": text for name, text in templates.items()}
    return jinja2.Environment(loader=jinja2.DictLoader(texts))


def test_a_template_replaces_something():
    """A file, a block or a macro that the theme does not have is an error."""
    ours = environment(
        page="{% extends '!page.html' %}{% block css %}{% endblock %}"
        "{% macro foot() %}{% endmacro %}"
    )
    base = "{% block css %}{% endblock %}{% block body %}{% endblock %}"
    foot = "{% macro foot() %}{% endmacro %}"
    child = "{% extends 'base.html' %}"
    theirs = environment(base=base + foot, page=child)
    repairs.check_template(ours, theirs, "page.html")
    with pytest.raises(ExtensionError, match=r"foot in site/templates/page"):
        repairs.check_template(
            ours, environment(base=base, page=child), "page.html"
        )
    with pytest.raises(ExtensionError, match=r"no template base\.html"):
        repairs.check_template(ours, environment(page=child), "page.html")


def test_code_in_a_table_is_in_parts():
    """A line may end after a slash, a bracket or a module, not in a name."""
    cell = "<table><tr><td><code><span>a/b.py:1 m.f(x_y=0.5)</span></code>"
    tree = html.fragment_fromstring(f"<div>{cell}</div>")
    repairs.part_names(tree)
    parts = [*tree.find(".//span").itertext()]
    assert parts == ["a/", "b.py:1 m.", "f(", "x_y=", "0.5)"]


@pytest.mark.parametrize(
    "before, after, held, left",
    [
        ("so ", ". And", "x.", " And"),
        ("see (", "), and", "(x),", " and"),
        ("of ", " keys.", None, " keys."),
        ("", "", None, None),
    ],
)
def test_no_line_ends_before_a_formulas_full_stop(before, after, held, left):
    """What stands right beside a formula goes with it, and nothing else."""
    formula = '<span data-tex="x"><math><mi>x</mi></math></span>'
    tree = html.fragment_fromstring(f"<p><i>a</i>{before}{formula}{after}</p>")
    whole = tree.text_content()
    repairs.hold_together(tree)
    assert tree.text_content() == whole
    found = tree.find("span[@class='held']")
    assert (found.text_content() if held else found) == held
    assert (found.tail if held else tree[-1].tail) == left


def test_no_line_ends_within_the_name_of_a_theorem():
    """Between the words of a name, or beside a ±; code stays as it is."""
    text = "see <a>Theorem 6.1</a>, Fig. 2: 1.5 ± 0.2 in part II, a table"
    tree = html.fragment_fromstring(f"<p>{text} <code>table 1</code></p>")
    repairs.hold_numbers(tree)
    held = tree.text_content().replace("\u00a0", "~")
    assert held == (
        "see Theorem~6.1, Fig.~2: 1.5~±~0.2 in part~II, a table table 1"
    )


def test_folded_code_is_heard_with_its_figure():
    """Pages have a dozen folds, which all say the same to the eye."""
    fold = (
        '<div><details class="hide"><summary aria-label="x"><p>Show code</p>'
        "</summary></details>{}</div>"
    )
    number = '<span class="caption-number">Fig. 7.5 </span>'
    figure = f"<figcaption>{number}</figcaption>"
    tree = html.fragment_fromstring(
        f"<div>{fold.format('')}{fold.format(figure)}{fold.format('')}</div>"
    )
    for summary in tree.iter("summary"):
        repairs.say_which(summary)
    names = [summary[-1].text for summary in tree.iter("summary")]
    assert names == ["1", "of figure 7.5", "3"]


def test_a_formula_of_pieces_may_be_parted():
    """Between its pieces, and not before the full stop."""
    pieces = "<math><mi>x</mi></math>|<math><mi>y</mi></math>"
    tree = html.fragment_fromstring(
        f"<p>(<span data-tex='x'>{pieces}</span>). So</p>"
    )
    repairs.hold_together(tree)
    assert tree.text_content() == "(x|y). So"
    (held,) = tree.xpath("//span[@class='held']")
    assert held.text_content() == "y)."
    assert held.getparent().get("data-tex") == "x"
