"""Exact averages over rows of n independent scores, for any n.

The mean of a function of the weights over all rows, each row with its own
partition function Z ("quenched"), where `annealed` replaces Z by its mean.
Nothing here is drawn at random, and no array grows with n.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_scale.arguments import (
    MOST_KEYS,
    finite,
    key_counts,
    refuse,
    together,
    tolerances,
)
from attention_scale.distributions import (
    STANDARD_NORMAL,
    Distribution,
    spread,
)
from attention_scale.quadrature import (
    row_integrals,
    row_nodes,
    to_tolerance,
)

__all__ = ["Averages", "averages", "averages_at_real_n"]

LARGEST_SPREAD = 1e3  # scale × standard deviation: beyond, minutes go by


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
    if std and (scale > LARGEST_SPREAD / std).any():
        raise ValueError(
            f"scale: {scale.max():.4g}, for scores of standard deviation "
            f"{std:.4g}; the product should be at most {LARGEST_SPREAD:g}"
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
    fine = to_tolerance(
        partial(_sums, n, scale, distribution, mean),
        np.maximum([0.01 * std, 0, 0], 1e-300),
        n,
        scale,
        tolerance,
    )
    # rounding can carry these over their ends
    fine[1:] = np.clip(fine[1:], [1 / n, 0], [1, np.log(n)])
    return fine


def _sums(n, scale, distribution, mean, step, wide):
    """Return what is missed, and three averages, all for LEVELS steps."""
    s, weights, widest = row_nodes(n, scale, distribution, step)
    s = s - mean
    found = row_integrals(
        n,
        scale * s,
        weights,
        once=[s],
        twice=[np.ones_like(s)],
        step=widest if wide else step,
    )
    return found[:4]
