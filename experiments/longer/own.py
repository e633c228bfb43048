"""Controls at learning rates of their own, and a factor that is learned.

`sweep` trains with the logarithm, and with rotary positions, at one rate.
Here each setting has its own search, by the loss at n_0 tokens, and so has
a head whose factor in row i is s log i + b, with s and b learned from 0 and
1: Scalable-Softmax with its offset.
"""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from experiments import store as stored_in_book
from experiments.longer import jobs, run, tasks
from experiments.longer.fit import fit
from experiments.longer.model import Block, Decoder, rows_factor
from experiments.longer.sweep import brief, name_of
from experiments.training.search import losses_of, next_runs, rate_of

SEEDS = 0, 1, 2
LENGTHS = run.LENGTHS[::3]
ONE = list(run.FACTORS).index(1)
# Of the best power of 2 in the rate, by kind and noise.
GUESS = {
    ("average", True): 5,
    ("average", False): 3,
    ("find", True): 3,
    ("find", False): 3,
}
SETTINGS = [
    (*task, *how)
    for how in (
        ("none", "constant"),
        ("none", "learned"),
        ("none", "log"),
        ("rotary", "constant"),
    )
    for task in GUESS
]


class Learned(Block):
    """A head that multiplies the logits of row i by s log i + b."""

    def __init__(self, width, heads, depth):
        super().__init__(width, heads, depth)
        self.growth = nn.Parameter(torch.tensor([0.0, 1.0]))

    def project(self, h, rotation):
        query, key, value = super().project(h, rotation)
        s, b = self.growth
        factor = s * torch.arange(1, h.shape[1] + 1).log() + b
        return query * factor[:, None], key, value


def learn(kind, noisy, seed, rate):
    """Return a decoder that has learned a task with a factor of its own.

    Weights and sequences are those of `run.learn`.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng([seed, tasks.KINDS.index(kind), noisy])
    shape = run.WIDTH, run.HEADS, run.DEPTH
    model = Decoder(2 * tasks.M + 1, 1, *shape, "none")
    block = Learned(*shape)
    block.load_state_dict(model.blocks[0].state_dict(), strict=False)
    model.blocks[0] = block
    factor = rows_factor("constant", run.N_0, run.N_0)

    def batch_loss():
        tokens, answers, _ = tasks.draw(rng, kind, run.N_0, run.BATCH, noisy)
        found = model(torch.from_numpy(tokens) @ model.into, factor)
        return F.mse_loss(found[..., 0], torch.from_numpy(answers))

    fit(model, batch_loss, run.STEPS, rate)
    return model


def one(setting, seed, rate):
    """Train one decoder, and return what it does on longer texts.

    Returns
    -------
    dict
        loss (at n_0 tokens, which chooses the rate), growth (s and b, where
        they are learned), curve and divided ({longer: (length, factor)}).
    """
    kind, noisy, _, scale = setting
    if scale == "learned":
        model = learn(kind, noisy, seed, rate)
        growth = model.blocks[0].growth.tolist()
        tests = {
            longer: [
                run.test(model, longer, noisy, "constant", n)[0]
                for n in LENGTHS
            ]
            for longer in tasks.LONGER[kind]
        }
        divided = {}
    else:
        found = run.train((*setting, rate), seed, lengths=LENGTHS)
        growth, tests = None, found["tests"]
        divided = found["interpolated"]
    curve = {name: np.array(x)[..., 0].tolist() for name, x in tests.items()}
    return {
        "loss": curve[tasks.LONGER[kind][0]][0][ONE],
        "growth": growth,
        "curve": curve,
        "divided": {
            name: np.array(x)[..., 0].tolist() for name, x in divided.items()
        },
    }


def read():
    """Return the runs that are done: {setting: {(power, seed): result}}."""
    done = {}
    for (setting, seed), result in jobs.read("own").items():
        *setting, power = setting
        done.setdefault(tuple(setting), {})[power, seed] = result
    return done


def sweep():
    """Make the runs that are missing: a search for each setting."""
    for setting in SETTINGS:
        while wanted := next_runs(
            losses_of(read().get(setting, {})), GUESS[setting[:2]], SEEDS
        ):
            power, seed = wanted[0]
            jobs.make(
                "own",
                [(*setting, power)],
                [seed],
                lambda told, seed: one(told[:-1], seed, rate_of(told[-1])),
            )


def chosen(runs):
    """Return the power of the rate with the least mean of all seeds."""
    means = {
        power: np.mean([runs[power, seed]["loss"] for seed in SEEDS])
        for power, _ in runs
        if all((power, seed) in runs for seed in SEEDS)
    }
    return min(means, key=means.get)


def store():
    """Write what has been found to book/data/longer-own.npz.

    Of each setting the runs at its best rate; of all others the loss at n_0.
    """
    done = read()
    arrays = {"lengths": np.array(LENGTHS), "factors": run.FACTORS}
    for setting in SETTINGS:
        runs = done[setting]
        power = chosen(runs)
        found = [runs[power, seed] for seed in SEEDS]
        for longer in tasks.LONGER[setting[0]]:
            name = name_of(longer, *setting[1:])
            arrays[f"{name} rate"] = np.array(rate_of(power))
            arrays[f"{name} searched"] = np.array(
                [(rate_of(p), s, r["loss"]) for (p, s), r in runs.items()]
            )
            arrays[name] = brief([r["curve"][longer] for r in found])
            if "rotary" in setting:
                divided = [r["divided"][longer] for r in found]
                arrays[f"{name} divided"] = brief(divided)
            if "learned" in setting:
                growth = [r["growth"] for r in found]
                arrays[f"{name} growth"] = brief(growth)
    told = {
        "n_0": run.N_0,
        "width, heads, depth": [run.WIDTH, run.HEADS, run.DEPTH],
        "steps, batch": [run.STEPS, run.BATCH],
        "s and b at the start": [0, 1],
        "seeds": [*SEEDS],
    }
    return stored_in_book.write(
        "longer-own", arrays, __file__, told, packages=("numpy", "torch")
    )
