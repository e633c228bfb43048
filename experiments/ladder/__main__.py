"""Train decoders from width to width; see README.md.

python -m experiments.ladder sweep
python -m experiments.ladder store
"""

import argparse

import torch

from experiments.ladder.ladder import store, sweep


def main():
    """Make the runs that are missing, or store those that are there."""
    parser = argparse.ArgumentParser("python -m experiments.ladder")
    parser.add_argument("what", choices=["sweep", "store"])
    told = parser.parse_args()
    torch.set_num_threads(1)
    if told.what == "sweep":
        sweep()
    else:
        print(store())


if __name__ == "__main__":
    main()
