"""The search: formulas as text, places as entries, questions as asked."""

from pathlib import Path

import pytest
from lxml import html
from scripts import calling

from booksite import finder, mathml

ASSETS = Path(finder.__file__).parents[1] / "assets"
FORMULAS = {
    r"\alpha_c = \sqrt{2 \log n}": "α_c = √(2 log n)",
    r"\tfrac12 \|J\|_1": "1/2‖J‖_1",
    r"\sum_i p_i^2 \le 1": "∑_i p_i² ≤ 1",
    r"e^{-\alpha\Delta}": "e^(−αΔ)",
    r"\frac{\log n}{\log n_0}": "(log n)/(log n_0)",
    r"W\bigl(n\sqrt{e}/2\bigr)": "W(n√e/2)",
    r"\operatorname{Var}_p(s)": "Var_p(s)",
    r"p^{n-1}": "p^(n − 1)",
}
PAGE = """<article><section id="top">
<h1>1. Rows<a class="headerlink">#</a></h1>
<p>A row dies, at
<span data-tex="x"><math><mi>α</mi><mo>=</mo><mn>2</mn></math></span>.</p>
<section id="caps"><h2>Caps</h2><p>A soft cap.</p>
<div class="proof theorem" id="thm-a"><p class="admonition-title">Theorem 1.1
</p><p>It is so.</p></div><p>A sink.</p>
<table><tr><td>clip</td><td>tanh</td></tr></table>
<div class="highlight"><pre>print("left out")</pre></div></section>
<section id="clip"><h2>More</h2><p>To <em>clip</em> is to cut.</p></section>
<section id="cut"><h2>Last</h2><p>We clip, and clip, and clip.</p></section>
<dl><dt id="term-sink">Sink</dt><dd>A key without a value.</dd></dl>
</section></article>"""
# A question: what it finds on that page, the best first.
QUESTIONS = {
    "softcap": ["page.html#caps"],
    "soft caps": ["page.html#caps"],
    "clip": ["page.html#clip", "page.html#cut", "page.html#caps"],
    "theorem 1.1": ["page.html#thm-a"],
    "sinks": ["page.html#term-sink", "page.html#caps"],
    "row dies": ["page.html"],
    "alpha": ["page.html"],
    "dies α": ["page.html"],
    "left out": [],
    "Theorem 1.2": [],
    "∗": [],
}


@pytest.mark.parametrize("tex", FORMULAS)
def test_a_formula_is_a_line_of_text(tex):
    """It is written as one would type it."""
    parts = html.fragment_fromstring(mathml.render(tex, False), "div")
    lines = map(finder.line_of, parts.iter("math"))
    assert finder.spaced(lines) == FORMULAS[tex]


def test_places_have_address_name_and_text():
    """Sections, boxes and words; what a program says is left out."""
    assert finder.places_of(html.fromstring(PAGE)) == [
        ["top", "1. Rows", "A row dies, at α = 2.", "", ""],
        ["caps", "Caps", "A soft cap. A sink.", "clip tanh", ""],
        ["thm-a", "Theorem 1.1", "It is so.", "", ""],
        ["clip", "More", "To clip is to cut.", "", "clip"],
        ["cut", "Last", "We clip, and clip, and clip.", "", ""],
        ["term-sink", "Sink", "A key without a value.", "", ""],
    ]


@pytest.fixture(scope="module")
def ask():
    """Return a function that calls an expression of find.js."""
    with calling([ASSETS / "find.js"]) as call:
        yield call


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_finds_places(ask, question):
    """Words together or apart, one or many, signs by name."""
    pages = [["page.html", finder.places_of(html.fromstring(PAGE))]]
    found = ask(
        """(pages, question) => search(placesOf(pages), question).found
          .map(place => place.address)""",
        pages,
        question,
    )
    assert found == QUESTIONS[question]


def test_an_extract_marks_what_was_asked_for(ask):
    """The words that answer are marked, with those around them."""
    words = ask(
        "(question, text) => extractFrom(readQuestion(question), text)",
        "softcap",
        "One. " * 30 + "With a soft cap, “√(2 log n)” – as is.",
    )
    marked = [word for word, asked in words if asked]
    assert marked == ["soft", "cap,"]
    assert words[0][0] == "One." and words[-1][0] == "is."
