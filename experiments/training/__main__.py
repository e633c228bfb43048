"""Train one decoder, or make the whole sweep; see README.md.

python -m experiments.training --start 4 --lr 1e-3
python -m experiments.training sweep
python -m experiments.training store
"""

import argparse

import numpy as np
import torch

from bookkit import stored
from experiments.training import run
from experiments.training.model import PLACES
from experiments.training.sweep import store, sweep

ROW = "{:14}{:>9}{:>10}{:>7}{:>9}   {:24}{}"


def main():
    parser = argparse.ArgumentParser(
        "python -m experiments.training",
        description="Train a small decoder from a starting scale of choice.",
    )
    add = parser.add_argument
    add("what", nargs="?", choices=["one", "sweep", "store"], default="one")
    add("--start", type=float, default=1.0, help="sd of the logits")
    add("--lr", type=float, default=8e-3, help="Adam's highest rate")
    add("--seed", type=int, default=0)
    add("--place", choices=PLACES, default="score", help="of the scale")
    add("--size", choices=run.SIZES, default="small")
    add("--searches", type=int, nargs="*", help="some of sweep.SEARCHES")
    add("--starts", type=float, nargs="*", help="some of their starts")
    told = parser.parse_args()
    torch.set_num_threads(1)
    if told.what == "sweep":
        sweep(told.searches, told.starts)
    elif told.what == "store":
        print(store())
    else:
        one(told)


def one(told):
    """Train one decoder, with a line a second, and print its table row."""
    print(f"{told.size}: {run.SIZES[told.size]}")
    print("step   loss    spread of the logits by layer   dead rows")

    def tell(step, losses, heads):
        spread, dead = by_layer(heads[-1])
        print(f"{step:4}  {np.mean(losses[-20:]):5.3f}   {spread:30}  {dead}")

    result = run.train(
        told.place, told.start, told.lr, told.seed, told.size, tell
    )
    print()
    print(ROW.format("", "start", "rate", "seed", "loss", "spread", "dead"))
    setting = f"{told.start:g}", f"{told.lr:.5f}", told.seed
    loss = f"{result['loss']:.4f}"
    print(ROW.format("now", *setting, loss, *by_layer(result["heads"][-1])))
    print_stored(told)


def print_stored(told):
    """Print the stored rows of a start: the same rate, or all that are."""
    data = stored.read("training-starts")
    same = (
        (data["start"] == told.start)
        & (data["place"] == told.place)
        & (data["size"] == told.size)
        & (data["variant"] == "plain")
    )
    exact = (
        same & np.isclose(data["rate"], told.lr) & (data["seed"] == told.seed)
    )
    for i in np.flatnonzero(exact if exact.any() else same):
        looks = np.isfinite(data["looked_at"][i]).sum()
        last = data["heads"][i, looks - 1]
        print(
            ROW.format(
                "stored",
                f"{data['start'][i]:g}",
                f"{data['rate'][i]:.5f}",
                data["seed"][i],
                f"{data['loss'][i]:.4f}",
                *by_layer(last),
            )
        )
    if not same.any():
        print("stored: nothing at this start")


def by_layer(heads):
    """Return the spreads and shares of dead rows of each layer, as text."""
    layers = np.nanmean(np.array(heads, float), axis=1)
    names = list(run.HEAD_NUMBERS)
    spread, dead = (layers[:, names.index(n)] for n in ("alpha", "dead"))
    return (
        " ".join(f"{x:.2f}" for x in spread),
        " ".join(f"{x:.0%}" for x in dead),
    )


if __name__ == "__main__":
    main()
