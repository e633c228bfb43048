"""One run: train a decoder of some width, at rates that go with the width."""

import math
import time

import numpy as np
import torch

from experiments.ladder import corpus
from experiments.training.model import Decoder
from experiments.training.run import (
    BETAS,
    HEAD_NUMBERS,
    WARM_UP,
    held_out_loss,
    look,
    loss_of,
)

DEPTH, LENGTH, BATCH = 4, 128, 16
BASE = 32  # the width at which every matrix has the rate that is named
ROWS = 512  # held out
LOOKS = 10  # into the heads, after that before the first step
KEPT = [HEAD_NUMBERS.index(name) for name in ("alpha", "entropy", "dead")]


def train(text, width, d, start, steps, ratio, decay, rate, seed):
    """Train one decoder.

    Parameters
    ----------
    text : name of a text of the corpus.
    width, d : of the model and of a head.
    start : standard deviation of the logits before the first step.
    steps : of Adam, each on 16 rows of 128 characters.
    ratio : of the rate of W_q and W_k to that of other matrices.
    decay : decoupled decay of the matrices, times the rate.
    rate : Adam's highest, at width 32. That of a matrix whose inputs are
        the width or a multiple of it falls like 1/width.
    seed : of the weights and of the order of the rows.

    Returns
    -------
    dict
        loss (held out, nats a character), losses (of the batches, means of
        fiftieths of the run), steps (at which heads were looked at), layers
        (step, layer, number): spread, entropy and share of dead rows, means
        over heads; seconds (of CPU).
    """
    began = time.process_time()
    learnt, held_out = map(torch.from_numpy, corpus.tokens(text))
    torch.set_flush_denormal(True)
    torch.manual_seed(seed)
    model = Decoder(
        corpus.SYMBOLS, LENGTH, width, width // d, DEPTH, start, "score"
    )
    adam = torch.optim.AdamW(groups(model, width, ratio, decay), betas=BETAS)
    draws = torch.Generator().manual_seed(seed)
    looks = sorted({round(i * steps / LOOKS) for i in range(LOOKS + 1)})
    layers, losses = [], []
    for step in range(steps + 1):
        if step in looks:
            heads = np.array(look(model, held_out))
            layers.append(heads.mean(1)[:, KEPT].round(4).tolist())
        if step == steps or losses and not math.isfinite(losses[-1]):
            break
        places = torch.randint(len(learnt) - LENGTH, (BATCH,), generator=draws)
        rows = learnt[places[:, None] + torch.arange(LENGTH + 1)]
        loss = loss_of(model, rows)
        adam.zero_grad()
        loss.backward()
        losses.append(loss.item())
        share = min(
            (step + 1) / (WARM_UP * steps),
            (steps - step) / steps / (1 - WARM_UP),
        )
        for group in adam.param_groups:
            group["lr"] = rate * group["share"] * share
        adam.step()
    return {
        "loss": held_out_loss(model, held_out, LENGTH, ROWS),
        "losses": [float(np.mean(p)) for p in np.array_split(losses, 50)],
        "steps": looks[: len(layers)],
        "layers": layers,
        "seconds": time.process_time() - began,
    }


def groups(model, width, ratio, decay):
    """Return Adam's groups: embedding, queries and keys, and the rest.

    The share of the rate of a matrix is that of Yang and others for Adam:
    as 1/width where its inputs are as many as the width, and fixed for the
    embedding.
    """
    sharp = [w for b in model.blocks for w in (b.query, b.key)]
    chosen = {id(w) for w in [*sharp, model.token]}
    rest = [w for w in model.parameters() if id(w) not in chosen]
    share = BASE / width
    return [
        {"params": [model.token], "share": 1.0, "weight_decay": 0.0},
        {"params": sharp, "share": ratio * share, "weight_decay": decay},
        {"params": rest, "share": share, "weight_decay": decay},
    ]
