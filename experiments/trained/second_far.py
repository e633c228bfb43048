"""The second decoder at 16,384 and 32,768 tokens, which it was trained on.

python -m experiments.trained.second_far [--store]
"""

import argparse
import time

import numpy as np
import torch

from experiments import store
from experiments.trained import (
    gemma,
    second,
    second_collect,
    sources,
    windows,
    within,
)

LENGTHS = 16_384, 32_768
NUMBERS = 0, 1  # of the windows of each text


@torch.no_grad()
def run(w, tokens, text, number):
    """Measure a window; return arrays by name."""
    start, found = windows.STARTS[text][number], {}
    piece = tokens[start : start + max(LENGTHS) - 1]
    piece = torch.tensor([gemma.FIRST, *piece])
    look = second.look_at(found, LENGTHS)
    _, past = gemma.run(w, piece, look=look)
    arrays = {name: np.stack(layers) for name, layers in found.items()}
    for length in LENGTHS:
        last = piece[length - windows.LAST : length]
        part = gemma.upto(past, length - windows.LAST)
        arrays[f"losses {length}"] = np.stack(
            [
                gemma.losses(w, gemma.run(w, last, part, f)[0], last)
                for f in second.rules()
            ]
        )
    return arrays


def measure():
    """Measure the windows that have not been measured yet."""
    w, tokenizer = gemma.load()
    tokens = {t: tokenizer.encode(sources.text(t)) for t in sources.TEXTS}
    for number in NUMBERS:
        for text in sources.TEXTS:
            path = windows.path_of("second-far", text, number)
            if windows.kept(path, __file__) is None:
                start = time.process_time()
                arrays = run(w, tokens[text], text, number)
                windows.keep(path, arrays, __file__)
                nll = [arrays[f"losses {n}"][0].mean() for n in LENGTHS]
                seconds = time.process_time() - start
                print(
                    f"{text} {number} {np.round(nll, 3)} {seconds:.0f} s",
                    flush=True,
                )


def collect():
    """Store the windows that are measured."""
    named = {
        f"{text} {number}": arrays
        for number in NUMBERS
        for text in sources.TEXTS
        if (
            arrays := windows.kept(
                windows.path_of("second-far", text, number), __file__
            )
        )
        is not None
    }

    def of_all(name, kind):
        stacked = [
            [arrays[f"{name} {length}"] for length in LENGTHS]
            for arrays in named.values()
        ]
        return np.array(stacked, kind)

    arrays = {name: of_all(name, np.float16) for name in second.OF_ROWS}
    return store.write(
        "trained-second-far",
        arrays | {"losses": of_all("losses", np.float32)},
        __file__,
        {
            "windows": [*named],
            "lengths": LENGTHS,
            "rows of each length": within.ROWS,
            "kinds": second.KINDS,
            "multipliers": second.MULTIPLIERS,
            "axes": "window, length, layer, head; of losses: window, length, "
            "rule, token",
        },
        sources.inputs(*sources.SECOND),
        second_collect.PACKAGES,
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
