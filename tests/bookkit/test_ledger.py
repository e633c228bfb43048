"""The ledger holds claims and cells together, and says where they part."""

import ast
import re
from collections import defaultdict
from decimal import Decimal
from functools import partial

import nbformat.v4
import numpy as np
import pytest
import yaml

from bookkit import checks, ledger, notebooks
from bookkit.cells import VERBS, called_verb, indecision


def test_the_book_agrees_with_its_ledger():
    assert ledger.problems(notebooks.ROOT) == []


def test_the_errata_tell_each_correction_once():
    page = (notebooks.ROOT / "book" / "errata.md").read_text("utf-8")
    told = " ".join(re.findall(r"^```{errata}\n([^`]*)```$", page, re.M))
    claims = ledger.read_claims(notebooks.ROOT)
    owed = [id for id, claim in claims.items() if "article" in claim]
    assert sorted(told.split()) == sorted(owed)


# What somebody else says is not ours to decide; names and exponents are no
# findings; and every interval has one level of confidence.
NO_FINDINGS = re.compile(
    r"Claimed[^:]*:.*?\.(?=\s|$)|`[^`]*`|\^\{[^}]*\}|95%", re.S
)
FINDING = re.compile(r"(?<![\d.])(\d+\.\d+%?|\d+%)(?!\.?\d)")


def findings_in(statement):
    """Return the decimal numbers and the percentages that a statement says."""
    return FINDING.findall(NO_FINDINGS.sub(" ", statement.replace("\\%", "%")))


def numbers_in(source):
    """Return the numbers in code, those in quotation marks too."""
    nodes = ast.walk(ast.parse(source))
    written = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return [
        float(value)
        for value in written
        if re.fullmatch(r"[\d.]+(e-?\d+)?", str(value))
    ]


def stands_in(finding, numbers):
    """Tell whether a finding is one of the numbers, to its last digit.

    A percentage may be a share, or what a ratio has more or less than 1.
    """
    said = float(finding.rstrip("%"))
    unit = 10.0 ** Decimal(finding.rstrip("%")).as_tuple().exponent
    forms = [x for n in numbers for x in (n, 100 * n)]
    if finding.endswith("%"):
        forms += [abs(100 - 100 * n) for n in numbers]
    return any(abs(form - said) <= 0.5001 * unit for form in forms)


def test_every_finding_stands_in_a_cell_that_decides_it():
    sources = defaultdict(str)
    for _, cell, claim in ledger.deciding_cells(notebooks.ROOT):
        sources[claim] += cell.source + "\n"
    unheld = {
        claim: missing
        for claim, entry in ledger.read_claims(notebooks.ROOT).items()
        if (
            missing := [
                finding
                for finding in findings_in(entry["statement"])
                if not stands_in(finding, numbers_in(sources[claim]))
            ]
        )
    }
    assert unheld == {}, "no check of these could fail"


@pytest.mark.parametrize(
    "statement, findings",
    [
        (r"It is 0.21 at $\alpha = 2.5$, or 3\%.", ["0.21", "2.5", "3%"]),
        ("The root is $x^{0.5}$, in 95% of 24 cases.", []),
        ("timm 1.0.31 and `rope 1.5` have 6.", []),
        ("Claimed: it is 0.3, or 4%. It is 0.5.", ["0.5"]),
        ("Claimed (in an answer): 1.5.", []),
    ],
)
def test_findings(statement, findings):
    assert findings_in(statement) == findings


@pytest.mark.parametrize(
    "finding, source, stands",
    [
        ("0.91", "close_to(x, 0.91, to=0.005)", True),
        ("0.9", "close_to(x, 0.91, to=0.005)", True),
        ("0.91", "close_to(x, 0.9, to=0.005)", False),
        ("51%", "close_to(x, 0.513, to=0.0005)", True),
        ("1.4%", "close_to(x, 0.986, to=0.0005)", True),
        ("1.4%", "close_to(x, 0.988, to=0.0005)", False),
        ("0.02", 'sp.Rational("0.02")', True),
        ("0.02", "x = 2  # and not 0.02", False),
        ("0.02", "table({'at 0.02': x})", False),
    ],
)
def test_finding_stands_in_code(finding, source, stands):
    assert stands_in(finding, numbers_in(source)) is stands


def wide_tolerances(source):
    """Return the lists in code that one tolerance does not fit.

    It fits if it is a tenth of the smallest entry, or half a unit of the last
    digit that is written: an absolute tolerance that is right for the largest
    may let a small one be anything.
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        if called_verb(node) != "close_to":
            continue
        try:
            listed = ast.literal_eval(node.args[1])
            to = ast.literal_eval(node.keywords[0].value)
        except ValueError:
            continue  # not written out
        entries = [Decimal(str(x)) for x in np.ravel(np.array(listed, object))]
        smallest = min((abs(x) for x in entries if x), default=0)
        unit = 10.0 ** min(x.as_tuple().exponent for x in entries)
        if len(entries) > 1 and to > max(float(smallest) / 10, 0.5001 * unit):
            found.append(ast.unparse(node))
    return found


def test_one_tolerance_fits_every_number_of_a_list():
    cells = [cell for _, cell, _ in ledger.deciding_cells(notebooks.ROOT)]
    wide = {c.id: w for c in cells if (w := wide_tolerances(c.source))}
    assert wide == {}


@pytest.mark.parametrize(
    "source, fits",
    [
        ("close_to(x, [0.00021, 0.0371, 0.5602], to=5e-5)", False),
        ("close_to(x, [0.0002, 0.0371, 0.5602], to=5e-5)", True),
        ("close_to(x, [0.21, 0.38], to=0.02)", True),
        ("close_to(x, [-0.07, 0.0, 0.38], to=0.02)", False),
        ("close_to(x, [[1, 47], [2, 3]], to=0.5)", True),
        ("close_to(x, [[1, 47], [2, 3]], to=0.6)", False),
        ("close_to(x, 0.1, to=0.2)", True),
        ("close_to(x, theory, to=0.2)", True),
    ],
)
def test_wide_tolerances(source, fits):
    assert (wide_tolerances(source) == []) is fits


def test_sound_book_agrees_with_its_ledger(book):
    assert ledger.problems(book) == []


def test_verbs_are_those_of_the_library():
    verbs = {*dir(checks), *dir(checks.Estimate)}
    assert verbs >= VERBS


MISS = {"says": "5", "replace": "4", "by": "5", "because": "It is 4."}


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
    assert "line 14, four: a second entry of this id" in the_problem(book)


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
