"""The numbers on the pages without cells are what the library computes."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from attention_scale import rules
from attention_scale.entropy import collision
from attention_scale.length import entropy_invariant_scale, margin_scale
from attention_scale.observe import dead_share_bound
from attention_scale.quenched import averages
from attention_scale.softmax import softmax
from bookkit import notebooks
from bookkit.checks import sample_mean

ROOT = Path(__file__).parents[2]
README, SUMMARY = "README.md", "book/summary.md"
CHOOSE = "book/choose-a-scale.md"
LONGER = np.array([16_384, 32_768, 65_536, 131_072, 1_048_576])


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


def mean_largest(n):
    m = np.linspace(-9, 17, 20_001)
    density = np.exp(norm.logpdf(m) + (n - 1) * norm.logcdf(m))
    return np.trapezoid(n * m * density, m)


def model(scale):
    """Return what a line of the table of new models says, at 8192 keys."""
    row = averages(8192, scale)
    limit = 100 * row.gradient_norm / mean_largest(8192)
    return 1 / row.collision, row.entropy, row.gradient_norm, limit


def offset(n):
    """Return the bits by which e4m3 loses about 1% at the worst scale.

    It has room for no more than 8 (`thm-room`).
    """
    needed = (mean_largest(n) + norm.isf(0.01)) ** 2 / (4 * np.log(2)) - 10
    return np.minimum(np.ceil(needed), 8)


def room_for_a_cap(n):
    y = np.linspace(0.7, 0.8, 10_001)
    return 2 / (y / np.cosh(y) ** 2).max() * np.log(n)


LENGTHS = np.array([8192, 131_072, 1_048_576])
LAWS = {
    "keep one key at weight ½": lambda n: (
        margin_scale(n, 0.5, 1) / margin_scale(8192, 0.5, 1)
    ),
    "keep the entropy, from α₀ = 2.75": lambda n: (
        entropy_invariant_scale(n, 2.75, 8192) / 2.75
    ),
    "log n / log n₀": lambda n: rules.log_length(n, 8192),
    "√(log n / log n₀)": lambda n: np.sqrt(rules.log_length(n, 8192)),
    "YaRN": lambda n: rules.yarn(n, 8192),
    "Llama 4": lambda n: rules.llama4(n, 8192),
    "Qwen, LongRoPE": lambda n: rules.longrope(n, 8192),
}

# page, sentence with the numbers cut out, their values
SENTENCES = [
    *(
        (
            CHOOSE,
            f"width {width}, weights of sd 0.02 |" + " {} |" * 4 + " {}%",
            lambda width=width: (start(width), *model(start(width))),
        )
        for width in (768, 2048, 4096, 8192)
    ),
    (CHOOSE, "or QK-norm | {} | {} | {} | {} | {}%", lambda: (1, *model(1))),
    *(
        (CHOOSE, f"| {name} |" + " {} |" * 5, lambda law=law: law(LONGER))
        for name, law in LAWS.items()
    ),
    (CHOOSE, r"from $\alpha_c$ |" + " {} |" * 3, lambda: freezing(LENGTHS)),
    (
        CHOOSE,
        "room, at least |" + " {} |" * 3,
        lambda: room_for_a_cap(LENGTHS),
    ),
    (
        CHOOSE,
        "half of the weight, at α = 1 |" + " {} |" * 3,
        lambda: np.log(LENGTHS) + 1 / 2,
    ),
    (
        CHOOSE,
        "softmax, at α = 1 |" + " −{} |" * 3,
        lambda: np.log(LENGTHS) + 1 / 2,
    ),
    (CHOOSE, "e4m3, bits |" + " {} |" * 3, lambda: map(offset, LENGTHS)),
    (
        CHOOSE,
        "8192 keys it says {}%",
        lambda: (100 * dead_share_bound(8192, 8),),
    ),
    (
        README,
        "{} for 128 keys, {} for 8192, {} for 131,072",
        lambda: (freezing(128), freezing(8192), freezing(131_072)),
    ),
    (README, "at 1 it has {} of 128", lambda: (effective_keys(128),)),
    (README, "of 128, and {} of 8192", lambda: (effective_keys(8192),)),
    (README, "{} at 768, {} at 4096", lambda: (start(768), start(4096))),
    *(
        (
            SUMMARY,
            f"| {grouped(n)} |" + " {} |" * 5,
            lambda n=n: (
                *(effective_keys(n, spread) for spread in (1, 2, 3, 4)),
                freezing(n),
            ),
        )
        for n in (128, 1024, 8192, 65_536, 131_072)
    ),
    *(
        (
            SUMMARY,
            f"| entropy, spread {spread} |" + " {} |" * 5,
            lambda spread=spread: (
                entropy_invariant_scale(LONGER, spread, 8192) / spread
            ),
        )
        for spread in (1, 2, 3, 4)
    ),
    (
        SUMMARY,
        "| logarithm of the length |" + " {} |" * 5,
        lambda: np.log(LONGER) / np.log(8192),
    ),
    (
        SUMMARY,
        "| YaRN |" + " {} |" * 5,
        lambda: (1 + 0.1 * np.log(LONGER / 8192)) ** 2,
    ),
    (
        SUMMARY,
        r"$\sqrt{2 \log n}$, {} for 8192 keys",
        lambda: (freezing(8192),),
    ),
    (
        SUMMARY,
        "0.02 gives 1 at width {},",
        lambda: (1 / start(1),),
    ),
    (
        SUMMARY,
        "standard deviation 0.02 |" + " {} |" * 5,
        lambda: start(np.array([768, 1024, 2048, 4096, 8192])),
    ),
    (
        SUMMARY,
        "in a batch: {} to {} for 512 dimensions",
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


def test_simulated_rows_are_dead_as_the_page_says():
    """Below the bound that stands beside it, at the scale 8."""
    text = found(CHOOSE, "it says 6.6%, and {}% of simulated rows")[0]
    rng = np.random.default_rng(7)
    # the hundred largest of 8192 scores, which decide
    steps = rng.standard_exponential((20_000, 100)) / (8192 - np.arange(100))
    top = norm.isf(-np.expm1(-steps.cumsum(axis=1)))
    dead = sample_mean(collision(softmax(top, 8)) > 0.99)
    assert abs(dead.value - float(text) / 100) < 4 * dead.standard_error


def measured(page):
    """Return what a page says with its standard error, a ± b, as pairs."""
    text = (ROOT / page).read_text("utf-8").replace(r"\pm", "±")
    return set(re.findall(r"(\d+\.\d+) ± (\d+\.\d+)", text.replace("$", "")))


def test_what_was_measured_stands_in_a_chapter():
    """As the value of a cell or in a sentence of chapters 12 to 14."""
    chapters = notebooks.chapters(notebooks.ROOT)[11:14]
    text = "".join(path.read_text("utf-8") for path in chapters)
    numbers = set(re.findall(r"(?<![\d.])\d+\.\d+(?!\d)", text))
    found = measured(CHOOSE) | measured(SUMMARY)
    assert len(found) > 10
    assert {value for value, _ in found} - numbers == set()


def test_what_was_measured_is_said_alike():
    """On the page of the calculators as on that of the results."""
    assert measured(CHOOSE) - measured(SUMMARY) == set()
