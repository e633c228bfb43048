"""What rows of logits are like: spread, entropy, shape, and normal rows.

Logits come as (head, row, key), with a mask (row, key) of the keys that a
row sees. Every function returns arrays by name, one number a head: the mean
over the rows.
"""

from functools import cache

import numpy as np
import torch

from attention_scale import quenched

LOCAL = 64  # keys right before a query that count as near
DEAD = 0.01  # 1 - Σp² below which a row passes no gradient
SCALES = np.linspace(0, 24, 481)  # of the table of normal rows


@cache
def normal_rows(n):
    """Return mean entropy and mean Σp² of n normal scores at SCALES."""
    exact = quenched.averages(n, SCALES)
    return exact.entropy, exact.collision


def of_normal_rows(n, scale):
    """Return entropy and Σp² that normal rows have at scales."""
    scale = np.minimum(np.asarray(scale, float), SCALES[-1])
    return tuple(np.interp(scale, SCALES, t) for t in normal_rows(n))


def entropy_and_collision(x, seen):
    """Return entropy, Σp² and the largest weight of each row."""
    logp = x.masked_fill(~seen, -torch.inf).log_softmax(-1)
    p = logp.exp()
    entropy = -(p * logp.masked_fill(~seen, 0)).sum(-1)
    return entropy, p.square().sum(-1), p.amax(-1), p


def moments(x, seen):
    """Return mean and standard deviation within each row, and scores."""
    count = seen.sum(-1)
    x = x.masked_fill(~seen, 0)
    mean = x.sum(-1) / count
    centred = (x - mean[..., None]).masked_fill(~seen, 0)
    std = (centred.square().sum(-1) / count).sqrt()
    return mean, std, centred / std[..., None]


def describe(x, seen, seed=0):
    """Return the statistics of rows, with the first key and without it."""
    entropy, collision, _, p = entropy_and_collision(x, seen)
    found = {
        "entropy_all": entropy,
        "collision_all": collision,
        "dead_all": (1 - collision < DEAD).float(),
        "sink": p[..., 0],
    }
    seen = seen.clone()
    seen[:, 0] = False
    count = seen.sum(-1)
    n = int(count.float().mean().round())
    entropy, collision, largest, p = entropy_and_collision(x, seen)
    mean, std, z = moments(x, seen)
    top = z.masked_fill(~seen, -torch.inf).topk(2, -1).values
    own = draw(z, seen, seed)
    own_entropy, own_collision, _, _ = entropy_and_collision(
        own * std[..., None], torch.ones_like(own[0], dtype=torch.bool)
    )
    place = torch.arange(x.shape[-1])
    last = seen.shape[1] - 1 - seen.flip(1).int().argmax(1)
    near = seen & (place > last[:, None] - LOCAL)
    by_row = of_normal_rows(n, std.numpy())
    found |= {
        "mean": mean,
        "std": std,
        "variance": std.square(),
        "log_std_spread": std.log(),
        "entropy": entropy,
        "collision": collision,
        "largest": largest,
        "log_odds": largest.logit(),
        "dead": (1 - collision < DEAD).float(),
        "near": (p * near).sum(-1),
        "skew": z.pow(3).sum(-1) / count,
        "kurtosis": z.pow(4).sum(-1) / count - 3,
        "top": top[..., 0],
        "gap": top[..., 0] - top[..., 1],
        "entropy_by_row": torch.from_numpy(by_row[0]),
        "collision_by_row": torch.from_numpy(by_row[1]),
        "entropy_own": own_entropy,
        "collision_own": own_collision,
    }
    spread = found.pop("log_std_spread").std(-1).numpy()
    result = {name: values.mean(-1).numpy() for name, values in found.items()}
    scale = np.sqrt(result.pop("variance"))
    theory = of_normal_rows(n, scale)
    return result | {
        "scale": scale,
        "between_rows": spread,
        "entropy_theory": theory[0],
        "collision_theory": theory[1],
    }


def draw(z, seen, seed):
    """Draw rows from all the standardised logits of a head at once."""
    pool = z[:, seen]
    rng = torch.Generator().manual_seed(seed)
    keys = int(seen.sum(-1).float().mean().round())
    which = torch.randint(pool.shape[1], (len(seen), keys), generator=rng)
    return pool[:, which]


def suffixes(x, seen, lengths):
    """Return entropy, spread and log-odds over the last keys of each row."""
    found = {"entropy": [], "scale": [], "log_odds": []}
    last = seen.shape[1] - 1 - seen.flip(1).int().argmax(1)
    place = torch.arange(x.shape[-1])
    for length in lengths:
        part = seen & (place > last[:, None] - length) & (place > 0)
        entropy, _, largest, _ = entropy_and_collision(x, part)
        _, std, _ = moments(x, part)
        found["entropy"].append(entropy.mean(-1))
        found["scale"].append(std.square().mean(-1).sqrt())
        found["log_odds"].append(largest.logit(eps=1e-7).mean(-1))
    return {name: torch.stack(f, -1).numpy() for name, f in found.items()}


