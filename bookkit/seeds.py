"""Throw all dice again: run notebooks with other random numbers.

    python -m bookkit.seeds [--rounds 3] [notebook ...]

Each seed is joined with the number of the round; nothing else is changed, and
nothing is stored. Every cell that falls is named. A check at four standard
errors falls now and then; one that falls again and again needs its own seed,
and shows nothing.
"""

import argparse
from pathlib import Path

import nbformat

from bookkit import notebooks

OTHER_SEEDS = """
from numbers import Integral
import numpy as np

def default_rng(seed=None, seeded=np.random.default_rng):
    return seeded([seed, {round}] if isinstance(seed, Integral) else seed)

np.random.default_rng = default_rng
"""


def fallen(path, number):
    """Return the cells of a notebook that fall in a round, and why."""
    nb = notebooks.read(path)
    other = nbformat.v4.new_code_cell(OTHER_SEEDS.format(round=number))
    nb.cells.insert(0, other)
    notebooks.run_cells(nb, path, to_the_end=True)
    return [
        f"{notebooks.place(path, cell)}: {reason.splitlines()[0]}"
        for cell in notebooks.code_cells(nb)
        if (reason := notebooks.failure(cell))
    ]


def main():
    """Run the notebooks that are named, or all, and count what falls."""
    parser = argparse.ArgumentParser(description="run with other seeds")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("notebooks", nargs="*", type=Path)
    options = parser.parse_args()
    paths = options.notebooks or notebooks.chapters(notebooks.ROOT)
    cells = sum(len(notebooks.code_cells(notebooks.read(p))) for p in paths)
    count = 0
    for number in range(1, options.rounds + 1):
        for path in paths:
            for line in fallen(path, number):
                print(f"round {number}: {line}", flush=True)
                count += 1
    print(f"{options.rounds} rounds of {cells} cells: {count} fell")


if __name__ == "__main__":
    main()
