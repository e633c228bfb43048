"""Train one decoder, or make the whole sweep.

python -m experiments.training --start 4 --lr 1e-3
python -m experiments.training sweep     (takes up where it was stopped)
"""

import argparse

import torch

from experiments.training import run
from experiments.training.model import PLACES
from experiments.training.sweep import sweep


def main():
    parser = argparse.ArgumentParser("experiments.training")
    parser.add_argument("what", nargs="?", choices=["one", "sweep"])
    parser.add_argument("--start", type=float, default=1.0)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--place", choices=PLACES, default="score")
    parser.add_argument("--size", choices=run.SIZES, default="small")
    parser.add_argument(
        "--searches", type=int, nargs="*", help="numbers of sweep.SEARCHES"
    )
    told = parser.parse_args()
    torch.set_num_threads(1)
    if told.what == "sweep":
        sweep(told.searches)


if __name__ == "__main__":
    main()
