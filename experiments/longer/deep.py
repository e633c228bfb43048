"""Decoders of two layers, with two heads each, on the same tasks.

What the last layer gets depends on the factor in the first, so each factor
needs the whole text again: there are fewer of them, and fewer sequences. It
multiplies the logits of all rows in both layers.
"""

import math

import numpy as np
import torch

from experiments import store as stored_in_book
from experiments.longer import jobs, run, tasks
from experiments.longer.sweep import brief, name_of
from experiments.longer.tasks import N_0

WIDTH, HEADS, DEPTH = 64, 2, 2  # as on the novel
LENGTHS = N_0, 8 * N_0, 64 * N_0
FACTORS = 2.0 ** (np.arange(-4, 9) / 4)  # 1/2 to 4
ROWS = 64  # looked at, at the end of a sequence, and at most its last quarter
TOKENS = 65_536  # a length is tested on: sequences times n
MOST = 256  # sequences
SEEDS = range(2)
SETTINGS = (
    ("average", True, "none", "constant"),
    ("find", True, "none", "constant"),
)


def one(setting, seed):
    """Train one decoder, and return its losses on longer texts.

    Returns
    -------
    dict
        losses (as run.train has it), curve ({longer: (length, factor)}),
        log ({longer: (length,)}, the logarithm by position).
    """
    kind, noisy, *_ = setting
    model, losses = run.learn(setting, seed, shape=(WIDTH, HEADS, DEPTH))
    found = {"losses": run.brief(losses), "curve": {}, "log": {}}
    for longer in tasks.LONGER[kind]:
        tests = [test(model, longer, noisy, n) for n in LENGTHS]
        found["curve"][longer] = [by_factor for *by_factor, _ in tests]
        found["log"][longer] = [log for *_, log in tests]
    return found


@torch.no_grad()
def test(model, kind, noisy, n):
    """Return the loss at each factor, and with the logarithm by position.

    All models of a task are tested on the same sequences.
    """
    rng = np.random.default_rng([n, *kind.encode(), noisy])
    rows, batch = min(ROWS, n // 4), min(MOST, TOKENS // n)
    log = (torch.arange(1, n + 1).log() / math.log(N_0)).clamp(min=1)
    by_row = [c * torch.ones(n) for c in FACTORS] + [log]
    errors, squares = [], []
    for part in np.array_split(np.arange(batch), max(1, batch * n // 16_384)):
        tokens, answers, _ = tasks.draw(rng, kind, n, len(part), noisy, rows)
        h = torch.from_numpy(tokens) @ model.into
        answers = torch.from_numpy(answers)
        found = [model(h, c)[:, -rows:, 0] for c in by_row]
        errors.append([(x - answers).square().mean() for x in found])
        squares.append(answers.square().mean())
    losses = np.mean(errors, 0) / np.mean(squares)
    return np.round(losses, 6).tolist()


def sweep():
    """Make the runs that are missing."""
    jobs.make("deep", SETTINGS, SEEDS, one)


def store():
    """Write what has been found to book/data/longer-deep.npz."""
    done = jobs.read("deep")
    arrays = {"lengths": np.array(LENGTHS), "factors": FACTORS}
    for setting in SETTINGS:
        runs = [done[setting, seed] for seed in SEEDS]
        for part in ("curve", "log"):
            for longer in runs[0][part]:
                key = f"{name_of(longer, *setting[1:])} {part}"
                arrays[key] = brief([r[part][longer] for r in runs])
    told = {
        "n_0": N_0,
        "width, heads, depth": [WIDTH, HEADS, DEPTH],
        "steps, batch, rate": [run.STEPS, run.BATCH, run.RATE],
        "seeds": [*SEEDS],
    }
    return stored_in_book.write(
        "longer-deep", arrays, __file__, told, packages=("numpy", "torch")
    )
