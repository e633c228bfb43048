"""Score distributions as nodes and weights, for means over them.

A distribution is one of SciPy's, frozen: `norm()`, or that of the cosine of
two random directions in d dimensions, `cosine(d)`.
"""

import warnings
from typing import Any, Protocol

import numpy as np
from scipy import special

from attention_scale.arguments import number, refuse

__all__ = [
    "STANDARD_NORMAL",
    "Distribution",
    "StandardNormal",
    "cosine",
    "name_of",
    "nodes",
    "remainder",
    "spread",
    "steepness",
]

# SciPy has cosines, of size 1/√d, as differences from -1: beyond, they have
# too few digits for averages to 1e-10.
MOST_DIMENSIONS = 1e9
LEVELS = 3  # weights for a step, for twice and for four times that step
FURTHEST = 37.5  # standard deviations; beyond, the normal tail underflows
ATOMS = 50_000  # of a discrete distribution, on each side of its mean
LEFT = 9.0  # standard deviations: 1e-19 of the mass lies further left
# Where tails are compared: the slope of log sf between each two of these.
TAILS = np.array([1e-20, 1e-40, 1e-80])
# How much the slope may fall. Exponential tails with a logarithmic
# correction keep 0.98 of it or more, stretched ones of power 0.95 only 0.966.
SLOPE_KEPT = 0.97
SMOOTH = 0.02  # ratio of changes; with a kink it is 1/16 or more
# Of the standard deviation: their squares and quotients are still floats.
LEAST_STD, MOST_STD = 1e-150, 1e150


class Distribution(Protocol):
    """What the library asks of a frozen SciPy distribution."""

    def mean(self) -> Any: ...

    def std(self) -> Any: ...

    def support(self) -> Any: ...

    def ppf(self, levels: Any, /) -> Any: ...

    def isf(self, levels: Any, /) -> Any: ...


class StandardNormal:
    """The standard normal, as `scipy.stats.norm()` has it.

    Without loading scipy.stats, which takes longer than all the rest.
    """

    def mean(self) -> float:
        """Return 0."""
        return 0.0

    def std(self) -> float:
        """Return 1."""
        return 1.0

    def support(self) -> tuple[float, float]:
        """Return the ends of the line."""
        return -np.inf, np.inf

    def ppf(self, levels: Any, /) -> Any:
        """Return the scores below which a share of all scores lies."""
        return special.ndtri(levels)

    def isf(self, levels: Any, /) -> Any:
        """Return the scores above which a share of all scores lies."""
        return -special.ndtri(levels)

    def __repr__(self) -> str:
        return "norm()"


STANDARD_NORMAL = StandardNormal()


def cosine(d: float) -> Distribution:
    """Distribution of the cosine of two random directions.

    Parameters
    ----------
    d : dimension, a number from 2 to 1e9.

    Returns
    -------
    frozen SciPy distribution
        Density proportional to (1 - s²)^((d - 3)/2) on [-1, 1], variance 1/d.

    Raises
    ------
    TypeError, ValueError : d is no such number.

    Source: chapter 7.

    >>> float(cosine(64).std())  # 1 / √d
    0.125
    """
    d = number("d", d)
    refuse("d", d, not 2 <= d <= MOST_DIMENSIONS, "a number from 2 to 1e9")
    from scipy import stats

    return stats.beta((d - 1) / 2, (d - 1) / 2, loc=-1, scale=2)


def spread(distribution):
    """Return the mean and the standard deviation of a score distribution.

    Raises
    ------
    TypeError : it is no frozen SciPy distribution.
    ValueError : it has no mean, no finite variance, or a tail heavier than
        exponential, and so no moment generating function.
    """
    if isinstance(distribution, StandardNormal):
        return 0.0, 1.0
    from scipy.stats.distributions import rv_frozen

    if not isinstance(distribution, rv_frozen):
        raise TypeError(
            f"distribution: {distribution!r}; it should be a frozen SciPy "
            "distribution, such as scipy.stats.norm()"
        )
    mean, std = distribution.mean(), distribution.std()
    if np.ndim(mean) or np.ndim(std):
        raise ValueError(
            f"distribution: {name_of(distribution)} is "
            f"{np.size(mean)} distributions; it should be one"
        )
    mean, std = float(mean), float(std)
    if not (np.isfinite(mean) and np.isfinite(std)):
        raise ValueError(
            f"distribution: {name_of(distribution)} has mean {mean} and "
            f"standard deviation {std}; both should be finite, its "
            "parameters valid"
        )
    if std and not LEAST_STD <= std <= MOST_STD:
        raise ValueError(
            f"distribution: {name_of(distribution)} has standard deviation "
            f"{std:.4g}; it should be from {LEAST_STD:g} to {MOST_STD:g}, or 0"
        )
    if _has_atoms(distribution):
        return mean, std
    lowest, highest = distribution.support()
    if np.isinf(highest):
        quantiles = _quantiles(distribution.isf, TAILS)
        _refuse_heavy_tail(distribution, "right", quantiles)
        _refuse_wrong_quantiles(distribution, quantiles)
    if np.isinf(lowest):
        _refuse_heavy_tail(
            distribution, "left", -_quantiles(distribution.ppf, TAILS)
        )
    return mean, std


