"""Decoders that read a novel in short rows, and are tested on longer ones."""

import math

import numpy as np
import torch
from torch.nn import functional as F

from experiments import store as stored_in_book
from experiments.longer import jobs
from experiments.longer.fit import fit
from experiments.longer.model import Decoder, rows_factor
from experiments.training import text

WIDTH, HEADS, DEPTH, SYMBOLS = 64, 2, 2, 75
N_0, LONGEST = 128, 8192
STEPS, BATCH = 1600, 8
RATE = 4e-3
FACTORS = (0.5, 0.6, 0.71, 0.84, 0.92, 1.0, 1.09, 1.19, 1.41, 2.0)
STRETCHED = 1.0, 1.19, 1.41, 2.0  # the factors with YaRN's frequencies
RATIOS = 4, 64  # of lengths, with YaRN's frequencies
WINDOWS = 4  # of the held-out text
SEEDS = range(3)
SETTINGS = (
    ("none", "constant"),
    ("rotary", "constant"),
    ("none", "log"),
)
TEXT_IN_BOOK = "book/data/pride-and-prejudice.txt.xz"
# The rows before a power of two: the second half of each length.
OCTAVES = [
    slice(n // 2, n)
    for n in (N_0 * 2**k for k in range(int(math.log2(LONGEST / N_0)) + 1))
]


def by_position(rule, n):
    """Return the factor of each row of a rule that looks at its position."""
    keys = torch.arange(1, n + 1)
    log = (keys.log() / math.log(N_0)).clamp(min=1)
    rules = {
        "log": log,
        "root": log.sqrt(),
        "llama4": 1 + 0.1 * torch.log(1 + torch.floor(keys / N_0)),
    }
    return rules[rule]


def train(positions, scale, seed, told=None):
    """Train one decoder on rows of n_0 characters, and return it."""
    torch.manual_seed(seed)
    learnt = torch.from_numpy(text.tokens()[0])
    model = Decoder(SYMBOLS, SYMBOLS, WIDTH, HEADS, DEPTH, positions)
    factor = rows_factor(scale, N_0, N_0)

    def batch_loss():
        places = torch.randint(len(learnt) - N_0, (BATCH,))
        rows = learnt[places[:, None] + torch.arange(N_0 + 1)]
        return losses_of(model, rows, factor).mean()

    fit(model, batch_loss, STEPS, RATE, told)
    return model


def losses_of(model, rows, factor, stretch=1):
    """Return the loss of each next character, in nats: (text, position)."""
    h = F.embedding(rows[:, :-1], model.into)
    logits = model(h, factor, stretch, N_0 if stretch > 1 else None)
    return F.cross_entropy(logits.mT, rows[:, 1:], reduction="none")


@torch.no_grad()
def test(model, scale):
    """Return what longer rows of the held-out text cost.

    Returns
    -------
    dict
        curve (factor, window, octave), one factor for all rows; rules
        ({name: (window, octave)}), factors by position; yarn ({ratio:
        (factor, window)}), the last octave of rows so many times as long,
        with YaRN's frequencies; cut (window, octave), the same characters
        seen with n_0 / 2 to n_0 before them; alpha (layer, head).
    """
    windows = texts(LONGEST)
    own = rows_factor(scale, LONGEST, N_0)
    found = {
        "curve": [octaves(model, windows, c * own) for c in FACTORS],
        "rules": {},
        "yarn": {},
        "cut": cut(model, windows, scale),
        "alpha": spread(model, scale),
    }
    if scale == "constant":
        found["rules"] = {
            rule: octaves(model, windows, by_position(rule, LONGEST))
            for rule in ("log", "root", "llama4")
        }
    if model.positions == "rotary":
        found["yarn"] = {
            ratio: [
                octaves(
                    model,
                    windows[:, : ratio * N_0 + 1],
                    c * own[: ratio * N_0],
                    ratio,
                )[:, -1]
                for c in STRETCHED
            ]
            for ratio in RATIOS
        }
    return found


def texts(n):
    """Return windows of n + 1 characters that lie evenly in the text."""
    held_out = torch.from_numpy(text.tokens()[1])
    places = torch.linspace(0, len(held_out) - n - 1, WINDOWS).long()
    return held_out[places[:, None] + torch.arange(n + 1)]


@torch.no_grad()
def octaves(model, windows, factor, stretch=1):
    """Return the mean losses of each window's OCTAVES."""
    lines = []
    for row in windows:
        losses = losses_of(model, row[None], factor, stretch)[0]
        lines.append(
            [float(losses[o].mean()) for o in OCTAVES if o.stop <= len(losses)]
        )
    return np.round(lines, 4)


@torch.no_grad()
def cut(model, windows, scale):
    """Return the same of rows of n_0, of which the second half counts."""
    own, lines = rows_factor(scale, N_0, N_0), []
    for row in windows:
        pieces = row.unfold(0, N_0 + 1, N_0 // 2)
        losses = losses_of(model, pieces, own)[:, N_0 // 2 :].flatten()
        shifted = [
            losses[o.start - N_0 // 2 : o.stop - N_0 // 2] for o in OCTAVES
        ]
        lines.append([float(part.mean()) for part in shifted])
    return np.round(lines, 4)


@torch.no_grad()
def spread(model, scale):
    """Return the root mean square of the sd of a row's logits, by head.

    Over the rows of n_0 / 2 to n_0 keys.
    """
    rows = texts(LONGEST)[:, :-1].reshape(-1, N_0)[::8]
    own = rows_factor(scale, N_0, N_0)[:, None]
    turned, h, found = model.rotation(N_0), F.embedding(rows, model.into), []
    for block in model.blocks:
        query, key, _ = block.project(h, turned)
        logits = own * query @ key.mT / block.d**0.5
        of_rows = [
            logits[:, :, i, : i + 1].var(-1, correction=0)
            for i in range(N_0 // 2, N_0)
        ]
        found.append(torch.stack(of_rows).mean((0, 1)).sqrt().tolist())
        h = block(h, turned, own[:, 0])
    return np.round(found, 4)


def sweep():
    """Make the runs that are missing."""

    def one(setting, seed):
        return test(train(*setting, seed), setting[1])

    jobs.make("novel", SETTINGS, SEEDS, one)


def store():
    """Write what has been found to book/data/longer-novel.npz."""
    done = jobs.read("novel")
    arrays = {
        "octaves": np.array([o.stop for o in OCTAVES]),
        "factors": np.array(FACTORS),
        "stretched factors": np.array(STRETCHED),
    }
    for setting in SETTINGS:
        runs = [done[setting, seed] for seed in SEEDS]
        name = " ".join(setting)
        for part in ("curve", "cut", "alpha"):
            arrays[f"{name} {part}"] = gather(r[part] for r in runs)
        for part in ("rules", "yarn"):
            for rule in runs[0][part]:
                key = f"{name} {part} {rule}"
                arrays[key] = gather(r[part][rule] for r in runs)
    return stored_in_book.write(
        "longer-novel",
        arrays,
        program=__file__,
        told={
            "n_0": N_0,
            "width, heads, depth": [WIDTH, HEADS, DEPTH],
            "steps, batch, rate": [STEPS, BATCH, RATE],
            "seeds": [*SEEDS],
            "ratios": [*RATIOS],
        },
        inputs={TEXT_IN_BOOK: stored_in_book.sha256(text.TEXT)},
        packages=("numpy", "torch"),
    )


def gather(values):
    return np.array([*values], np.float32)
