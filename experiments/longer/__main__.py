"""Train and test one decoder, or make the whole sweep; see README.md.

python -m experiments.longer --task find --noisy --positions none --seed 1
python -m experiments.longer sweep
python -m experiments.longer store
"""

import argparse

import numpy as np
import torch

from bookkit import stored
from experiments.longer import deep, novel, own, run, sweep, tasks
from experiments.longer.model import POSITIONS, SCALES


def main():
    parser = argparse.ArgumentParser(
        "python -m experiments.longer",
        description="Train a small decoder, and test it on longer sequences.",
    )
    add = parser.add_argument
    add("what", nargs="?", choices=["one", "sweep", "store"], default="one")
    add("--task", choices=[*tasks.KINDS, "novel"], default="find")
    add("--noisy", action="store_true", help="keys are scattered")
    add("--positions", choices=POSITIONS, default="none")
    add("--scale", choices=SCALES, default="constant", help="in training")
    add("--seed", type=int, default=0)
    told = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    if told.what == "sweep":
        sweep.sweep()
        sweep.sweep_rates()
        deep.sweep()
        own.sweep()
        novel.sweep()
    elif told.what == "store":
        files = *sweep.store(), deep.store(), own.store(), novel.store()
        print(*files, sep="\n")
    elif told.task == "novel":
        one_novel(told)
    else:
        one(told)


def one(told):
    """Train one decoder, with a line a second, and print its table."""
    print("step   loss")

    def tell(step, losses):
        print(f"{step:4}  {np.mean(losses[-20:]):6.4f}", flush=True)

    setting = told.task, told.noisy, told.positions, told.scale
    result = run.train(setting, told.seed, tell)
    for longer, tests in result["tests"].items():
        print(f"\n{longer}: the spread of a row is {result['alpha']:.2f}")
        print("              n   loss at factor 1   best factor, its loss")
        show("now", np.array(tests))
        show_stored(sweep.name_of(longer, *setting[1:]), told.seed)


def one_novel(told):
    """Train one decoder on the novel, and print what longer rows cost."""

    def tell(step, losses):
        print(f"{step:4}  {losses[-1]:6.4f}", flush=True)

    print("step   loss")
    model = novel.train(told.positions, told.scale, told.seed, tell)
    found = np.mean(novel.test(model, told.scale)["curve"], axis=1)
    name = f"{told.positions} {told.scale} curve"
    kept = stored.read("longer-novel").get(name)
    print("\n           n   loss by factor", *novel.FACTORS)
    for octave, part in enumerate(novel.OCTAVES):
        print("now   ", f"{part.stop:6}", *found[:, octave].round(3))
        if kept is not None and told.seed < len(kept):
            losses = kept[told.seed].mean(1)[:, octave]
            print("stored", f"{part.stop:6}", *losses.round(3))


def show(who, tests):
    """Print the loss at factor 1 and at the best factor, by length."""
    one = list(run.FACTORS).index(1)
    for n, loss in zip(run.LENGTHS, tests[..., 0], strict=True):
        best = loss.argmin()
        print(
            f"{who:8}{n:7}{loss[one]:19.4f}"
            f"{run.FACTORS[best]:14.2f}{loss[best]:9.4f}"
        )


def show_stored(name, seed):
    """Print the same for the stored run."""
    data = stored.read("longer-tasks")
    seeds = data["provenance"]["told"]["seeds"]
    if name in data and seed in seeds:
        show("stored", data[name][seeds.index(seed)])
    else:
        print("stored: nothing with this setting and seed")


if __name__ == "__main__":
    main()
