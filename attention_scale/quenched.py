"""Exact averages over rows of n independent scores, for any n.

The mean of a function of the weights over all rows, each row with its own
partition function Z ("quenched"), where `annealed` replaces Z by its mean.
Nothing here is drawn at random, and no array grows with n.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_scale.arguments import (
    MOST_KEYS,
    above,
    finite,
    key_counts,
    refuse,
    together,
    tolerances,
)
from attention_scale.distributions import (
    FURTHEST,
    LEVELS,
    STANDARD_NORMAL,
    Distribution,
    nodes,
    remainder,
    spread,
    steepness,
)

__all__ = ["Averages", "averages", "averages_at_real_n"]

# Of u = log t. y exp(-y) is analytic for |Im u| < π/2, so a trapezoid sum of
# step h misses its integral by about exp(-π² / h): 3e-20 at this step, 2e-10
# and 1e-5 at twice and four times the step, from which `remainder` judges it.
STEP = 0.22
# Of z, at most, in STEP: for the normal density alone exp(-2π² / h²) remains,
# 2e-6 at four times this step.
STEP_OF_Z = 1.4
# Steps to try, and whether u may take wider ones where log Z spreads over
# many: that saves most of the time, but scores with a hard end need all.
ATTEMPTS = [
    (STEP, True),
    (0.7 * STEP, True),
    *((STEP / 2**k, False) for k in range(5)),
]
BEYOND = 9  # standard deviations: 1e-19 rows have a score so far above alpha_c
SMALL = 45  # -log of what is nothing beside 1: 3e-20
SHARE = 50  # the same, for any of the many terms of a sum: 2e-22
GONE = 4  # exp(-exp(4)) is nothing, too
LARGEST = 700  # log of what is almost the largest float
WIDEST = 1e3  # logits, in standard deviations: beyond, minutes go by
MOST_ENTRIES = 2**14  # of a matrix: 128 KiB, and some of them in a cache


class Averages(NamedTuple):
    """Averages over the rows, each an array.

    log_partition : E[log Z], nats.
    mean_score : E[Σ p s], in units of the scores.
    collision : E[Σ p²].
    entropy : E[-Σ p log p], nats.
    gradient_norm : E[½‖J‖₁] = α (1 - E[Σ p²]).
    """

    log_partition: np.ndarray
    mean_score: np.ndarray
    collision: np.ndarray
    entropy: np.ndarray
    gradient_norm: np.ndarray


def averages(
    n: ArrayLike,
    scale: ArrayLike,
    distribution: Distribution = STANDARD_NORMAL,
    tolerance: float = 1e-10,
) -> Averages:
    """Averages over rows of n independent scores at a scale.

    Parameters
    ----------
    n : whole number from 1 to 1e150, or an array of them.
    scale : the scale α, a number from 0 to 1000 / (standard deviation of a
        score), or an array that broadcasts with n. An average takes
        milliseconds up to 10 standard deviations, and at 1000 seconds, or
        minutes if the scores have a hard end.
    distribution : frozen SciPy distribution of one score, without heavy tails.
    tolerance : largest estimated error to let through, relative to each
        average; for the mean score less E[s], to 0.01 standard deviations
        where that is more.

    Returns
    -------
    Averages
        Of the common shape of n and scale.

    Raises
    ------
    TypeError : an argument is not of the kind above.
    ValueError : an argument is outside its range; a tail of the scores is
        heavier than exponential; or their distribution is not smooth enough
        for the tolerance.

    Source: chapter 6, theorem on the exact averages.

    >>> found = averages(8192, [1.0, 3.0])
    >>> found.entropy.round(4)
    array([8.5111, 4.9639])
    >>> (1 / found.collision).round(1)  # effective keys
    array([3016.5,   17.2])
    """
    n = key_counts("n", n)
    return averages_at_real_n(n, scale, distribution, tolerance)


def averages_at_real_n(
    n: ArrayLike,
    scale: ArrayLike,
    distribution: Distribution = STANDARD_NORMAL,
    tolerance: float = 1e-10,
) -> Averages:
    """The integrals of `averages` where n is no whole number of keys.

    They are smooth in n, so that a table of them can be interpolated.

    Parameters, errors : as `averages`; n : number from 1 to 1e150, or an
    array of them.

    Source: chapter 6, theorem on the exact averages.

    >>> averages_at_real_n([4.0, 4.5, 5.0], 1.0).entropy.round(4)
    array([1.1143, 1.2154, 1.3065])
    """
    n, scale = together(
        n=finite("n", n, least=1), scale=finite("scale", scale, least=0)
    )
    refuse("n", n, n > MOST_KEYS, "at most 1e150")
    tolerance = tolerances(tolerance)
    mean, std = spread(distribution)
    if std and (scale > WIDEST / std).any():
        raise ValueError(
            f"scale: {scale.max():.4g}, for scores of standard deviation "
            f"{std:.4g}; the product should be at most {WIDEST:g}"
        )
    found = np.empty((3, *n.shape))
    for index in np.ndindex(n.shape):
        found[(slice(None), *index)] = _to_tolerance(
            n[index], scale[index], distribution, mean, std, tolerance
        )
    lead, collision, entropy = found
    return Averages(
        log_partition=entropy + scale * (mean + lead),
        mean_score=mean + lead,
        collision=collision,
        entropy=entropy,
        gradient_norm=scale * (1 - collision),
    )


def _to_tolerance(n, scale, distribution, mean, std, tolerance):
    """Return mean score less E[s], collision and entropy, of small error."""
    if n == 1:
        return np.array([0.0, 1.0, 0.0])
    for step, wide in ATTEMPTS:
        fine, coarse, coarsest = _sums(
            n, scale, distribution, mean, std, step, wide
        )
        error = remainder(fine, coarse, coarsest)
        size = np.maximum(np.abs(fine), [0.01 * std, 0, 0])
        worst = (error / np.maximum(size, 1e-300)).max()
        if worst <= tolerance:
            # rounding can carry these over their ends
            fine[1:] = np.clip(fine[1:], [1 / n, 0], [1, np.log(n)])
            return fine
    raise ValueError(
        f"distribution: at n = {n:g} and the scale {scale:g} the averages are "
        f"known to {above(worst)} only, which should be at most "
        f"{tolerance:g}; their distribution is not smooth: allow a larger "
        "tolerance"
    )


def _sums(n, scale, distribution, mean, std, step, wide):
    """Return the three averages for LEVELS steps, the finest first."""
    alpha_c = np.sqrt(2 * np.log(max(n, 2)))
    # Neighbouring nodes z differ in u by no more than a step, also at the
    # largest scores of a row, which are around alpha_c.
    steepest = scale * max(std, steepness(distribution, alpha_c))
    step_z = step * min(STEP_OF_Z, 1 / max(steepest, 1e-300))
    s, weights = nodes(distribution, step_z, min(alpha_c + BEYOND, FURTHEST))
    logits, s = scale * (s - mean), s - mean
    # beyond alpha_c, log Z spreads over scale / alpha_c
    step_u = step * max(1, scale * std / alpha_c) if wide else step
    u = _grid(n, logits, weights, step_u)
    return _integrals(n, u, logits, s, weights)


def _integrals(n, u, logits, s, weights):
    """Return n ∫ E[c y exp(-y)] F^(n-1) du for c = s, y and -log y - γ.

    Here u = log t, y = t exp(α s) and F = E[exp(-y)].
    """
    parts = np.array_split(u, min(-(-u.size * s.size // MOST_ENTRIES), u.size))
    log_f, *means = np.concatenate(
        [_means(part, logits, s, weights) for part in parts], axis=1
    )
    density = (u[1] - u[0]) * np.exp(np.log(n) + (n - 1) * log_f)
    score, y, log_y = (
        [
            2**level * (density * mean)[:: 2**level, level].sum()
            for level in range(LEVELS)
        ]
        for mean in means
    )
    return np.transpose([score, y, -np.array(log_y) - np.euler_gamma])


def _means(u, logits, s, weights):
    """Return log F, then the means of y exp(-y) times s, y and log y."""
    kept = _that_matter(u, logits, weights[:, 0])
    above = slice(kept.stop, None)  # where exp(-y) is nothing, or the weight
    beyond = (u[0] + logits[above] > 0) @ weights[above]
    log_y = np.minimum(u[:, np.newaxis] + logits[kept], GONE)
    s, weights = s[kept, np.newaxis], weights[kept]
    y = np.exp(log_y)
    missing = -np.expm1(-y)
    with np.errstate(divide="ignore"):
        log_f = np.log1p(-np.minimum(missing @ weights + beyond, 1))
    y_power = y * (1 - missing)
    return np.array(
        [
            log_f,
            y_power @ (weights * s),
            (y * y_power) @ weights,
            (log_y * y_power) @ weights,
        ]
    )


def _grid(n, logits, weights, step):
    """Return the u between which F^n falls from 1 to 0, to many digits."""
    low = -logits.max() - 2 * np.log(n) - SMALL
    high = -logits.min() + GONE
    rough = np.linspace(low, high, 65)
    few = weights[:, -1] > 0
    y = np.exp(np.minimum(rough[:, np.newaxis] + logits[few], GONE))
    missing = -np.expm1(-y) @ weights[few, -1]
    exponent = -n * np.log1p(-np.minimum(missing, 1 - 1e-16))
    last_one = max((exponent < np.exp(-SMALL)).sum() - 1, 0)
    first_zero = min((exponent < SMALL).sum(), rough.size - 1)
    return np.arange(rough[last_one], rough[first_zero] + step, step)


def _that_matter(u, logits, weights):
    """Return the slice of scores without which no mean misses a digit."""
    ends = u[[0, -1], np.newaxis] + logits
    y = np.exp(np.minimum(ends, LARGEST))
    with np.errstate(divide="ignore"):
        # in the means of y exp(-y) and of y² exp(-y), at both ends
        shares = np.concatenate([ends - y, 2 * ends - y])
        shares += np.log(weights)
    matter = shares > shares.max(axis=1, keepdims=True) - SHARE
    indices = np.flatnonzero(matter.any(axis=0))
    return slice(indices[0], indices[-1] + 1)
