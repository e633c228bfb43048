"""One run: train a decoder, and look into its heads on the way."""

import math
import time

import numpy as np
import torch
from torch.nn import functional as F

from experiments.training import text
from experiments.training.model import Decoder

# What the sweep is made with, and one more to see what carries over.
SHAPE = {"depth": 4, "length": 128, "batch": 4}
SIZES = {
    "small": SHAPE | {"width": 32, "heads": 1, "steps": 500},
    "large": SHAPE | {"width": 64, "heads": 2, "steps": 1000},
}
WARM_UP = 0.1  # of the steps; from there the rate falls linearly to 0
BETAS = 0.9, 0.99
DEAD = 0.01  # a row is dead where 1 - sum p^2 is less: chapter 3
LOOKED_AT = 64  # positions of a row from here on: with 65 to 128 keys
SYMBOLS = 75
HEAD_NUMBERS = (
    "alpha",  # root mean square over rows of the sd within a row
    "to_freezing",  # mean over rows of that sd over sqrt(2 log n)
    "entropy",  # mean over rows, in nats
    "dead",  # share of rows
    "largest",  # logit, over all rows
    "mean_gradient",  # of sd (1 - sum p^2), over rows
    "median_gradient",
)
LAYER_NUMBERS = (
    "gradient_qk",  # norm of the loss's gradient by W_q and W_k
    "gradient_vo",  # by W_v and W_o
    "gradient_mlp",
    "moved",  # distance of scale W_q W_k^T from its start, over its start
    "moved_query",  # the same of W_q alone
)


def train(
    place, start, rate, seed, size="small", told=None, clip=None, warm=WARM_UP
):
    """Train one decoder.

    Parameters
    ----------
    place : where the starting scale stands, of model.PLACES.
    start : standard deviation of the logits before the first step.
    rate : Adam's learning rate at its highest.
    seed : of the weights and of the order of the texts.
    size : name of SIZES.
    told : function of (step, loss so far, losses to be), called once a
        second.
    clip : norm to which gradients are cut, or None.
    warm : share of the steps in which the rate rises.

    Returns
    -------
    dict
        loss (held out, nats a character), losses (of the batches, means of
        tenths of the run), steps (at which heads were looked at), heads
        (steps, layers, heads, HEAD_NUMBERS), layers (steps, layers,
        LAYER_NUMBERS), seconds (of CPU).
    """
    shape = SIZES[size]
    n, steps = shape["length"], shape["steps"]
    began = time.process_time()
    learnt, held_out = (torch.from_numpy(part) for part in text.tokens())
    torch.set_flush_denormal(True)
    torch.manual_seed(seed)
    model = Decoder(
        SYMBOLS,
        n,
        shape["width"],
        shape["heads"],
        shape["depth"],
        start,
        place,
    )
    adam = torch.optim.Adam(model.parameters(), lr=rate, betas=BETAS)
    draws = torch.Generator().manual_seed(seed)
    first = [products(block) for block in model.blocks]
    looks = sorted({0, 1, 2, 5} | {round(i * steps / 25) for i in range(26)})
    heads, layers, losses = [], [], []
    second = time.monotonic()
    for step in range(steps + 1):
        places = torch.randint(
            len(learnt) - n, (shape["batch"],), generator=draws
        )
        rows = learnt[places[:, None] + torch.arange(n + 1)]
        loss = loss_of(model, rows)
        adam.zero_grad()
        loss.backward()
        if step in looks:
            heads.append(look(model, held_out))
            layers.append(
                [
                    layer_numbers(*pair)
                    for pair in zip(model.blocks, first, strict=True)
                ]
            )
        losses.append(loss.item())
        if not math.isfinite(losses[-1]) or step == steps:
            break
        for group in adam.param_groups:
            group["lr"] = rate * min(
                (step + 1) / (warm * steps),
                (steps - step) / steps / (1 - warm),
            )
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        adam.step()
        if told is not None and time.monotonic() - second > 1:
            second = time.monotonic()
            told(step + 1, losses, heads)
    return {
        "loss": held_out_loss(model, held_out, n),
        "losses": [float(np.mean(p)) for p in np.array_split(losses, 50)],
        "steps": looks[: len(heads)],
        "heads": np.round(heads, 5).tolist(),
        "layers": np.round(layers, 5).tolist(),
        "seconds": time.process_time() - began,
    }


def loss_of(model, rows):
    """Return the mean loss of each next character, in nats."""
    logits = model(rows[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())


@torch.no_grad()
def held_out_loss(model, held_out, n, rows=256):
    """Return the loss on rows that lie evenly in the held-out text."""
    places = torch.linspace(0, len(held_out) - n - 1, rows).long()
    rows = held_out[places[:, None] + torch.arange(n + 1)]
    return float(np.mean([loss_of(model, part) for part in rows.split(16)]))


@torch.no_grad()
def products(block):
    """Return W_q, and scale W_q W_k^T of each head."""
    query, key = (
        w.unflatten(1, (block.heads, block.d)).transpose(0, 1)
        for w in (block.query, block.key)
    )
    return block.query.clone(), block.scale * query @ key.mT


@torch.no_grad()
def layer_numbers(block, first):
    """Return LAYER_NUMBERS of a block."""

    def size(*weights):
        return math.sqrt(sum(float(w.grad.square().sum()) for w in weights))

    query, product = products(block)
    return [
        size(block.query, block.key),
        size(block.value, block.output),
        size(block.inner, block.outer),
        float((product - first[1]).norm() / first[1].norm()),
        float((query - first[0]).norm() / first[0].norm()),
    ]


@torch.no_grad()
def look(model, held_out, texts=8):
    """Return HEAD_NUMBERS of each layer and head on held-out rows."""
    n = len(model.rotation[0])
    places = torch.linspace(0, len(held_out) - n - 1, texts).long()
    seen = []
    model(held_out[places[:, None] + torch.arange(n)], seen)
    # text, layer, head, row, key
    logits = torch.stack(seen, 1)[
        ..., LOOKED_AT:, :
    ]  # text layer head row key
    keys = torch.arange(LOOKED_AT + 1, n + 1)  # that a row has
    hidden = torch.arange(n) >= keys[:, None]
    count = keys.double()
    logits = logits.double()
    mean = logits.masked_fill(hidden, 0).sum(-1) / count
    centred = (logits - mean[..., None]).masked_fill(hidden, 0)
    variance = centred.square().sum(-1) / count
    weights = logits.masked_fill(hidden, -math.inf).softmax(-1)
    alive = 1 - weights.square().sum(-1)
    gradient = variance.sqrt() * alive
    freezing = (2 * count.log()).sqrt()

    def over_rows(x):
        return x.transpose(0, 2).flatten(2)  # head layer rows

    numbers = [
        over_rows(variance).mean(-1).sqrt(),
        over_rows(variance.sqrt() / freezing).mean(-1),
        over_rows(torch.special.entr(weights).sum(-1)).mean(-1),
        over_rows((alive < DEAD).double()).mean(-1),
        over_rows(logits.masked_fill(hidden, -math.inf).amax(-1)).amax(-1),
        over_rows(gradient).mean(-1),
        over_rows(gradient).median(-1).values,
    ]
    return torch.stack(numbers, -1).transpose(0, 1).tolist()