def split_variance(x, positions):
    """Split the variance within rows: by distance, by key, and the rest.

    The part of distance is a mean over all pairs whose distance is about the
    same, on a logarithmic scale. Of what is left, the part of a key is what
    its logits from the odd queries share with those from the even ones.

    Parameters
    ----------
    x : (head, query, key) logits; positions : of the queries, increasing.

    Returns
    -------
    dict
        Parts of the variance, and the slope of the mean logit over the log of
        the distance.
    """
    keys = torch.arange(x.shape[-1])
    distance = positions[:, None] - keys
    seen = (distance >= 0) & (keys > 0)
    count = seen.sum(-1, keepdim=True)
    x = x.masked_fill(~seen, 0)
    x = (x - x.sum(-1, keepdim=True) / count).masked_fill(~seen, 0)
    total = x.square().sum((-1, -2))

    bin_of = (4 * distance.clamp(min=1).double().log2()).long()
    flat, bins = bin_of[seen], int(bin_of.max()) + 1
    values = x[:, seen]
    sums = torch.zeros(len(x), bins).index_add(1, flat, values)
    sizes = torch.bincount(flat, minlength=bins)
    means = sums / sizes.clamp(min=1)
    rest = values - means[:, flat]

    key_of = keys.expand_as(distance)[seen]
    half = (torch.arange(len(positions)) % 2)[:, None].expand_as(distance)
    half = half[seen]
    by_key, number = [], []
    for h in (0, 1):
        chosen = half == h
        size = torch.bincount(key_of[chosen], minlength=x.shape[-1])
        total_of = torch.zeros(len(x), x.shape[-1])
        total_of = total_of.index_add(1, key_of[chosen], rest[:, chosen])
        by_key.append(total_of / size.clamp(min=1))
        number.append(size)
    enough = (number[0] >= 4) & (number[1] >= 4)
    weight = (number[0] + number[1]) * enough
    shared = (by_key[0] * by_key[1] * weight).sum(-1)

    far = (sizes > 0) & (torch.arange(bins) >= 8)
    log_distance = (torch.arange(bins)[far] + 0.5) / 4 * np.log(2)
    t = log_distance - log_distance.mean()
    slope = (means[:, far] * t).sum(-1) / t.square().sum()
    return {
        "by_distance": ((means.square() * sizes).sum(-1) / total).numpy(),
        "by_key": (shared / total).numpy(),
        "slope": slope.numpy(),
    }


def products(query, key):
    """Return moments of q·k over pairs, and what formulas make of them.

    Parameters
    ----------
    query, key : (head, position, component) of the same positions.

    Returns
    -------
    dict
        Mean and variance over the pairs whose key comes first; the variance
        for independent components of mean 0 and for independent components,
        and for vectors q and k that are independent; the effective dimension
        of Σ_q Σ_k.
    """
    query, key = query.double(), key.double()
    dots = query @ key.mT
    before = torch.ones(dots.shape[-2:], dtype=torch.bool).tril(-1)
    dots = dots[:, before]
    (mean_q, cov_q), (mean_k, cov_k) = map(_mean_and_cov, (query, key))
    var_q, var_k = cov_q.diagonal(0, 1, 2), cov_k.diagonal(0, 1, 2)
    both = cov_q @ cov_k
    trace = both.diagonal(0, 1, 2).sum(-1)
    shift = _form(mean_q, cov_k) + _form(mean_k, cov_q)
    by_component = (var_q * var_k + mean_q**2 * var_k + mean_k**2 * var_q).sum(
        -1
    )
    return {
        "dot_mean": dots.mean(-1).numpy(),
        "dot_variance": dots.var(-1).numpy(),
        "zero_means": (
            query.shape[-1]
            * query.square().mean((-1, -2))
            * key.square().mean((-1, -2))
        ).numpy(),
        "components": by_component.numpy(),
        "vectors": (trace + shift).numpy(),
        "effective_dimension": (
            trace**2 / (both @ both).diagonal(0, 1, 2).sum(-1)
        ).numpy(),
        "mean_over_spread_q": _ratio(mean_q, var_q),
        "mean_over_spread_k": _ratio(mean_k, var_k),
    }


def _mean_and_cov(x):
    mean = x.mean(1)
    centred = x - mean[:, None]
    return mean, centred.mT @ centred / x.shape[1]


def _form(mean, cov):
    return (mean[:, None] @ cov @ mean[..., None]).squeeze((-1, -2))


def _ratio(mean, var):
    return (mean.square().sum(-1) / var.sum(-1)).numpy()


def entropy_keeping(x, seen, kept, steps=12):
    """Return the factor that keeps each head's mean entropy as keys come.

    Parameters
    ----------
    x, seen : logits and the keys that each row sees.
    kept : the keys before the others came; their entropy, with the factor
        1, is the goal.
    steps : of Newton's method for the log of the factor.

    Returns
    -------
    array
        One factor a head.
    """
    goal = entropy_and_collision(x, kept)[0].mean(-1)
    log_factor = torch.zeros(len(x))
    for _ in range(steps):
        scaled = x * log_factor.exp()[:, None, None]
        entropy, _, _, p = entropy_and_collision(scaled, seen)
        mean = (p * scaled.masked_fill(~seen, 0)).sum(-1, keepdim=True)
        off = (scaled - mean).masked_fill(~seen, 0)
        slope = -(p * off.square()).sum(-1).mean(-1)
        step = (goal - entropy.mean(-1)) / slope
        log_factor = (log_factor + step.clamp(-0.2, 0.2)).clamp(-1, 1.5)
    return log_factor.exp().numpy()
