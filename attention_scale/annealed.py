"""The published approximation: sums over the keys replaced by their means.

E[Σ p²] ≈ R(α) / n with R(α) = E[exp(2 α s)] / E[exp(α s)]²
("annealed"), where `quenched` averages the weights themselves.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from attention_scale.arguments import (
    Array,
    above,
    finite,
    key_counts,
    refuse,
    together,
)
from attention_scale.distributions import (
    FURTHEST,
    STANDARD_NORMAL,
    Distribution,
    StandardNormal,
    name_of,
    nodes,
    remainder,
    spread,
)

__all__ = ["gradient_norm", "optimal_scale"]

STEP = 0.02  # of the nodes, in standard deviations of the normal
TOLERANCE = 1e-10  # of log R
# Largest share of a mean that its last node may have: more lies beyond.
MOST_AT_THE_END = 1e-13
# Where the search starts and ends, in standard deviations, and its factor.
START, END, FACTOR = 1e-6, 1e8, 1.05
FINEST = 1.0001  # how close to where a mean becomes infinite
LARGEST = 1e300  # logits whose differences are still floats


class InfiniteMeanError(ValueError):
    """A mean of exponentials that is infinite or cannot be computed."""


def gradient_norm(
    n: ArrayLike,
    scale: ArrayLike,
    distribution: Distribution = STANDARD_NORMAL,
) -> Array:
    """Approximation of E[½‖J‖₁] that source 000 maximises.

    Parameters
    ----------
    n : whole number from 1 to 1e150, or an array of them.
    scale : the scale α, a number of at least 0, or an array that broadcasts
        with n.
    distribution : frozen SciPy distribution of one score.

    Returns
    -------
    array
        α (1 - E[exp(2 α s)] / (n E[exp(α s)]²)): negative where
        the approximation of Σ p² exceeds 1, and -inf where that is beyond
        float64.

    Raises
    ------
    TypeError : an argument is not of the kind above.
    ValueError : an argument is outside its range, or the means of exp are
        infinite, or cannot be computed to 1e-10.

    Source: chapter 5; source 000.

    >>> gradient_norm(512, [1.0, 2.0, 3.0]).round(3)
    array([  0.995,   1.787, -44.479])
    """
    n, scale = together(
        n=key_counts("n", n), scale=finite("scale", scale, least=0)
    )
    _, std = spread(distribution)
    with np.errstate(over="ignore"):
        if _is_normal(distribution):
            log_r = (scale * std) ** 2
        else:
            log_r, _ = _log_r(
                scale.ravel(), distribution, _nodes(distribution)
            )
        return scale * (1 - np.exp(log_r.reshape(n.shape) - np.log(n)))


def optimal_scale(
    n: ArrayLike, distribution: Distribution = STANDARD_NORMAL
) -> Array:
    """Scale at which `gradient_norm` is largest.

    Parameters, errors : as `gradient_norm`, without the scale; there may be
    no largest value.

    Returns
    -------
    array
        For normal scores of standard deviation σ, √(W(n √e / 2) - ½) / σ
        with Lambert's W; otherwise where the derivative is 0. For n = 1, 0.

    Source: chapter 5; for cosine scores chapter 7.

    >>> float(optimal_scale(512).round(4))
    2.0084
    """
    n = key_counts("n", n)
    _, std = spread(distribution)
    if _is_normal(distribution):
        w = special.lambertw(n * np.sqrt(np.e) / 2).real
        return np.sqrt(np.maximum(w - 0.5, 0)) / std
    known = _nodes(distribution)
    found = [_search(count, distribution, std, known) for count in n.ravel()]
    return np.reshape(found, n.shape)[()]


def _search(n, distribution, std, known):
    """Find where gradient_norm is largest: below the scale where R = n.

    There can be several maxima, and scales at which R is infinite: only a
    walk over all scales up to there is sure to meet the highest.
    """
    if n == 1:
        return 0.0
    if std == 0:
        raise ValueError(
            f"distribution: {name_of(distribution)} is one value: "
            "gradient_norm has no largest value"
        )

    def rise(scale):
        """Return log R, and a number that has the sign of the derivative."""
        log_r, slope = _log_r(np.array([scale]), distribution, known)
        return log_r[0], (np.log(n) - log_r - np.log1p(scale * slope))[0]

    from scipy import optimize

    tried, values = [], []
    scale, factor, log_r = START / std, FACTOR, 0.0
    while log_r < np.log(n) and factor > FINEST:
        try:
            log_r, slope = rise(scale)
            tried.append(scale)
            values.append(-scale * np.expm1(log_r - np.log(n)))
        except InfiniteMeanError:
            # close in: from here on R only grows
            factor **= 0.5
        if not tried or scale * std > END:
            raise ValueError(
                f"distribution: with n = {n:g} and {name_of(distribution)} "
                "gradient_norm has no largest value: it grows without end"
            )
        scale = tried[-1] * factor
    if slope > 0:
        raise ValueError(
            f"distribution: with n = {n:g} and {name_of(distribution)} the "
            f"largest value is beyond the scale {tried[-1]:.4g}, where the "
            "mean of exp(2 scale s) is infinite or cannot be computed"
        )
    top = int(np.argmax(values))
    low = tried[top - 1] if top else tried[0] / FACTOR
    high = tried[min(top + 1, len(tried) - 1)]
    return optimize.brentq(lambda a: rise(a)[1], low, high, xtol=1e-14 * high)


def _nodes(distribution):
    """Return nodes and weights, shifted so that large numbers don't cancel."""
    s, weights = nodes(distribution, STEP, FURTHEST)
    highest = distribution.support()[1]
    return s - (
        highest if np.isfinite(highest) else distribution.mean()
    ), weights


def _log_r(scale, distribution, known):
    """Return log R and its derivative, at a vector of scales."""
    beyond = scale > LARGEST / max(np.abs(known[0]).max(), 1)
    refuse("scale", scale, beyond, "smaller: its logits are beyond float64")
    once, slope_once = _log_means(1, scale, distribution, *known)
    twice, slope_twice = _log_means(2, scale, distribution, *known)
    levels = twice - 2 * once
    if not (error := remainder(*levels).max(initial=0)) <= TOLERANCE:
        raise ValueError(
            f"distribution: for {name_of(distribution)} means of exp(scale s) "
            f"are known to {above(error)} only, at scales up to "
            f"{scale.max():.4g}: the distribution is not smooth, or the "
            "scale too large"
        )
    return levels[0], 2 * (slope_twice - slope_once)


def _log_means(times, scale, distribution, s, weights):
    """Return log E[exp(times scale s)] for LEVELS steps, and its slope."""
    exponents = times * scale[:, np.newaxis] * s + np.log(weights[:, 0])
    top = exponents.max(axis=1, keepdims=True)
    powers = np.exp(exponents - top)
    total = powers.sum(axis=1)
    endless = np.isinf(distribution.support()[1])
    if endless and (powers[:, -1] > MOST_AT_THE_END * total).any():
        raise InfiniteMeanError(
            f"scale: {scale.max():.4g}: the mean of exp({times} scale s) over "
            f"{name_of(distribution)} is infinite there, or cannot be computed"
        )
    levels = np.log(powers @ (weights / weights[:, :1]))
    return (top + levels).T, powers @ s / total


def _is_normal(distribution):
    """Tell whether a distribution is normal: its means have a closed form."""
    if isinstance(distribution, StandardNormal):
        return True
    from scipy import stats

    return isinstance(distribution.dist, type(stats.norm))