def steepness(distribution, z):
    """Return how fast the quantiles of a right tail grow with z, near z."""
    near, far = _quantiles(distribution.isf, special.ndtr([-z, -z - 1]))
    return far - near


def nodes(distribution, step, right):
    """Return nodes s (m) and weights (m, LEVELS): means over scores are sums.

    With z normal, s = ppf(Φ(z)) has the wanted distribution: a smooth
    function of z, whose mean the trapezoid rule finds with few nodes.
    A discrete distribution has its own nodes.

    The distribution has passed `spread`; `step` is of z, and `right` the
    largest z, at most FURTHEST. Weights are those for the step, for twice and
    for four times that step, to compare. Quantiles that cannot be computed
    are a ValueError.
    """
    if _has_atoms(distribution):
        s, weights = _atoms(distribution)
        return s, np.repeat(weights[:, np.newaxis], LEVELS, axis=1)
    z = step * np.arange(-np.ceil(LEFT / step), np.ceil(right / step) + 1)
    below = z < 0
    s = np.empty_like(z)
    s[below] = _quantiles(distribution.ppf, special.ndtr(z[below]))
    s[~below] = _quantiles(distribution.isf, special.ndtr(-z[~below]))
    lowest, highest = distribution.support()
    # SciPy gives up on levels at which a bounded score is at its bound.
    s = np.where(np.isfinite(s), s, np.where(below, lowest, highest))
    if not np.isfinite(s).all():
        raise ValueError(
            f"distribution: {name_of(distribution)} has no finite quantile at "
            f"{z[~np.isfinite(s)][0]:.3g} standard deviations of the normal"
        )
    weights = np.zeros((z.size, LEVELS))
    for level in range(LEVELS):
        coarse = slice(None, None, 2**level)
        weights[coarse, level] = np.exp(-(z[coarse] ** 2) / 2)
    return s, weights / weights.sum(axis=0)


def remainder(fine, coarse, coarsest):
    """Estimate the error of a sum from what halving its step twice changed.

    For smooth functions the trapezoid rule's changes shrink at once: what
    remains is the last change times their ratio, if it stays the same; 16
    times that is on the safe side. Where they shrink slowly, as for functions
    with kinks, 8 times the last change is.
    """
    before, last = np.abs(coarse - coarsest), np.abs(fine - coarse)
    ratio = last / np.maximum(before, 1e-300)
    return last * np.where(ratio < SMOOTH, 16 * ratio, 8)


def _quantiles(function, levels):
    """Return quantiles, not finite where they cannot be computed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return function(levels)


def _has_atoms(distribution):
    """Tell whether a distribution is discrete."""
    if isinstance(distribution, StandardNormal):
        return False
    from scipy.stats import rv_discrete

    return isinstance(distribution.dist, rv_discrete)


def _atoms(distribution):
    """Return the values of a discrete distribution and their probabilities."""
    if hasattr(distribution.dist, "xk"):
        values = np.array(distribution.dist.xk, float)
        values += distribution.support()[0] - values.min()
        return values, np.array(distribution.dist.pk, float)
    middle = np.floor(distribution.mean())
    ends = np.clip(distribution.support(), middle - ATOMS, middle + ATOMS)
    values = np.arange(ends[0], ends[1] + 1)
    weights = distribution.pmf(values)
    if (weights[[0, -1]][ends != distribution.support()] > 0).any():
        raise ValueError(
            f"distribution: {name_of(distribution)} has more than "
            f"{ATOMS:,} values on one side of its mean, or a tail heavier "
            "than exponential"
        )
    return values[weights > 0], weights[weights > 0]


def _refuse_heavy_tail(distribution, side, quantiles):
    """Refuse a tail on which -log sf grows slower than its argument."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = -np.diff(np.log(TAILS)) / np.diff(quantiles)
    if not np.inf > second >= SLOPE_KEPT * first > 0:
        raise ValueError(
            f"distribution: the {side} tail of {name_of(distribution)} is "
            "heavier than exponential, or cannot be computed: it has no "
            "finite moment generating function"
        )


def _refuse_wrong_quantiles(distribution, quantiles):
    """Refuse a distribution whose quantiles SciPy only claims to know."""
    with np.errstate(all="ignore"):
        ratio = _quantiles(distribution.logsf, quantiles) / np.log(TAILS)
    if not (np.abs(ratio - 1) < 1e-8).all():
        raise ValueError(
            f"distribution: SciPy cannot compute the far quantiles of "
            f"{name_of(distribution)}, on which averages over many keys depend"
        )


def name_of(distribution):
    """Return how a reader would write the distribution."""
    if isinstance(distribution, StandardNormal):
        return repr(distribution)
    arguments = [str(value) for value in distribution.args]
    arguments += [
        f"{name}={value}" for name, value in distribution.kwds.items()
    ]
    return f"{distribution.dist.name}({', '.join(arguments)})"
