"""Measure the second decoder where that is missing, and store what was found.

python -m experiments.trained.second_collect [--store]
"""

import argparse

import numpy as np
import torch

from experiments import store
from experiments.trained import gemma, second, sources, windows, within

PACKAGES = ("numpy", "scipy", "torch", "transformers", "gguf", "sentencepiece")


def collected():
    """Return the windows that are measured, and their arrays.

    They are NaN at lengths that a window does not have.
    """
    named = {
        f"{text} {number}": windows.path_of("second", text, number)
        for number in (0, 1)
        for text in sources.TEXTS
    }
    found = {
        name: arrays
        for name, path in named.items()
        if (arrays := windows.kept(path, second.__file__)) is not None
    }
    shape = len(within.LENGTHS), gemma.LAYERS, gemma.HEADS
    arrays = {
        name: np.full((len(found), *shape), np.nan, np.float16)
        for name in second.OF_ROWS
    }
    shape = len(second.LOSSES), len(second.rules()), windows.LAST - 1
    losses = np.full((len(found), *shape), np.nan, np.float32)
    for at, of_window in enumerate(found.values()):
        for i, length in enumerate(within.LENGTHS):
            for name in second.OF_ROWS:
                if f"{name} {length}" in of_window:
                    arrays[name][at, i] = of_window[f"{name} {length}"]
        for i, length in enumerate(second.LOSSES):
            if f"losses {length}" in of_window:
                losses[at, i] = of_window[f"losses {length}"]
    return [*found], arrays | {"losses": losses}


def main():
    """Measure what is missing, and store; or only store what is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", action="store_true")
    torch.set_num_threads(1)
    if not parser.parse_known_args()[0].store:
        second.measure()
    names, arrays = collected()
    path = windows.path_of("second-agreement", "all", 0)
    print(
        store.write(
            "trained-second",
            arrays | windows.kept(path, second.__file__),
            __file__,
            {
                "windows": names,
                "lengths": within.LENGTHS,
                "rows of each length": within.ROWS,
                "lengths of losses": second.LOSSES,
                "rules": ["1"]
                + [
                    f"{kind} {m}"
                    for kind in second.KINDS
                    for m in second.MULTIPLIERS
                ],
                "axes": "window, length, layer, head; of losses: window, "
                "length, rule, token",
                "global layers": [
                    i for i in range(gemma.LAYERS) if gemma.is_global(i)
                ],
            },
            sources.inputs(*sources.SECOND),
            PACKAGES,
        )
    )


if __name__ == "__main__":
    main()
