"""Symbols become the same words in pages and in questions."""

import json

from py_mini_racer import MiniRacer

import finder

TEXTS = {
    "α_c": ["alpha_c"],
    "√d": ["sqrt", "d"],
    "½‖J‖₁": ["half", "lVert", "J", "lVert", "₁"],
    "⟨s⟩": ["langle", "s", "rangle"],
    "Σp²": ["sum", "p²"],
    "√(2 log n)": ["sqrt", "2", "log", "n"],
    "softmax, and Rényi's": ["softmax", "and", "Rényi", "s"],
    "ςσΔω": ["sigma", "sigma", "delta", "omega"],
}


def test_pages_and_questions_are_split_alike():
    """The browser splits what a reader asks as the index splits pages."""
    language = finder.SearchSymbols({})
    with MiniRacer() as engine:
        engine.eval(finder.SearchSymbols.js_splitter_code)
        for text, words in TEXTS.items():
            asked = engine.eval(
                f"JSON.stringify(splitQuery({json.dumps(text)}))"
            )
            assert language.split(text) == words
            assert json.loads(asked) == words


def test_numbered_things_have_titles():
    """A theorem is found under the number that it has on its page."""
    assert finder.title_of("theorem", (6, 3)) == "Theorem 6.3"
