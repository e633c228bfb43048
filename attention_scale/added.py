"""Exact averages over rows of which softmax sees more than scaled scores.

A cap bends each logit, a sink is one more key of a fixed logit. As in
`quenched`, every row keeps its own partition function Z, nothing is drawn at
random, and no array grows with n.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_scale.arguments import (
    array,
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

__all__ = ["AddedAverages", "averages_with"]

# Of u = log t: y exp(-y) is analytic for |Im u| < π/2, so a trapezoid sum of
# step h misses its integral by about exp(-π² / h), 3e-20 here. Smaller steps
# serve scores whose quantiles are less smooth.
STEPS = (0.22, 0.154, 0.11, 0.055, 0.0275)
STEP_OF_Z = 1.4  # at most, in steps of u: the normal density needs no less
BEYOND = 9  # standard deviations: 1e-19 rows have a score so far above alpha_c
SMALL = 45  # -log of what is nothing beside 1: 3e-20
UNDERFLOW = 700  # -log of what is almost the smallest float
GONE = 7  # exp(-exp(7)) is 0
WIDEST = 100  # scale, in standard deviations: beyond, seconds go by
LEAST = 1e-3  # of an average: below, its error is compared with this
MOST_ENTRIES = 2**17  # of a matrix: 1 MiB, which stays in a cache


class AddedAverages(NamedTuple):
    """Averages over the rows, each an array. A sink has the score 0.

    log_partition : E[log Z], with the sink in Z, nats.
    mean_score : E[Σ p s], in units of the scores.
    collision : E[Σ p²], with the sink.
    entropy : E[-Σ p log p], with the sink, nats.
    gradient_norm : E[½‖J‖₁] for the derivatives with respect to the scores,
        through the cap: E[Σ α f'(αs) p (1 - p)] over the keys but the sink.
    sink : E[p] of the sink.
    """

    log_partition: np.ndarray
    mean_score: np.ndarray
    collision: np.ndarray
    entropy: np.ndarray
    gradient_norm: np.ndarray
    sink: np.ndarray


def averages_with(
    n: ArrayLike,
    scale: ArrayLike,
    *,
    cap: ArrayLike = np.inf,
    sink: ArrayLike = -np.inf,
    distribution: Distribution = STANDARD_NORMAL,
    tolerance: float = 1e-10,
) -> AddedAverages:
    """Averages over rows of n independent scores, capped or with a sink.

    The logits are f(αs) with f(x) = cap tanh(x / cap), and that of the sink.

    Parameters
    ----------
    n : whole number from 1 to 1e150, or an array of them; without the sink.
    scale : the scale α, a number from 0 to 100 / (standard deviation of a
        score), or an array.
    cap : bound of the logits, positive, or an array; infinity for none.
    sink : logit of the sink, behind the cap, or an array; -infinity for none.
    distribution : frozen SciPy distribution of one score, without heavy tails.
    tolerance : largest estimated error to let through, relative to each
        average, or to 0.001 where that is more.

    Returns
    -------
    AddedAverages
        Of the common shape of n, scale, cap and sink.

    Raises
    ------
    TypeError : an argument is not of the kind above.
    ValueError : an argument is outside its range; a tail of the scores is
        heavier than exponential; or their distribution is not smooth enough
        for the tolerance.

    Source: chapter 10, theorem on exact averages with a sink.

    >>> print(averages_with(4096, 1.0, sink=8.8).sink.round(3))
    0.496
    """
    n, scale, cap, sink = together(
        n=key_counts("n", n),
        scale=finite("scale", scale, least=0),
        cap=array("cap", cap),
        sink=array("sink", sink),
    )
    refuse("cap", cap, ~(cap > 0), "positive")
    refuse("sink", sink, sink == np.inf, "finite, or -inf for none")
    tolerance = tolerances(tolerance)
    _, std = spread(distribution)
    if (scale * std > WIDEST).any():
        raise ValueError(
            f"scale: {scale.max():.4g}, times the standard deviation of a "
            f"score {scale.max() * std:.4g}; that should be at most "
            f"{WIDEST:g}"
        )
    found = np.empty((len(AddedAverages._fields), *n.shape))
    for index in np.ndindex(n.shape):
        found[(slice(None), *index)] = _to_tolerance(
            float(n[index]),
            float(scale[index]),
            float(cap[index]),
            float(sink[index]),
            distribution,
            tolerance,
        )
    return AddedAverages(*found)


def _to_tolerance(n, scale, cap, sink, distribution, tolerance):
    """Return the averages at one point, of small estimated error."""
    for step in STEPS:
        fine, *coarser = _sums(n, scale, cap, sink, distribution, step)
        error = remainder(fine, *coarser) / np.maximum(np.abs(fine), LEAST)
        if error.max() <= tolerance:
            return fine
    raise ValueError(
        f"distribution: at n = {n:g} and the scale {scale:g} the averages are "
        f"known to {error.max():.0e} only, which should be at most "
        f"{tolerance:g}; their distribution is not smooth: allow a larger "
        "tolerance"
    )


def _sums(n, scale, cap, sink, distribution, step):
    """Return the averages for LEVELS steps, the finest first."""
    alpha_c = np.sqrt(2 * np.log(max(n, 2)))
    steepest = scale * max(1, 1 / cap)
    steepest *= max(distribution.std(), steepness(distribution, alpha_c))
    step_z = step * min(STEP_OF_Z, 1 / max(steepest, 1e-300))
    s, weights = nodes(distribution, step_z, min(alpha_c + BEYOND, FURTHEST))
    logits, slopes = _capped(scale * s, cap)
    # What is averaged under the weights, and under their squares.
    once = np.stack([np.ones_like(s), s, logits, scale * slopes])
    twice = np.stack([np.ones_like(s), scale * slopes])
    u = _grid(n, sink, logits, weights[:, 0], step)
    parts = np.array_split(u, -(-u.size * s.size // MOST_ENTRIES))
    log_f, *means = np.concatenate(
        [_means(part, logits, weights, once, twice) for part in parts], axis=1
    )
    of_sink = np.exp(np.minimum(u + sink, GONE))[:, np.newaxis]
    others = np.exp(np.log(n) + (n - 1) * log_f - of_sink)
    share, score, logit, slope, squares, slope_squares, log_y = (
        _integral(step, others * mean) for mean in means
    )
    # The sink: y exp(-y) F^n, and y times that, and -log y - γ.
    alone = of_sink * np.exp(n * log_f - of_sink)
    p_sink = _integral(step, alone)
    log_y += _integral(step, alone * np.log(np.maximum(of_sink, 1e-300)))
    entropy = -log_y - np.euler_gamma * (share + p_sink)
    return np.transpose(
        [
            entropy + logit + (p_sink * sink if np.isfinite(sink) else 0),
            score,
            squares + _integral(step, alone * of_sink),
            entropy,
            slope - slope_squares,
            p_sink,
        ]
    )


def _capped(x, cap):
    """Return capped logits, and the derivative of the cap."""
    if cap == np.inf:
        return x, np.ones_like(x)
    bent = np.tanh(x / cap)
    return cap * bent, 1 - bent**2


def _means(u, logits, weights, once, twice):
    """Return log F, then means of y exp(-y) and of y² exp(-y), and of log y.

    Here u = log t, y = t exp(logit) and F = E[exp(-y)].
    """
    log_y = np.minimum(u[:, np.newaxis] + logits, GONE)
    y = np.exp(log_y)
    power = np.exp(-y)
    missing = -np.expm1(-y) @ weights
    log_f = np.where(
        missing < 0.5,
        np.log1p(-np.minimum(missing, 0.5)),
        np.log(np.maximum(power @ weights, 1e-300)),
    )
    y_power = y * power
    return np.concatenate(
        [
            log_f[np.newaxis],
            _mean_of_each(y_power, weights, once),
            _mean_of_each(y * y_power, weights, twice),
            ((log_y * y_power) @ weights)[np.newaxis],
        ]
    )


def _mean_of_each(factor, weights, functions):
    """Return the means of a factor times each function, for each u."""
    columns = weights[:, np.newaxis] * functions.T[..., np.newaxis]
    means = factor @ columns.reshape(len(weights), -1)
    return means.reshape(len(factor), -1, LEVELS).swapaxes(0, 1)


def _integral(step, integrand):
    """Return the trapezoid sums over u, for LEVELS steps."""
    return np.array(
        [
            2**level * step * integrand[:: 2**level, level].sum()
            for level in range(LEVELS)
        ]
    )


def _grid(n, sink, logits, weights, step):
    """Return the u at which F^n exp(-t exp(sink)) is neither 0 nor 1.

    Where it is 1, it is that to 3e-20 / n: an average can be as small as 1/n.
    """
    highest = max(logits.max(), sink)
    lowest = max(logits.min(), sink)
    rough = np.linspace(-highest - 2 * np.log(n) - SMALL, -lowest + GONE, 129)
    y = np.exp(np.minimum(rough[:, np.newaxis] + logits, GONE))
    missing = -np.expm1(-y) @ weights
    exponent = -n * np.log1p(-np.minimum(missing, 1 - 1e-16))
    exponent += np.exp(np.minimum(rough + sink, GONE))
    last_one = max((exponent < np.exp(-SMALL) / n).sum() - 1, 0)
    first_zero = min((exponent < UNDERFLOW).sum(), rough.size - 1)
    return np.arange(rough[last_one], rough[first_zero] + step, step)
