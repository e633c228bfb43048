"""What a statement says in words, a near miss denies.

Numbers have their own tests. Here are the words by which a sentence says how
many, how much, which way and how far, and some by which it supposes: whoever
adds one, or puts another in its place, must add a near miss of it, and that
must fall.
"""

import re
from itertools import chain

import pytest

from bookkit import ledger, notebooks

MOST_WORDS = 8  # of a statement that one near miss denies
# What a source says, code and formulas are not ours to choose.
OTHERS = re.compile(r"Claimed[^:]*:.*?\.(?=\s|$)|`[^`]*`|\$[^$]*\$", re.S)
SUPPOSED = "independent independently uncorrelated unrelated"
COUNTING = "only alone every each all any both none no nothing not cannot"
TIMES = "always never until first last twice half without whatever however"
PLACES = "everywhere nowhere"
DEGREE = "exactly strictly steadily most least best worst largest smallest"
SIDES = "larger smaller longer shorter higher lower faster slower same alike"
SINGLE = [SUPPOSED, COUNTING, TIMES, PLACES, DEGREE, SIDES]
PAIRS = "at most|at least|more than|less than|fewer than"
WAYS = "equal(?:s|ly)?|unique|(?:grow|rise|fall|turn|increase|decrease)s?"
STRONG = re.compile(
    r"\b(?:{}|{}|{})\b".format(
        PAIRS,
        "|".join(SINGLE).replace(" ", "|"),
        WAYS,
    ),
    re.IGNORECASE,
)


def places(pattern, text):
    """Return where a pattern stands in a text, as ranges."""
    return [range(*found.span()) for found in pattern.finditer(text)]


def undecided(statement, denied):
    """Return the strong words of a statement outside of what is denied.

    Each with its place, as the few words around it.
    """
    known = [range(*span(statement, words)) for words in denied]
    known += places(OTHERS, statement)
    taken = {*chain.from_iterable(known)}
    return [
        statement[max(found.start - 20, 0) : found.stop + 20].strip()
        for found in places(STRONG, statement)
        if not taken.issuperset(found)
    ]


def span(text, words):
    """Return where words stand in a text."""
    start = text.index(words)
    return start, start + len(words)


def denied_in(entry):
    """Return what the near misses of a claim deny."""
    return [miss["words"] for miss in entry[ledger.NEAR_MISSES]]


def test_every_strong_word_is_denied_by_a_near_miss():
    found = {
        claim: words
        for claim, entry in ledger.read_claims(notebooks.ROOT).items()
        if (words := undecided(entry["statement"], denied_in(entry)))
    }
    assert found == {}, "add a near miss of it, or leave the word out"


def test_every_near_miss_denies_a_few_words():
    long = [
        (claim, words)
        for claim, entry in ledger.read_claims(notebooks.ROOT).items()
        for words in denied_in(entry)
        if len(re.sub(r"\$[^$]*\$", "x", words).split()) > MOST_WORDS
    ]
    assert long == []


@pytest.mark.parametrize(
    "statement, denied, left",
    [
        ("It rises for each n.", [], ["It rises for each n.", "It rises"]),
        ("It rises for each n.", ["rises for each"], []),
        ("It rises, and it rises.", ["and it rises"], ["It rises, and"]),
        ("Claimed: it is always so. It is.", [], []),
        ("It is $2 only$ of `at most`.", [], []),
        ("More than that is no  more.", ["More than"], ["no"]),
    ],
)
def test_undecided(statement, denied, left):
    found = undecided(statement, denied)
    assert len(found) == len(left)
    assert all(one in statement for one in found)
