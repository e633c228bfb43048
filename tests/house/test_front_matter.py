"""The numbers on the pages without cells are what the library computes."""

import re
from pathlib import Path

import numpy as np
import pytest

from attention_scale.length import entropy_invariant_scale
from attention_scale.quenched import averages

ROOT = Path(__file__).parents[2]
README, SUMMARY = "README.md", "book/summary.md"
LONGER = np.array([16_384, 32_768, 131_072, 1_048_576])


def freezing(n):
    return np.sqrt(2 * np.log(n))


def effective_keys(n, spread=1):
    return 1 / averages(n, spread).collision


def grouped(n):
    """Write a number as the pages do."""
    return f"{n:,}" if n > 9_999 else str(n)


def window(d, n):
    low = (n - 1) / n * np.log(n - 1)  # for a weight of one half
    high = d * n ** (2 / d) * np.sqrt(1 - n ** (-2 / d))
    return low, high


def start(width):
    return 0.02**2 * width


# page, sentence with the numbers cut out, their values
SENTENCES = [
    (
        README,
        "{} for 128 keys, {} for 8192, {} for 131,072",
        lambda: (freezing(128), freezing(8192), freezing(131_072)),
    ),
    (README, "at 1 it has {} of 128", lambda: (effective_keys(128),)),
    (README, "of 128, and {} of 8192", lambda: (effective_keys(8192),)),
    (README, "{} at 768, {} at 4096", lambda: (start(768), start(4096))),
    (SUMMARY, "{} at width 768", lambda: (start(768),)),
    (
        SUMMARY,
        "2.75 at 8192 keys gives {} at 131,072",
        lambda: (entropy_invariant_scale(131_072, 2.75, 8192) / 2.75,),
    ),
    *(
        (
            SUMMARY,
            f"| {grouped(n)} |" + " {} |" * 5,
            lambda n=n: (
                *(effective_keys(n, spread) for spread in (1, 2, 3, 4)),
                freezing(n),
            ),
        )
        for n in (128, 1024, 8192, 131_072)
    ),
    *(
        (
            SUMMARY,
            f"| entropy, spread {spread} |" + " {} |" * 4,
            lambda spread=spread: (
                entropy_invariant_scale(LONGER, spread, 8192) / spread
            ),
        )
        for spread in (1, 2, 3, 4)
    ),
    (
        SUMMARY,
        "| logarithm of the length |" + " {} |" * 4,
        lambda: np.log(LONGER) / np.log(8192),
    ),
    (
        SUMMARY,
        "| YaRN |" + " {} |" * 4,
        lambda: (1 + 0.1 * np.log(LONGER / 8192)) ** 2,
    ),
    (
        SUMMARY,
        "standard deviation 0.02 |" + " {} |" * 5,
        lambda: start(np.array([768, 1024, 2048, 4096, 8192])),
    ),
    (
        SUMMARY,
        "from {} to {} for 512 dimensions",
        lambda: window(512, 100_000),
    ),
]


def found(page, sentence):
    """Return the numbers that stand in the gaps of a sentence, as text."""
    number = r"([\d,]*\.?\d+)"
    pattern = number.join(map(re.escape, sentence.split("{}")))
    match = re.search(pattern, (ROOT / page).read_text("utf-8"))
    assert match, f"{page} has no sentence like: {sentence}"
    return match.groups()


def last_place(text):
    """Return what one in the last place of a number is worth."""
    digits = text.replace(",", "")
    if "." in digits:
        return 10.0 ** -len(digits.partition(".")[2])
    return 10.0 ** (len(digits) - len(digits.rstrip("0")))


@pytest.mark.parametrize(("page", "sentence", "values"), SENTENCES)
def test_numbers_are_right_to_their_last_place(page, sentence, values):
    for text, value in zip(found(page, sentence), values(), strict=True):
        number = float(text.replace(",", ""))
        assert abs(number - value) <= last_place(text) / 2, (text, value)


def test_last_places():
    assert [last_place(x) for x in ("0.31", "3,000", "112", "50")] == [
        0.01,
        1000,
        1,
        10,
    ]
