"""Factors at every position of a window, not only on its last queries.

python -m experiments.trained.throughout [--store]
"""

import argparse
import time

import numpy as np
import torch

from experiments import store
from experiments.trained import decoder, longer, sources, windows

CONSTANT = 1.03  # about the mean of the law's factors by head
RULES = "one", "constant", "log"
PACKAGES = ("numpy", "torch", "tokenizers")


def factors_of(rule):
    """Return the factor of each position of a window of twice the length."""
    place = 1 + torch.arange(longer.LENGTH)
    if rule == "log":
        return (place.log() / np.log(windows.HALF)).clamp(min=1)
    return torch.full((len(place),), CONSTANT if rule == "constant" else 1.0)


@torch.no_grad()
def losses(w, piece, rates, throughout, at_the_end):
    """Return the losses of the last tokens.

    Parameters
    ----------
    throughout, at_the_end : rules for the tokens before the last, whose keys
        and values the last ones see, and for the last.
    """
    shape = decoder.LAYERS, decoder.HEADS
    before = factors_of(throughout)[: -windows.LAST].expand(*shape, -1)
    cache = decoder.prefix(w, piece[: -windows.LAST], rates, factors=before)
    found = []
    for rule in at_the_end:
        last = factors_of(rule)[-1].expand(shape)
        (pair,) = decoder.branches(
            w, cache, [piece[-windows.LAST :]], rates, last
        )
        found.append(-pair[0].numpy())
    return found


def measure():
    """Measure the first window of each text, where that is missing."""
    w, tokenizer = decoder.load()
    rates = decoder.frequencies(2)
    for text in sources.TEXTS:
        path = windows.path_of("throughout", text, 0)
        if windows.kept(path, __file__) is not None:
            continue
        start = time.process_time()
        tokens = torch.tensor(tokenizer.encode(sources.text(text)).ids)
        piece = windows.window(tokens, tokenizer, text, 0)
        ends = losses(w, piece, rates, "one", RULES)
        whole = [losses(w, piece, rates, r, [r])[0] for r in RULES[1:]]
        arrays = {"at the end": np.stack(ends), "throughout": np.stack(whole)}
        windows.keep(path, arrays, __file__)
        means = [a.mean(-1).round(4).tolist() for a in arrays.values()]
        seconds = time.process_time() - start
        print(text, *means, f"{seconds:.0f} s", flush=True)


def collect():
    """Store what is measured."""
    found = {
        f"{text} 0": arrays
        for text in sources.TEXTS
        if (
            arrays := windows.kept(
                windows.path_of("throughout", text, 0), __file__
            )
        )
        is not None
    }
    return store.write(
        "trained-throughout",
        {
            name: np.stack([arrays[name] for arrays in found.values()])
            for name in ("at the end", "throughout")
        },
        __file__,
        {
            "windows": [*found],
            "length": longer.LENGTH,
            "constant": CONSTANT,
            "rules at the end": RULES,
            "rules throughout": RULES[1:],
            "axes": "window, rule, token",
        },
        sources.inputs("decoder"),
        PACKAGES,
    )


def main():
    """Measure what is missing, and store; or only store what is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", action="store_true")
    torch.set_num_threads(1)
    if not parser.parse_args().store:
        measure()
    print(collect())


if __name__ == "__main__":
    main()
