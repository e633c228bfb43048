"""The rows of the decoder before it is trained: matrices drawn at random."""

import numpy as np

from experiments.trained import decoder, rows, sources, windows, within

LENGTHS = (128, 512)


def run(w, tokens, text, number):
    """Measure the first 512 tokens of a tail; return arrays by name."""
    start = windows.STARTS[text][number] + windows.HALF
    piece, found = tokens[start : start + max(LENGTHS)], {}

    def look(layer, query, key):
        for length in LENGTHS:
            x, seen = within.logits_of(query, key, within.positions_of(length))
            within.put(found, layer, length, rows.describe(x, seen, layer))

    decoder.prefix(w, piece, decoder.frequencies(), look)
    return {
        name: np.stack([*layers.values()]) for name, layers in found.items()
    }


def main(named, tokens):
    """Measure one window of each text, with matrices of its own."""
    for seed, text in enumerate(sources.TEXTS):
        path = windows.path_of("untrained", text, 0)
        if windows.kept(path, __file__) is None:
            w = decoder.at_random(named, seed)
            windows.keep(path, run(w, tokens[text], text, 0), __file__)
            print(f"untrained {text}", flush=True)
