"""Questions that strangers asked the search, and where they should arrive."""

from pathlib import Path

import pytest
from scripts import calling

from booksite import finder

ASSETS = Path(finder.__file__).parents[1] / "assets"
AMONG = 5  # of the places that are shown, the first that one reads
# A question: a part of the address or the name of a place that answers it.
QUESTIONS = {
    "32k": "choose-a-scale|08-|14-|15-|summary|11-|13-",
    "scale for 32k context with QK-norm": "choose-a-scale|02-|qk|QK",
    "anealed": "06-|nneal",
    "quenchd": "06-|uench",
    "temprature": "04-|emperature",
    "attn_logit_softcapping": "10-|15-|cap",
    "mscale": "yarn|08-|15-|14-|YaRN",
    "initialization": "02-|nitialis",
    "initialisation": "02-|nitialis",
    "why sqrt(d)": "01-|sqrt|square root",
    "normalization": "orm",
    "softcap": "10-|cap",
    "dead rows": "dead",
    "attention sink": "10-|sink",
    "vanishing gradient": "03-|dead|06-|05-",
    "entropy collapse": "12-|09-|08-|entropy",
    "longrope": "08-|15-|14-|longrope|LongRoPE",
    "fp8": "11-|e4m3|8 bits|precision",
    "flash attention": "11-|lash",
    "lambert w": "05-|ambert",
    "CLIP temperature": "07-|summary",
    "arcface": "07-|rcFace",
    "qk norm": "02-|QK|qk",
    "bias of a sigmoid": "10-|igmoid|choose",
    "T5 scale": "02-|15-|T5",
    "muP": "02-|01-|µP|muP|mup",
    "linear attention": "09-|inear",
    "top-p": "04-|top",
    "learned temperature": "04-|07-|12-|15-|emperature",
    "gumbel": "04-|umbel",
    "how to extend llama to 128k": "choose-a-scale|14-",
    "StreamingLLM": "references",
    "熵不变性": "08-",
    "为什么除以根号d": "01-|questions",
}


@pytest.fixture(scope="module")
def search(site):
    """Return a function that asks the search of the built book."""
    index = site / "_static" / finder.INDEX
    with calling([index, ASSETS / "find.js"]) as call:
        assert call("() => (globalThis.asked = placesOf(PAGES)).length")
        yield lambda question: call(
            "(question, most) => search(asked, question).found.slice(0, most)"
            ".map(place => `${place.address} ${place.name}`)",
            question, AMONG,
        )  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_stranger_finds_a_place(search, question):
    found = search(question)
    wanted = QUESTIONS[question].split("|")
    assert any(part in place for place in found for part in wanted), found


def test_what_the_book_has_not_is_not_found(search):
    assert search("xylophone zebra") == []
