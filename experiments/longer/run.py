"""One run: train a decoder on a task, and test it on longer ones."""

import numpy as np
import torch
from torch.nn import functional as F

from experiments.longer import tasks
from experiments.longer.fit import fit
from experiments.longer.model import Decoder, rows_factor

WIDTH, HEADS, DEPTH = 48, 1, 1
STEPS, BATCH = 1000, 16
RATE = 2e-3
N_0 = tasks.N_0
LENGTHS = tuple(N_0 * 2**k for k in range(7))  # to 64 N_0
FACTORS = 2.0 ** (np.arange(-4, 17) / 4)  # 1/2 to 16
ROWS = 16  # looked at, at the end of a sequence
TOKENS = 131_072  # a length is tested on: batch times n
FEWEST, MOST = 128, 512  # sequences it is tested on
NUMBERS = (
    "loss",  # mean squared error, over the mean square of the answer
    "weight",  # of all matching tokens together, mean over rows
    "log_odds",  # of that weight, median over rows
    "entropy",  # mean over rows, in nats
    "loss_error",  # standard error of the loss, over sequences
)


def train(setting, seed, told=None, sampled=False, lengths=LENGTHS):
    """Train one decoder and test it.

    Parameters
    ----------
    setting, seed, told : as `learn`.
    sampled : whether to return some queries and keys.
    lengths : that it is tested on, from n_0.

    Returns
    -------
    dict
        losses (of the batches, means of fiftieths of the run), alpha (root
        mean square over rows of n_0 keys of the logits' sd in a row),
        tests ({longer: NUMBERS by length and factor}), interpolated (the
        same at every second length with positions divided by n / n_0, if
        they are rotary), sample (of queries, keys and matches).
    """
    kind, noisy, positions, scale = setting[:4]
    model, losses = learn(setting, seed, told)
    result = {"losses": brief(losses), "tests": {}, "interpolated": {}}
    for longer in tasks.LONGER[kind]:
        found = [test(model, longer, noisy, scale, n) for n in lengths]
        result["alpha"] = found[0][1]
        result["tests"][longer] = [numbers for numbers, _ in found]
        if positions == "rotary":
            result["interpolated"][longer] = [
                test(model, longer, noisy, scale, n, n / N_0)[0]
                for n in lengths[::2]
            ]
    if sampled:
        result["sample"] = {
            longer: sample(model, longer, noisy) for longer in result["tests"]
        }
    return result


def learn(setting, seed, told=None, shape=(WIDTH, HEADS, DEPTH)):
    """Return a decoder that has learned a task, and the losses of its steps.

    Parameters
    ----------
    setting : kind (find or average), noisy (whether keys are scattered),
        positions (none or rotary), scale (constant or log), and the largest
        learning rate where it is another.
    seed : of the weights and the sequences.
    told : function of (step, losses so far), called once a second.
    shape : width, heads and depth.
    """
    kind, noisy, positions, scale, *rate = setting
    torch.manual_seed(seed)
    rng = np.random.default_rng([seed, tasks.KINDS.index(kind), noisy])
    model = Decoder(2 * tasks.M + 1, 1, *shape, positions)
    factor = rows_factor(scale, N_0, N_0)

    def batch_loss():
        tokens, answers, _ = tasks.draw(rng, kind, N_0, BATCH, noisy)
        found = model(torch.from_numpy(tokens) @ model.into, factor)
        return F.mse_loss(found[..., 0], torch.from_numpy(answers))

    losses = fit(model, batch_loss, STEPS, *rate or [RATE], told)
    return model, losses


def brief(losses):
    """Return the means of fiftieths of a run."""
    return [float(np.mean(part)) for part in np.array_split(losses, 50)]


@torch.no_grad()
def test(model, kind, noisy, scale, n, stretch=1):
    """Return NUMBERS at each factor, and alpha, on sequences of n tokens.

    All models of a task are tested on the same sequences.
    """
    rng = np.random.default_rng([n, *kind.encode(), noisy])
    batch = int(np.clip(TOKENS // n, FEWEST, MOST))
    own = rows_factor(scale, n, N_0)[-ROWS:, None]
    block, found, alpha = model.blocks[0], [], []
    own = own / block.d**0.5
    rotation = model.rotation(n, stretch)
    rows = torch.arange(n)[-ROWS:, None]
    seen = torch.arange(n) <= rows
    for part in np.array_split(np.arange(batch), max(1, batch * n // 16_384)):
        tokens, answers, match = tasks.draw(
            rng, kind, n, len(part), noisy, ROWS
        )
        h = torch.from_numpy(tokens) @ model.into
        query, key, value = block.project(h, rotation)
        logits = own * query[:, 0, -ROWS:] @ key[:, 0].mT
        alpha += [
            row[keep].var(correction=0)
            for rows in logits
            for row, keep in zip(rows, seen, strict=True)
        ]
        logits[:, ~seen] = -torch.inf
        match = torch.from_numpy(match)
        square = np.square(answers)
        numbers = []
        for factor in FACTORS:
            p = torch.softmax(float(factor) * logits, -1)
            mixed = (p @ value[:, 0])[:, None]
            out = norm_out(model, block.finish(h[:, -ROWS:], mixed))
            right = (p * match).sum(-1)
            other = (p * ~match).sum(-1)
            odds = torch.log(right.clamp(min=1e-30)) - torch.log(
                other.clamp(min=1e-30)
            )
            entropy = torch.special.entr(p).sum(-1)
            numbers.append(
                [
                    np.square(out.numpy() - answers).mean(1),
                    right.numpy().mean(1),
                    odds.numpy(),
                    entropy.numpy().mean(1),
                ]
            )
        found.append((numbers, square))
    scale_of_loss = np.concatenate([s for _, s in found]).mean()
    lines = []
    for k in range(len(FACTORS)):
        loss, weight, odds, entropy = (
            np.concatenate([numbers[k][i] for numbers, _ in found])
            for i in range(4)
        )
        loss = loss / scale_of_loss
        lines.append(
            [
                loss.mean(),
                weight.mean(),
                np.median(odds),
                entropy.mean(),
                loss.std(ddof=1) / len(loss) ** 0.5,
            ]
        )
    alpha = float(torch.stack(alpha).mean().sqrt())
    return np.round(lines, 6).tolist(), alpha


@torch.no_grad()
def sample(model, kind, noisy, lengths=(64, 1024), rows=8):
    """Return queries, keys and matches of the last rows of one sequence.

    By length; the logits are query . key / sqrt(d).
    """
    found = {}
    for n in lengths:
        rng = np.random.default_rng(n)
        tokens, _, match = tasks.draw(rng, kind, n, 1, noisy, rows)
        h = torch.from_numpy(tokens) @ model.into
        query, key, _ = model.blocks[0].project(h, None)
        found[n] = {
            "query": query[0, 0, -rows:].numpy().round(3).tolist(),
            "key": key[0, 0].numpy().round(3).tolist(),
            "match": match[0].astype(int).tolist(),
        }
    return found


def norm_out(model, h):
    """Return the model's answer from the last layer's vectors."""
    return (F.layer_norm(h, h.shape[-1:]) @ model.out)[..., 0]
