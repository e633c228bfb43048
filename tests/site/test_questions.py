"""The pages of questions, of statements and of results lead somewhere."""

import re

import pytest
from lxml import html

from bookkit import notebooks, results, sentences

QUESTIONS = (notebooks.ROOT / "book" / "questions.md").read_text("utf-8")
ANSWERS = re.split(r"^### (.+)$", QUESTIONS, flags=re.M)[1:]
LINK = re.compile(r"\{(?:prf:)?ref\}`|\]\((?!http)")
TERMS = re.compile(r"\$[^$]*\$|<small>.*?</small>|`[^`]*`", re.S)


def page(site, name):
    return html.parse(site / "book" / f"{name}.html").getroot()


def test_there_are_the_questions_that_people_ask():
    assert ANSWERS[0] == "√d of the head or of the width?"
    assert len(ANSWERS) // 2 >= 25


@pytest.mark.parametrize(
    "question", range(0, len(ANSWERS), 2), ids=lambda n: ANSWERS[n][:40]
)
def test_an_answer_is_short_and_leads_to_the_book(question):
    answer = re.split(r"^## ", ANSWERS[question + 1], flags=re.M)[0]
    assert LINK.search(answer)
    ends = re.findall(r"[.?!](?=\s|$)", TERMS.sub("x", answer).strip())
    assert 1 <= len(ends) <= 4


def test_each_statement_is_shown_with_its_verdict(site):
    listed = sentences.read(notebooks.ROOT)
    cards = page(site, "sources-by-sentence").find_class("claim-card")
    assert len(cards) == len(listed)
    for card, sentence in zip(cards, listed, strict=True):
        assert sentence.verdict in card.text_content()
        targets = [a.get("href") for a in card.iter("a")]
        for claim in sentence.claims:
            assert any(t.endswith(f"#claim-{claim}") for t in targets)


def test_every_result_is_a_link_on_the_map(site):
    root = page(site, "map-of-results")
    targets = {a.get("href").partition("#")[2] for a in root.iter("a")}
    assert results.results_of(notebooks.ROOT).keys() <= targets


def test_the_arcs_have_a_text_beside_them(site):
    (picture,) = page(site, "map-of-results").find_class("results-map")
    (drawing,) = picture.iter("svg")
    assert drawing.get("aria-hidden") == "true"
    rows = {li: li.find_class("rests-on") for li in picture.iter("li")}
    said = sum(len(list(r[0].iter("a"))) for r in rows.values() if r)
    assert said == len(list(drawing.iter("path"))) > 20
