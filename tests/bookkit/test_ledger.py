"""The ledger holds claims and cells together, and says where they part."""

import re
from functools import partial

import nbformat.v4
import pytest
import yaml

from bookkit import checks, ledger, notebooks
from bookkit.cells import VERBS, indecision


def test_the_book_agrees_with_its_ledger():
    assert ledger.problems(notebooks.ROOT) == []


def test_the_errata_tell_each_correction_once():
    page = (notebooks.ROOT / "book" / "errata.md").read_text("utf-8")
    told = " ".join(re.findall(r"^```{errata}\n([^`]*)```$", page, re.M))
    claims = ledger.read_claims(notebooks.ROOT)
    owed = [id for id, claim in claims.items() if "article" in claim]
    assert sorted(told.split()) == sorted(owed)


def test_sound_book_agrees_with_its_ledger(book):
    assert ledger.problems(book) == []


def test_verbs_are_those_of_the_library():
    verbs = {*dir(checks), *dir(checks.Estimate)}
    assert verbs >= VERBS


MISS = {"says": "5", "words": "4", "replace": "4", "by": "5"}
MISS["because"] = "It is 4."


def the_problem(book):
    """Return the one thing that is wrong."""
    (problem,) = ledger.problems(book)
    return problem


FIELDS = {
    "missing": ("  verdict: proved\n", "", "no field verdict"),
    "unknown": ("verdict:", "verdikt:", "unknown field verdikt"),
    "twice": (
        "  verdict: proved\n",
        "  verdict: proved\n  verdict: refuted\n",
        "two fields verdict",
    ),
    "empty": ("verdict: proved", "verdict:", "verdict is not a text"),
    "no verdict": ("proved", "plausible", "verdict plausible is none of"),
    "no source": ("source: own", "source: 007", "source 007 is none of"),
}


@pytest.mark.parametrize("old, new, message", FIELDS.values(), ids=FIELDS)
def test_unsound_field(book, old, new, message):
    claims = book / "book" / "claims.yml"
    claims.write_text(claims.read_text().replace(old, new))
    problem = the_problem(book)
    assert problem.startswith("book/claims.yml, ")
    assert "four" in problem and message in problem


def test_second_entry_of_one_id(book):
    claims = book / "book" / "claims.yml"
    claims.write_text(2 * claims.read_text())
    assert "line 15, four: a second entry of this id" in the_problem(book)


def test_not_yaml(book):
    (book / "book" / "claims.yml").write_text("- {")
    assert "book/claims.yml: " in the_problem(book)


@pytest.fixture
def tell(book, edited):
    """Return a function that makes the tiny book's claim an article's."""
    with edited() as cells:
        cells["decide"].source = "close_to(x**2, 4, to=1)"
    return partial(tell_in, book)


def tell_in(book, **fields):
    """Make the tiny book's claim that of an article, with these fields."""
    (book / "book" / "sources.yml").write_text(
        "- {id: '000', title: An article}\n- {id: own, title: This book}\n"
    )
    entry = {
        "id": "four",
        "source": "000",
        "statement": "$2^2 = 4$",
        "verdict": "corrected",
        "near_misses": [MISS],
        "where": "notebooks/tiny.ipynb",
    }
    (book / "book" / "claims.yml").write_text(yaml.dump([entry | fields]))


@pytest.mark.parametrize(
    "fields",
    [
        {"article": "Five.", "reader": "One less."},
        {"article": "Four.", "reader": "Nothing.", "verdict": "refuted"},
        {"verdict": "measured"},
    ],
)
def test_claim_that_tells_of_its_article(book, tell, fields):
    tell(**fields)
    assert ledger.problems(book) == []


@pytest.mark.parametrize(
    "fields, message",
    [
        ({}, "corrected, of an article, and has no article"),
        ({"verdict": "refuted", "article": "Five."}, "and has no reader"),
        ({"verdict": "proved", "reader": "Nothing."}, "and has no article"),
        (
            {"source": "own", "reader": "Nothing."},
            "our own, but it has reader",
        ),
    ],
)
def test_claim_that_leaves_its_article_out(book, tell, fields, message):
    tell(**fields)
    assert message in the_problem(book)


@pytest.mark.parametrize(
    "old, new, message",
    [
        (
            "  in_words: thm-four\n",
            "",
            "calls one of falls_on, holds_on, prove",
        ),
        ("thm-four", "thm-five", "no label thm-five"),
        ("proved\n", "measured\n", "measured, but in_words is for proofs"),
        (
            "      because: $2^2 = 2 + 2$.\n",
            "",
            "no field because",
        ),
        ("    - says:", "    - say:", "near miss 1: unknown field say"),
        ("words: = 4$", "words: = 5$", "the statement says 0 times"),
        ("words: = 4$", "words: '2'", "the statement says 2 times"),
    ],
)
def test_verdict_or_near_miss_without_grounds(book, old, new, message):
    claims = book / "book" / "claims.yml"
    text = claims.read_text()
    assert text.count(old) == 1
    claims.write_text(text.replace(old, new))
    assert message in the_problem(book)


def test_claim_without_near_miss(book):
    claims = book / "book" / "claims.yml"
    (entry,) = yaml.safe_load(claims.read_text())
    del entry["near_misses"]
    claims.write_text(yaml.dump([entry]))
    assert the_problem(book) == "book/claims.yml, four: no near miss"


