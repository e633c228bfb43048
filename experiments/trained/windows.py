"""The pieces of text that are measured, and what was found, on disk.

A window has 16,384 tokens: a half with six facts hidden in it, and a half of
text alone, the `tail`. The last 256 tokens are those whose loss is measured.
"""

import json
import os

import numpy as np
import torch

from experiments import store
from experiments.trained import sources

# where the windows of each text begin, in tokens
STARTS = {
    "prose": (8_000, 60_000, 110_000),
    "plays": (10_000, 90_000, 170_000),
    "code": (50_000, 300_000, 550_000),
}
HALF = 8192
LAST = 256
STATED = ("Margaret", "Oliver", "Helen", "Walter", "Clara", "Simon")
UNSTATED = ("Agnes", "Hubert")
RESULTS = sources.FOLDER / "results"


def secrets(text, number):
    """Return a number of five digits for each name: the facts of a window."""
    rng = np.random.default_rng([sources.TEXTS.index(text), number])
    names = STATED + UNSTATED
    digits = rng.integers(0, 10, (len(names), 5))
    return {
        name: "".join(map(str, row))
        for name, row in zip(names, digits, strict=True)
    }


def window(tokens, tokenizer, text, number):
    """Return a window's tokens: facts stand at equal distances in one half."""
    start = STARTS[text][number]
    facts = [
        tokenizer.encode(f" The secret number of {name} is {digits}.").ids
        for name, digits in secrets(text, number).items()
        if name in STATED
    ]
    rest = HALF - sum(map(len, facts))
    half = tokens[start + HALF - rest : start + HALF].tolist()
    pieces, step = [], rest // (len(facts) + 1)
    for i, fact in enumerate(facts):
        pieces += half[i * step : (i + 1) * step] + fact
    pieces += half[len(facts) * step :]
    tail = tokens[start + HALF : start + 2 * HALF].tolist()
    return torch.tensor(pieces + tail)


def questions(tokenizer, text, number):
    """Return the tokens of each question with its answer, in order."""
    return [
        torch.tensor(
            tokenizer.encode(
                f"\n\nThe secret number of {name} is {digits}"
            ).ids
        )
        for name, digits in secrets(text, number).items()
    ]


def answers(found):
    """Return mean log-probability of a digit, and whether all are likeliest.

    Parameters
    ----------
    found : what `decoder.branches` returns for the questions.

    Returns
    -------
    dict
        Two arrays, an entry a question.
    """
    return {
        "digits": np.array([f[0, -5:].mean().item() for f in found]),
        "right": np.array([f[1, -5:].min().item() for f in found]),
    }


def path_of(kind, text, number):
    """Return where the results of a window are kept."""
    return RESULTS / f"{kind}-{text}-{number}.npz"


def keep(path, arrays, program):
    """Keep results until all are there, with the digests of their scripts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.npz")
    scripts = json.dumps(store.scripts_of(program))
    np.savez(partial, scripts=np.array(scripts), **arrays)
    partial.replace(path)


def kept(path, program):
    """Return kept results, or None if there are none of these scripts."""
    if not path.exists():
        return None
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    if json.loads(str(arrays.pop("scripts"))) != store.scripts_of(program):
        return None
    return arrays