@pytest.mark.parametrize(
    "verdict, source, sound",
    [
        ("proved", "prove(Eq(x, 2))", True),
        ("proved", "holds_on(Gt(x, 2), {x: Interval(3, 4)})", True),
        ("proved", "falls_from(f, 3, 10, unit=1)", False),
        ("proved", "close_to(x, 2, to=1)", False),
        ("proved", "assert x == 2", False),
        ("measured", "sample_mean(y).agrees_with(x, to=1)", True),
        ("measured", "close_to(x, 2, to=1)", True),
        ("measured", "prove(Eq(x, 2))", False),
        ("measured", "falls_from(f, 3, 10, unit=1)", True),
        ("measured", "rises_on(x**3, {x: Interval(3, 4)})", False),
        ("measured", "assert x == 2", False),
        ("corrected", "refute(Eq(x, 3), {x: 2})", True),
        ("refuted", "estimate.rules_out(3)", True),
        ("refuted", "assert x != 3", False),
    ],
)
def test_verdict_is_tied_to_verbs(book, edited, verdict, source, sound):
    with edited() as cells:
        cells["decide"].source = source
    claims = book / "book" / "claims.yml"
    (entry,) = yaml.safe_load(claims.read_text())
    del entry["in_words"]
    claims.write_text(yaml.dump([entry | {"verdict": verdict}]))
    found = ledger.problems(book)
    assert (found == []) is sound
    if not sound:
        assert f"four: {verdict}, but no deciding cell calls one" in found[0]


def test_claim_without_cell(book):
    claims = book / "book" / "claims.yml"
    text = claims.read_text()
    claims.write_text(text + text.replace("id: four", "id: five"))
    problem = the_problem(book)
    assert "claims.yml, five: no cell of notebooks/tiny.ipynb" in problem


def test_tag_without_claim(book, edited):
    with edited() as cells:
        cells["decide"].metadata.tags.append("claim:five")
    problem = the_problem(book)
    assert "notebooks/tiny.ipynb, cell decide" in problem
    assert "no claim five" in problem


def test_claim_decided_in_two_notebooks(book, chapter):
    other = chapter.with_name("other.ipynb")
    other.write_bytes(chapter.read_bytes())
    problem = the_problem(book)
    assert "notebooks/other.ipynb, cell decide" in problem
    assert "four is decided in notebooks/tiny.ipynb" in problem


def test_claim_decided_elsewhere(book):
    claims = book / "book" / "claims.yml"
    claims.write_text(claims.read_text().replace("tiny", "other"))
    elsewhere, missing = ledger.problems(book)
    assert "notebooks/tiny.ipynb, cell decide" in elsewhere
    assert "no cell of notebooks/other.ipynb" in missing


def test_deciding_cell_without_output(book, edited):
    with edited() as cells:
        cells["decide"].outputs = []
    assert "cell decide (claim four): has no output" in the_problem(book)


def test_tag_on_prose(book, edited):
    with edited() as cells:
        cells["prose"].metadata.tags = ["claim:four"]
    assert "cell prose (claim four): is not code" in the_problem(book)


def reason(source):
    """Return why an executed cell with this source decides nothing."""
    output = nbformat.v4.new_output("stream", text="something")
    return indecision(nbformat.v4.new_code_cell(source, outputs=[output]))


@pytest.mark.parametrize(
    "source",
    [
        "prove(Eq(a, b))",
        "checks.refute(Eq(a, b), {a: 1})",
        "verdict = estimate.agrees_with(d, to=0.01)\nverdict",
        "sample_variance(x).agrees_with(d, to=0.01)",
        "[prove(Eq(f(n), n)) for n in range(3)]",
        "show(title='exact', verdict=prove(Eq(a, b)))",
        "for d in dims:\n    estimate(d).rules_out(2 * d)",
        "assert abs(variance - 64) < 2",
        "assert variance",
        "assert all(v > 0 for v in values)",
    ],
)
def test_cell_that_decides(source):
    assert reason(source) is None


@pytest.mark.parametrize(
    "source",
    [
        "print('proved')",
        "# prove(Eq(a, b))",
        "'prove(Eq(a, b))'",
        "prove",
        "sample_variance(x)",
        "assert True",
        "assert 1 < 2, message",
        "assert (a == b, 'equal')",
        "assert a == b or True",
        "def check():\n    prove(Eq(a, b))",
        "async def check():\n    prove(Eq(a, b))",
        "check = lambda: prove(Eq(a, b))",
        "if False:\n    prove(Eq(a, b))",
        "if slow:\n    pass\nelse:\n    assert a == b",
        "False and prove(Eq(a, b))",
        "prove(Eq(a, b)) if slow else None",
        "(prove(Eq(n, n)) for n in range(3))",
        "try:\n    assert a == b\nexcept AssertionError:\n    pass",
        "with suppress(AssertionError):\n    assert a == b",
        "while False:\n    assert a == b",
    ],
)
def test_cell_that_decides_nothing(source):
    assert "decides nothing" in reason(source)


def test_cell_that_is_not_python():
    assert "plain Python" in reason("%time prove(Eq(a, b))")


def test_summary_counts_verdicts():
    verdicts = ["proved", "refuted", "proved"]
    claims = {i: {"verdict": verdict} for i, verdict in enumerate(verdicts)}
    assert ledger.summary(claims) == "3 claims: 2 proved, 1 refuted."
